package casestore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

func TestBrokenCasesAreListedBesideTheOthers(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	for i := range 9 {
		id := fmt.Sprintf("task_%d", i)
		plant(t, s, id, map[string]string{"case.json": minimalCase(id)})
	}
	plant(t, s, "task_3", map[string]string{"case.json": "{"})
	plant(t, s, "task_5", map[string]string{"case.json": strings.Replace(minimalCase("task_5"), `"schemaVersion":1`, `"schemaVersion":2`, 1)})
	if err := os.Mkdir(filepath.Join(s.Dir(), "task_90"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"not-a-case", ".coord", "task_file", ".new-x"} {
		if err := os.WriteFile(filepath.Join(s.Dir(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, s.Dir())
	listed, err := s.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range listed {
		switch {
		case l.Err != nil && problem.Is(l.Err, problem.CaseBroken) && l.Case == nil:
			got = append(got, l.ID+" broken")
		case l.Case != nil && l.Err == nil && len(l.Warnings) > 0:
			got = append(got, l.ID+" warned")
		case l.Case != nil && l.Case.ID == l.ID && l.Err == nil:
			got = append(got, l.ID)
		}
	}
	want := []string{"task_0", "task_1", "task_2", "task_3 broken", "task_4", "task_5 warned", "task_6", "task_7", "task_8", "task_90 broken"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, tree(t, s.Dir())); diff != "" {
		t.Errorf("List wrote:\n%s", diff)
	}
}

func TestStoreThatIsNotThereIsEmpty(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	if listed, err := s.List(ctx); err != nil || len(listed) != 0 {
		t.Errorf("List = %v, %v; want nothing", listed, err)
	}
	if _, _, err := s.Find(ctx, "task_x"); !problem.Is(err, problem.TaskNotFound) {
		t.Errorf("Find = %v, want task_not_found", err)
	}
	if _, err := os.Stat(s.Dir()); err == nil {
		t.Error("reading made the store")
	}
}

func TestFindTakesAUniquePrefix(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	for _, id := range []string{"task_AB1", "task_AB2", "task_C", "task_C1"} {
		plant(t, s, id, map[string]string{"case.json": minimalCase(id)})
	}
	for prefix, want := range map[string]string{"task_AB1": "task_AB1", "AB2": "task_AB2", "task_C": "task_C", "task_C1": "task_C1", "task_A": "2 candidates",
		"task_Z": "task_not_found", "Z": "task_not_found", "": "invalid_input", "../x": "invalid_input", "task_": "invalid_input", "ev_1": "invalid_input"} {
		id, candidates, err := s.Find(ctx, prefix)
		got := id
		if problem.Is(err, problem.AmbiguousTask) {
			got = fmt.Sprintf("%d candidates", len(candidates))
			mustContain(t, "message", err.Error(), candidates...)
		} else if err != nil {
			got = string(problem.From(err).Code)
		}
		if got != want {
			t.Errorf("Find(%q) = %q, %v; want %s", prefix, got, err, want)
		}
	}
}

func TestFindAnywhereLooksInAllStores(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	sessions, local := filepath.Join(base, "sessions"), filepath.Join(base, "work", ".cortex", "cases")
	for dir, id := range map[string]string{filepath.Join(sessions, "one"): "task_A1", filepath.Join(sessions, "two"): "task_A2", local: "task_B"} {
		plant(t, Open(dir, Options{}), id, map[string]string{"case.json": minimalCase(id)})
	}
	known := []KnownStore{{Root: local, Slug: "work"}, {Root: filepath.Join(base, "gone")}, {Root: "relative"}}
	for prefix, want := range map[string]string{"task_A1": "one/task_A1", "A2": "two/task_A2", "B": "cases/task_B", "task_A": "ambiguous_task", "task_Z": "task_not_found"} {
		store, id, err := FindAnywhere(ctx, sessions, known, prefix, Options{})
		got := ""
		if err != nil {
			got = string(problem.From(err).Code)
		} else {
			got = filepath.Base(store.Dir()) + "/" + id
		}
		if got != want {
			t.Errorf("FindAnywhere(%q) = %q, %v; want %s", prefix, got, err, want)
		}
	}
}

func TestExclusiveLetsOneInAndCasesBeMade(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	made := 0
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			err := s.Exclusive(ctx, func() error {
				listed, err := s.List(ctx)
				if err != nil || len(listed) > 0 {
					return err
				}
				made++
				return s.Create(ctx, aCase(), nil, nil, nil)
			})
			if err != nil {
				t.Errorf("Exclusive: %v", err)
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("%d made the case that was missing, want 1", made)
	}
}
