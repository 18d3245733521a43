// Package op holds what a verb is: one declaration (Spec) with a typed input and result, and the projections of it onto a
// command line, an MCP tool and a line of documentation.
//
// It must not hold anything about cases or documents, and no I/O beyond what a projection writes to the streams it is
// given.
//
// Invariants: a verb is declared once; its input's struct tags are the only description of its arguments; every step a
// result or a refusal offers is rendered here, from the declarations, so no front can offer what does not exist.
package op
