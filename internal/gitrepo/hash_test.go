package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// meddler is a sink that does something after the first bytes came.
type meddler struct {
	bytes.Buffer
	do func()
}

func (m *meddler) Write(p []byte) (int, error) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
	return m.Buffer.Write(p)
}

func TestAFileThatMovesWhileItIsReadIsNotHashed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name          string
		before, while func(path string) error
		want          error
	}{
		{"still", nil, nil, nil},
		{"edited before", func(p string) error { return os.WriteFile(p, []byte("other"), 0o600) }, nil, errMoved},
		{"removed before", os.Remove, nil, errMoved},
		{"a link before", func(p string) error {
			return errors.Join(os.Rename(p, p+".old"), os.Symlink(p+".old", p))
		}, nil, errMoved},
		{"another file before", func(p string) error {
			return errors.Join(os.Rename(p, p+".old"), os.WriteFile(p, bytes.Repeat([]byte("x"), 100), 0o600))
		}, nil, errMoved},
		{"edited in place", nil, func(p string) error {
			f, err := os.OpenFile(p, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("y"), 99)
			return errors.Join(err, f.Close())
		}, errMoved},
		{"grown", nil, func(p string) error { return os.WriteFile(p, make([]byte, 200), 0o600) }, errMoved},
		{"cut", nil, func(p string) error { return os.Truncate(p, 60) }, errMoved},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 100), 0o600); err != nil {
				t.Fatal(err)
			}
			info, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			meddle := func(do func(string) error) {
				if do == nil {
					return
				}
				if err := do(path); err != nil {
					t.Error(err)
				}
			}
			meddle(row.before)
			sink := meddler{do: func() { meddle(row.while) }}
			err = readStable(context.Background(), path, statOf(info), make([]byte, 50), &sink)
			if !errors.Is(err, row.want) {
				t.Errorf("readStable = %v, want %v", err, row.want)
			}
		})
	}
}

func TestAFileThatMovedIsLookedUpAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &hashWorker{digester: &digester{opt: StateOptions{MaxFileBytes: 10}}, root: dir, buf: make([]byte, 8), hash: sha256.New()}
	stale := node{path: "f", found: found, stat: fileStat{kind: kindFile, size: 3}}
	if e := w.entry(context.Background(), stale); e.kind != kindFile || e.sum != sha256.Sum256([]byte("new")) {
		t.Errorf("entry = %+v, want the hash of the new content", e)
	}
	gone := node{path: "gone", found: found, stat: fileStat{kind: kindFile, size: 3}}
	if e := w.entry(context.Background(), gone); e.kind != 0 || len(w.problems) != 0 {
		t.Errorf("entry of a removed file = %+v, problems %q; want nothing", e, w.problems)
	}
}
