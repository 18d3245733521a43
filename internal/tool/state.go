package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// healthTimeout bounds one answer about a tool's own state, statesTimeout those about all tools together.
	healthTimeout = 5 * time.Second
	statesTimeout = 20 * time.Second
)

// The states of an index.
const (
	IndexReady = "ready"
	IndexStale = "stale"
	IndexNone  = "needs_index"
)

// State is what there is to know of one tool before it is used.
type State struct {
	Tool      string `json:"tool"`
	Available bool   `json:"available"`
	Version   string `json:"version,omitempty"`
	Index     string `json:"index,omitempty"` // ready, stale or needs_index; "" where it has none, or does not say
	Detail    string `json:"detail,omitempty"`
	Installed bool   `json:"-"`
	Fix       string `json:"fixCommand,omitempty"` // what would mend it; "" when nothing has to be mended, or no command would
}

// States asks every tool that is on PATH for its state, at most parallel at a time, and lists all of them by name, with
// own among them. A tool that is not on PATH starts no process.
func (r Runner) States(ctx context.Context, parallel int, own ...State) []State {
	ctx, cancel := context.WithTimeout(ctx, statesTimeout)
	defer cancel()
	names := Names()
	out := make([]State, len(names), len(names)+len(own))
	Each(len(names), parallel, func(i int) { out[i] = r.state(ctx, names[i]) })
	out = append(out, own...)
	slices.SortFunc(out, func(a, b State) int { return strings.Compare(a.Tool, b.Tool) })
	return out
}

// Built are the states of what needs no specialist: Cortex's own search and graph, the configured checks, of which some
// are approved, and git.
func (r Runner) Built(checks, approved int) []State {
	git := State{Tool: "git", Available: true, Installed: true}
	if err := r.present(tool{name: "git", binary: "git"}); err != nil {
		git = State{Tool: "git", Detail: err.Error()}
	}
	command := State{Tool: "command", Available: true, Installed: true}
	switch {
	case checks == 0:
		command.Detail, command.Fix = "no check is configured", "cortex init"
	case approved < checks:
		command.Detail, command.Fix = fmt.Sprintf("%d of %d checks wait for an approval", checks-approved, checks), "cortex setup --trust-commands"
	}
	return []State{{Tool: "code", Available: git.Available, Installed: true, Detail: git.Detail}, command, git}
}

func (r Runner) state(ctx context.Context, name string) State {
	s := State{Tool: name}
	if err := r.present(known(name)); err != nil {
		s.Detail = err.Error()
		return s
	}
	s.Installed = true
	a := r.askVersion(ctx, name)
	s.Available, s.Detail = a.Class == Authoritative, a.Cause
	if !s.Available {
		return s
	}
	s.Version = a.version()
	switch name {
	case Codemap:
		has, a := r.CodemapStatus(ctx)
		s.indexed(has, a, "codemap index", "codemap index")
	case Vecgrep:
		has, a := r.VecgrepStatus(ctx)
		s.indexed(has, a, "vecgrep init && vecgrep index", "vecgrep index")
	case Tvault:
		if h := parseVaultHealth(&a); !h.Ready {
			s.Detail = "vault: " + h.Detail
		}
	}
	return s
}

// indexed fills in what a tool says of its index, and the command that makes or renews it.
func (s *State) indexed(has IndexState, a Answer, first, again string) {
	switch {
	case a.Class == Authoritative:
		s.Index = IndexReady
	case a.TimedOut || a.Class == Failed:
		s.Detail = "its index: " + a.Cause // it did not say, so there is nothing to mend by indexing
	case !has.Indexed && a.Class == Unavailable:
		s.Index, s.Detail, s.Fix = IndexNone, a.Cause, first
	case has.Indexed:
		s.Index, s.Detail, s.Fix = IndexStale, a.Cause, again
	default:
		s.Detail = "its index: " + a.Cause
	}
}

// Version asks a tool for its version; "" when it gives none.
func (r Runner) Version(ctx context.Context, name string) string {
	a := r.askVersion(ctx, name)
	return a.version()
}

func (r Runner) askVersion(ctx context.Context, name string) Answer {
	return r.run(ctx, call{tool: name, operation: "version", args: known(name).version, timeout: healthTimeout, repeat: true})
}

// version is the first line of what a tool says of itself, where that is a plain line.
func (a Answer) version() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(a.Stdout)), "\n")
	if a.Class != Authoritative || len(line) >= 100 || json.Valid(a.Stdout) {
		return ""
	}
	return strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD")
}

// Environment is what tools get of the environment of this process: nothing that would redirect git or speak to Cortex.
func Environment(process []string) []string {
	return slices.DeleteFunc(slices.Clone(process), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "CORTEX_")
	})
}
