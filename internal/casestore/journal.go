package casestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"cortex/internal/durable"
)

// Files of the public program's transactions: the journal, the staged copies beside their targets.
const (
	journalFile    = ".transaction.json"
	maxJournal     = 64 << 20 // that program's own bound
	stageSeparator = ".txn-"
)

// journal is the record of an unfinished transaction of the public program: what its files held before. It renames its
// staged files one by one, case.json last, so a case.json of the journal's revision means that all of them are in place.
type journal struct {
	Revision uint64      `json:"revision"`
	Files    []journaled `json:"files"`
}

type journaled struct {
	Name    string `json:"name"`
	Stage   string `json:"stage"`
	Old     []byte `json:"old,omitempty"` // content before, base64 on disk
	Existed bool   `json:"existed"`
}

// readJournal returns the journal in the directory, or nil when there is none. An unusable one is an error: which files
// it had replaced cannot be known. Its name is hidden and so not one of the durable layer's; it is read below that.
func readJournal(fsys durable.FS) (*journal, error) {
	h, err := fsys.Open(journalFile, durable.OpenRead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", journalFile, err)
	}
	defer func() { _ = h.Close() }() // opened for reading only
	size, err := h.Size()
	if err == nil && size > maxJournal {
		err = fmt.Errorf("it has %d bytes, more than %d", size, maxJournal)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", journalFile, err)
	}
	raw, err := readAt(h, 0, size)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", journalFile, err)
	}
	return decodeJournal(raw)
}

func decodeJournal(raw []byte) (*journal, error) {
	var j journal
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, fmt.Errorf("decode %s: %w", journalFile, err)
	}
	for _, f := range j.Files {
		if !mayBeJournaled(f.Name) || f.Stage != fmt.Sprintf("%s%s%d", f.Name, stageSeparator, j.Revision) {
			return nil, fmt.Errorf("decode %s: it names %q, which no transaction writes", journalFile, f.Name)
		}
	}
	return &j, nil
}

func mayBeJournaled(name string) bool {
	switch name {
	case caseFile, planFile, hypothesesFile, receiptsFile, evidenceFile:
		return true
	}
	blob, ok := strings.CutPrefix(name, rawDir+"/")
	return ok && strings.HasSuffix(blob, ".txt") && !strings.ContainsAny(blob, `/\`) && blob[0] != '.'
}

// undo returns the files to go back to, by name, when the transaction had not reached its last step; else nil. A nil
// content means that the file did not exist.
func (j *journal) undo(caseRevision uint64) map[string][]byte {
	if caseRevision >= j.Revision {
		return nil
	}
	before := map[string][]byte{}
	for _, f := range j.Files {
		before[f.Name] = nil
		if f.Existed {
			before[f.Name] = append([]byte{}, f.Old...)
		}
	}
	return before
}

// restore stages the content before the interrupted transaction for every file that has another one now, and reports
// whether there was any. The journal stays until that is durable: a crash in between leads here again.
func restore(tx *durable.Tx, before map[string][]byte) (staged bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		old := before[name]
		now, err := tx.ReadFile(name, maxJournal)
		absent := errors.Is(err, fs.ErrNotExist)
		switch {
		case err != nil && !absent:
			return false, fmt.Errorf("restore %s: %w", name, err)
		case absent && old == nil, !absent && old != nil && bytes.Equal(now, old):
			continue
		case old == nil:
			err = tx.Remove(name)
		default:
			err = tx.Put(name, old)
		}
		if err != nil {
			return false, fmt.Errorf("restore %s: %w", name, err)
		}
		staged = true
	}
	return staged, nil
}

// cleanUp removes the staged copies and then the journal, durably: a journal that came back behind a later change would
// undo it. The caller holds the lock, and every file that the journal names is as it shall be.
func (j *journal) cleanUp(fsys durable.FS) error {
	for _, f := range j.Files {
		if err := fsys.Remove(f.Stage); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", f.Stage, err)
		}
	}
	if err := fsys.Remove(journalFile); err != nil {
		return fmt.Errorf("remove %s: %w", journalFile, err)
	}
	if err := fsys.SyncDir("."); err != nil {
		return fmt.Errorf("remove %s: %w", journalFile, err)
	}
	return nil
}
