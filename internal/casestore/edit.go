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

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/problem"
)

// Raw is one immutable blob of tool output, kept in raw/<ID>.txt.
type Raw struct {
	ID   string
	Text string
}

// maxRecordedBlob is the size up to which a blob goes through the record of its change, and so is never an orphan.
const maxRecordedBlob = 256 << 10

// Edit is one change of a case: all of it becomes durable when the function it was given to returns nil, or none of it.
// Reading shows the state before the change. The first error of a Put or Add is also the result of the Update, so a
// caller may leave it unlooked at.
type Edit struct {
	*Reader
	store   *Store
	tx      *durable.Tx
	puts    map[string][]byte
	appends map[string][]byte
	added   map[string]bool // ids of the evidence and blobs in this change
	refs    map[string]casefile.Ref
	late    []casefile.Criterion
	err     error
}

func newEdit(s *Store, r *Reader, tx *durable.Tx) *Edit {
	return &Edit{Reader: r, store: s, tx: tx, puts: map[string][]byte{}, appends: map[string][]byte{},
		added: map[string]bool{}, refs: map[string]casefile.Ref{}}
}

// PutCase writes case.json. It sets c's revision to the one after that on disk and its update time to now, whatever they
// were. Acceptance criteria and allowed paths that differ from those on disk are refused, but for those of AddCriterion.
func (e *Edit) PutCase(c *casefile.Case) error {
	var before casefile.Case
	if _, err := e.snapshot(caseFile, &before); err != nil {
		return e.fail(err)
	}
	before.AcceptanceCriteria = append(before.AcceptanceCriteria, e.late...)
	if !e.store.enc.sameTerms(&before, c) {
		return e.fail(problem.New(problem.CriteriaImmutable,
			"case %s: acceptance criteria and allowed paths are immutable after case creation.", e.id).
			About(e.id, string(before.Status)).
			With(problem.Step{Op: "open", Why: "open a child case with the other criteria",
				Args: map[string]any{"parentTaskId": e.id}, Inputs: []string{"goal"}}))
	}
	c.SchemaVersion = casefile.SchemaVersion
	c.Revision = max(before.Revision, 1) + 1
	c.UpdatedAt = e.store.opt.IDs.Now().UTC()
	return e.put(caseFile, *c)
}

// AddCriterion puts one more acceptance criterion behind those of the case; PutCase writes it. Whether that is allowed is
// decided by casefile.AddCriterion.
func (e *Edit) AddCriterion(k casefile.Criterion) {
	e.late = append(e.late, k)
	e.now.AcceptanceCriteria = append(e.now.AcceptanceCriteria, k)
}

// PutPlan writes plan.json.
func (e *Edit) PutPlan(p *casefile.Plan) error { return e.put(planFile, *p) }

// PutHypotheses writes all hypotheses of the case.
func (e *Edit) PutHypotheses(all []casefile.Hypothesis) error {
	return e.put(hypothesesFile, orEmpty(all))
}

// PutReceipts writes all receipts of the case, those on disk included. One whose words had to be masked becomes
// sensitive. What new ones cite outside the case gets its record in refs/.
func (e *Edit) PutReceipts(all []casefile.Receipt) error {
	all = slices.Clone(all)
	for i, r := range all {
		all[i].Sensitive = r.Sensitive || e.store.enc.changesAny(r.Claim, r.Artifact)
	}
	return errors.Join(e.put(receiptsFile, orEmpty(all)), e.fail(e.citeReceipts(all)))
}

// PutDecisions writes all decisions of the case. One whose words had to be masked becomes sensitive.
func (e *Edit) PutDecisions(all []casefile.Decision) error {
	all = slices.Clone(all)
	for i, d := range all {
		all[i].Sensitive = d.Sensitive || e.store.enc.changesAny(wordsOf(d)...)
	}
	return e.put(decisionsFile, orEmpty(all))
}

func wordsOf(d casefile.Decision) []string {
	words := []string{d.Question, d.Answer}
	for _, o := range d.Options {
		words = append(words, o.Label, o.Consequence)
	}
	return words
}

// PutSummary writes summary.md.
func (e *Edit) PutSummary(markdown string) error {
	out, err := e.store.enc.encode(textForm, summaryFile, casefile.MaxSummaryFile, nil, markdown)
	e.puts[summaryFile] = out
	return e.fail(err)
}

// AddEvidence appends records. An id is written once: the same record again is no change, another one under the id is
// an error. What they cite outside the case gets its record in refs/.
func (e *Edit) AddEvidence(records ...casefile.Evidence) error {
	for _, ev := range records {
		known, err := e.knowsEvidence(ev)
		if err == nil && !known {
			err = errors.Join(e.append(evidenceFile, e.store.enc.sensitive(ev)), e.cite(ev.ID, ev.Cites()))
		}
		if err != nil {
			return e.fail(err)
		}
	}
	return nil
}

// AddPhases appends phase events.
func (e *Edit) AddPhases(events ...casefile.PhaseEvent) error {
	for _, ev := range events {
		if err := e.append(phasesFile, ev); err != nil {
			return e.fail(err)
		}
	}
	return nil
}

// AddCommands appends audit records.
func (e *Edit) AddCommands(records ...casefile.CommandRecord) error {
	for _, c := range records {
		if err := e.append(commandsFile, e.store.enc.clipped(c)); err != nil {
			return e.fail(err)
		}
	}
	return nil
}

// AddRaw keeps text as the blob id. A blob is written once: the same text again is no change, another text under the id
// is an error.
func (e *Edit) AddRaw(id, text string) error {
	out, err := e.store.blob(id, text)
	if err != nil {
		return e.fail(err)
	}
	name := blobName(id)
	old, err := e.file(name, casefile.MaxRawBlob)
	if staged, ok := e.puts[name]; ok {
		old = staged
	}
	switch {
	case err != nil:
		return e.fail(err)
	case old == nil:
		e.puts[name] = out
	case !bytes.Equal(old, out):
		return e.fail(fmt.Errorf("raw blob %s exists with another text", id))
	}
	return nil
}

func (e *Edit) fail(err error) error {
	if e.err == nil {
		e.err = err
	}
	return err
}

func (e *Edit) put(name string, v any) error {
	prev, err := e.file(name, casefile.MaxSnapshotFile)
	if err == nil && prev != nil && !json.Valid(prev) {
		err = broken(e.id, name, errors.New("it is no JSON, and is not replaced"))
	}
	if err != nil {
		return e.fail(err)
	}
	out, err := e.store.enc.encode(snapshotForm, name, casefile.MaxSnapshotFile, prev, v)
	e.puts[name] = out
	return e.fail(err)
}

func (e *Edit) append(name string, v any) error {
	out, err := e.store.record(name, v)
	e.appends[name] = append(e.appends[name], out...)
	return err
}

// knowsEvidence reports whether the very record is there already. Only ids that are not made from time and randomness
// can come twice, so the ledger is read for those alone.
func (e *Edit) knowsEvidence(ev casefile.Evidence) (bool, error) {
	if e.added[ev.ID] {
		return false, fmt.Errorf("evidence %s is added twice in one change", ev.ID)
	}
	e.added[ev.ID] = true
	if freshID().MatchString(ev.ID) {
		return false, nil
	}
	there, err := e.HasEvidence(ev.ID)
	if err != nil || !there {
		return false, err
	}
	old, err := e.EvidenceByID(ev.ID)
	if err != nil {
		return false, err
	}
	before, err := e.store.record(evidenceFile, old)
	if err != nil {
		return false, err
	}
	after, err := e.store.record(evidenceFile, e.store.enc.sensitive(ev))
	if err == nil && !bytes.Equal(before, after) {
		err = fmt.Errorf("evidence %s exists with another content", ev.ID)
	}
	return true, err
}

// flush stages everything in the transaction. The audit ledger alone is not synced by itself there.
func (e *Edit) flush() error {
	for _, name := range slices.Sorted(maps.Keys(e.puts)) {
		put := e.tx.Put
		if strings.HasPrefix(name, rawDir+"/") && len(e.puts[name]) > maxRecordedBlob {
			put = e.tx.Install // visible by reference only; the record of a change stays small
		}
		if err := put(name, e.puts[name]); err != nil {
			return fmt.Errorf("stage %s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.appends)) {
		if err := e.mend(name); err != nil {
			return fmt.Errorf("mend %s: %w", name, err)
		}
		add := e.tx.Append
		if name == commandsFile {
			add = e.tx.AppendAudit
		}
		if err := add(name, e.appends[name]); err != nil {
			return fmt.Errorf("stage %s: %w", name, err)
		}
	}
	return nil
}

// mend keeps the unterminated end of a ledger in raw/ and cuts it off, so that the next line begins on its own.
func (e *Edit) mend(name string) error {
	f, err := e.ledger(name)
	if err != nil || f == nil {
		return err
	}
	size := f.Size()
	at, err := tornTail(f, size)
	if err != nil || at == size {
		return err
	}
	torn, err := readAt(f, at, size-at)
	if err != nil {
		return err
	}
	keep, err := e.freeName(fmt.Sprintf("%s/torn_%s_%d", rawDir, ledgerStem(name), at), torn)
	if err != nil {
		return err
	}
	if err := e.tx.Put(keep, torn); err != nil {
		return err
	}
	return e.tx.Truncate(name, at)
}

// freeName returns stem.txt, or with a number when that name holds other bytes already.
func (e *Edit) freeName(stem string, content []byte) (string, error) {
	name := stem + ".txt"
	for n := 2; ; n++ {
		old, err := e.tx.ReadFile(name, int64(len(content)))
		if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(old, content) {
			return name, nil
		}
		var large *durable.TooLargeError
		if err != nil && !errors.As(err, &large) {
			return "", err
		}
		name = fmt.Sprintf("%s_%d.txt", stem, n)
	}
}
