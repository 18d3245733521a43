package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
)

// faulty plays a script on a disk that fails somewhere.
type faulty struct {
	*crashRun
	now     *world
	either  []*world // what a power loss may also leave while nothing was acknowledged after the failure
	orphans map[string]string
	failed  error // of the one Update that failed
}

// play lets one Update fail. The failed one must have happened in full or not at all, as its error says, and those after
// it must succeed.
func (f *faulty) play(t *testing.T, disk *crashfs.Disk, inject, repair func()) error {
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		return err
	}
	dir := durable.New(sub)
	inject()
	for i, o := range f.ops {
		next := f.now.with(o)
		err := dir.Update(t.Context(), o.stage)
		if err == nil {
			f.now, f.either = &next, nil
			continue
		}
		if f.failed != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrTornTail)) {
			continue // it rests on the change that failed
		}
		if f.failed != nil {
			return fmt.Errorf("update %d after the fault: %w", i, err)
		}
		f.failed, f.orphans = err, o.installs
		repair()
		allowed := []*world{f.now, &next}
		switch {
		case errors.As(err, new(*durable.PendingError)):
			allowed = []*world{&next}
		case o.files() > 1:
			allowed = []*world{f.now}
		}
		f.either = []*world{f.now, &next}
		for _, w := range []*world{f.now, &next} {
			w.doubt = [2]int{f.now.certain, len(next.audit)}
		}
		if f.now, err = f.find(disk, allowed, f.orphans); err != nil {
			return fmt.Errorf("update %d failed with %q and left: %w", i, f.failed, err)
		}
	}
	return nil
}

// settled checks that what was acknowledged after the fault survives every power loss.
func (f *faulty) settled(disk *crashfs.Disk, seed int) (violation error) {
	disk.States(uint64(seed), 64, func(state *crashfs.Disk) bool {
		_, violation = f.find(state, append(f.either, f.now), f.orphans)
		return violation == nil
	})
	return violation
}

// start makes the directory without faults.
func startFaulty(t *testing.T, s script) (*faulty, *crashfs.Disk) {
	t.Helper()
	f := &faulty{crashRun: &crashRun{script: s, disk: crashfs.New}, now: &world{files: s.start}}
	disk, err := f.prepared()
	if err != nil {
		t.Fatal(err)
	}
	if s.start == nil {
		create := s
		create.ops = nil
		_, made, _, done := (&crashRun{script: create}).run(disk)
		if !done {
			t.Fatal("create failed on a sound disk")
		}
		f.now = made[0]
	}
	return f, disk
}

func TestDiskErrorAtEveryStepLosesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range scripts() {
		// One more change, so that nothing ends with the one that failed.
		s.ops = append(s.ops, op{repairs: map[string]string{"evidence.jsonl": record(90)}},
			op{puts: map[string]string{"case.json": record(91)}})
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for step := 0; ; step++ {
				f, disk := startFaulty(t, s)
				err := f.play(t, disk, func() { disk.FailStep(step, syscall.EIO) }, func() {})
				if err == nil {
					err = f.settled(disk, step)
				}
				if err != nil {
					t.Fatalf("EIO at step %d: %v", step, err)
				}
				if step > disk.Steps() {
					return
				}
			}
		})
	}
}

func TestFullDiskAtEveryByteIsTypedAndLosesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range scripts() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for space := int64(0); ; space++ {
				f, disk := startFaulty(t, s)
				err := f.play(t, disk, func() { disk.SetSpace(space) }, func() { disk.SetSpace(-1) })
				if err == nil && f.failed != nil && !errors.Is(f.failed, durable.ErrNoSpace) {
					err = fmt.Errorf("error is %q, want one that matches ErrNoSpace", f.failed)
				}
				if err == nil && space%37 == 0 {
					err = f.settled(disk, int(space))
				}
				if err != nil {
					t.Fatalf("disk full after %d bytes: %v", space, err)
				}
				if f.failed == nil {
					return
				}
			}
		})
	}
}

func TestErrorsOfTheDiskHaveTheirKind(t *testing.T) {
	t.Parallel()
	kinds := []error{durable.ErrNoSpace, durable.ErrReadOnly}
	for errno, want := range map[syscall.Errno]error{
		syscall.ENOSPC: durable.ErrNoSpace, syscall.EDQUOT: durable.ErrNoSpace, syscall.EFBIG: durable.ErrNoSpace,
		syscall.EROFS: durable.ErrReadOnly, syscall.EACCES: durable.ErrReadOnly, syscall.EPERM: durable.ErrReadOnly,
		syscall.EIO: nil,
	} {
		disk, fsys := newCase(t, map[string][]byte{"case.json": []byte("old")})
		disk.FailStep(0, errno)
		err := update(t, fsys, func(tx *durable.Tx) error { return tx.Put("case.json", []byte("new")) })
		if !errors.Is(err, errno) {
			t.Errorf("%v: error %v lost its cause", errno, err)
		}
		for _, kind := range kinds {
			if got := errors.Is(err, kind); got != (kind == want) {
				t.Errorf("%v: error %v matches %v: %t, want %t", errno, err, kind, got, kind == want)
			}
		}
		if got := read(t, fsys, "case.json"); got != "old" {
			t.Errorf("%v: case.json = %q, want old", errno, got)
		}
	}
}
