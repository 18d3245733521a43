// Package arch holds the tests that keep the shape of this repository: who may import whom, how long a file and a
// function may be, and which calls belong to one package only.
//
// It must not hold anything that the program runs, and no list of exceptions: code that breaks a rule is changed, or the
// rule is.
//
// Invariants: every rule is shown to catch a planted violation; the rules read files and start no process.
package arch
