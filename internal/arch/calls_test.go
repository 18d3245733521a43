package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// reserved are functions that belong to few packages.
type reserved struct {
	names  []string // import path, a dot, the function
	owners []string // directories
	reason string
}

func reservations() []reserved {
	return []reserved{
		{
			// proc measures how long a child ran.
			names:  []string{"time.Now", "time.Since", "time.Until"},
			owners: []string{"internal/cli", "internal/config", "internal/ids", "internal/proc", "cmd/cortex"},
			reason: "take the time as an argument or from an ids.Source",
		}, {
			names: []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Setenv", "os.Unsetenv", "os.UserHomeDir",
				"os.UserCacheDir", "os.UserConfigDir", "syscall.Getenv"},
			owners: []string{"internal/cli", "internal/config", "internal/ids", "cmd/cortex"},
			reason: "the environment is read by config and passed down",
		}, {
			names: []string{"os/exec.Command", "os/exec.CommandContext", "os.StartProcess", "syscall.Exec", "syscall.ForkExec",
				"syscall.StartProcess", "golang.org/x/sys/unix.Exec"},
			owners: []string{"internal/proc"},
			reason: "proc bounds and ends every child",
		}, {
			names: []string{"os.Rename", "os.WriteFile", "os.Create", "os.CreateTemp", "os.Truncate", "os.Link", "os.Symlink",
				"os.OpenFile", "io/ioutil.WriteFile", "io/ioutil.TempFile"},
			owners: []string{"internal/durable", "internal/durable/osfs"},
			reason: "files are written by durable, which survives a crash",
		},
	}
}

// callRule holds the functions that belong to one package. A mention is enough: a function value calls as well.
func callRule(t tree) []violation {
	var out []violation
	consts := constants(t)
	for _, s := range t.sources {
		if s.test {
			continue
		}
		reading := readingOpens(s, consts[s.dir])
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || reading[sel] {
				return true
			}
			name := s.qualified(sel)
			for _, r := range reservations() {
				if slices.Contains(r.names, name) && !slices.Contains(r.owners, s.dir) {
					out = append(out, violation{s.at(sel.Pos()), name + " does not belong here: " + r.reason})
				}
			}
			return true
		})
	}
	return out
}

// qualified returns "import/path.Name" when sel names something of an imported package, or "".
func (s *source) qualified(sel *ast.SelectorExpr) string {
	x, ok := sel.X.(*ast.Ident)
	if !ok || x.Obj != nil || s.imports[x.Name] == "" {
		return ""
	}
	return s.imports[x.Name] + "." + sel.Sel.Name
}

// constants collects what each package's constants are declared as, by directory and name. A name may have several
// values, one for each operating system.
func constants(t tree) map[string]map[string][]ast.Expr {
	all := map[string]map[string][]ast.Expr{}
	for _, s := range t.sources {
		if all[s.dir] == nil {
			all[s.dir] = map[string][]ast.Expr{}
		}
		for _, spec := range valueSpecs(s, token.CONST) {
			for i, value := range spec.Values {
				all[s.dir][spec.Names[i].Name] = append(all[s.dir][spec.Names[i].Name], value)
			}
		}
	}
	return all
}

// readingOpens returns the os.OpenFile calls whose flags, spelled out at the call or in constants, only read.
func readingOpens(s *source, consts map[string][]ast.Expr) map[*ast.SelectorExpr]bool {
	reading := map[*ast.SelectorExpr]bool{}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 {
			return true
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && s.qualified(sel) == "os.OpenFile" && onlyReads(call.Args[1], consts) {
			reading[sel] = true
		}
		return true
	})
	return reading
}

func onlyReads(flags ast.Expr, consts map[string][]ast.Expr) bool {
	switch x := flags.(type) {
	case *ast.BinaryExpr:
		return onlyReads(x.X, consts) && onlyReads(x.Y, consts)
	case *ast.BasicLit:
		return x.Value == "0"
	case *ast.SelectorExpr:
		return strings.HasPrefix(x.Sel.Name, "O_") &&
			!slices.Contains([]string{"O_WRONLY", "O_RDWR", "O_CREATE", "O_CREAT", "O_APPEND", "O_TRUNC"}, x.Sel.Name)
	case *ast.Ident:
		writes := func(value ast.Expr) bool { return !onlyReads(value, nil) }
		return len(consts[x.Name]) > 0 && !slices.ContainsFunc(consts[x.Name], writes)
	}
	return false
}
