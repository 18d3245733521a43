package durable

import "syscall"

// Windows' own numbers, beside those that package syscall invents for it.
const (
	errorWriteProtect   = syscall.Errno(19)
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

func isFull(err error) bool { return isAny(err, errorHandleDiskFull, errorDiskFull) }

func isProtected(err error) bool { return isAny(err, errorWriteProtect) }
