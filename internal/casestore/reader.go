package casestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/problem"
)

// Reader is one consistent state of a case. Files are read when they are asked for, each at most once. It is valid
// inside the function it was given to and belongs to one goroutine.
type Reader struct {
	id         string
	fsys       durable.FS // for what the durable layer does not show: the journal of the public program
	snap       *durable.Snapshot
	now        *casefile.Case
	journal    *journal          // of a transaction that the public program did not clean up
	journalErr error             // why that journal cannot be used
	undone     map[string][]byte // files as they were before that transaction, when it is unfinished
	raws       map[string][]byte // snapshots as read; nil for one that is not there
	open       map[string]source
	indexes    map[string]*index
	warnings   []string
}

// source is an open ledger.
type source interface {
	io.Reader
	io.ReaderAt
	Size() int64
	Close() error
}

// memory is a source that is held in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

func (m memory) Size() int64 { return m.Reader.Size() }

// newReader loads case.json and looks through an interrupted transaction of the public program. The caller closes the
// Reader, also after an error.
func newReader(id string, fsys durable.FS, snap *durable.Snapshot) (*Reader, error) {
	r := &Reader{id: id, fsys: fsys, snap: snap, raws: map[string][]byte{}, open: map[string]source{}, indexes: map[string]*index{}}
	r.journal, r.journalErr = readJournal(fsys)
	c, err := r.loadCase()
	if err != nil && r.journal == nil {
		return r, err
	}
	if r.journalErr != nil {
		r.warn("%v; the case may show half of an interrupted change", r.journalErr)
	}
	if r.journal != nil {
		r.undone = r.journal.undo(revisionOf(c))
		delete(r.raws, caseFile)
		if c, err = r.loadCase(); err != nil {
			return r, err
		}
	}
	if c.SchemaVersion > casefile.SchemaVersion {
		r.warn("the case has schema version %d, newer than the %d of this program: it is shown as far as it is understood, "+
			"and cannot be changed", c.SchemaVersion, casefile.SchemaVersion)
	}
	r.now = c
	r.await()
	return r, nil
}

// await fills in the decision that a paused case waits for. Decisions that cannot be read leave none: whoever asks for
// them is told.
func (r *Reader) await() {
	if r.now.Status != casefile.PhasePaused {
		return
	}
	all, err := r.Decisions()
	if err != nil {
		r.warn("%v", err)
	}
	r.now.Awaited = casefile.Pending(all)
}

func revisionOf(c *casefile.Case) uint64 {
	if c == nil {
		return 0
	}
	return c.Revision
}

// loadCase decodes case.json. Absent versions and revisions read as 1, as the public program does.
func (r *Reader) loadCase() (*casefile.Case, error) {
	c := &casefile.Case{}
	switch there, err := r.snapshot(caseFile, c); {
	case err != nil:
		return nil, err
	case !there:
		return nil, broken(r.id, caseFile, errors.New("it is missing"))
	case c.ID != r.id:
		return nil, broken(r.id, caseFile, fmt.Errorf("it belongs to the case %q", clip(c.ID)))
	}
	c.SchemaVersion = max(c.SchemaVersion, 1)
	c.Revision = max(c.Revision, 1)
	return c, nil
}

func (r *Reader) close() {
	for _, f := range r.open {
		_ = f.Close() // opened for reading only: nothing can be lost
	}
}

func (r *Reader) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, known := range r.warnings {
		if known == text {
			return
		}
	}
	r.warnings = append(r.warnings, text)
}

// Warnings says what the reading so far passed over: lines of ledgers that are no records, by file and number, and a
// schema that is newer than this program.
func (r *Reader) Warnings() []string { return r.warnings }

// Case returns the case. The pointer is the same at every call; an Edit writes it back with PutCase.
func (r *Reader) Case() *casefile.Case { return r.now }

// Plan returns the accepted plan, or nil when there is none.
func (r *Reader) Plan() (*casefile.Plan, error) {
	p := &casefile.Plan{}
	there, err := r.snapshot(planFile, p)
	if err != nil || !there {
		return nil, err
	}
	return p, nil
}

// Hypotheses returns the hypotheses in their order.
func (r *Reader) Hypotheses() ([]casefile.Hypothesis, error) {
	var all []casefile.Hypothesis
	_, err := r.snapshot(hypothesesFile, &all)
	return all, err
}

// Receipts returns all receipts, oldest first.
func (r *Reader) Receipts() ([]casefile.Receipt, error) {
	var all []casefile.Receipt
	_, err := r.snapshot(receiptsFile, &all)
	return all, err
}

// Decisions returns all decisions, oldest first.
func (r *Reader) Decisions() ([]casefile.Decision, error) {
	var all []casefile.Decision
	_, err := r.snapshot(decisionsFile, &all)
	return all, err
}

// Summary returns summary.md, or "" when the case has none.
func (r *Reader) Summary() (string, error) {
	raw, err := r.file(summaryFile, casefile.MaxSummaryFile)
	return string(raw), err
}

// Raw returns a blob by its id.
func (r *Reader) Raw(id string) ([]byte, error) {
	if !onlyIDCharacters(id) || id == "" || len(id) > casefile.MaxIdentifier {
		return nil, problem.New(problem.InvalidInput, "%s is not the id of a raw blob.", clip(id)).About(r.id, "").
			Without("take the id behind /raw/ in the rawRef of an evidence record")
	}
	raw, err := r.file(blobName(id), casefile.MaxRawBlob)
	if err == nil && raw == nil {
		return nil, problem.New(problem.EvidenceNotFound, "case %s has no raw blob %s.", r.id, id).About(r.id, "").
			With(problem.Step{Op: "show", Args: taskArg(r.id), Why: "see the case's evidence"}).Because(fs.ErrNotExist)
	}
	return raw, err
}

func blobName(id string) string { return rawDir + "/" + id + ".txt" }

// snapshot decodes a JSON file into v and reports whether there is one.
func (r *Reader) snapshot(name string, v any) (bool, error) {
	raw, err := r.file(name, casefile.MaxSnapshotFile)
	if err != nil || raw == nil {
		return false, err
	}
	if !utf8.Valid(raw) {
		return false, broken(r.id, name, errors.New("it is not UTF-8"))
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return false, broken(r.id, name, err)
	}
	return true, nil
}

// file returns the bytes of a small file, nil when it is not there.
func (r *Reader) file(name string, max int64) ([]byte, error) {
	if raw, read := r.raws[name]; read {
		return raw, nil
	}
	raw, undone := r.undone[name]
	if !undone {
		var err error
		raw, err = r.snap.ReadFile(name, max)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, broken(r.id, name, err)
		}
		if err == nil && raw == nil {
			raw = []byte{}
		}
	}
	r.raws[name] = raw
	return raw, nil
}

// ledger returns an open ledger, nil when the case has none.
func (r *Reader) ledger(name string) (source, error) {
	if f, ok := r.open[name]; ok {
		return f, nil
	}
	if raw, undone := r.undone[name]; undone {
		r.open[name] = memory{bytes.NewReader(raw)}
		return r.open[name], nil
	}
	f, err := r.snap.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, broken(r.id, name, err)
	}
	r.open[name] = f
	return f, nil
}
