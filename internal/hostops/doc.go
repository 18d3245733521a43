// Package hostops holds the verbs about the program and the machine it runs on: what it is configured with, setting a
// repository up, and granting execution.
//
// It must not hold anything about cases or documents; doctor only counts them. Its verbs are on the command line only: no MCP
// tool can grant execution or write outside the stores.
//
// Invariants: a grant is written only after a person said yes to the exact command line, at a terminal or with --yes; a
// file of the user is replaced atomically or not at all, and never without --force.
package hostops
