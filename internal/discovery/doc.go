// Package discovery holds one bounded investigation round: it turns a question into search terms, asks the repository
// once and vecgrep beside it where that is there, and ranks what comes back.
//
// It must not hold storage, redaction, cases, or the running of git: it returns facts and stores nothing.
//
// Invariants: the same question over the same bytes gives the same facts in the same order; a round makes one search, and
// needs no tool for it; whatever made the search incomplete is said in the result; every fact is a candidate to read, never
// a proof.
package discovery
