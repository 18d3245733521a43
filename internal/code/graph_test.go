package code

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// graphOf makes a graph of files by name.
func graphOf(files map[string]string) *Graph {
	var sources []Source
	manifests := map[string][]byte{}
	for name, text := range files {
		if languageOf(name) != nil {
			sources = append(sources, Source{Path: name, Facts: Extract(name, []byte(text))})
		}
		if IsManifest(name) {
			manifests[name] = []byte(text)
		}
	}
	return NewGraph(sources, manifests)
}

func TestEdgesOfSmallRepositories(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/graph/*.txtar")
	if err != nil || len(archives) != 6 {
		t.Fatalf("archives %q, error %v", archives, err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
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
			g := graphOf(files)
			var got strings.Builder
			for _, e := range g.Edges {
				fmt.Fprintln(&got, e.From, e.To)
			}
			fmt.Fprintln(&got, "unresolved", g.Unresolved)
			fmt.Fprint(&got, "modules")
			for _, m := range g.Modules {
				fmt.Fprint(&got, " ", m.Path)
			}
			fmt.Fprintln(&got)
			if got.String() != want {
				t.Errorf("graph of %s\n got\n%s\nwant\n%s", name, got.String(), want)
			}
		})
	}
}

func TestFanInCountsModulesOnce(t *testing.T) {
	t.Parallel()
	g := graphOf(map[string]string{
		"go.mod":      "module m\n",
		"a/a.go":      "package a\nimport \"m/c\"\n",
		"a/b.go":      "package a\nimport \"m/c\"\n",
		"a/a_test.go": "package a\nimport \"m/c\"\n",
		"b/b.go":      "package b\nimport \"m/c\"\n",
		"c/c.go":      "package c\nfunc F() {}\ntype T int\n",
		"c/c_test.go": "package c\n",
	})
	want := Module{Path: "c", Files: 1, Tests: 1, Symbols: 2, FanIn: 2, FanInKind: "imports", ImportingFiles: 3, Tier: TierHigh}
	if i := slices.IndexFunc(g.Modules, func(m Module) bool { return m.Path == "c" }); i != 0 || g.Modules[i] != want {
		t.Errorf("first module %+v, want %+v", g.Modules[0], want)
	}
}
