package casestore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"cortex/internal/durable"
	"cortex/internal/durable/osfs"
	"cortex/internal/ids"
	"cortex/internal/redact"
)

// The snapshots, the summary and the blobs of a case.
const (
	caseFile       = "case.json"
	planFile       = "plan.json"
	hypothesesFile = "hypotheses.json"
	receiptsFile   = "verification.json"
	decisionsFile  = "decisions.json"
	summaryFile    = "summary.md"
	rawDir         = "raw"
)

// Options are what a Store works with. The zero value is a store on the real file system with the pattern redactor.
type Options struct {
	OpenFS   func(path string) (durable.FS, error) // an existing directory; default osfs.Open
	EnsureFS func(path string) (durable.FS, error) // creates what is missing; default osfs.Ensure
	Redact   *redact.Redactor                      // default redact.New(nil)
	IDs      ids.Source                            // default ids.System()
}

// Store is the cases below one directory. It holds no open files and may be used by several goroutines; processes
// exclude each other by the lock of each case.
type Store struct {
	dir string
	opt Options
	enc encoder
}

// Open returns the store in dir, an absolute path. It does no I/O; the directory need not exist.
func Open(dir string, opt Options) *Store {
	if opt.OpenFS == nil {
		opt.OpenFS = func(path string) (durable.FS, error) { return osfs.Open(path) }
	}
	if opt.EnsureFS == nil {
		opt.EnsureFS = func(path string) (durable.FS, error) { return osfs.Ensure(path) }
	}
	if opt.Redact == nil {
		opt.Redact = redact.New(nil)
	}
	if opt.IDs.Now == nil {
		opt.IDs = ids.System()
	}
	return &Store{dir: filepath.Clean(dir), opt: opt, enc: encoder{opt.Redact}}
}

// Dir returns the directory of the store.
func (s *Store) Dir() string { return s.dir }

// CaseDir returns the directory of a case, whether it exists or not. The id must have passed casefile.CheckTaskID.
func (s *Store) CaseDir(id string) string { return filepath.Join(s.dir, id) }

// within reports whether path is dir or lies below it. Both must be clean.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// entriesOf lists a directory; one that is not there, or no directory, has none.
func entriesOf(dir string) ([]os.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	return entries, explain(err, "", dir)
}

// release closes a directory. It holds no data, so nothing can be lost.
func release(fsys durable.FS) { _ = fsys.Close() }
