package code

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// SiteTier says how sure it is that a site names the symbol that was asked for, and not another of the same name.
// Measured on 686 files of Go's standard library against its type checker: 0.98 of the resolved sites were right, 0.86 of
// the likely ones and 0.08 of the others.
type SiteTier string

// The tiers of a site.
const (
	SiteResolved SiteTier = "resolved"  // by its scope or its import it can be no other
	SiteLikely   SiteTier = "likely"    // of all that the file imports, only this one has the name
	SiteNameOnly SiteTier = "name-only" // the same name; never a fact
)

// Site is a place that names a symbol: a call, or for what cannot be called any use.
type Site struct {
	File string   `json:"file"`
	Line int      `json:"line"`
	Tier SiteTier `json:"tier"`
	Test bool     `json:"test,omitempty"`
}

// Place is where a symbol is defined.
type Place struct {
	File      string `json:"file"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind"`
	Parent    string `json:"parent,omitempty"`
}

// Find lists the definitions that a symbol may mean, by path and line: Name, Type.Name, package.Name or directory.Name;
// "::" and "#" serve as well as the dot.
func (g *Graph) Find(symbol string) []Place {
	qualifier, name := splitSymbol(symbol)
	var out []Place
	for i := range g.Sources {
		s := &g.Sources[i]
		for _, d := range s.Facts.Definitions {
			if d.Name == name && qualifies(qualifier, s, d) {
				out = append(out, Place{File: s.Path, StartLine: d.StartLine, EndLine: d.EndLine, Kind: d.Kind, Parent: d.Parent})
			}
		}
	}
	return out
}

func splitSymbol(symbol string) (qualifier, name string) {
	symbol = strings.NewReplacer("::", ".", "#", ".").Replace(symbol)
	at := strings.LastIndexByte(symbol, '.')
	return symbol[:max(at, 0)], symbol[at+1:]
}

func qualifies(qualifier string, s *Source, d Definition) bool {
	dir := path.Dir(s.Path)
	stem := strings.TrimSuffix(path.Base(s.Path), path.Ext(s.Path))
	switch qualifier {
	case "", d.Parent, dir, path.Base(dir), s.Facts.Package, stem, s.Path, path.Base(dir) + "." + d.Parent:
		return true
	}
	return s.Facts.Package != "" && qualifier == s.Facts.Package+"."+d.Parent
}

// Callers reads the files that hold the symbol's name and lists the sites, the surest first, then by path and line. all
// asks for those that share the name alone.
func (s *Structure) Callers(ctx context.Context, symbol string, all bool) ([]Site, error) {
	_, name := splitSymbol(symbol)
	wanted := s.Find(symbol)
	if len(wanted) == 0 {
		return nil, ctx.Err()
	}
	q := &siteQuestion{s: s, name: name, wanted: wanted, named: s.Find(name), callable: callable(wanted)}
	found := make([][]Site, len(s.Sources))
	jobs := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			var e extractor
			for i := range jobs {
				found[i] = q.sites(ctx, &e, i, all)
			}
		})
	}
	for i := range s.Sources {
		if ctx.Err() == nil && (all || q.mayName(i)) {
			jobs <- i
		}
	}
	close(jobs)
	workers.Wait()
	out := slices.Concat(found...)
	slices.SortFunc(out, func(a, b Site) int {
		return cmp.Or(cmp.Compare(tierRank(a.Tier), tierRank(b.Tier)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(out), ctx.Err()
}

func tierRank(t SiteTier) int {
	return slices.Index([]SiteTier{SiteResolved, SiteLikely, SiteNameOnly}, t)
}

// siteQuestion is one search for sites.
type siteQuestion struct {
	s        *Structure
	name     string
	wanted   []Place // what was asked for
	named    []Place // everything of that name
	callable bool
}

// fileView is what a file sees of the name.
type fileView struct {
	source int
	wanted []Place
	named  []Place
}

func (q *siteQuestion) view(i int) fileView {
	dir := path.Dir(q.s.Sources[i].Path)
	hidden := func(p Place) bool {
		return !q.s.sees(i, p.File) || languageFamily(p.File) != languageFamily(q.s.Sources[i].Path) ||
			strings.HasSuffix(p.File, "_test.go") && path.Dir(p.File) != dir
	}
	return fileView{i, slices.DeleteFunc(slices.Clone(q.wanted), hidden), slices.DeleteFunc(slices.Clone(q.named), hidden)}
}

// mayName reports whether a file sees one of the wanted definitions.
func (q *siteQuestion) mayName(i int) bool {
	return slices.ContainsFunc(q.wanted, func(p Place) bool { return q.s.sees(i, p.File) })
}

// sees reports whether source i lies beside a file, imports it, or imports what passes it on.
func (g *Graph) sees(i int, file string) bool {
	own, dir := g.Sources[i].Path, path.Dir(file)
	if own == file || path.Dir(own) == dir {
		return true
	}
	for _, t := range g.imports[i] {
		if t.dir == dir {
			return true
		}
		if t.file != "" && passesOn(t.file) {
			if j, known := g.sourceAt(t.file); known && slices.ContainsFunc(g.imports[j], func(u target) bool { return u.dir == dir }) {
				return true
			}
		}
	}
	return false
}

// passesOn knows the files whose purpose is to offer what others define.
func passesOn(file string) bool {
	base := path.Base(file)
	switch strings.TrimSuffix(base, path.Ext(base)) {
	case "index", "__init__", "mod", "lib":
		return true
	}
	return strings.HasPrefix(path.Ext(base), ".h")
}

func (g *Graph) sourceAt(name string) (int, bool) {
	return slices.BinarySearchFunc(g.Sources, name, func(s Source, name string) int { return strings.Compare(s.Path, name) })
}

func (q *siteQuestion) sites(ctx context.Context, e *extractor, i int, all bool) []Site {
	source := &q.s.Sources[i]
	body, err := q.s.repo.ReadFile(ctx, q.s.files[source.Path])
	if err != nil || len(body) > maxParseBytes || !bytes.Contains(body, []byte(q.name)) || isBinary(body) {
		return nil // a file that changed or cannot be read has no sites that could be shown
	}
	r := e.reader(languageOf(source.Path), body)
	view := q.view(i)
	given := q.definitionLines(source)
	var out []Site
	for t := range r.tokens {
		if r.kind(t) != word || !r.is(t, q.name) {
			continue
		}
		tier := q.tier(&r, view, t)
		if line := r.line(t); tier != "" && given[line] > 0 { // the name is given here, not used
			given[line]--
			continue
		}
		if tier == SiteNameOnly && !all || tier == "" {
			continue
		}
		out = append(out, Site{File: source.Path, Line: r.line(t), Tier: tier, Test: source.Test})
	}
	return out
}

// definitionLines counts for each line the definitions on it that have the name.
func (q *siteQuestion) definitionLines(s *Source) map[int]int {
	lines := map[int]int{}
	for _, d := range s.Facts.Definitions {
		if d.Name == q.name {
			lines[d.StartLine]++
		}
	}
	return lines
}

// tier judges the use at token t, "" for one that is none: a call is what counts for what can be called.
func (q *siteQuestion) tier(r *reader, v fileView, t int) SiteTier {
	if q.callable && !calls(r, t) {
		return ""
	}
	scope, qualified := qualifierOf(r, t)
	best := SiteNameOnly
	for _, p := range v.wanted {
		if tier := q.tierOf(v, p, scope, qualified); tierRank(tier) < tierRank(best) {
			best = tier
		}
	}
	return best
}

// callable reports whether all that was asked for can only be called.
func callable(places []Place) bool {
	return !slices.ContainsFunc(places, func(p Place) bool {
		return p.Kind != "func" && p.Kind != "method" && p.Kind != "constructor"
	})
}

// calls reports whether a name is followed by arguments, with type arguments between or not.
func calls(r *reader, t int) bool {
	next := t + 1
	if r.at(next) == ':' && r.at(next+1) == ':' {
		next += 2
	}
	switch r.at(next) {
	case '<':
		next = r.angles(next)
	case '[':
		next = r.past(next)
	}
	return r.at(next) == '('
}

// qualifierOf is the word before the dot, arrow or colons before a name; "" for none or for an expression.
func qualifierOf(r *reader, t int) (scope string, qualified bool) {
	switch {
	case r.at(t-1) == '.':
		t -= 2
		if r.at(t) == '?' {
			t--
		}
	case r.at(t-1) == ':' && r.at(t-2) == ':', r.at(t-1) == '>' && r.at(t-2) == '-':
		t -= 3
	default:
		return "", false
	}
	if r.kind(t) == word && r.at(t-1) != '.' {
		return r.text(t), true
	}
	return "", true
}

// tierOf judges a use, in a file that sees it, of one definition.
func (q *siteQuestion) tierOf(v fileView, p Place, scope string, qualified bool) SiteTier {
	s := &q.s.Sources[v.source]
	if s.Facts.Language == "go" {
		return q.goTier(v, p, scope, qualified)
	}
	same := s.Path == p.File
	rivals := v.rivals(p)
	switch {
	case p.Parent != "" && qualified && scope == p.Parent:
		return SiteResolved
	case p.Parent != "" && !qualified && same && rivals == 0:
		return SiteResolved
	case p.Parent != "" && !qualified && languageFamily(s.Path) != "java":
		return SiteNameOnly
	case p.Parent == "" && !qualified && same:
		return SiteResolved
	case rivals > 0:
		return SiteNameOnly
	case p.Parent == "" && !qualified && s.Facts.Tier == TierHigh:
		return SiteResolved
	case p.Parent == "" && qualified && scope == moduleName(p.File):
		return SiteResolved
	}
	return SiteLikely
}

// goTier goes by Go's scopes: within the package without a qualifier, outside with the name of the import.
func (q *siteQuestion) goTier(v fileView, p Place, scope string, qualified bool) SiteTier {
	i := v.source
	s := &q.s.Sources[i]
	inside := path.Dir(s.Path) == path.Dir(p.File)
	packages, dotted := q.s.goNames(i, path.Dir(p.File))
	if p.Parent == "" {
		switch {
		case !qualified && (inside || dotted), qualified && scope != "" && slices.Contains(packages, scope):
			return SiteResolved
		}
		return SiteNameOnly
	}
	if !qualified || scope != "" && q.s.isGoImport(i, scope) || v.rivals(p) > 0 {
		return SiteNameOnly
	}
	return SiteLikely
}

// goNames are the names under which a Go file imports a directory.
func (g *Graph) goNames(i int, dir string) (names []string, dotted bool) {
	for _, imp := range g.Sources[i].Facts.Imports {
		for _, t := range g.world.resolveGo(imp.Path) {
			switch {
			case t.dir != dir:
			case imp.Alias == ".":
				dotted = true
			case imp.Alias != "":
				names = append(names, imp.Alias)
			default:
				names = append(names, g.goPackage(dir))
			}
		}
	}
	return names, dotted
}

// goPackage is the name that the files of a directory declare.
func (g *Graph) goPackage(dir string) string {
	from, _ := g.sourceAt(dir + "/")
	if dir == "." {
		from = 0
	}
	for _, s := range g.Sources[from:] {
		if path.Dir(s.Path) == dir && !s.Test && s.Facts.Language == "go" && s.Facts.Package != "" {
			return s.Facts.Package
		}
	}
	return path.Base(dir)
}

// isGoImport reports whether a word is the name of one of a file's imports.
func (g *Graph) isGoImport(i int, name string) bool {
	return slices.ContainsFunc(g.Sources[i].Facts.Imports, func(imp Import) bool {
		return imp.Alias == name || imp.Alias == "" && path.Base(imp.Path) == name
	})
}

// rivals counts the other definitions of the same sort that the file sees.
func (v fileView) rivals(p Place) int {
	n := 0
	for _, other := range v.named {
		same := other.Parent == p.Parent && path.Dir(other.File) == path.Dir(p.File) // one type for several systems
		if !same && (other.Parent == "") == (p.Parent == "") {
			n++
		}
	}
	return n
}

// languageFamily joins the languages whose files call each other.
func languageFamily(name string) string {
	switch row := languageOf(name); {
	case row == nil:
		return ""
	case row.name == "javascript":
		return "typescript"
	case row.name == "c":
		return "cpp"
	default:
		return row.name
	}
}

// moduleName is the name under which a file's module is imported.
func moduleName(file string) string {
	base := path.Base(file)
	switch stem := strings.TrimSuffix(base, path.Ext(base)); stem {
	case "__init__", "mod", "lib", "index":
		return path.Base(path.Dir(file))
	default:
		return stem
	}
}
