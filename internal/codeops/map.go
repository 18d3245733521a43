package codeops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"cortex/internal/code"
	"cortex/internal/gitrepo"
	"cortex/internal/op"
)

var codeMap = op.Define(op.Spec{
	Name: "code map", Tool: "cortex_code", Operation: "map", Title: "List modules by how much depends on them", Effect: op.Reads,
	Profiles: op.Agent, Idempotent: true,
	Help: `Lists the modules, those that most others import first.

A module is a directory that holds source. Fan-in is the number of distinct modules that import it; tests do not count, and
vendored code, test data and build results are no rows. A row of tier candidate was read without include paths and macros
(C, C++).`,
	Example: "cortex code map\ncortex code map --edges --json\ncortex code map --all",
}, (*Service).Map)

const (
	// maxRows and maxEdges bound an answer without --all: about a screen, and 40 KB.
	maxRows  = 50
	maxEdges = 500
	// maxSkippedNamed bounds the files that a warning names for one reason.
	maxSkippedNamed = 5
)

// MapInput says how much is wanted.
type MapInput struct {
	Edges bool `json:"edges,omitempty" jsonschema:"which module imports which, too"`
	All   bool `json:"all,omitempty" jsonschema:"every row instead of the first 50"`
}

// ModuleMap lists modules in order of fan-in.
type ModuleMap struct {
	Modules    []code.Module `json:"modules"`
	Edges      []code.Edge   `json:"edges,omitempty"`
	Total      int           `json:"total"` // modules, listed or not
	Unresolved int           `json:"unresolvedInternal,omitempty"`
	Truncated  bool          `json:"truncated,omitempty"`
	Warnings   []string      `json:"warnings,omitempty"`
}

// Warn adds warnings from outside the verb.
func (m *ModuleMap) Warn(warnings ...string) { m.Warnings = append(m.Warnings, warnings...) }

// Map reads the structure of the worktree.
func (s *Service) Map(ctx context.Context, in MapInput) (ModuleMap, error) {
	structure, err := s.structure(ctx)
	if err != nil {
		return ModuleMap{}, err
	}
	out := ModuleMap{Modules: structure.Modules, Total: len(structure.Modules), Unresolved: structure.Unresolved, Warnings: skippedWarnings(structure.Skipped)}
	if out.Modules == nil {
		out.Modules = []code.Module{}
	}
	if in.Edges {
		out.Edges = structure.Edges
	}
	if !in.All {
		out.Truncated = len(out.Modules) > maxRows || len(out.Edges) > maxEdges
		out.Modules = out.Modules[:min(len(out.Modules), maxRows)]
		out.Edges = out.Edges[:min(len(out.Edges), maxEdges)]
	}
	return out, nil
}

// structure reads the worktree through the cache.
func (s *Service) structure(ctx context.Context) (*code.Structure, error) {
	if err := s.inRepository(); err != nil {
		return nil, err
	}
	c, done := s.spareCache(ctx)
	defer done()
	op.Progress(ctx, "%s", "reading the structure of the repository")
	return code.ReadStructure(ctx, s.Repo, c)
}

// skippedWarnings names files that were not read whole, a few for each reason.
func skippedWarnings(skipped []gitrepo.TreeSkip) []string {
	byReason := map[string][]string{}
	for _, skip := range skipped {
		byReason[skip.Reason] = append(byReason[skip.Reason], skip.Path)
	}
	var out []string
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		paths, more := byReason[reason], ""
		if rest := len(paths) - maxSkippedNamed; rest > 0 {
			paths, more = paths[:maxSkippedNamed], fmt.Sprintf(" and %d more", rest)
		}
		out = append(out, fmt.Sprintf("%s%s: %s", strings.Join(paths, ", "), more, reason))
	}
	return out
}

// Text is the map as a table.
func (m ModuleMap) Text(s op.Style) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "fan-in\tfiles\tsymbols\t module\n")
	for _, row := range m.Modules {
		note := ""
		if row.Tier != code.TierHigh {
			note = " (" + string(row.Tier) + ")"
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t %s%s\n", row.FanIn, row.Files, row.Symbols, op.Line(row.Path), note)
	}
	_ = w.Flush() // a strings.Builder does not fail
	for _, e := range m.Edges {
		fmt.Fprintf(&b, "%s -> %s\n", op.Line(e.From), op.Line(e.To))
	}
	if m.Truncated {
		fmt.Fprintf(&b, "%s\n", s.Dim(fmt.Sprintf("%d of %d modules; --all lists the rest", len(m.Modules), m.Total)))
	}
	return b.String() + warningLines(s, m.Warnings)
}

func warningLines(s op.Style, warnings []string) string {
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "%s %s\n", s.Warn("warning:"), op.Line(w))
	}
	return b.String()
}
