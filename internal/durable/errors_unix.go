//go:build !windows

package durable

import "syscall"

func isFull(err error) bool { return isAny(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG) }

func isProtected(err error) bool { return isAny(err, syscall.EROFS) }
