package casestore

import (
	"errors"
	"io/fs"
	"strings"

	"cortex/internal/casefile"
)

// refsDir holds one file for each thing outside the case that its records cite.
const refsDir = "refs"

func refName(id string) string { return refsDir + "/" + id + ".json" }

// Ref returns the record of a reference, masked as it is stored; nil when nothing cites it, or only records that were
// written before there were such records.
func (r *Reader) Ref(reference string) (*casefile.Ref, error) {
	ref := &casefile.Ref{}
	there, err := r.snapshot(refName(casefile.RefID(reference)), ref)
	if err != nil || !there || ref.Reference != reference {
		return nil, err
	}
	return ref, nil
}

// Refs returns at most n records of references, by id, and how many there are. One that cannot be read is passed over
// with a warning.
func (r *Reader) Refs(n int) ([]casefile.Ref, int, error) {
	names, err := r.refNames()
	if err != nil {
		return nil, 0, err
	}
	var out []casefile.Ref
	for _, name := range names[:min(n, len(names))] {
		var ref casefile.Ref
		if _, err := r.snapshot(name, &ref); err != nil {
			r.warn("%v", err)
			continue
		}
		out = append(out, ref)
	}
	return out, len(names), nil
}

func (r *Reader) refNames() ([]string, error) {
	found, err := r.snap.ReadDir(refsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, broken(r.id, refsDir, err)
	}
	var names []string
	for _, name := range found {
		if strings.HasSuffix(name, ".json") {
			names = append(names, refsDir+"/"+name)
		}
	}
	return names, nil
}

// Citing lists the records that cite a reference: those of its record, or the evidence and receipts of a case that was
// written before there were such records.
func (r *Reader) Citing(reference string) ([]string, error) {
	ref, err := r.Ref(reference)
	if err != nil {
		return nil, err
	}
	if ref != nil {
		return ref.Citing, nil
	}
	var all []string
	note := func(id string, cites []string) {
		for _, cited := range cites {
			if cited == reference {
				all = append(all, id)
			}
		}
	}
	err = r.EachEvidence(func(ev casefile.Evidence) bool {
		note(ev.ID, ev.Cites())
		return true
	})
	if err != nil {
		return nil, err
	}
	receipts, err := r.Receipts()
	for _, receipt := range receipts {
		note(receipt.ID, receipt.Cites())
	}
	return all, err
}

// AddRef notes that the records in ref.Citing cite ref.Reference, and what is known of its content. The record of that
// reference is made when it is missing. AddEvidence and PutReceipts do it for what their records cite.
func (e *Edit) AddRef(ref casefile.Ref) error {
	reference := e.store.enc.mask.Text(ref.Reference) // as the citing record has it on disk
	next, err := e.refNow(reference)
	if err != nil {
		return e.fail(err)
	}
	for _, id := range ref.Citing {
		next, _ = next.CitedBy(id)
	}
	if ref.Digest != "" {
		next.Digest, next.Size = ref.Digest, ref.Size
	}
	e.refs[next.ID] = next
	return e.put(refName(next.ID), next)
}

// refNow is the record of a reference with what this change added to it.
func (e *Edit) refNow(reference string) (casefile.Ref, error) {
	if staged, ok := e.refs[casefile.RefID(reference)]; ok {
		return staged, nil
	}
	have, err := e.Ref(reference)
	switch {
	case err != nil:
		return casefile.Ref{}, err
	case have != nil:
		return *have, nil
	}
	return casefile.NewRef(reference, e.store.opt.IDs.Now()), nil
}

// cite adds a record to the references that it cites.
func (e *Edit) cite(id string, references []string) error {
	for _, reference := range references {
		if err := e.AddRef(casefile.Ref{Reference: reference, Citing: []string{id}}); err != nil {
			return err
		}
	}
	return nil
}

// citeReceipts does so for the receipts that are not on disk yet.
func (e *Edit) citeReceipts(all []casefile.Receipt) error {
	before, err := e.Receipts()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, r := range before {
		known[r.ID] = true
	}
	for _, r := range all {
		if known[r.ID] {
			continue
		}
		if err := e.cite(r.ID, r.Cites()); err != nil {
			return err
		}
	}
	return nil
}

// initialRefs adds what the evidence of a new case cites.
func (s *Store) initialRefs(files map[string][]byte, evidence []casefile.Evidence) error {
	refs := map[string]casefile.Ref{}
	for _, ev := range evidence {
		for _, cited := range ev.Cites() {
			reference := s.enc.mask.Text(cited)
			ref, there := refs[reference]
			if !there {
				ref = casefile.NewRef(reference, s.opt.IDs.Now())
			}
			refs[reference], _ = ref.CitedBy(ev.ID)
		}
	}
	for _, ref := range refs {
		name := refName(ref.ID)
		out, err := s.enc.encode(snapshotForm, name, casefile.MaxSnapshotFile, nil, ref)
		if err != nil {
			return err
		}
		files[name] = out
	}
	return nil
}
