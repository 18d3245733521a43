package code

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Source is one source file and its facts.
type Source struct {
	Path  string
	Facts Facts
	Test  bool
	Aside bool // a Go program among the files of another package: run by hand, no part of the module
}

// Module is a directory that holds source. Tests count as part of what they test.
type Module struct {
	Path           string `json:"path"` // "." is the top level
	Files          int    `json:"files"`
	Tests          int    `json:"tests,omitempty"`
	Symbols        int    `json:"symbols"`
	FanIn          int    `json:"fanIn"` // distinct modules whose files, tests excepted, import this one
	FanInKind      string `json:"fanInKind"`
	ImportingFiles int    `json:"importingFiles"`
	Tier           Tier   `json:"tier"`
}

// Edge says that a file of one module, not a test, imports another.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Graph is the module graph of a set of files.
type Graph struct {
	Sources    []Source // by path, foreign ones left out
	Modules    []Module // by fan-in, importing files and path
	Edges      []Edge   // by from and to
	Unresolved int      // relative imports that lead to nothing in the repository

	world   *world
	imports [][]target // for each source what its imports resolve to, unique
}

// target is what an import resolves to: a directory, and the file in it where the language imports files.
type target struct{ dir, file string }

// NewGraph resolves the imports of files. manifests are the files that tell how names are to be resolved (IsManifest), by
// path.
func NewGraph(sources []Source, manifests map[string][]byte) *Graph {
	g := &Graph{}
	paths := make([]string, len(sources))
	for i := range sources {
		paths[i] = sources[i].Path
	}
	packages := pythonPackages(paths)
	for _, s := range sources {
		if !isForeign(s.Path, s.Facts.Language, packages) {
			s.Test = isTestSource(s.Path, s.Facts.Language)
			g.Sources = append(g.Sources, s)
		}
	}
	slices.SortFunc(g.Sources, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	g.setAside()
	g.world = newWorld(g.Sources, manifests, packages)
	g.resolve()
	g.count()
	return g
}

// setAside marks the programs that build constraints keep out of the package beside them: the fewer files of a directory.
func (g *Graph) setAside() {
	isGo := func(s *Source) bool { return s.Facts.Language == "go" && !s.Test && s.Facts.Package != "" }
	balance := map[string]int{} // directory → files of a library less those of a program
	for i := range g.Sources {
		if s := &g.Sources[i]; isGo(s) && s.Facts.Package == "main" {
			balance[path.Dir(s.Path)]--
		} else if isGo(s) {
			balance[path.Dir(s.Path)]++
		}
	}
	for i := range g.Sources {
		if s := &g.Sources[i]; isGo(s) && s.Facts.Package == "main" {
			s.Aside = balance[path.Dir(s.Path)] > 0
		}
	}
}

func (g *Graph) resolve() {
	g.imports = make([][]target, len(g.Sources))
	for i := range g.Sources {
		seen := map[target]bool{}
		for _, imp := range g.Sources[i].Facts.Imports {
			targets, internal := g.world.resolve(&g.Sources[i], imp)
			if internal && len(targets) == 0 {
				g.Unresolved++
			}
			for _, t := range targets {
				if t.file != g.Sources[i].Path && !seen[t] {
					seen[t] = true
					g.imports[i] = append(g.imports[i], t)
				}
			}
		}
	}
}

// count makes the rows and edges.
func (g *Graph) count() {
	rows := map[string]*Module{}
	for i := range g.Sources {
		s := &g.Sources[i]
		dir := path.Dir(s.Path)
		m := rows[dir]
		if m == nil {
			m = &Module{Path: dir, FanInKind: "imports", Tier: TierHigh}
			rows[dir] = m
		}
		if s.Test {
			m.Tests++
			continue
		}
		m.Files++
		m.Symbols += len(s.Facts.Definitions)
		if s.Facts.Tier != TierHigh {
			m.Tier = s.Facts.Tier
		}
	}
	edges := map[Edge]bool{}
	for i := range g.Sources {
		if g.Sources[i].Test || g.Sources[i].Aside {
			continue
		}
		for dir := range g.importedDirs(i) {
			edge := Edge{path.Dir(g.Sources[i].Path), dir}
			if rows[dir] == nil || rows[dir].Files == 0 {
				continue
			}
			rows[dir].ImportingFiles++
			if !edges[edge] {
				edges[edge] = true
				g.Edges = append(g.Edges, edge)
				rows[dir].FanIn++
			}
		}
	}
	for _, m := range rows {
		if m.Files > 0 && (m.FanIn > 0 || !g.world.buildOutput(m.Path)) {
			g.Modules = append(g.Modules, *m)
		}
	}
	slices.SortFunc(g.Modules, func(a, b Module) int {
		return cmp.Or(cmp.Compare(b.FanIn, a.FanIn), cmp.Compare(b.ImportingFiles, a.ImportingFiles), strings.Compare(a.Path, b.Path))
	})
	slices.SortFunc(g.Edges, func(a, b Edge) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
}

// importedDirs are the other directories that a file imports.
func (g *Graph) importedDirs(i int) map[string]bool {
	own := path.Dir(g.Sources[i].Path)
	dirs := map[string]bool{}
	for _, t := range g.imports[i] {
		if t.dir != own {
			dirs[t.dir] = true
		}
	}
	return dirs
}
