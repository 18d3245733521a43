package casestore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/durable/osfs"
	"cortex/internal/problem"
)

// frozen is a directory on a read-only file system.
type frozen struct{ durable.FS }

func (f frozen) Open(name string, mode durable.Mode) (durable.Handle, error) {
	if mode != durable.OpenRead {
		return nil, syscall.EROFS
	}
	return f.FS.Open(name, mode)
}

func (f frozen) TryLock(exclusive bool) (func(), error) {
	if exclusive {
		return nil, syscall.EROFS
	}
	return f.FS.TryLock(exclusive)
}

func (frozen) Mkdir(string) error          { return syscall.EROFS }
func (frozen) Rename(string, string) error { return syscall.EROFS }
func (frozen) Remove(string) error         { return syscall.EROFS }

func TestReadOnlyStoreIsReadAndSaysTheWayOut(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{"our case": true, "a case of the public program": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStore(t)
			if own {
				create(t, s, aCase(), anEvidence("ev_1"))
			} else {
				plant(t, s, testTask, map[string]string{"case.json": minimalCase(testTask), "evidence.jsonl": oldEvidence})
			}
			before := tree(t, s.Dir())
			s.opt.OpenFS = func(path string) (durable.FS, error) {
				fsys, err := osfs.Open(path)
				return frozen{fsys}, err
			}
			s.opt.EnsureFS = s.opt.OpenFS
			if ids, _ := evidenceIDs(t, s, testTask); len(ids) != 1 {
				t.Errorf("evidence = %v, want it read", ids)
			}
			if listed, err := s.List(ctx); err != nil || len(listed) != 1 || listed[0].Err != nil {
				t.Errorf("List = %+v, %v; want the case", listed, err)
			}
			other := aCase()
			other.ID = "task_other"
			for verb, err := range map[string]error{
				"Update": s.Update(ctx, testTask, func(e *Edit) error { return e.AddEvidence(anEvidence("ev_2")) }),
				"Create": s.Create(ctx, other, nil, nil, nil),
			} {
				p := problem.From(err)
				if !problem.Is(err, problem.StateNotWritable) || len(p.Next) == 0 {
					t.Errorf("%s = %v, want state_not_writable with a step", verb, err)
				}
				mustContain(t, verb, p.Message, s.Dir(), "CORTEX_STATE_DIR", "cases_dir")
			}
			if diff := cmp.Diff(before, tree(t, s.Dir())); diff != "" {
				t.Errorf("store changed:\n%s", diff)
			}
		})
	}
}

func TestStateDirectoryThatCannotBeMadeSaysTheWayOut(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, claimErr := Claim(ctx, filepath.Join(file, "sessions"), Identity{Root: "/r", Name: "r"})
	for verb, err := range map[string]error{
		"Create":        Open(filepath.Join(file, "sessions", "r"), Options{}).Create(ctx, aCase(), nil, nil, nil),
		"RegisterKnown": RegisterKnown(ctx, file, "/r", "r"),
		"Claim":         claimErr,
	} {
		if !problem.Is(err, problem.StateNotWritable) {
			t.Errorf("%s below a file = %v, want state_not_writable", verb, err)
		}
	}
}

func TestBusyAndCanceledWritersWriteNothing(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	held, leave := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.Update(ctx, testTask, func(*Edit) error {
			close(held)
			<-leave
			return nil
		})
	}()
	<-held
	soon, stop := context.WithTimeout(ctx, 20*time.Millisecond)
	defer stop()
	if err := s.AppendCommands(soon, testTask, casefile.CommandRecord{Tool: "git"}); !problem.Is(err, problem.Busy) {
		t.Errorf("a write beside a writer = %v, want busy", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.AppendCommands(canceled, testTask, casefile.CommandRecord{Tool: "git"}); !problem.Is(err, problem.Canceled) && !problem.Is(err, problem.Busy) {
		t.Errorf("a canceled write = %v, want canceled", err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(s.CaseDir(testTask), commandsFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat %s = %v, want that nothing was written", commandsFile, err)
	}
}

func TestLinkedFilesAreNotFollowed(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	plant(t, s, testTask, map[string]string{"case.json": minimalCase(testTask)})
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.CaseDir(testTask), evidenceFile)); err != nil {
		t.Skip(err)
	}
	if err := s.Update(ctx, testTask, func(e *Edit) error { return e.AddEvidence(anEvidence("ev_1")) }); err == nil {
		t.Error("an append through a link succeeded")
	}
	if raw, err := os.ReadFile(outside); err != nil || strings.TrimSpace(string(raw)) != "mine" {
		t.Errorf("the linked file = %q, %v; want it untouched", raw, err)
	}
}
