package arch

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

const (
	maxFileLines     = 400
	maxFunctionLines = 60
)

// sizeRule holds the length of files and functions.
func sizeRule(t tree) []violation {
	var out []violation
	for _, s := range t.sources {
		if s.generated() {
			continue
		}
		if n := strings.Count(s.text, "\n"); n > maxFileLines {
			out = append(out, violation{s.name, fmt.Sprintf("%d lines, at most %d", n, maxFileLines)})
		}
		for _, decl := range s.syntax.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; n > maxFunctionLines {
				out = append(out, violation{s.at(f.Pos()), fmt.Sprintf("%s has %d lines, at most %d", f.Name.Name, n, maxFunctionLines)})
			}
		}
	}
	return out
}

// docRule wants a doc.go in every package that says what the package holds, what it must not hold, and its invariants. A
// command says what it is.
func docRule(t tree) []violation {
	packages, docs := map[string]string{}, map[string]string{}
	for _, s := range t.sources {
		if strings.HasSuffix(s.name, "_test.go") {
			continue
		}
		packages[s.dir] = s.syntax.Name.Name
		if s.syntax.Doc != nil && (path.Base(s.name) == "doc.go" || s.syntax.Name.Name == "main") {
			docs[s.dir] = s.syntax.Doc.Text()
		}
	}
	var out []violation
	for dir, name := range packages {
		if what := docFault(name, docs[dir]); what != "" {
			out = append(out, violation{dir, what})
		}
	}
	return out
}

func docFault(name, doc string) string {
	switch {
	case name == "main" && strings.HasPrefix(doc, "Command "):
		return ""
	case name == "main":
		return `no package comment that begins with "Command "`
	case !strings.HasPrefix(doc, "Package "+name+" "):
		return fmt.Sprintf("no doc.go whose comment begins with %q", "Package "+name)
	case !strings.Contains(doc, "must not"):
		return "doc.go does not say what the package must not hold"
	case !strings.Contains(doc, "nvariant"):
		return "doc.go does not state the invariants"
	}
	return ""
}

// mentionRule refuses the name of a place outside the repository where it was once developed.
func mentionRule(t tree) []violation {
	place := regexp.MustCompile(`(^|[^\w./-])/wo` + `rk(/|\b)|\.\./sha` + `red\b`)
	var out []violation
	for name, text := range t.texts {
		if strings.HasPrefix(name, "scripts/dev/") {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if found := place.FindString(line); found != "" {
				out = append(out, violation{fmt.Sprintf("%s:%d", name, i+1), fmt.Sprintf("names the place %q", strings.TrimSpace(found))})
			}
		}
	}
	return out
}
