package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
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

// Health is whether a tool answers at all.
type Health struct {
	Tool      string
	Available bool
	Version   string // first line of what it says of itself, "" when that is no plain line
	Reason    string // why it is not available
}

// healthTimeout bounds one answer about a tool's own state.
const healthTimeout = 5 * time.Second

// Version asks a tool for its version; "" when it gives none.
func (r Runner) Version(ctx context.Context, name string) string { return r.health(ctx, name).Version }

// Health asks the named tools whether they answer, at most parallel at a time, and keeps their order.
func (r Runner) Health(ctx context.Context, names []string, parallel int) []Health {
	out := make([]Health, len(names))
	slots := make(chan struct{}, max(1, parallel))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = r.health(ctx, name)
		})
	}
	all.Wait()
	return out
}

func (r Runner) health(ctx context.Context, name string) Health {
	k := known(name)
	a := r.run(ctx, call{tool: name, operation: "version", args: k.version, timeout: healthTimeout, repeat: true})
	h := Health{Tool: name, Available: a.Class == Authoritative, Reason: a.Cause}
	line, _, _ := strings.Cut(strings.TrimSpace(string(a.Stdout)), "\n")
	if h.Available && len(line) < 100 && !json.Valid(a.Stdout) {
		h.Version = strings.ToValidUTF8(strings.TrimSpace(line), "�")
	}
	return h
}
