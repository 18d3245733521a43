//go:build unix

package code

import "golang.org/x/sys/unix"

// makePipe makes a named pipe, which blocks whoever opens it to read.
func makePipe(name string) {
	_ = unix.Mkfifo(name, 0o644) // without one the test has a trap less
}
