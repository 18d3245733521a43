// Package tool runs specialist tools, each behind the command line that it documents, one file each. A tool that is
// missing or fails is a Problem that says which and what would help, never an empty answer.
//
// It must not hold what their answers mean for a case, or anything about stores.
//
// Invariants: a tool gets the environment that the caller gives and runs in a directory outside the workspace, under a
// time limit; what it leaves on disk is read without following a link and removed when the caller is done.
package tool
