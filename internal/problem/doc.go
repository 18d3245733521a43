// Package problem holds the one error type that a reader of Cortex is meant to see, and the closed list of its codes.
//
// It must not hold I/O, rules about cases or documents, or rendering: a front turns a Problem into text or JSON.
//
// Invariants: every Code is in Codes and maps to exactly one exit status; a Problem's message is a full sentence that
// names the thing and the remedy; it carries at least one Step, or NoStep says why none can help.
package problem
