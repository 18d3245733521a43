package code

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
)

// SiteTier says how sure it is that a site names the symbol that was asked for, and not another of the same name.
// Measured on 59 packages of Go's standard library against its type checker: 0.999 of the resolved sites of functions
// were right, 0.998 of the likely ones of methods and 0.07 of the others. Every call of a function was found, and 0.59 of
// those of methods.
type SiteTier string

// The tiers of a site.
const (
	SiteResolved SiteTier = "resolved"  // by its scope or its import it can be no other
	SiteLikely   SiteTier = "likely"    // of all that the file imports, only this one has the name
	SiteNameOnly SiteTier = "name-only" // the same name; never a fact
)

// Site is a place that names a symbol: a call, or for what cannot be called any use.
type Site struct {
	Symbol string   `json:"symbol,omitempty"` // where several were asked for
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Tier   SiteTier `json:"tier"`
	Test   bool     `json:"test,omitempty"`
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
	outermost := func(p Place) bool { return p.Parent == "" }
	if qualifier != "" && slices.ContainsFunc(out, outermost) { // package.Name is no method of that package
		out = slices.DeleteFunc(out, func(p Place) bool { return !outermost(p) && p.Parent != qualifier })
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
	return s.sites(ctx, map[string]*siteQuestion{name: s.ask(name, "", wanted)}, all)
}

// sites answers all questions, which are by the names they ask for, in one reading.
func (s *Structure) sites(ctx context.Context, questions map[string]*siteQuestion, all bool) ([]Site, error) {
	found := make([][]Site, len(s.Sources))
	spread(len(s.Sources), func(e *extractor, i int) {
		if ctx.Err() == nil && (all || s.mayName(questions, i)) {
			found[i] = s.sitesIn(ctx, questions, e, i, all)
		}
	})
	out := slices.Concat(found...)
	slices.SortFunc(out, func(a, b Site) int {
		return cmp.Or(cmp.Compare(tierRank(a.Tier), tierRank(b.Tier)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Symbol, b.Symbol))
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
	label    string // what its sites are marked with, "" for nothing
	callable bool   // all that was asked for can only be called
	places   map[string]dirPlaces
}

// dirPlaces are the definitions in one directory.
type dirPlaces struct {
	wanted []Place // what was asked for
	named  []Place // everything of that name
}

// ask makes the question for definitions that have one name.
func (s *Structure) ask(name, label string, wanted []Place) *siteQuestion {
	q := &siteQuestion{s: s, name: name, label: label, callable: callable(wanted), places: map[string]dirPlaces{}}
	for _, p := range wanted {
		in := q.places[path.Dir(p.File)]
		in.wanted = append(in.wanted, p)
		q.places[path.Dir(p.File)] = in
	}
	for _, p := range s.Find(name) {
		in := q.places[path.Dir(p.File)]
		in.named = append(in.named, p)
		q.places[path.Dir(p.File)] = in
	}
	return q
}

// fileView is what a file sees of the name.
type fileView struct {
	q      *siteQuestion
	source int
	given  map[int]int // line → definitions of the name on it
	wanted []Place

	outermost map[kin]bool // what it sees of the name outside of types
	methods   map[kin]bool // and in them
	judged    map[qualifier]SiteTier
	imported  map[string]goNames // by directory
}

func (q *siteQuestion) view(i int, visible map[string]bool) *fileView {
	own := path.Dir(q.s.Sources[i].Path)
	family := languageFamily(q.s.Sources[i].Path)
	hidden := func(p Place) bool {
		return languageFamily(p.File) != family || strings.HasSuffix(p.File, "_test.go") && path.Dir(p.File) != own
	}
	v := &fileView{q: q, source: i, given: q.definitionLines(&q.s.Sources[i]), outermost: map[kin]bool{}, methods: map[kin]bool{},
		judged: map[qualifier]SiteTier{}, imported: map[string]goNames{}}
	for dir := range visible {
		v.wanted = append(v.wanted, q.places[dir].wanted...)
		for _, p := range q.places[dir].named {
			switch {
			case hidden(p):
			case p.Parent == "":
				v.outermost[kinOf(p)] = true
			default:
				v.methods[kinOf(p)] = true
			}
		}
	}
	v.wanted = slices.DeleteFunc(v.wanted, hidden)
	return v
}

// mayName reports whether a file sees one of the wanted definitions.
func (s *Structure) mayName(questions map[string]*siteQuestion, i int) bool {
	for dir := range s.visible(i) {
		for _, q := range questions {
			if len(q.places[dir].wanted) > 0 {
				return true
			}
		}
	}
	return false
}

// visible are the directories whose definitions source i can name: its own, those that it imports, and those that a file
// which it imports passes on.
func (g *Graph) visible(i int) map[string]bool {
	dirs := map[string]bool{path.Dir(g.Sources[i].Path): true}
	for _, t := range g.imports[i] {
		dirs[t.dir] = true
		if t.file == "" || !passesOn(t.file) {
			continue
		}
		if j, known := g.sourceAt(t.file); known {
			for _, u := range g.imports[j] {
				dirs[u.dir] = true
			}
		}
	}
	return dirs
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

// sitesIn reads one file.
func (s *Structure) sitesIn(ctx context.Context, questions map[string]*siteQuestion, e *extractor, i int, all bool) []Site {
	source := &s.Sources[i]
	listed, known := s.files[source.Path]
	if !known {
		return nil
	}
	body, err := s.repo.ReadFile(ctx, listed)
	if err != nil || len(body) > maxParseBytes || isBinary(body) {
		return nil // a file that changed or cannot be read has no sites that could be shown
	}
	views, visible := map[string]*fileView{}, s.visible(i)
	for name, q := range questions {
		if bytes.Contains(body, []byte(name)) {
			views[name] = q.view(i, visible)
		}
	}
	if len(views) == 0 {
		return nil
	}
	r := e.reader(languageOf(source.Path), body)
	var out []Site
	for t := range r.tokens {
		if r.kind(t) != word {
			continue
		}
		v := views[string(body[r.tokens[t].start:r.tokens[t].end])]
		if v == nil {
			continue
		}
		if site, ok := v.siteAt(&r, t, all); ok {
			out = append(out, site)
		}
	}
	return out
}

// siteAt judges one occurrence of the name.
func (v *fileView) siteAt(r *reader, t int, all bool) (Site, bool) {
	tier, line := v.q.tier(r, v, t), r.line(t)
	if tier != "" && v.given[line] > 0 { // the name is given here, not used
		v.given[line]--
		return Site{}, false
	}
	source := &v.q.s.Sources[v.source]
	return Site{Symbol: v.q.label, File: source.Path, Line: line, Tier: tier, Test: source.Test}, tier != "" && (all || tier != SiteNameOnly)
}
