// Package proc holds the running of child processes: bounded output, an own process group, a deadline, and whether a
// process is alive.
//
// It must not hold anything about what a program prints or which program is right: callers give argv and read bytes.
//
// Invariants:
//   - There is no shell: argv goes to the system as it is, and the environment is exactly the one given.
//   - Run returns at the latest one second (the drain time) after the deadline, the cancellation, or the end of the direct
//     child, whichever comes first, and leaves no goroutine behind.
//   - When Run returns, the whole process group is dead. A descendant that left the group (setsid) is found and killed on
//     Linux when Spec.Sweep is set, by a mark in its environment and, when Run ends it, by its parents; on Windows the job
//     object ends every descendant. On other systems, and for a descendant that wiped its environment and whose parent has
//     ended, nothing can be done: it lives on, but its hold on the output pipes does not delay Run.
//   - When Cortex itself is killed, the direct child dies with it on Linux (parent death signal) and every descendant on
//     Windows (job object). On macOS, and for grandchildren on Linux, there is no such means.
//   - Memory is bounded by the bytes that a Spec asks to keep; a child never blocks on a full pipe.
package proc
