package code

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// A generated package gives one name to thousands of types, and its files use it everywhere.
func TestNameThatIsEverywhereIsFoundInTime(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Write("go.mod", "module m\n")
	var imports strings.Builder
	for i := range 20 {
		g.Write(fmt.Sprintf("p%d/p.go", i), fmt.Sprintf("package p%d\n", i))
		fmt.Fprintf(&imports, "import \"m/p%d\"\n", i)
	}
	const files, types = 10, 300
	for f := range files {
		var text strings.Builder
		text.WriteString("package gen\n\n" + imports.String())
		for i := range types {
			fmt.Fprintf(&text, "type T%d_%d struct{}\n\nfunc (t T%d_%d) String() string { return v%d.String() }\n\n", f, i, f, i, i)
		}
		g.Write(fmt.Sprintf("gen/g%d.go", f), text.String())
	}
	s, err := ReadStructure(t.Context(), openRepo(t, g), nil)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for all, want := range map[bool]int{false: 0, true: files * types} {
		if sites, err := s.Callers(t.Context(), "String", all); err != nil || len(sites) != want {
			t.Errorf("all %t: %d sites, %v, want %d", all, len(sites), err, want)
		}
	}
	if took := time.Since(began); took > 20*time.Second { // a tenth of a second alone; each site judged anew, minutes
		t.Errorf("it took %s", took)
	}
}
