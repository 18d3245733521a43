package casestore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/testkit"
)

const testTask = "task_06H2VPRM4KDG25WQ"

var ctx = context.Background()

func at(seconds int) time.Time { return time.Date(2026, 11, 30, 19, 7, seconds, 250, time.UTC) }

func newTestStore(t *testing.T) *Store {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "sessions", "repo"), Options{IDs: testkit.IDs()})
}

func aCase() *casefile.Case {
	return &casefile.Case{
		ID: testTask, CreatedAt: at(41), UpdatedAt: at(42), Goal: "Fix add so it sums <a & b>", Mode: casefile.ModeChange,
		Status: casefile.PhaseInvestigating, Actor: "agent-a",
		Workspace:          casefile.Workspace{Root: "/srv/fixture/repo", Repository: "repo", Branch: "main", CommitBefore: "44b93b5"},
		AcceptanceCriteria: []casefile.Criterion{{ID: "add-sums", Statement: "calc.sh 2 3 prints 5"}},
	}
}

func anEvidence(id string) casefile.Evidence {
	return casefile.Evidence{ID: id, Timestamp: at(43), Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: "git"},
		Claim: "test.sh:2 matches <calc>", Confidence: casefile.ConfidenceHigh,
		Location: &casefile.Location{File: "test.sh", StartLine: 2}}
}

func create(t *testing.T, s *Store, c *casefile.Case, evidence ...casefile.Evidence) {
	t.Helper()
	events := []casefile.PhaseEvent{{Timestamp: at(41), From: casefile.PhaseNew, To: casefile.PhaseOrienting}}
	if err := s.Create(ctx, c, evidence, events, nil); err != nil {
		t.Fatalf("Create: %v", err)
	}
}

// plant makes a case directory as another program would leave it.
func plant(t *testing.T, s *Store, id string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(s.CaseDir(id), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func minimalCase(id string) string {
	return `{"schemaVersion":1,"revision":3,"id":"` + id + `","createdAt":"2026-11-30T19:07:41Z","updatedAt":"2026-11-30T19:07:42Z",` +
		`"goal":"g","mode":"change","status":"investigating","workspace":{"root":"/srv/fixture/repo"},"changeBoundary":{}}`
}

func onDisk(t *testing.T, s *Store, id, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.CaseDir(id), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// tree lists the files below dir with their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		files[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func view(t *testing.T, s *Store, id string, fn func(*Reader) error) {
	t.Helper()
	if err := s.View(ctx, id, fn); err != nil {
		t.Fatalf("View: %v", err)
	}
}

func update(t *testing.T, s *Store, id string, fn func(*Edit) error) {
	t.Helper()
	if err := s.Update(ctx, id, fn); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

func evidenceIDs(t *testing.T, s *Store, id string) (ids []string, warnings []string) {
	t.Helper()
	view(t, s, id, func(r *Reader) error {
		records, _, err := r.EvidenceTail(1 << 20)
		ids = nil
		for _, ev := range records {
			ids = append(ids, ev.ID)
		}
		warnings = r.Warnings()
		return err
	})
	return ids, warnings
}

func mustContain(t *testing.T, what, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s = %q, want %q in it", what, got, want)
		}
	}
}
