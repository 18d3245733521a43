package durable

import (
	"bytes"
	"fmt"
)

// commit writes what is staged.
func (t *Tx) commit() error {
	if t.err != nil {
		return t.err
	}
	if len(t.steps) == 0 {
		t.quit()
		return nil
	}
	t.promoteAudit()
	c := &change{fsys: t.fsys, steps: t.steps}
	if err := c.prepare(); err != nil {
		return fmt.Errorf("prepare change: %w", WriteError(err))
	}
	if len(t.steps) == 1 && t.steps[0].needsNoRecord() {
		return t.commitLone(c)
	}
	return t.commitRecord(c)
}

// quit drops the mark of an Install that nothing follows.
func (t *Tx) quit() {
	if t.slot.state == slotMarked && !t.slot.created {
		t.slot.unmark()
	}
}

// promoteAudit makes a change of nothing but audit lines as durable as any other.
func (t *Tx) promoteAudit() {
	for _, s := range t.steps {
		if !s.audit {
			return
		}
	}
	for _, s := range t.steps {
		s.audit = false
	}
}

// needsNoRecord holds for a change that the file system makes atomic, and for one line: a part of it is no record.
func (s *step) needsNoRecord() bool {
	return s.kind != kindAppend || len(s.old) == 0 && bytes.Count(s.data, []byte{'\n'}) == 1
}

func (t *Tx) commitLone(c *change) error {
	if err := t.slot.mark(c.steps[0].name); err != nil {
		return WriteError(err)
	}
	if t.slot.created {
		c.touch(rootName)
	}
	if err := c.apply(); err != nil {
		c.takeBack()
		return WriteError(err)
	}
	t.slot.unmark()
	return nil
}

func (t *Tx) commitRecord(c *change) error {
	entries := make([]entry, len(c.steps))
	for i, s := range c.steps {
		entries[i] = s.entry
	}
	if err := t.slot.commit(encodeRecord(entries)); err != nil {
		return fmt.Errorf("record change: %w", WriteError(err))
	}
	if err := c.apply(); err != nil {
		return &PendingError{Err: WriteError(err)}
	}
	t.slot.clear()
	return nil
}
