package discovery

import (
	"fmt"
	"path"
	"strings"

	"cortex/internal/code"
)

// shownImporters is how many importing modules a fact names.
const shownImporters = 6

// ModuleFact says how much depends on the module that some facts lie in.
type ModuleFact struct {
	Module string
	Claim  string
	Tier   code.Tier
	From   []int // places in the list of facts that it is derived from
}

// Modules tells of the modules that facts of the index and of vecgrep lie in, in the order of the facts, at most most of them.
func Modules(facts []Fact, graph *code.Graph, most int) []ModuleFact {
	known := map[string]code.Module{}
	for _, m := range graph.Modules {
		known[m.Path] = m
	}
	at := map[string]int{}
	var out []ModuleFact
	for i, f := range facts {
		dir := path.Dir(f.File)
		m, ok := known[dir]
		if !ok || f.Tool == "git" {
			continue
		}
		place, seen := at[dir]
		if !seen {
			if len(out) == most {
				continue
			}
			place = len(out)
			at[dir] = place
			out = append(out, ModuleFact{Module: dir, Claim: claimOf(m, graph), Tier: m.Tier})
		}
		out[place].From = append(out[place].From, i)
	}
	return out
}

// claimOf words what the imports say. No import is not the same as no use.
func claimOf(m code.Module, graph *code.Graph) string {
	if m.FanIn == 0 {
		return fmt.Sprintf("no module of the repository imports %s, tests aside (%d files, %d definitions)", m.Path, m.Files, m.Symbols)
	}
	var from []string
	for _, e := range graph.Edges {
		if e.To == m.Path && len(from) <= shownImporters {
			from = append(from, e.From)
		}
	}
	if len(from) > shownImporters {
		from[shownImporters] = "…"
	}
	modules, files := "1 module imports", "1 file"
	if m.FanIn != 1 {
		modules = fmt.Sprintf("%d modules import", m.FanIn)
	}
	if m.ImportingFiles != 1 {
		files = fmt.Sprintf("%d files", m.ImportingFiles)
	}
	return fmt.Sprintf("%s %s, from %s: %s", modules, m.Path, files, strings.Join(from, ", "))
}
