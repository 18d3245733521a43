package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"cortex/internal/testkit"
)

func TestCreateCommitsEverything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Create(context.Background(), dir, testkit.Env(t, "GIT_DIR=/nowhere")); err != nil {
		t.Fatalf("Create: %v", err)
	}
	f := factsOf(t, open(t, dir), "")
	if f.Branch != "main" || f.Commit == "" || f.Dirty || len(f.Changed) != 1 {
		t.Errorf("Facts = %+v, want a clean commit of a.txt on main", f)
	}
}
