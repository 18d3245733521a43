package casestore

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cortex/internal/ids"
)

// foreignLockAge is how old the heartbeat of the public program's lock may be. It beats every 5 s and calls a lock stale
// after 2 minutes; an older one belongs to a process that is gone, whatever runs under its number now.
const foreignLockAge = 2 * time.Minute

// foreignHolder returns the number of the live process of the public program that holds the case, or 0. A lock that
// cannot be read or understood holds nothing: our own lock guards our own writers.
func foreignHolder(storeDir, id string) int {
	path := filepath.Join(storeDir, "."+id+".lock")
	info, err := os.Lstat(path) // before it is opened: a FIFO would hold up whoever opens it
	if err != nil || !info.Mode().IsRegular() || ids.System().Now().Sub(info.ModTime()) > foreignLockAge {
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // opened for reading only
	body, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return 0
	}
	if pid := lockPID(body); pid > 0 && alive(pid) {
		return pid
	}
	return 0
}

// lockPID returns the number behind "pid=" in a lock's body, or 0.
func lockPID(body []byte) int {
	for in := bufio.NewScanner(bytes.NewReader(body)); in.Scan(); {
		if text, ok := strings.CutPrefix(in.Text(), "pid="); ok {
			if pid, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
				return pid
			}
		}
	}
	return 0
}
