// Package mcpserver holds the MCP front: a stdio server that serves the declared verbs of a profile as tools.
//
// It must not hold rules, stores or descriptions of arguments; those come from the declarations.
//
// Invariants: nothing but JSON-RPC goes to the output; a refusal of a verb is a result with isError and the same
// envelope as on the command line, never a protocol error; a bad message or a panic ends one call, not the server; the
// server returns within a second of the end of its input.
package mcpserver
