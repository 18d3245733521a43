package code

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"cortex/internal/gitrepo"
	"cortex/internal/testkit"
)

// structureOf writes files into a repository and reads its structure.
func structureOf(t *testing.T, files map[string]string) *Structure {
	t.Helper()
	g := testkit.NewRepo(t)
	for name, text := range files {
		g.Write(name, text)
	}
	repo, err := gitrepo.Open(context.Background(), g.Path(""), gitrepo.Options{Environ: os.Environ(), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadStructure(context.Background(), repo, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The part "want" of an archive has a symbol on a line, and then its sites with their tiers.
func TestSitesAndTheirTiers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go.txtar", "others.txtar"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", "callers", name))
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files[f.Name] = string(f.Data)
			}
			s := structureOf(t, files)
			var got strings.Builder
			for line := range strings.Lines(want) {
				symbol := strings.TrimSpace(line)
				if strings.Contains(symbol, " ") {
					continue
				}
				fmt.Fprintln(&got, symbol)
				sites, err := s.Callers(context.Background(), symbol, true)
				if err != nil {
					t.Fatal(err)
				}
				for _, site := range sites {
					fmt.Fprintf(&got, "%s:%d %s\n", site.File, site.Line, site.Tier)
				}
			}
			if got.String() != want {
				t.Errorf("sites\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

func TestNamesAloneAreHiddenUnlessAskedFor(t *testing.T) {
	t.Parallel()
	s := structureOf(t, map[string]string{"go.mod": "module m\n", "a/a.go": "package a\nfunc F() { F() }\n", "b/b.go": "package b\nfunc G() { F() }\n"})
	for all, want := range map[bool]int{false: 1, true: 2} {
		if got, err := s.Callers(context.Background(), "F", all); err != nil || len(got) != want {
			t.Errorf("all %t: sites %v, error %v, want %d", all, got, err, want)
		}
	}
	if got := s.Find("nothing"); got != nil {
		t.Errorf("definitions of what is not there: %v", got)
	}
}
