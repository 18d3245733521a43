package casestore

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

// worker is set in the environment of a re-executed test binary: what it shall do, how often, where, and who it is.
const worker = "CASESTORE_TEST_WORKER"

func TestMain(m *testing.M) {
	if job := os.Getenv(worker); job != "" {
		if err := work(strings.Split(job, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func work(job []string) error {
	dir, name := job[1], job[2]
	for i := range 5 {
		var err error
		switch job[0] {
		case "known":
			err = RegisterKnown(ctx, dir, fmt.Sprintf("/stores/%s-%d", name, i), name)
		case "note":
			err = Open(dir, Options{}).Update(ctx, testTask, func(e *Edit) error {
				return e.AddEvidence(casefile.Evidence{ID: fmt.Sprintf("ev_%s_%d", name, i), Claim: "from " + name})
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inProcesses runs a job in n processes at once.
func inProcesses(t *testing.T, n int, job, dir string) {
	t.Helper()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%d", worker, job, dir, i))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", i, err, out)
			}
		})
	}
	all.Wait()
}

func TestParallelProcessesLoseNoKnownStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inProcesses(t, 8, "known", dir)
	known, err := KnownStores(ctx, dir)
	if err != nil || len(known) != 40 {
		t.Errorf("%d known stores, %v; want all 40", len(known), err)
	}
}

func TestParallelProcessesLoseNoNote(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	inProcesses(t, 16, "note", s.Dir())
	ids, warnings := evidenceIDs(t, s, testTask)
	seen := map[string]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	if len(seen) != 80 || len(ids) != 80 || len(warnings) != 0 {
		t.Errorf("%d notes, %d of them different, warnings %v; want 80", len(ids), len(seen), warnings)
	}
}

func TestKnownStoresKeepTheirPublishedForm(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	if known, err := KnownStores(ctx, dir); err != nil || known != nil {
		t.Errorf("KnownStores of nothing = %v, %v", known, err)
	}
	for _, store := range []KnownStore{{"/a/.cortex/cases", "a"}, {"/b/cases/", "b"}, {"/a/.cortex/cases", "a2"}, {"/b/cases", "b"}} {
		if err := RegisterKnown(ctx, dir, store.Root, store.Slug); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, knownFile)
	raw, err := os.ReadFile(path)
	if want := `[{"root":"/a/.cortex/cases","slug":"a2"},{"root":"/b/cases","slug":"b"}]`; err != nil || string(raw) != want {
		t.Errorf("%s = %s, %v; want %s", knownFile, raw, err, want)
	}
	if err := os.WriteFile(path, []byte(`[{"root":"/x","slug":"x","more":1},7]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := RegisterKnown(ctx, dir, "/y", "y"); err != nil {
		t.Fatal(err)
	}
	raw, err = os.ReadFile(path)
	if want := `[{"root":"/x","slug":"x","more":1},7,{"root":"/y","slug":"y"}]`; err != nil || string(raw) != want {
		t.Errorf("with foreign entries = %s, %v; want %s", raw, err, want)
	}
	if known, err := KnownStores(ctx, dir); err != nil || len(known) != 2 {
		t.Errorf("KnownStores beside an entry that is none = %v, %v; want 2", known, err)
	}
	if err := os.WriteFile(path, []byte(`[{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := RegisterKnown(ctx, dir, "/z", "z"); !problem.Is(err, problem.InvalidConfig) || !strings.Contains(err.Error(), knownFile) {
		t.Errorf("RegisterKnown on a broken list = %v, want invalid_config naming it", err)
	}
}

func TestUpdateJSONWritesOnlyChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set := func(next string) error {
		return UpdateJSON(ctx, dir, "grants.json", func(old []byte) ([]byte, error) {
			if next == "" {
				return nil, nil
			}
			if !json.Valid([]byte(next)) {
				return nil, fmt.Errorf("no JSON")
			}
			return []byte(next), nil
		})
	}
	if err := set(""); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "grants.json")); err == nil {
		t.Error("a nil result made the file")
	}
	if err := set("[1]"); err != nil {
		t.Fatal(err)
	}
	if err := set("["); err == nil {
		t.Error("the error of the function was lost")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "grants.json"))
	if diff := cmp.Diff("[1]", string(raw)); err != nil || diff != "" {
		t.Errorf("file: %v %s", err, diff)
	}
}
