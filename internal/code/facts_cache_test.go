package code

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/redact"
)

func sampleFacts() Facts {
	return Facts{
		Language: "python", Tier: TierHigh, Package: "p", Generated: true, Partial: "binary",
		Imports:     []Import{{Path: "os", Line: 1}, {Path: "a.b", Names: []string{"c", "d"}, Alias: "e", Line: 300}},
		Definitions: []Definition{{Name: "f", Kind: "func", Parent: "T", StartLine: 3, EndLine: 70000}},
	}
}

func openCache(t *testing.T, dir string) *Cache {
	t.Helper()
	c, err := OpenCache(t.Context(), dir, "/some/repo/.git", redact.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // a test that closes it itself does no harm
	return c
}

func TestFactsSurviveTheCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := FactsKey("a/B.PY", strings.Repeat("a", 40))
	if err := openCache(t, dir).SaveFacts(t.Context(), map[string]Facts{key: sampleFacts()}); err != nil {
		t.Fatal(err)
	}
	for _, more := range []int{0, manyKeys} {
		keys := append(make([]string, more), key, "other")
		got, err := openCache(t, dir).Facts(t.Context(), keys)
		if diff := cmp.Diff(map[string]Facts{key: sampleFacts()}, got); diff != "" || err != nil {
			t.Errorf("facts of %d keys: %v, (-want +got)\n%s", len(keys), err, diff)
		}
	}
}

func TestCacheIsForItsOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir := t.TempDir()
	if err := openCache(t, dir).SaveFacts(t.Context(), map[string]Facts{"k": sampleFacts()}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "code"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("the cache's directory: %v, %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v, %v, want nothing for others", e.Name(), info.Mode(), err)
		}
	}
}

func TestDamagedCacheIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := openCache(t, dir)
	path := c.path
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	c = openCache(t, dir)
	if err := c.SaveFacts(t.Context(), map[string]Facts{"k": sampleFacts()}); err != nil {
		t.Errorf("save after damage: %v", err)
	}
}

func TestCacheOfAnotherVersionIsEmptied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := openCache(t, dir)
	if err := c.SaveFacts(t.Context(), map[string]Facts{"k": sampleFacts()}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.db.ExecContext(t.Context(), "PRAGMA user_version=99"); err != nil {
		t.Fatal(err)
	}
	_ = c.Close() // it was only read from since
	got, err := openCache(t, dir).Facts(t.Context(), []string{"k"})
	if len(got) != 0 || err != nil {
		t.Errorf("facts of another version: got %v, %v, want none", got, err)
	}
}

func TestCacheOpenedByManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := OpenCache(t.Context(), dir, "x", nil)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			defer func() { _ = c.Close() }() // nothing is left to write
			for _, key := range []string{"a", "b"} {
				if err := c.SaveFacts(t.Context(), map[string]Facts{key: sampleFacts()}); err != nil {
					t.Errorf("save: %v", err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzDecodeFacts(f *testing.F) {
	f.Add(encodeFacts(sampleFacts()))
	f.Add([]byte{})
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if facts, ok := decodeFacts(data); ok {
			if again, ok := decodeFacts(encodeFacts(facts)); !ok || cmp.Diff(facts, again) != "" {
				t.Errorf("facts of %q do not survive: %v", data, cmp.Diff(facts, again))
			}
		}
	})
}
