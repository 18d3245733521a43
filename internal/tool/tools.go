package tool

import (
	"slices"
	"time"
)

// The tools, by the names that cases, plans and time limits use.
const (
	Cairntrace = "cairntrace"
	Codemap    = "codemap"
	Fcheap     = "fcheap"
	Glyphrun   = "glyphrun"
	Memory     = "codebase-memory"
	Tvault     = "tvault"
	Vecgrep    = "vecgrep"
	Vidtrace   = "vidtrace"
	Bob        = "bob"
	Mcphub     = "mcphub"
)

// tool is what all calls of one program have in common.
type tool struct {
	name    string
	binary  string
	timeout time.Duration
	version []string // arguments that make it answer at once
}

// tools lists every program, with the time limits of the public contract.
func tools() []tool {
	v := []string{"--version"}
	return []tool{
		{Cairntrace, "cairn", 180 * time.Second, v},
		{Codemap, "codemap", 20 * time.Second, v},
		{Fcheap, "fcheap", 60 * time.Second, v},
		{Glyphrun, "glyph", 120 * time.Second, v},
		{Memory, "codebase-memory-mcp", 30 * time.Second, v},
		{Tvault, "tvault", 15 * time.Second, []string{"doctor", "--json"}},
		{Vecgrep, "vecgrep", 30 * time.Second, v},
		{Vidtrace, "vidtrace", 180 * time.Second, v},
		{Bob, "bob", 20 * time.Second, []string{"--json", "version"}},
		{Mcphub, "mcphub", 60 * time.Second, v},
	}
}

func known(name string) tool {
	all := tools()
	if i := slices.IndexFunc(all, func(t tool) bool { return t.name == name }); i >= 0 {
		return all[i]
	}
	return tool{name: name, binary: name, timeout: 20 * time.Second, version: []string{"--version"}}
}

// Names lists the tools that have an adapter.
func Names() []string {
	var out []string
	for _, t := range tools() {
		out = append(out, t.name)
	}
	return out
}

// Binary is the program of a tool.
func Binary(name string) string { return known(name).binary }
