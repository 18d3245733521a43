package durable

import "syscall"

// Windows' own numbers. Those that package syscall invents there count as well.
const (
	errorWriteProtect   = syscall.Errno(19)
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
)

func isFull(err error) bool { return isAny(err, errorHandleDiskFull, errorDiskFull, syscall.ENOSPC) }

func isProtected(err error) bool { return isAny(err, errorWriteProtect, syscall.EROFS) }
