package code

import (
	"path"
	"slices"
	"strings"
)

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
func (q *siteQuestion) tier(r *reader, v *fileView, t int) SiteTier {
	if q.callable && !calls(r, t) {
		return ""
	}
	scope, qualified := qualifierOf(r, t)
	before := qualifier{scope, qualified}
	tier, known := v.judged[before]
	if !known {
		tier = q.best(v, scope, qualified)
		v.judged[before] = tier
	}
	return tier
}

// qualifier is what stands before a name. A file has few, however often it has the name.
type qualifier struct {
	scope string
	given bool
}

// best is the surest tier that any of the wanted definitions gives a use.
func (q *siteQuestion) best(v *fileView, scope string, qualified bool) SiteTier {
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
func (q *siteQuestion) tierOf(v *fileView, p Place, scope string, qualified bool) SiteTier {
	s := &q.s.Sources[v.source]
	if s.Facts.Language == "go" {
		return q.goTier(v, p, scope, qualified)
	}
	same := s.Path == p.File
	rivalled := v.rivalled(p)
	switch {
	case p.Parent != "" && qualified && scope == p.Parent:
		return SiteResolved
	case p.Parent != "" && !qualified && same && !rivalled:
		return SiteResolved
	case p.Parent != "" && !qualified && languageFamily(s.Path) != "java":
		return SiteNameOnly
	case p.Parent == "" && !qualified && same:
		return SiteResolved
	case p.Parent == "" && same && scope != "" && s.importsAs(scope):
		return SiteNameOnly // of that module
	case rivalled:
		return SiteNameOnly
	case p.Parent == "" && !qualified && s.Facts.Tier == TierHigh:
		return SiteResolved
	case p.Parent == "" && qualified && scope == moduleName(p.File):
		return SiteResolved
	}
	return SiteLikely
}

// importsAs reports whether the file imports a module under a name: its alias, or the last part of its path.
func (s *Source) importsAs(name string) bool {
	return slices.ContainsFunc(s.Facts.Imports, func(imp Import) bool {
		last := imp.Path[strings.LastIndexAny(imp.Path, "/:.")+1:]
		return imp.Alias == name || imp.Alias == "" && last == name
	})
}

// goTier goes by Go's scopes: within the package without a qualifier, outside with the name of the import.
func (q *siteQuestion) goTier(v *fileView, p Place, scope string, qualified bool) SiteTier {
	i := v.source
	s := &q.s.Sources[i]
	if p.Parent == "" {
		dir := path.Dir(p.File)
		imported, inside := v.goNames(dir), path.Dir(s.Path) == dir
		switch {
		case !qualified && (inside || imported.dotted), qualified && scope != "" && slices.Contains(imported.names, scope):
			return SiteResolved
		}
		return SiteNameOnly
	}
	if !qualified || v.rivalled(p) || scope != "" && q.s.isGoImport(i, scope) {
		return SiteNameOnly
	}
	return SiteLikely
}

// goNames are the names under which a Go file imports a directory.
type goNames struct {
	names  []string
	dotted bool
}

func (v *fileView) goNames(dir string) goNames {
	known, ok := v.imported[dir]
	if !ok {
		known = v.q.s.goNames(v.source, dir)
		v.imported[dir] = known
	}
	return known
}

func (g *Graph) goNames(i int, dir string) goNames {
	var out goNames
	for _, imp := range g.Sources[i].Facts.Imports {
		for _, t := range g.world.resolveGo(imp.Path) {
			switch {
			case t.dir != dir:
			case imp.Alias == ".":
				out.dotted = true
			case imp.Alias != "":
				out.names = append(out.names, imp.Alias)
			default:
				out.names = append(out.names, g.goPackage(dir))
			}
		}
	}
	return out
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

// kin is what several definitions of one name share that are one to a reader: a type for several systems.
type kin struct{ parent, dir string }

func kinOf(p Place) kin { return kin{p.Parent, path.Dir(p.File)} }

// rivalled reports whether the file sees another definition of the same sort.
func (v *fileView) rivalled(p Place) bool {
	rivals := v.outermost
	if p.Parent != "" {
		rivals = v.methods
	}
	return len(rivals) > 1 || len(rivals) == 1 && !rivals[kinOf(p)]
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
