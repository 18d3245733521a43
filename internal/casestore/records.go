package casestore

import (
	"encoding/json"
	"fmt"
	"io"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

// EvidenceTail returns the newest n records, oldest of them first, and how many there are in all.
func (r *Reader) EvidenceTail(n int) ([]casefile.Evidence, int, error) {
	return tail[casefile.Evidence](r, evidenceFile, n)
}

// EvidenceBefore returns the n records before the one at the given place, counted from 0 for the oldest, and how many
// there are in all. A place behind the end is the end.
func (r *Reader) EvidenceBefore(place, n int) ([]casefile.Evidence, int, error) {
	ix, err := r.index(evidenceFile)
	if err != nil {
		return nil, 0, err
	}
	end := min(max(0, place), len(ix.spans))
	found, err := decode[casefile.Evidence](r, evidenceFile, ix.spans[max(0, end-max(0, n)):end])
	return found, len(ix.spans), err
}

// PhasesTail returns the newest n phase events, oldest of them first, and how many there are in all.
func (r *Reader) PhasesTail(n int) ([]casefile.PhaseEvent, int, error) {
	return tail[casefile.PhaseEvent](r, phasesFile, n)
}

// CommandsTail returns the newest n audit records, oldest of them first, and how many there are in all.
func (r *Reader) CommandsTail(n int) ([]casefile.CommandRecord, int, error) {
	return tail[casefile.CommandRecord](r, commandsFile, n)
}

// EvidenceCount returns the number of evidence records without decoding them.
func (r *Reader) EvidenceCount() (int, error) {
	ix, err := r.index(evidenceFile)
	return len(ix.spans), err
}

// HasEvidence reports whether every given id is that of a record.
func (r *Reader) HasEvidence(ids ...string) (bool, error) {
	ix, err := r.index(evidenceFile)
	if err != nil {
		return false, err
	}
	missing := map[string]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	for _, s := range ix.spans {
		delete(missing, s.id)
	}
	return len(missing) == 0, nil
}

// EvidenceByID returns one record.
func (r *Reader) EvidenceByID(id string) (casefile.Evidence, error) {
	ix, err := r.index(evidenceFile)
	if err != nil {
		return casefile.Evidence{}, err
	}
	for i := range ix.spans {
		if ix.spans[i].id != id {
			continue
		}
		found, err := decode[casefile.Evidence](r, evidenceFile, ix.spans[i:i+1])
		if err == nil && len(found) == 1 {
			return found[0], nil
		}
		if err != nil {
			return casefile.Evidence{}, err
		}
	}
	return casefile.Evidence{}, problem.New(problem.EvidenceNotFound, "case %s has no evidence %s.", r.id, clip(id)).
		About(r.id, "").On("id", clip(id), "the id of an evidence record of the case").
		With(problem.Step{Op: "show", Args: taskArg(r.id), Why: "see the case's evidence"})
}

// EachEvidence calls fn for every record, oldest first, until it returns false. It holds one record at a time.
func (r *Reader) EachEvidence(fn func(casefile.Evidence) bool) error {
	ix, err := r.index(evidenceFile)
	if err != nil {
		return err
	}
	const batch = 256
	for at := 0; at < len(ix.spans); at += batch {
		some, err := decode[casefile.Evidence](r, evidenceFile, ix.spans[at:min(at+batch, len(ix.spans))])
		if err != nil {
			return err
		}
		for _, ev := range some {
			if !fn(ev) {
				return nil
			}
		}
	}
	return nil
}

// index reads a ledger once for all questions about it.
func (r *Reader) index(name string) (*index, error) {
	if ix, ok := r.indexes[name]; ok {
		return ix, nil
	}
	ix := &index{}
	f, err := r.ledger(name)
	if err == nil && f != nil {
		ix, err = indexOf(name, io.NewSectionReader(f, 0, f.Size()))
	}
	if err != nil {
		return &index{}, err
	}
	for _, f := range ix.faults {
		r.warn("%s", f)
	}
	r.indexes[name] = ix
	return ix, nil
}

func tail[T any](r *Reader, name string, n int) ([]T, int, error) {
	ix, err := r.index(name)
	if err != nil {
		return nil, 0, err
	}
	total := len(ix.spans)
	found, err := decode[T](r, name, ix.spans[max(0, total-max(0, n)):])
	return found, total, err
}

// decode reads the records of neighbouring spans with one read. A line that turns out to be no record of the kind is
// passed over with a warning.
func decode[T any](r *Reader, name string, spans []span) ([]T, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	f, err := r.ledger(name)
	if err != nil {
		return nil, err
	}
	var out []T
	for _, part := range runs(spans) {
		base := part[0].offset
		last := part[len(part)-1]
		block, err := readAt(f, base, last.offset+last.length-base)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		for _, s := range part {
			var v T
			if err := json.Unmarshal(block[s.offset-base:s.offset-base+s.length], &v); err != nil {
				r.warn("%s", fault{name, s.number, "cannot be decoded: " + err.Error()})
				continue
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// runs cuts spans into groups that lie within casefile.MaxLedgerLine, so that no read is larger.
func runs(spans []span) [][]span {
	var all [][]span
	for start := 0; start < len(spans); {
		end := start + 1
		for end < len(spans) && spans[end].offset+spans[end].length-spans[start].offset <= casefile.MaxLedgerLine {
			end++
		}
		all = append(all, spans[start:end])
		start = end
	}
	return all
}
