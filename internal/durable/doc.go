// Package durable holds the crash-consistent directory: a few files that change together or not at all, and stay as
// acknowledged through the death of the process and the loss of power.
//
// It must not hold anything that knows what the files mean, a clock other than its lock's patience, or a file system:
// FS is implemented by osfs (a real directory) and crashfs (memory that loses power).
//
// Invariants:
//   - An Update that returned nil is there in full after any crash; one that did not is there in full or not at all.
//     A *PendingError says that the change is recorded and will be finished by the next Update.
//   - Several files change through one REDO record in the slot ".intent": its sync is the only commit point. One
//     snapshot or one ledger line alone needs none: a rename is atomic and readers skip an incomplete last line.
//   - A record in the slot is never older than any change outside it: a write without record first makes sure that the
//     slot's clearing has reached the disk. So replaying a record that came back after a power loss undoes nothing.
//   - A writer that died leaves either a record or a mark in the slot; the next Update finishes the one, and syncs what
//     the other names, before it reads. So nothing acknowledged rests on something that can still be lost.
//   - View writes nothing: it reads through an unfinished record.
//
// docs/decisions/0001-intent-slot.md gives the reasons.
package durable
