package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// checked is what the type checker says of the packages.
type checked struct {
	files map[string][]byte          // by path below the source directory
	sites map[string]map[string]bool // symbol → file:line of its calls
	kind  map[string]string
	dir   map[string]string // symbol → directory of its definition
}

// symbols are those of one kind that are called, by name.
func (c checked) symbols(kind string) []string {
	var out []string
	for symbol := range c.sites {
		if c.kind[symbol] == kind {
			out = append(out, symbol)
		}
	}
	slices.Sort(out)
	return out
}

// check reads and checks every package, without tests and as it is on this system.
func check(names []string) (checked, error) {
	c := checked{files: map[string][]byte{}, sites: map[string]map[string]bool{}, kind: map[string]string{}, dir: map[string]string{}}
	set := token.NewFileSet()
	source := importer.ForCompiler(set, "source", nil)
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	for _, name := range names {
		dir := filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(name))
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			return checked{}, err
		}
		var parsed []*ast.File
		for _, base := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(dir, base))
			if err != nil {
				return checked{}, err
			}
			c.files[path.Join(name, base)] = text
			file, err := parser.ParseFile(set, path.Join(name, base), text, parser.SkipObjectResolution)
			if err != nil {
				return checked{}, err
			}
			parsed = append(parsed, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: source, Error: func(error) {}} // one fault hides no call of another file
		_, _ = config.Check(name, set, parsed, info)                    // told by Error
		for _, file := range parsed {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					c.add(set, info, call, wanted)
				}
				return true
			})
		}
	}
	return c, nil
}

// add counts a call of a function or method that one of the packages defines.
func (c checked) add(set *token.FileSet, info *types.Info, call *ast.CallExpr, wanted map[string]bool) {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	var name *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		name = f
	case *ast.SelectorExpr:
		name = f.Sel
	default:
		return
	}
	f, ok := info.Uses[name].(*types.Func)
	if !ok || f.Pkg() == nil || !wanted[f.Pkg().Path()] {
		return
	}
	f = f.Origin()
	symbol, kind := path.Base(f.Pkg().Path())+"."+f.Name(), "func"
	if receiver := f.Type().(*types.Signature).Recv(); receiver != nil {
		t := receiver.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		named, ok := t.(*types.Named)
		if !ok || types.IsInterface(t) {
			return
		}
		symbol, kind = path.Base(f.Pkg().Path())+"."+named.Obj().Name()+"."+f.Name(), "method"
	}
	if c.sites[symbol] == nil {
		c.sites[symbol] = map[string]bool{}
	}
	c.kind[symbol], c.dir[symbol] = kind, f.Pkg().Path()
	at := set.Position(name.Pos())
	c.sites[symbol][fmt.Sprintf("%s:%d", strings.TrimPrefix(at.Filename, "./"), at.Line)] = true
}
