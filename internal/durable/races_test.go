package durable_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
)

// busyParent is a parent directory in which another process works on each new directory as soon as it can be seen.
type busyParent struct {
	durable.FS
	unlock func()
}

func (p *busyParent) SyncDir(dir string) error {
	sub, err := p.Sub(caseDir)
	if err != nil {
		return err
	}
	if p.unlock, err = sub.TryLock(true); err != nil {
		return err
	}
	return p.FS.SyncDir(dir)
}

func TestCreateLeavesTheSlotOfAnotherWriterAlone(t *testing.T) {
	t.Parallel()
	parent := &busyParent{FS: crashfs.New().FS()}
	if err := durable.Create(t.Context(), parent, caseDir, nil); err != nil {
		t.Fatal(err)
	}
	defer parent.unlock()
	sub, err := parent.Sub(caseDir)
	if err != nil {
		t.Fatal(err)
	}
	slot, err := sub.Open(".intent", durable.OpenRead)
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Close()
	got := make([]byte, 1)
	if _, err := slot.ReadAt(got, 0); err != nil || string(got) != "n" {
		t.Errorf("slot = %q, %v, want it as it was when the other writer took the lock", got, err)
	}
}

// Two failures: that of a change, and one while what it left is taken back or finished.
func TestTwoDiskErrorsLoseNothing(t *testing.T) {
	t.Parallel()
	s := script{ops: []op{
		{puts: map[string]string{"case.json": record(10), "raw/x.txt": record(11)}, appends: map[string]string{"evidence.jsonl": record(12)}},
		{puts: map[string]string{"case.json": record(20)}},
		{repairs: map[string]string{"evidence.jsonl": record(30)}},
	}}
	for first := 0; ; first++ {
		for second := range 32 { // more steps than finishing the first change takes
			f, disk := startFaulty(t, s)
			before := disk.Steps()
			disk.FailStep(first, syscall.EIO)
			err := f.playOn(t, disk, func() { disk.FailStep(second, syscall.EIO) })
			if err == nil {
				err = f.settled(disk, first)
			}
			if err != nil {
				t.Fatalf("EIO at step %d, then at step %d of the next update: %v", first, second, err)
			}
			if first > disk.Steps()-before {
				return
			}
		}
	}
}

// playOn lets Updates fail. Between is called behind the first.
func (f *faulty) playOn(t *testing.T, disk *crashfs.Disk, between func()) error {
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		return err
	}
	for i, o := range f.ops {
		next := f.now.with(o)
		err := durable.New(sub).Update(t.Context(), o.stage)
		if err == nil {
			f.now, f.either = &next, nil
		} else {
			allowed := []*world{f.now, &next}
			if pending := (*durable.PendingError)(nil); errors.As(err, &pending) {
				allowed = []*world{&next}
			}
			f.either = append(f.either, f.now, &next)
			if f.now, err = f.find(disk, allowed, nil); err != nil {
				return fmt.Errorf("update %d left: %w", i, err)
			}
		}
		if i == 0 {
			between()
		}
	}
	return nil
}

// The disk fails at the commit point and refuses to take the record back; then power is lost while the record is finished.
func TestRecordWhoseSyncFailedIsFinishedInFullOrNotAtAll(t *testing.T) {
	t.Parallel()
	o := op{puts: map[string]string{"case.json": record(10), "raw/x.txt": record(11)}, appends: map[string]string{"evidence.jsonl": record(12)}}
	pending := 0
	for fail := range 32 {
		for stop := range 32 {
			f, disk := startFaulty(t, script{})
			sub, err := disk.FS().Sub(caseDir)
			if err != nil {
				t.Fatal(err)
			}
			disk.FailStep(fail, syscall.EIO)
			disk.FailStep(fail+1, syscall.EIO)
			if err := update(t, sub, o.stage); !errors.As(err, new(*durable.PendingError)) {
				break
			}
			pending++
			disk.StopAfter(stop)
			_ = update(t, sub, func(*durable.Tx) error { return nil }) // it may die anywhere
			next := f.now.with(o)
			f.either = []*world{&next}
			if err := f.settled(disk, stop); err != nil {
				t.Fatalf("EIO at steps %d and %d, then stopped after %d: %v", fail, fail+1, stop, err)
			}
		}
	}
	if pending == 0 {
		t.Error("no failure left a record")
	}
}
