package casestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/problem"
)

// freshID matches ids that ids.Source makes.
var freshID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+_[0-9A-HJKMNP-TV-Z]{16}$`) })

// View calls fn with one consistent state of the case. It may call fn again, with a new Reader, when a writer appeared
// during a read without a lock; what fn collects must be reset at its start. It creates and changes nothing.
func (s *Store) View(ctx context.Context, id string, fn func(*Reader) error) error {
	if err := casefile.CheckTaskID(id); err != nil {
		return err
	}
	fsys, err := s.openCase(id)
	if err != nil {
		return err
	}
	defer release(fsys)
	return explain(durable.New(fsys).View(ctx, func(snap *durable.Snapshot) error {
		r, err := newReader(id, fsys, snap)
		defer r.close()
		if err != nil {
			return err
		}
		return fn(r)
	}), id, s.CaseDir(id))
}

// Update calls fn with the case locked, and makes everything that fn put and added durable at once when it returns nil.
func (s *Store) Update(ctx context.Context, id string, fn func(*Edit) error) error {
	return s.UpdateAt(ctx, id, 0, fn)
}

// UpdateAt is Update for a case that must still be at the given revision; otherwise it writes nothing and returns a
// *RevisionError. Revision 0 accepts any.
func (s *Store) UpdateAt(ctx context.Context, id string, revision uint64, fn func(*Edit) error) error {
	if err := s.MayWrite(ctx, id); err != nil {
		return err
	}
	fsys, err := s.openCase(id)
	if err != nil {
		return err
	}
	defer release(fsys)
	for restored := true; restored; {
		err := durable.New(fsys).Update(ctx, func(tx *durable.Tx) error {
			r, err := newReader(id, fsys, tx.Snapshot)
			defer func() { r.close() }()
			if r.journal != nil || r.journalErr != nil {
				if restored, err = r.endForeign(tx); err != nil || restored {
					return err
				}
				r, err = newReader(id, fsys, tx.Snapshot)
			}
			restored = false
			if err != nil {
				return err
			}
			return s.edit(r, revision, tx, fn)
		})
		if err != nil {
			return explain(err, id, s.CaseDir(id))
		}
	}
	return nil
}

// AppendCommands appends audit records in a change of their own.
func (s *Store) AppendCommands(ctx context.Context, id string, records ...casefile.CommandRecord) error {
	return s.Update(ctx, id, func(e *Edit) error { return e.AddCommands(records...) })
}

// MayWrite refuses, before anything is created, a write to a case that is absent, broken, too new, or being written by
// the public program.
func (s *Store) MayWrite(ctx context.Context, id string) error {
	err := s.View(ctx, id, func(r *Reader) error {
		if v := r.Case().SchemaVersion; v > casefile.SchemaVersion {
			return tooNew(id, v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if pid := foreignHolder(s.dir, id); pid != 0 {
		return busy(id, fmt.Sprintf("process %d", pid), durable.ErrBusy)
	}
	return nil
}

// endForeign ends an interrupted transaction of the public program. It reports true when it staged the state before
// that; the journal goes in a transaction behind that one, together with the change at hand.
func (r *Reader) endForeign(tx *durable.Tx) (restored bool, err error) {
	if r.journal == nil {
		return false, problem.New(problem.CaseNeedsFsck, "case %s: %v; which files it had replaced is unknown.", r.id,
			r.journalErr).About(r.id, "").With(fsckStep(r.id)).Because(r.journalErr)
	}
	if restored, err = restore(tx, r.undone); err != nil || restored {
		return restored, err
	}
	return false, r.journal.cleanUp(r.fsys)
}

// edit runs fn on the case that r reads and stages what it put and added.
func (s *Store) edit(r *Reader, revision uint64, tx *durable.Tx, fn func(*Edit) error) error {
	c := r.Case()
	if c.SchemaVersion > casefile.SchemaVersion {
		return tooNew(r.id, c.SchemaVersion)
	}
	if revision != 0 && revision != c.Revision {
		return &RevisionError{TaskID: r.id, Expected: revision, Found: c.Revision}
	}
	e := newEdit(s, r, tx)
	if err := fn(e); err != nil {
		return err
	}
	if e.err != nil {
		return e.err
	}
	return e.flush()
}

// Create makes the directory of a new case with everything in it, at once or not at all. It fills in the schema version,
// a revision and the times that are zero.
func (s *Store) Create(ctx context.Context, c *casefile.Case, evidence []casefile.Evidence,
	phases []casefile.PhaseEvent, raws []Raw) error {
	if err := casefile.CheckTaskID(c.ID); err != nil {
		return err
	}
	s.fillIn(c)
	files, err := s.initial(c, evidence, phases, raws)
	if err != nil {
		return err
	}
	parent, err := s.opt.EnsureFS(s.dir)
	if err != nil {
		return noDirectory(err, c.ID, s.dir)
	}
	defer release(parent)
	if err := keepOutOfGit(s.dir, c.Workspace.Root); err != nil {
		return explain(err, c.ID, s.dir)
	}
	return explain(durable.Create(ctx, parent, c.ID, files), c.ID, s.dir)
}

func (s *Store) fillIn(c *casefile.Case) {
	c.SchemaVersion = casefile.SchemaVersion
	c.Revision = max(c.Revision, 1)
	if c.CreatedAt.IsZero() {
		c.CreatedAt = s.opt.IDs.Now().UTC()
	}
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.CreatedAt
	}
}

// initial encodes the files of a new case.
func (s *Store) initial(c *casefile.Case, evidence []casefile.Evidence, phases []casefile.PhaseEvent,
	raws []Raw) (map[string][]byte, error) {
	files := map[string][]byte{}
	out, err := s.enc.encode(snapshotForm, caseFile, casefile.MaxSnapshotFile, nil, *c)
	if err != nil {
		return nil, err
	}
	files[caseFile] = out
	add := func(name string, v any) error {
		out, err := s.record(name, v)
		files[name] = append(files[name], out...)
		return err
	}
	for _, ev := range evidence {
		if err := add(evidenceFile, s.enc.sensitive(ev)); err != nil {
			return nil, err
		}
	}
	for _, ev := range phases {
		if err := add(phasesFile, ev); err != nil {
			return nil, err
		}
	}
	for _, raw := range raws {
		if files[blobName(raw.ID)], err = s.blob(raw.ID, raw.Text); err != nil {
			return nil, err
		}
	}
	return files, s.initialRefs(files, evidence)
}

func (s *Store) record(name string, v any) ([]byte, error) {
	return s.enc.encode(recordForm, "a record of "+name, casefile.MaxLedgerRecord, nil, v)
}

func (s *Store) blob(id, text string) ([]byte, error) {
	if !onlyIDCharacters(id) || id == "" || len(id) > casefile.MaxIdentifier {
		return nil, fmt.Errorf("%q is no blob id", clip(id))
	}
	return s.enc.encode(textForm, blobName(id), casefile.MaxRawBlob, nil, text)
}

// openCase opens the directory of a case. The caller closes it.
func (s *Store) openCase(id string) (durable.FS, error) {
	fsys, err := s.opt.OpenFS(s.CaseDir(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notFound(id)
	}
	if err != nil {
		return nil, explain(err, id, s.CaseDir(id))
	}
	return fsys, nil
}

// keepOutOfGit writes .cortex/.gitignore when the store lies in the workspace's .cortex, so that git never reports the
// state of Cortex as a change of the work. A file that is there stays; a .cortex that is a link is not followed.
func keepOutOfGit(dir, workspace string) error {
	home := filepath.Join(workspace, ".cortex")
	if workspace == "" || !within(home, dir) {
		return nil
	}
	if info, err := os.Lstat(home); err != nil || !info.IsDir() {
		return err
	}
	file := filepath.Join(home, ".gitignore")
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.WriteFile(file, []byte("# The state of Cortex is not part of the work.\n*\n"), 0o644)
}

func ledgerStem(name string) string { return strings.TrimSuffix(name, ".jsonl") }

// orEmpty keeps an empty list an empty JSON array.
func orEmpty[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
