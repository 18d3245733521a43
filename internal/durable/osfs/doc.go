// Package osfs holds the file system of package durable on a real directory: names resolved below an open directory,
// without symbolic links, with the kernel's lock and the sync that the platform offers.
//
// It must not hold anything about transactions, records or the meaning of files.
//
// Invariants: no component of a name is followed through a symbolic link, and a directory that is renamed while open
// keeps working (every name is resolved from the open directory, one component at a time); only regular files are
// opened, and a FIFO does not block; files are made with mode 0600 and directories with 0700.
package osfs
