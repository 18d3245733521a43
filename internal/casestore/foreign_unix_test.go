//go:build unix

package casestore

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestForeignLockThatIsNoFileHoldsUpNobody(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	if err := unix.Mkfifo(filepath.Join(s.Dir(), "."+testTask+".lock"), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	update(t, s, testTask, func(e *Edit) error { return e.AddEvidence(anEvidence("ev_06H2VPRM4KDG25W1")) })
	if took := time.Since(start); took > time.Second {
		t.Errorf("a write beside a FIFO in place of the lock took %v", took)
	}
}
