package gitrepo

import (
	"context"
	"errors"
	"testing"

	"cortex/internal/testkit"
)

func TestContentsOfACommit(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Write("a", "old\n")
	g.Write("dir/empty", "")
	g.Write("dir/big", "0123456789")
	first := g.Commit("first")
	g.Write("a", "new\n")
	g.Remove("dir/empty")
	r := open(t, g.Path(""))
	got, err := r.Contents(context.Background(), first, []string{"dir", "a", "gone", "dir/empty", "../a", "a\nb", "dir/big"}, 5)
	if err != nil {
		t.Fatal(err)
	}
	empty, known := got["dir/empty"]
	if len(got) != 2 || string(got["a"]) != "old\n" || !known || len(empty) != 0 {
		t.Errorf("contents %q", got)
	}
}

func TestNamesOfCommits(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Write("a", "1")
	first := g.Commit("first")
	g.Write("a", "2")
	second := g.Commit("second")
	r := open(t, g.Path(""))
	for name, want := range map[string]string{"HEAD": second, "HEAD~1": first, first[:8]: first, first: first} {
		if got, err := r.Resolve(context.Background(), name); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "nosuch", "-h", "--all", "HEAD~9", "HEAD:a", "a\nb"} {
		if got, err := r.Resolve(context.Background(), name); !errors.Is(err, ErrUnknownRevision) {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
}
