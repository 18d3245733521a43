package gitrepo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/testkit"
)

// standardLibrary is a repository with a copy of the Go standard library, about 11,000 files.
func standardLibrary(b *testing.B) *Repo {
	b.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skipf("no go: %v", err)
	}
	g := testkit.NewRepo(b)
	if err := os.CopyFS(g.Path("src"), os.DirFS(filepath.Join(strings.TrimSpace(string(root)), "src"))); err != nil {
		b.Skipf("no standard library: %v", err)
	}
	g.Commit("start")
	return open(b, g.Dir)
}

func BenchmarkStateCold(b *testing.B) {
	r := standardLibrary(b)
	for b.Loop() {
		if s, err := r.State(context.Background(), StateOptions{}); err != nil || !s.Complete {
			b.Fatalf("State: %v, complete %v", err, s.Complete)
		}
	}
}

func BenchmarkStateCached(b *testing.B) {
	r := standardLibrary(b)
	stateLater(b, r)
	for b.Loop() {
		if s, err := r.State(context.Background(), StateOptions{}); err != nil || !s.Complete {
			b.Fatalf("State: %v, complete %v", err, s.Complete)
		}
	}
}

func BenchmarkFacts(b *testing.B) {
	r := standardLibrary(b)
	for b.Loop() {
		if f, err := r.Facts(context.Background(), "HEAD"); err != nil || f.Dirty {
			b.Fatalf("Facts: %v, %+v", err, f)
		}
	}
}

func BenchmarkSurveyUntracked(b *testing.B) {
	g := testkit.NewRepo(b)
	for i := range 100_000 {
		if i%500 == 0 {
			if err := os.Mkdir(g.Path(fmt.Sprint("dir", i/500)), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(g.Path(fmt.Sprintf("dir%d/file%d", i/500, i)), fmt.Append(nil, i), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	r := open(b, g.Dir)
	for b.Loop() {
		if f, _, err := r.Survey(context.Background(), "HEAD"); err != nil || f.Untracked != 100_000 {
			b.Fatalf("Survey: %v, %d untracked", err, f.Untracked)
		}
	}
}
