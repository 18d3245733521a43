// Package code holds what Cortex reads from a repository's source by itself: definitions, imports, the graph of modules,
// call sites, and a ranked search.
//
// It must not hold cases, verbs or the running of git, and it must not print a coincidence of names as a fact.
//
// Invariants: reading never panics and ends in time linear in the bytes read, whatever they are; lines of definitions are
// ordered and lie in their file; what was not read is named with the reason; the cache may be deleted at any moment.
package code
