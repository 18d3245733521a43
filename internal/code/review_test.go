package code

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"cortex/internal/gitrepo"
	"cortex/internal/testkit"
)

// A change inside a method is told of the method, one outside of all definitions of none, and a move of none.
func TestReviewNamesTheInnermostDefinition(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Write("a.py", "import os\n\nclass A:\n    x = 1\n\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n\ndef f():\n    return 3\n")
	g.Write("gone.py", "def lost():\n    pass\n")
	g.Write("user.py", "from gone import lost\nlost()\n")
	g.Commit("first")
	g.Write("a.py", "import sys\n\ndef f():\n    return 3\n\n\nclass A:\n    x = 1\n\n    def m(self):\n        return 11\n\n    def n(self):\n        return 2\n")
	g.Write("bin.py", "x\x00")
	g.Write("note.md", "text")
	g.Remove("gone.py")
	repo, err := gitrepo.Open(context.Background(), g.Path(""), gitrepo.Options{Environ: os.Environ(), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadReview(context.Background(), repo, nil, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, c := range r.Changes {
		fmt.Fprintf(&got, "%s %s.%s %s:%d-%d\n", c.Change, c.Parent, c.Symbol, c.File, c.StartLine, c.EndLine)
	}
	for _, s := range r.Callers {
		fmt.Fprintf(&got, "%s %s:%d\n", s.Symbol, s.File, s.Line)
	}
	fmt.Fprintf(&got, "%q\n", r.Gaps)
	want := "changed A.m a.py:10-11\nremoved .lost gone.py:1-2\nlost user.py:2\n[\"bin.py: binary\"]\n"
	if got.String() != want {
		t.Errorf("review\n%swant\n%s", got.String(), want)
	}
}

func TestReviewBeforeTheFirstCommitNamesEverything(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Write("a.go", "package a\nfunc F() {}\n")
	repo, err := gitrepo.Open(context.Background(), g.Path(""), gitrepo.Options{Environ: os.Environ(), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadReview(context.Background(), repo, nil, "HEAD")
	if err != nil || len(r.Changes) != 1 || r.Changes[0].Change != "added" {
		t.Errorf("review %+v, error %v", r, err)
	}
}
