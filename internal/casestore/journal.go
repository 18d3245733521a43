package casestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
// it had replaced cannot be known.
func readJournal(snap *durable.Snapshot) (*journal, error) {
	raw, err := snap.ReadFile(journalFile, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
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

// recover stages the end of the interrupted transaction: old content back where it had not come to its last step, and
// its journal and staged copies gone.
func (j *journal) recover(tx *durable.Tx, before map[string][]byte) error {
	for _, f := range j.Files {
		old, undone := before[f.Name]
		var err error
		switch {
		case undone && old != nil:
			err = tx.Put(f.Name, old)
		case undone:
			err = removeIfThere(tx, f.Name)
		}
		if err != nil {
			return fmt.Errorf("restore %s: %w", f.Name, err)
		}
		if err := removeIfThere(tx, f.Stage); err != nil {
			return fmt.Errorf("remove %s: %w", f.Stage, err)
		}
	}
	return tx.Remove(journalFile)
}

func removeIfThere(tx *durable.Tx, name string) error {
	if _, err := tx.Size(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return tx.Remove(name)
}
