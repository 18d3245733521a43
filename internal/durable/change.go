package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// step is one entry on its way to the disk.
type step struct {
	entry
	h    Handle // append: the ledger, opened while staging
	temp string // put: the file that waits for its rename
}

func stepsOf(entries []entry) []*step {
	steps := make([]*step, len(entries))
	for i, e := range entries {
		steps[i] = &step{entry: e}
	}
	return steps
}

// change carries out entries: prepare does all that can be done without being seen, apply the rest.
type change struct {
	fsys  FS
	steps []*step
	// redo says that the entries come from a record, and may have been carried out before, in part or in full.
	redo bool
	dirs []string // whose names changed
}

// prepare writes what is to be renamed, so that a full disk shows before the commit point. Of a record it first sees
// whether all of it can be finished.
func (c *change) prepare() error {
	for _, s := range c.steps {
		if c.redo && s.kind == kindAppend {
			if _, _, err := s.resume(c.fsys); err != nil {
				return fmt.Errorf("apply %s: %w", s.name, err)
			}
		}
	}
	swept := false
	for _, s := range c.steps {
		if s.kind != kindPut {
			continue
		}
		if !swept {
			if err := sweep(c.fsys); err != nil {
				return err
			}
			swept = true
		}
		if err := s.writeTemp(c.fsys); err != nil {
			return fmt.Errorf("write %s: %w", s.name, err)
		}
	}
	return nil
}

// sweep removes what dead writers left before their rename. Under the lock every such file is a leftover.
func sweep(fsys FS) error {
	names, err := fsys.ReadDir(rootName)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, tempName) {
			if err := fsys.Remove(name); err != nil {
				return fmt.Errorf("remove leftover: %w", err)
			}
		}
	}
	return nil
}

func (s *step) writeTemp(fsys FS) error {
	s.temp = tempName + rand.Text()
	return writeNew(fsys, s.temp, s.data, !s.audit)
}

// writeNew creates a file. Its name is not durable before a SyncDir, its bytes only when durable is asked for.
func writeNew(fsys FS, name string, data []byte, durable bool) error {
	h, err := fsys.Open(name, OpenNew)
	if err != nil {
		return err
	}
	_, err = h.WriteAt(data, 0)
	if err == nil && durable {
		err = h.Sync()
	}
	return errors.Join(err, h.Close())
}

// apply makes the change seen and durable. After an error it can be tried again from the record.
func (c *change) apply() error {
	for _, s := range c.steps {
		if err := c.applyStep(s); err != nil {
			return fmt.Errorf("apply %s: %w", s.name, err)
		}
	}
	return c.syncDirs()
}

// syncDirs makes the changed names durable. A replayed removal may find its directory gone as well.
func (c *change) syncDirs() error {
	for _, dir := range c.dirs {
		if err := c.fsys.SyncDir(dir); err != nil && !(c.redo && errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("sync directory %s: %w", dir, err)
		}
	}
	return nil
}

func (c *change) applyStep(s *step) error {
	switch s.kind {
	case kindPut:
		return c.put(s)
	case kindRemove:
		c.touch(dirOf(s.name))
		if err := c.fsys.Remove(s.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	default:
		return c.appendTo(s)
	}
}

func (c *change) put(s *step) error {
	dir := dirOf(s.name)
	if err := c.makeDir(dir); err != nil {
		return err
	}
	if err := c.fsys.Rename(s.temp, s.name); err != nil {
		return err
	}
	s.temp = ""
	c.touch(dir)
	return nil
}

func (c *change) makeDir(dir string) error {
	if dir == rootName {
		return nil
	}
	err := c.fsys.Mkdir(dir)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	c.touch(rootName)
	return err
}

func (c *change) touch(dir string) {
	for _, have := range c.dirs {
		if have == dir {
			return
		}
	}
	c.dirs = append(c.dirs, dir)
}

func (c *change) appendTo(s *step) error {
	keep, tail := s.off, s.data
	if c.redo {
		var err error
		if keep, tail, err = s.resume(c.fsys); err != nil {
			return err
		}
	}
	if c.redo || len(s.old) > 0 {
		if err := s.h.Truncate(keep); err != nil {
			return err
		}
	}
	if keep > s.off {
		keep, tail = s.off, s.data // written once more: where a sync has failed, another one alone writes nothing
	}
	if _, err := s.h.WriteAt(tail, keep); err != nil {
		return err
	}
	if s.audit {
		return nil
	}
	return s.h.Sync()
}

// resume opens the ledger of a recorded append and says how that is finished.
func (s *step) resume(fsys FS) (keep int64, tail []byte, err error) {
	if s.h == nil {
		s.h, err = fsys.Open(s.name, OpenWrite)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, errLedgerGone
	}
	if err != nil {
		return 0, nil, err
	}
	size, err := s.h.Size()
	if err != nil {
		return 0, nil, err
	}
	return s.splice(s.h, size)
}

// takeBack undoes a lone append that failed, as far as the disk allows; what stays is an incomplete line.
func (c *change) takeBack() {
	for _, s := range c.steps {
		if s.kind == kindAppend {
			_ = s.h.Truncate(s.off) // the first failure is the one to report
		}
	}
}

// release closes and removes what is not needed any more.
func (c *change) release() {
	for _, s := range c.steps {
		if s.h != nil {
			_ = s.h.Close() // it was synced where that mattered
		}
		if s.temp != "" {
			_ = c.fsys.Remove(s.temp) // a leftover is removed by the next Update
		}
	}
}
