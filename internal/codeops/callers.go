package codeops

import (
	"context"
	"fmt"
	"strings"

	"cortex/internal/code"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var callers = op.Define(op.Spec{
	Name: "code callers", Tool: "cortex_code", Operation: "callers", Title: "Find what calls a symbol", Effect: op.Reads,
	Profiles: op.Agent, Idempotent: true,
	Help: `Lists the call sites that name a symbol in files that import its package, the surest first.

A site is resolved by scope or import, and likely where nothing else that the file imports has the name. Names are read, not
types: a call through an interface or a variable is not seen. --all adds the sites that share only the name; most of those are of something else.`,
	Example: "cortex code callers ParseConfig\ncortex code callers Store.Open --json\ncortex code callers config.Load --all",
}, (*Service).Callers)

// maxSites bounds an answer without --all.
const maxSites = 200

// CallersInput names a symbol.
type CallersInput struct {
	Symbol string `json:"symbol" op:"arg,required" jsonschema:"Name, Type.Name or package.Name"`
	All    bool   `json:"all,omitempty" jsonschema:"sites that share only the name, too"`
}

// CallerSites lists where a symbol is named.
type CallerSites struct {
	Symbol      string       `json:"symbol"`
	Definitions []code.Place `json:"definitions"`
	Sites       []code.Site  `json:"sites"`
	Summary     string       `json:"summary"`
	Truncated   bool         `json:"truncated,omitempty"`
	Warnings    []string     `json:"warnings,omitempty"`
}

// Warn adds warnings from outside the verb.
func (c *CallerSites) Warn(warnings ...string) { c.Warnings = append(c.Warnings, warnings...) }

// Callers reads the structure and then the files that can see the symbol.
func (s *Service) Callers(ctx context.Context, in CallersInput) (CallerSites, error) {
	structure, err := s.structure(ctx)
	if err != nil {
		return CallerSites{}, err
	}
	out := CallerSites{Symbol: in.Symbol, Definitions: structure.Find(in.Symbol), Sites: []code.Site{}, Warnings: skippedWarnings(structure.Skipped)}
	if len(out.Definitions) == 0 {
		return CallerSites{}, problem.New(problem.SymbolNotFound, "no definition of %s was found in this repository.", in.Symbol).
			On("symbol", in.Symbol, "the name of a function, method or type of this repository").
			Without("name it as it is defined: Name, Type.Name or package.Name; code search finds names from words")
	}
	sites, err := structure.Callers(ctx, in.Symbol, in.All)
	if err != nil {
		return CallerSites{}, err
	}
	out.Sites = append(out.Sites, sites...)
	out.Summary = callersSummary(in.Symbol, sites)
	if out.Truncated = !in.All && len(out.Sites) > maxSites; out.Truncated {
		out.Sites = out.Sites[:maxSites]
	}
	return out, nil
}

// callersSummary says what the sites are without taking a name for a call.
func callersSummary(symbol string, sites []code.Site) string {
	share := 0
	for _, site := range sites {
		if site.Tier == code.SiteNameOnly {
			share++
		}
	}
	known := len(sites) - share
	text := fmt.Sprintf("%d call sites name %s in files that import its package", known, symbol)
	if known == 1 {
		text = fmt.Sprintf("1 call site names %s in a file that imports its package", symbol)
	}
	if share > 0 {
		text += fmt.Sprintf("; %d more share only the name", share)
	}
	return text + "."
}

// Text lists the sites for people.
func (c CallerSites) Text(s op.Style) string {
	var b strings.Builder
	for _, d := range c.Definitions[:min(len(c.Definitions), maxSkippedNamed)] {
		fmt.Fprintf(&b, "%s %s:%d-%d\n", s.Dim(d.Kind), op.Line(d.File), d.StartLine, d.EndLine)
	}
	fmt.Fprintf(&b, "%s\n", c.Summary)
	for _, site := range c.Sites {
		fmt.Fprintf(&b, "  %s:%d  %s\n", op.Line(site.File), site.Line, s.Dim(string(site.Tier)))
	}
	if c.Truncated {
		fmt.Fprintf(&b, "%s\n", s.Dim(fmt.Sprintf("the first %d; --all lists the rest", maxSites)))
	}
	return b.String() + warningLines(s, c.Warnings)
}
