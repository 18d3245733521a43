package casestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"cortex/internal/casefile"
	"cortex/internal/durable"
)

// Severity says how much a finding matters.
type Severity string

// The severities. Only Damage makes a store unsound.
const (
	Damage Severity = "damage" // something recorded cannot be read, or files contradict each other
	Notice Severity = "notice" // nothing is lost; the next write or nobody repairs it
)

// Finding is one thing that a check saw.
type Finding struct {
	TaskID   string   `json:"taskId,omitempty"`
	File     string   `json:"file,omitempty"` // relative to the case
	Line     int      `json:"line,omitempty"` // of a ledger, from 1
	Problem  string   `json:"problem"`
	Remedy   string   `json:"remedy"`
	Severity Severity `json:"severity"`
}

// Check decodes everything in the store and says what is wrong with it. It changes nothing and takes no exclusive lock.
func (s *Store) Check(ctx context.Context) ([]Finding, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, id := range names {
		if err := ctx.Err(); err != nil {
			return all, explain(err, "", s.dir)
		}
		all = append(all, s.CheckCase(ctx, id)...)
	}
	return all, nil
}

// CheckCase is Check for one case. What cannot be opened at all is a finding too.
func (s *Store) CheckCase(ctx context.Context, id string) []Finding {
	c := &checker{id: id}
	err := s.View(ctx, id, func(r *Reader) error {
		c.all, c.refs, c.ids = nil, map[string]bool{}, map[string]bool{}
		c.schema(r)
		c.journal(r)
		c.pending(r)
		c.snapshots(r)
		c.ledgers(r)
		c.blobs(r)
		c.references(r)
		return nil
	})
	switch {
	case errors.Is(err, durable.ErrTooNew):
		c.add(Damage, intentFile, 0, err.Error(), "update Cortex and write to the case: that finishes the change")
	case errors.Is(err, durable.ErrNeedsFsck):
		c.add(Damage, intentFile, 0, err.Error(), "keep a copy of the case, then remove the file; the change in it is lost")
	case err != nil:
		c.add(Damage, caseFile, 0, err.Error(), "restore the file from a copy; the other cases are not concerned")
	}
	c.locks(s, id)
	return c.all
}

// intentFile is the durable layer's record of an unfinished change.
const intentFile = ".intent"

type checker struct {
	id   string
	all  []Finding
	refs map[string]bool // blobs that something points to
	ids  map[string]bool // of evidence and receipts
}

func (c *checker) add(sev Severity, file string, line int, what, remedy string) {
	c.all = append(c.all, Finding{TaskID: c.id, File: file, Line: line, Problem: what, Remedy: remedy, Severity: sev})
}

func (c *checker) schema(r *Reader) {
	if v := r.Case().SchemaVersion; v > casefile.SchemaVersion {
		c.add(Notice, caseFile, 0, fmt.Sprintf("schema version %d is newer than %d", v, casefile.SchemaVersion),
			"update Cortex to change this case")
	}
}

func (c *checker) journal(r *Reader) {
	switch {
	case r.journalErr != nil:
		c.add(Damage, journalFile, 0, r.journalErr.Error(),
			"compare the snapshots with each other, then remove the journal; writes are refused until then")
	case r.undone != nil:
		c.add(Notice, journalFile, 0, "a change by another program was interrupted; reads show the state before it",
			"nothing to do: the next write restores that state")
	case r.journal != nil:
		c.add(Notice, journalFile, 0, "a finished change by another program was not cleaned up",
			"nothing to do: the next write cleans up")
	}
}

// pending notes a change that is committed and not yet in all files: the snapshot shows it and the file does not.
func (c *checker) pending(r *Reader) {
	for _, name := range []string{caseFile, receiptsFile, decisionsFile, evidenceFile, phasesFile, commandsFile} {
		shown, _ := r.snap.Size(name) // 0 for one that is not there
		there, _ := r.fsys.Size(name)
		if shown != there {
			c.add(Notice, name, 0, "a change is committed and not yet in all files; reads show it",
				"nothing to do: the next write finishes it")
			return
		}
	}
}

func (c *checker) snapshots(r *Reader) {
	if _, err := r.Plan(); err != nil {
		c.damaged(planFile, err)
	}
	if _, err := r.Hypotheses(); err != nil {
		c.damaged(hypothesesFile, err)
	}
	if _, err := r.Decisions(); err != nil {
		c.damaged(decisionsFile, err)
	}
	if text, err := r.Summary(); err != nil || !utf8.ValidString(text) {
		c.damaged(summaryFile, errors.Join(err, errors.New("it cannot be shown")))
	}
	receipts, err := r.Receipts()
	if err != nil {
		c.damaged(receiptsFile, err)
	}
	for _, receipt := range receipts {
		c.refer(receipt.Artifact)
		c.ids[receipt.ID] = true
	}
}

func (c *checker) damaged(file string, err error) {
	if errors.Is(err, durable.ErrNeedsFsck) {
		c.add(Damage, file, 0, err.Error(),
			"move what another program wrote there to a copy; the next write finishes the change, and it can be added behind that")
		return
	}
	c.add(Damage, file, 0, err.Error(), "restore "+file+" from a copy, or correct it by hand")
}

// refer notes the blob that a case:// reference points to.
func (c *checker) refer(ref string) {
	if blob, ok := strings.CutPrefix(ref, "case://"+c.id+"/raw/"); ok {
		c.refs[blobName(blob)] = true
	}
}

func (c *checker) ledgers(r *Reader) {
	seen := map[string]int{}
	checkLedger(c, r, evidenceFile, func(ev casefile.Evidence, number int) {
		c.refer(ev.RawRef)
		c.ids[ev.ID] = true
		if first, twice := seen[ev.ID]; twice {
			c.add(Damage, evidenceFile, number, fmt.Sprintf("evidence %s is in line %d already", ev.ID, first),
				"remove one of the two lines")
			return
		}
		seen[ev.ID] = number
	})
	checkLedger(c, r, phasesFile, func(casefile.PhaseEvent, int) {})
	checkLedger(c, r, commandsFile, func(casefile.CommandRecord, int) {})
}

func checkLedger[T any](c *checker, r *Reader, name string, each func(T, int)) {
	f, err := r.ledger(name)
	if err != nil {
		c.damaged(name, err)
	}
	if err != nil || f == nil {
		return
	}
	err = eachLine(io.NewSectionReader(f, 0, f.Size()), func(l line) bool {
		var v T
		why := l.fault()
		switch {
		case l.blank():
		case why != "" && !l.terminated:
			c.add(Damage, name, l.number, "the line "+why, "write to the case: its bytes are then kept in raw/ and cut off")
		case why != "":
			c.add(Damage, name, l.number, "the line "+why, "correct or remove the line; it is skipped until then")
		default:
			if err := json.Unmarshal(l.text, &v); err != nil {
				c.add(Damage, name, l.number, "the line cannot be decoded: "+err.Error(),
					"correct or remove the line; it is skipped until then")
				return true
			}
			each(v, l.number)
		}
		return true
	})
	if err != nil {
		c.damaged(name, err)
	}
}

// blobs compares raw/ with what points to it. Only records that were read count as pointing, so it comes last.
func (c *checker) blobs(r *Reader) {
	names, err := r.snap.ReadDir(rawDir)
	if err != nil {
		return // a case need not have blobs
	}
	for _, name := range names {
		path := rawDir + "/" + name
		switch {
		case c.refs[path]:
			delete(c.refs, path)
		case strings.HasPrefix(name, "torn_"):
			c.add(Notice, path, 0, "it keeps the cut-off end of a ledger", "read it, then remove it")
		default:
			c.add(Notice, path, 0, "no record points to it", "nothing to do, or remove it")
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.refs)) {
		c.add(Damage, path, 0, "a record points to it and it is not there", "restore it from a copy")
	}
}

func (c *checker) locks(s *Store, id string) {
	name := "." + id + ".lock"
	if _, err := os.Lstat(filepath.Join(s.dir, name)); err != nil {
		return
	}
	if pid := foreignHolder(s.dir, id); pid != 0 {
		c.add(Notice, "../"+name, 0, fmt.Sprintf("process %d of another program holds the case", pid), "let it finish")
		return
	}
	c.add(Notice, "../"+name, 0, "another program left its lock", "nothing to do: a lock of a dead process is ignored")
}
