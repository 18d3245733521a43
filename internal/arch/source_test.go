package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const module = "cortex"

// source is one parsed Go file.
type source struct {
	name    string // slash-separated, from the root of the repository
	dir     string
	test    bool // a _test.go file, or a file of a package for tests or tools
	text    string
	fset    *token.FileSet
	syntax  *ast.File
	imports map[string]string // local name → import path
}

// tree is what the rules look at.
type tree struct {
	sources []*source
	texts   map[string]string // every text file that may be committed, Go files included
}

// violation is one broken rule, with where and why.
type violation struct{ where, what string }

func (v violation) String() string { return v.where + ": " + v.what }

// rules are all the rules.
func rules() []func(tree) []violation {
	return []func(tree) []violation{importRule, callRule, initRule, stateRule, sizeRule, docRule, mentionRule}
}

// check applies every rule.
func check(t tree) []violation {
	var all []violation
	for _, rule := range rules() {
		all = append(all, rule(t)...)
	}
	return all
}

// parse makes a tree of files given by name.
func parse(tb testing.TB, files map[string]string) tree {
	tb.Helper()
	out := tree{texts: files}
	for name, text := range files {
		if strings.HasSuffix(name, ".go") {
			out.sources = append(out.sources, parseFile(tb, name, text))
		}
	}
	return out
}

func parseFile(tb testing.TB, name, text string) *source {
	tb.Helper()
	s := &source{name: name, dir: path.Dir(name), text: text, fset: token.NewFileSet(), imports: map[string]string{}}
	s.test = strings.HasSuffix(name, "_test.go") || forTests(s.dir)
	syntax, err := parser.ParseFile(s.fset, name, text, parser.ParseComments)
	if err != nil {
		tb.Fatalf("parse %s: %v", name, err)
	}
	s.syntax = syntax
	for _, spec := range syntax.Imports {
		target := strings.Trim(spec.Path.Value, `"`)
		local := path.Base(target)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		s.imports[local] = target
	}
	return s
}

// forTests reports whether a package exists for tests or as a tool of the developers, and never runs in the program.
func forTests(dir string) bool {
	return dir == "internal/arch" || dir == "internal/testkit" || dir == "internal/durable/crashfs" ||
		strings.HasPrefix(dir, "scripts/")
}

func (s *source) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", s.name, s.fset.Position(pos).Line)
}

func (s *source) generated() bool { return ast.IsGenerated(s.syntax) }

// repository reads the files of this repository.
func repository(tb testing.TB) tree {
	tb.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	files := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "dist"):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := fs.ReadFile(root, name)
		if err == nil && !isBinary(content) {
			files[name] = string(content)
		}
		return err
	})
	if err != nil {
		tb.Fatalf("read the repository: %v", err)
	}
	for name := range files { // Go files that the compiler leaves alone are data
		if strings.HasSuffix(name, ".go") && strings.Contains(name, "testdata/") {
			files[name+".txt"] = files[name]
			delete(files, name)
		}
	}
	return parse(tb, files)
}

func isBinary(content []byte) bool {
	return strings.IndexByte(string(content[:min(len(content), 8000)]), 0) >= 0
}
