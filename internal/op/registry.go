package op

import (
	"cmp"
	"fmt"
	"slices"

	"cortex/internal/problem"
)

// Registry is the closed set of a program's verbs. It is immutable and safe for concurrent use.
type Registry struct {
	defs   []*Def
	byName map[string]*Def
	byTool map[string][]*Def

	// Unguided, when set before use, is told every Problem that offers no step and does not say why none can help. That
	// is a fault of the program; tests set it to find such places.
	Unguided func(*problem.Problem)
}

// New returns the registry of defs in their order. It panics on a name, alias or operation that is declared twice.
func New(defs ...*Def) *Registry {
	r := &Registry{defs: defs, byName: map[string]*Def{}, byTool: map[string][]*Def{}}
	for _, d := range defs {
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			if r.byName[name] != nil {
				panic(fmt.Sprintf("op: %q is declared twice", name))
			}
			r.byName[name] = d
		}
		if d.Tool != "" {
			r.byTool[d.Tool] = append(r.byTool[d.Tool], d)
		}
	}
	for tool, shared := range r.byTool {
		checkOperations(tool, shared)
	}
	return r
}

func checkOperations(tool string, defs []*Def) {
	seen := map[string]bool{}
	for _, d := range defs {
		if (d.Operation == "") != (len(defs) == 1) || seen[d.Operation] {
			panic(fmt.Sprintf("op: tool %q: %q needs an operation of its own if and only if the tool is shared", tool, d.Name))
		}
		seen[d.Operation] = true
	}
}

// Lookup returns the verb of the given name or alias, nil when there is none.
func (r *Registry) Lookup(name string) *Def { return r.byName[name] }

// All lists the verbs in the order of New.
func (r *Registry) All() []*Def { return r.defs }

// Tools lists the MCP tools of a profile by name. A profile All has those of Agent too.
func (r *Registry) Tools(p Profile) []Tool {
	byName := map[string]*Tool{}
	for _, d := range r.defs {
		if d.Tool == "" || d.Profiles > p {
			continue
		}
		if byName[d.Tool] == nil {
			byName[d.Tool] = &Tool{Name: d.Tool}
		}
		byName[d.Tool].Defs = append(byName[d.Tool].Defs, d)
	}
	out := make([]Tool, 0, len(byName))
	for _, t := range byName {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
