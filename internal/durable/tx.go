package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
)

// Tx stages a change. Its reads see the state before the change. Staging refuses whatever could not be finished later,
// and stages nothing then; a refusal also fails the whole Update when fn drops the error, except those that tell the
// state (fs.ErrExist, fs.ErrNotExist, ErrTornTail). Data is not copied: the caller leaves it alone until Update returns.
// A Tx is not safe for concurrent use.
type Tx struct {
	*Snapshot
	slot  *slot
	steps []*step
	bytes int64 // staged, to hold the bound of a record
	err   error // the first refusal
}

// Put stages a whole file; it is replaced by rename.
func (t *Tx) Put(name string, data []byte) error {
	return t.refuse(name, t.put(name, data))
}

func (t *Tx) put(name string, data []byte) error {
	if err := t.admit(name, len(data)); err != nil {
		return err
	}
	if _, err := t.fsys.Size(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.stage(entry{kind: kindPut, name: name, data: data}, nil)
	return nil
}

// Append stages whole lines at the end of a ledger, which is created when absent. A ledger whose last line is not
// whole is refused with ErrTornTail, unless Truncate comes first.
//
// One line alone is written without record: a power loss before Update returns may leave a part of it, with zeros for
// bytes that are missing. Readers skip a last line that has no end or holds a zero byte.
func (t *Tx) Append(name string, data []byte) error {
	return t.refuse(name, t.append(name, data, false))
}

// AppendAudit stages lines of an audit ledger. Together with other changes they are safe from the death of a process
// and cost no sync; a power loss may take the last of them and leave a part of a line, or zero bytes, in their place.
// Alone they are as durable as those of Append. After an incomplete line they start a new one. So readers of an audit
// ledger skip every line that does not decode, wherever it stands.
func (t *Tx) AppendAudit(name string, data []byte) error {
	return t.refuse(name, t.append(name, data, true))
}

func (t *Tx) append(name string, data []byte, audit bool) error {
	if err := t.admit(name, len(data)); err != nil {
		return err
	}
	if len(data) == 0 || data[len(data)-1] != '\n' || bytes.IndexByte(data, 0) >= 0 {
		return fmt.Errorf("%w: an append must be whole lines without zero bytes", ErrInvalid)
	}
	if s := t.staged(name); s != nil {
		s.extend(data, audit)
		return nil
	}
	h, err := t.fsys.Open(name, OpenWrite)
	if errors.Is(err, fs.ErrNotExist) {
		t.stage(entry{kind: kindPut, audit: audit, name: name, data: data}, nil)
		return nil
	}
	if err != nil {
		return err
	}
	off, err := h.Size()
	if err == nil {
		err = checkLineStart(h, off)
	}
	if audit && errors.Is(err, ErrTornTail) {
		data, err = append([]byte{'\n'}, data...), nil
	}
	if err != nil {
		return errors.Join(err, h.Close())
	}
	t.stage(entry{kind: kindAppend, audit: audit, name: name, off: off, data: data}, h)
	return nil
}

// extend adds lines to what is staged for the same file.
func (s *step) extend(data []byte, audit bool) {
	if s.kind == kindRemove {
		s.kind, s.data = kindPut, nil
	}
	s.data = append(bytes.Clone(s.data), data...)
	s.audit = s.audit && audit
}

func checkLineStart(h Handle, off int64) error {
	if off == 0 {
		return nil
	}
	last := make([]byte, 1)
	if n, err := h.ReadAt(last, off-1); n == 0 {
		return err
	}
	if last[0] != '\n' {
		return ErrTornTail
	}
	return nil
}

// Truncate stages the cutting of a ledger to size bytes, the end of a whole line, before anything else is staged for it.
// An Append may follow. What is cut away is at most 16 MiB.
func (t *Tx) Truncate(name string, size int64) error {
	return t.refuse(name, t.truncate(name, size))
}

func (t *Tx) truncate(name string, size int64) error {
	if err := t.admit(name, 0); err != nil {
		return err
	}
	if t.staged(name) != nil {
		return fmt.Errorf("%w: another change is staged before the cut", ErrInvalid)
	}
	h, err := t.fsys.Open(name, OpenWrite)
	if err != nil {
		return err
	}
	old, err := readBehind(h, name, size)
	if err == nil {
		err = t.admit(name, len(old))
	}
	if err != nil {
		return errors.Join(err, h.Close())
	}
	t.stage(entry{kind: kindAppend, name: name, off: size, old: old}, h)
	return nil
}

// readBehind returns what stands behind a line end at off.
func readBehind(h Handle, name string, off int64) ([]byte, error) {
	have, err := h.Size()
	if err != nil {
		return nil, err
	}
	if off < 0 || off > have {
		return nil, fmt.Errorf("%w: cut to %d of %d bytes", ErrInvalid, off, have)
	}
	if have-off > maxTailBytes {
		return nil, &TooLargeError{Name: name, Size: have - off, Max: maxTailBytes}
	}
	old := make([]byte, have-off)
	if n, err := h.ReadAt(old, off); n < len(old) {
		return nil, err
	}
	return old, checkLineStart(h, off)
}

// Remove stages the removal of a file. An absent file matches fs.ErrNotExist.
func (t *Tx) Remove(name string) error {
	return t.refuse(name, t.remove(name))
}

func (t *Tx) remove(name string) error {
	if err := t.admit(name, 0); err != nil {
		return err
	}
	if _, err := t.fsys.Size(name); err != nil {
		return err
	}
	t.stage(entry{kind: kindRemove, name: name}, nil)
	return nil
}

// Install writes a file at once, durably, under its final name, which must be unique and never used again: fs.ErrExist
// when it is taken. It is for data too large to be recorded. When the Update fails the file stays, whole or in part, as
// an orphan that nothing names.
func (t *Tx) Install(name string, data []byte) error {
	return t.refuse(name, t.install(name, data))
}

func (t *Tx) install(name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := t.slot.mark(name); err != nil {
		return err
	}
	c := change{fsys: t.fsys}
	if err := c.makeDir(dirOf(name)); err != nil {
		return err
	}
	if err := writeNew(t.fsys, name, data, true); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			_ = t.fsys.Remove(name) // the write failed; what stays is an orphan
		}
		return err
	}
	c.touch(dirOf(name))
	if t.slot.created {
		c.touch(rootName)
	}
	if err := c.syncDirs(); err != nil {
		return err
	}
	t.slot.created = false
	return nil
}

// Guard announces that fn changes names in the directory by other means than this Tx, such as Create. When the process
// dies before those are durable, the next Update makes them so before it reads.
func (t *Tx) Guard() error {
	return t.refuse(rootName, t.slot.mark(rootName))
}

// refuse wraps a refusal and remembers it unless it only tells the state.
func (t *Tx) refuse(name string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("stage %s: %w", name, WriteError(err))
	tells := errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrTornTail)
	if t.err == nil && !tells {
		t.err = err
	}
	return err
}

// admit checks a name and counts size bytes against the bound of a record.
func (t *Tx) admit(name string, size int) error {
	if err := checkName(name); err != nil {
		return err
	}
	for _, s := range t.steps {
		if dirOf(s.name) == name || dirOf(name) == s.name {
			return fmt.Errorf("%w: %s and %s need one name as file and directory", ErrInvalid, s.name, name)
		}
	}
	t.bytes += int64(entryBytes + len(name) + size)
	if t.bytes > maxBodyBytes {
		return &TooLargeError{Name: name, Size: t.bytes, Max: maxBodyBytes}
	}
	return nil
}

func (t *Tx) staged(name string) *step {
	for _, s := range t.steps {
		if s.name == name {
			return s
		}
	}
	return nil
}

// stage adds an entry; what was staged for the same file gives way.
func (t *Tx) stage(e entry, h Handle) {
	if s := t.staged(e.name); s != nil {
		s.entry = e
		return
	}
	t.steps = append(t.steps, &step{entry: e, h: h})
}

func (t *Tx) release() {
	c := change{fsys: t.fsys, steps: t.steps}
	c.release()
}
