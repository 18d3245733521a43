// Package crashfs holds a file system in memory that loses power, for tests of package durable and of what stands on
// it; and Counting, which counts the syncs of any file system.
//
// It must not hold knowledge of records, slots or transactions: it must be able to find their faults.
//
// Invariants: without a sync every block of every write, every truncation and every change of a name may or may not
// survive, each by itself; a sync of a file says nothing about its name, a sync of a directory nothing about the bytes
// of its files. A rename within one directory is one change, a rename between two is two.
package crashfs
