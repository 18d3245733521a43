// Package cli holds the command line: the command tree built from the declared verbs, output modes, exit status, and the
// wiring of services.
//
// It must not hold rules or reach into a store; what a command does stands in the ops packages.
//
// Invariants: with --json exactly one JSON value goes to stdout, also for a refusal; text for people never carries a
// control character that was not put there by this package; the exit status comes from the problem's code alone.
package cli
