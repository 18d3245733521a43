// Package tool runs specialist tools, each behind the command line that it documents, one file each, all behind one Runner.
//
// It must not hold what their answers mean for a case, or anything about stores.
//
// Invariants: a tool that is missing, fails, is cut off or says something else than it documents gives an Answer that says
// so, never an empty list of findings. A tool gets the environment that the caller gives, no input, and a time limit that
// ends its whole process group. A program inside of the workspace is never run as a tool, and only a tool that runs
// what a spec says finds programs there on its PATH. Only calls that read are tried again, and only when they could not be
// started. What a tool leaves on disk is read without following a link.
package tool
