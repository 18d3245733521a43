// Package codeops holds the verbs about a repository's source: its modules, ranked search, callers, and what a change
// touches.
//
// It must not hold anything about cases, and it changes nothing but the cache.
//
// Invariants: every verb answers from the worktree as it is; paths are relative to the repository's root; what was not
// read is in the warnings.
package codeops
