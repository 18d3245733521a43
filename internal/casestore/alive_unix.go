//go:build unix

package casestore

import (
	"errors"
	"syscall"
)

// alive reports whether a process of that number exists; one of another user does.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
