package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// slotState is what the first bytes of the slot say.
type slotState int

const (
	// slotAbsent: there is no slot file, so no record can come back.
	slotAbsent slotState = iota
	// slotTorn: empty, or a record that was not completed. Neither the file's name nor its bytes need be durable.
	slotTorn
	// slotCleared: a finished record was cut to its first byte, and a power loss may bring it back.
	slotCleared
	// slotClean: the clearing is durable.
	slotClean
	// slotNew: as clean, but Create died, or is about to say that the name of the directory itself is durable.
	slotNew
	// slotMarked: as clean, and a writer is at work without record, or died at it. What it touched may not be durable.
	slotMarked
	// slotPending: a complete record waits to be finished.
	slotPending
)

// First bytes of the slot. A record starts with the P of its magic; a cleared slot is that one byte.
const (
	clearedBytes = 1
	cleanMark    = "-"
	newMark      = "n"
	writeMark    = "w " // + name + newline
	// slotHeadBytes is read at once: any mark, or the header of a record.
	slotHeadBytes = len(writeMark) + 2*(maxNameBytes+1)
)

// slot is the file that holds the record of an unfinished change, open for the duration of one call.
type slot struct {
	fsys    FS
	h       Handle // nil while absent
	state   slotState
	pending []entry // of slotPending
	marked  string  // of slotMarked; "." stands for names in the directory
	// created says that this call made the slot file and that no directory sync has followed yet.
	created bool
}

func openSlot(fsys FS, mode Mode) (*slot, error) {
	s := &slot{fsys: fsys}
	h, err := fsys.Open(slotName, mode)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", slotName, err)
	}
	s.h = h
	if err := s.load(); err != nil {
		s.close()
		return nil, fmt.Errorf("read %s: %w", slotName, err)
	}
	return s, nil
}

func (s *slot) close() {
	if s.h != nil {
		_ = s.h.Close() // all that mattered was synced
	}
}

func (s *slot) load() error {
	head := make([]byte, slotHeadBytes)
	n, err := s.h.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:n]
	s.state = slotTorn
	switch text := string(head); {
	case text == recordMagic[:clearedBytes]:
		s.state = slotCleared
	case strings.HasPrefix(text, cleanMark):
		s.state = slotClean
	case strings.HasPrefix(text, newMark):
		s.state = slotNew
	case strings.HasPrefix(text, writeMark):
		name, _, whole := strings.Cut(text[len(writeMark):], "\n")
		if whole && (name == rootName || checkName(name) == nil) {
			s.state, s.marked = slotMarked, name
		}
	default:
		return s.loadRecord(head)
	}
	return nil
}

func (s *slot) loadRecord(head []byte) error {
	size, err := recordBytes(head)
	if err == nil {
		s.pending, err = s.readRecord(size)
	}
	if errors.Is(err, errTorn) {
		return nil
	}
	if err != nil {
		return err
	}
	s.state = slotPending
	return nil
}

func (s *slot) readRecord(size int64) ([]entry, error) {
	have, err := s.h.Size()
	if err != nil {
		return nil, err
	}
	if have < size {
		return nil, errTorn
	}
	record := make([]byte, size)
	if _, err := s.h.ReadAt(record, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return decodeRecord(record)
}

// settle brings the directory to a state that is whole and durable: it finishes a record, and syncs what a writer
// without record may have left unsynced. It needs the exclusive lock.
func (s *slot) settle() error {
	switch s.state {
	case slotPending:
		return s.finish()
	case slotMarked:
		return s.settleMarked()
	case slotNew:
		if err := s.fsys.SyncDir(aboveName); err != nil {
			return err
		}
		s.unmark()
	}
	return nil
}

// finish replays the record. Whoever wrote it may have died before its sync, even before the slot's name was durable;
// the sync of the directory also covers a subdirectory that was made while applying. The record is written once more, in
// place, because after a sync that failed another one alone writes nothing.
func (s *slot) finish() error {
	if _, err := s.h.WriteAt(encodeRecord(s.pending), 0); err != nil {
		return err
	}
	if err := s.h.Sync(); err != nil {
		return err
	}
	if err := s.fsys.SyncDir(rootName); err != nil {
		return err
	}
	c := change{fsys: s.fsys, steps: stepsOf(s.pending), redo: true}
	defer c.release()
	if err := c.prepare(); err != nil {
		return err
	}
	if err := c.apply(); err != nil {
		return err
	}
	s.clear()
	return nil
}

func (s *slot) settleMarked() error {
	if s.marked != rootName {
		h, err := s.fsys.Open(s.marked, OpenWrite)
		if err == nil {
			err = errors.Join(h.Sync(), h.Close())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, dir := range []string{dirOf(s.marked), rootName} {
		if err := s.fsys.SyncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	s.unmark()
	return nil
}

// mark says which file is about to change without a record. The mark itself needs no sync, because it speaks to those
// who come after a dead process; after a power loss everything that can be read is durable. But from here on no older
// record may come back, so the clearing of the slot is made durable first.
func (s *slot) mark(name string) error {
	if err := s.quiet(); err != nil {
		return fmt.Errorf("quiet %s: %w", slotName, err)
	}
	if _, err := s.h.WriteAt([]byte(writeMark+name+"\n"), 0); err != nil {
		return fmt.Errorf("mark %s: %w", slotName, errors.Join(err, s.abort()))
	}
	s.state, s.marked = slotMarked, name
	return nil
}

func (s *slot) quiet() error {
	switch s.state {
	case slotAbsent:
		return s.create()
	case slotCleared:
		return s.h.Sync()
	case slotPending:
		if err := s.h.Truncate(clearedBytes); err != nil {
			return err
		}
		return s.h.Sync()
	case slotTorn:
		if err := s.h.Truncate(0); err != nil {
			return err
		}
		if err := s.h.Sync(); err != nil {
			return err
		}
		return s.fsys.SyncDir(rootName)
	}
	return nil
}

func (s *slot) create() error {
	h, err := s.fsys.Open(slotName, OpenNew)
	if err != nil {
		return err
	}
	s.h, s.state, s.created = h, slotTorn, true
	return nil
}

// unmark says that everything is durable.
func (s *slot) unmark() {
	_, _ = s.h.WriteAt([]byte(cleanMark), 0) // a mark that stays costs the next Update a needless sync
	s.state = slotClean
}

// commit makes the record durable: the commit point. When it fails the record is taken back.
func (s *slot) commit(record []byte) error {
	if s.state == slotAbsent {
		if err := s.create(); err != nil {
			return err
		}
	}
	unnamed := s.state == slotTorn || s.created
	_, err := s.h.WriteAt(record, 0)
	written := err == nil
	if written {
		err = s.h.Sync()
	}
	if err == nil && unnamed {
		err = s.fsys.SyncDir(rootName)
	}
	if err == nil {
		s.created = false
		return nil
	}
	if undone := s.abort(); undone != nil && written {
		return &PendingError{Err: errors.Join(err, undone)}
	}
	return err
}

// abort takes back what a failed commit or mark wrote. An empty slot claims nothing about what is durable.
func (s *slot) abort() error {
	s.state = slotTorn
	return s.h.Truncate(0)
}

// clear drops a finished record without a sync: until the cut is durable, replaying the record changes nothing. A record
// that cannot be cut stays pending: the next Update finishes it once more, to the same end, before it writes.
func (s *slot) clear() {
	if s.h.Truncate(clearedBytes) == nil {
		s.state = slotCleared
	}
}
