package gitrepo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/testkit"
)

func TestTreeIsTheWorktreeNamedByBlob(t *testing.T) {
	t.Parallel()
	r := testkit.NewRepo(t)
	r.Write("same.txt", "same\n")
	r.Write("edited.txt", "before\n")
	r.Write("gone.txt", "gone\n")
	r.Write(".gitignore", "ignored.txt\n")
	r.Commit("first")
	r.Write("edited.txt", "same\n")
	r.Write("new.txt", "same\n")
	r.Write("big.txt", strings.Repeat("x", 200))
	r.Write("ignored.txt", "x")
	r.Write(".cortex/state.txt", "x")
	if err := os.Remove(filepath.Join(r.Dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(r.Dir, "loop")); err != nil {
		t.Skip("no symbolic links here")
	}
	repo, err := Open(t.Context(), r.Dir, Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.Tree(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	byPath := map[string]TreeFile{}
	for _, f := range tree.Files {
		got = append(got, f.Path)
		byPath[f.Path] = f
	}
	if text := strings.Join(got, " "); text != ".gitignore big.txt edited.txt new.txt same.txt" {
		t.Errorf("files: got %s", text)
	}
	if a, b, c := byPath["same.txt"], byPath["edited.txt"], byPath["new.txt"]; a.Blob != b.Blob || a.Blob != c.Blob || a.Dirty || !b.Dirty || !c.Dirty || c.Tracked {
		t.Errorf("equal contents: got %+v, %+v, %+v, want one blob, the last two dirty", a, b, c)
	}
	if byPath["big.txt"].Blob != "" {
		t.Errorf("a file over the limit got blob %q, want none", byPath["big.txt"].Blob)
	}
	if len(tree.Skipped) != 1 || tree.Skipped[0] != (TreeSkip{"loop", "a symbolic link"}) {
		t.Errorf("skipped: got %v, want the link", tree.Skipped)
	}
	data, err := repo.ReadFile(t.Context(), byPath["new.txt"])
	if string(data) != "same\n" || err != nil {
		t.Errorf("ReadFile = %q, %v", data, err)
	}
	r.Write("new.txt", "another\n")
	if _, err := repo.ReadFile(t.Context(), byPath["new.txt"]); !errors.Is(err, ErrChanged) {
		t.Errorf("ReadFile of an edited file = %v, want ErrChanged", err)
	}
}
