// Package gitrepo holds everything that Cortex knows about a git repository: its identity, its head, what changed since a
// commit, the digest of its worktree, and a search. It is the only code that runs git.
//
// It must not hold rules about cases, and it must not write into a repository of the user: it never refreshes an index,
// takes a lock that a git user can feel, fetches, or checks anything out.
//
// Invariants: every git process is bounded in time, sees no GIT_* variable of its caller, and runs no program that a
// repository's configuration names (fsmonitor, hooks, filters, external diff, transports); paths are slash-separated,
// relative to the top level and taken from NUL-terminated output; symbolic links are never followed below the top level;
// Cortex's own state is no part of any answer; a digest that covers less than it claims says so and is not Complete.
package gitrepo
