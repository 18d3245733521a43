// Package casestore keeps cases in directories: one directory below a store for each case, with snapshots, ledgers, raw
// blobs, references and a summary (docs/formats/case.md), and finds the store that belongs to a repository.
//
// It must not hold rules about cases, anything that runs git or a check, or a second way to write a case than Edit.
//
// Invariants: a case changes in one transaction or not at all; everything that reaches a file goes through one encoder,
// which masks secrets first; fields and values that this program does not know survive every rewrite; a case of a newer
// schema is read and never written; a ledger only grows, and no line of it is ever joined to another; reads create
// nothing.
package casestore
