package arch

import (
	"go/ast"
	"go/token"
	"strings"
)

// initRule refuses init functions: what runs must be called.
func initRule(t tree) []violation {
	var out []violation
	for _, s := range t.sources {
		for _, decl := range s.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				out = append(out, violation{s.at(f.Pos()), "init() runs unasked: call a function instead"})
			}
		}
	}
	return out
}

// stateRule refuses package variables that change: each may be set where it is declared and nowhere else, nobody may
// take its address, and none may be of a type made to change.
func stateRule(t tree) []violation {
	vars := map[string]map[string]bool{} // directory → names
	var out []violation
	for _, s := range t.sources {
		if vars[s.dir] == nil {
			vars[s.dir] = map[string]bool{}
		}
		for _, spec := range valueSpecs(s, token.VAR) {
			for _, name := range spec.Names {
				vars[s.dir][name.Name] = true
			}
			if madeToChange(s, spec) {
				out = append(out, violation{s.at(spec.Pos()), "package variable of a type that is made to change"})
			}
		}
	}
	for _, s := range t.sources {
		out = append(out, changes(s, vars[s.dir])...)
	}
	return out
}

// valueSpecs returns the package's declarations of one kind, token.VAR or token.CONST.
func valueSpecs(s *source, kind token.Token) []*ast.ValueSpec {
	var specs []*ast.ValueSpec
	for _, decl := range s.syntax.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == kind {
			for _, spec := range d.Specs {
				specs = append(specs, spec.(*ast.ValueSpec))
			}
		}
	}
	return specs
}

// madeToChange reports whether a variable is a lock, a counter, a channel or a concurrent map.
func madeToChange(s *source, spec *ast.ValueSpec) bool {
	found := false
	look := func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit, *ast.FuncType:
			return false
		case *ast.ChanType:
			found = true
		case *ast.SelectorExpr:
			name := s.qualified(x)
			found = found || strings.HasPrefix(name, "sync/atomic.") || name == "sync.Mutex" || name == "sync.RWMutex" ||
				name == "sync.Map" || name == "sync.Once" || name == "sync.Pool" || name == "sync.WaitGroup"
		}
		return true
	}
	if spec.Type != nil {
		ast.Inspect(spec.Type, look)
	}
	for _, value := range spec.Values {
		ast.Inspect(value, look)
	}
	return found
}

// changes finds what assigns to a package variable of s's package, or of another one.
func changes(s *source, vars map[string]bool) []violation {
	var out []violation
	report := func(e ast.Expr, how string) {
		if name := s.packageVar(e, vars); name != "" {
			out = append(out, violation{s.at(e.Pos()), how + " package variable " + name})
		}
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.AssignStmt:
			if x.Tok != token.DEFINE {
				for _, left := range x.Lhs {
					report(left, "assigns to")
				}
			}
		case *ast.IncDecStmt:
			report(x.X, "counts in")
		case *ast.RangeStmt:
			if x.Tok == token.ASSIGN {
				report(x.Key, "assigns to")
			}
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				report(x.X, "takes the address of")
			}
		case *ast.CallExpr:
			if f, ok := x.Fun.(*ast.Ident); ok && len(x.Args) > 0 && (f.Name == "delete" || f.Name == "clear") {
				report(x.Args[0], "deletes from")
			}
		}
		return true
	})
	return out
}

// packageVar returns the package variable that e stores into, or "".
func (s *source) packageVar(e ast.Expr, vars map[string]bool) string {
	switch x := e.(type) {
	case *ast.Ident:
		local := x.Obj != nil && s.syntax.Scope.Lookup(x.Name) != x.Obj
		if x.Name != "_" && !local && vars[x.Name] {
			return x.Name
		}
	case *ast.SelectorExpr:
		if name := s.qualified(x); name != "" {
			return name
		}
		return s.packageVar(x.X, vars)
	case *ast.IndexExpr:
		return s.packageVar(x.X, vars)
	case *ast.StarExpr:
		return s.packageVar(x.X, vars)
	case *ast.ParenExpr:
		return s.packageVar(x.X, vars)
	}
	return ""
}
