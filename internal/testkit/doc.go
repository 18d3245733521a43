// Package testkit holds what the tests of several packages need: a pinned source of identifiers and time, real git
// repositories in temporary directories, an environment cut off from the user's, and fake tools for PATH.
//
// It must not hold anything that knows cases, plans or receipts, and nothing but tests may import it.
//
// Invariants: the same calls in the same order give the same identifiers, times and commit hashes on every machine; no
// function reads or writes anything outside the test's temporary directories.
package testkit
