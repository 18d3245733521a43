package tool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cortex/internal/testkit"

	"github.com/google/go-cmp/cmp"
)

// toolbox is a runner with several fake tools, and the file in which they write down how they were started.
func toolbox(t *testing.T, bodies map[string]string) (Runner, string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	path := []string{}
	for name, body := range bodies {
		path = append(path, testkit.FakeTool(t, Binary(name), `echo "`+name+` $*" >>'`+log+`'`+"\n"+body))
	}
	path = append(path, "/usr/bin", "/bin")
	return Runner{Workspace: t.TempDir(), Environ: []string{"PATH=" + strings.Join(path, string(os.PathListSeparator))}}, log
}

func stateOf(t *testing.T, states []State, name string) State {
	t.Helper()
	i := slices.IndexFunc(states, func(s State) bool { return s.Tool == name })
	if i < 0 {
		t.Fatalf("no %s in %+v", name, states)
	}
	return states[i]
}

func TestEveryToolHasAStateInOrder(t *testing.T) {
	t.Parallel()
	r, log := toolbox(t, map[string]string{
		Vecgrep:    "exit 4",
		Cairntrace: "echo cairn 2.11.1; echo more",
		Tvault:     `echo '{"checks":[{"name":"vault","status":"warn","detail":"not initialized"}]}'`,
	})
	got := r.States(t.Context(), 2, State{Tool: "command", Available: true})
	if !slices.IsSortedFunc(got, func(a, b State) int { return strings.Compare(a.Tool, b.Tool) }) || len(got) != len(Names())+1 {
		t.Errorf("states %+v", got)
	}
	for _, want := range []State{
		{Tool: Cairntrace, Available: true, Installed: true, Version: "cairn 2.11.1"},
		{Tool: Tvault, Available: true, Installed: true, Detail: "vault: not initialized"},
		{Tool: Vecgrep, Installed: true, Detail: "exit 4: it said nothing"},
		{Tool: Glyphrun, Detail: "glyph is not on PATH"},
		{Tool: "command", Available: true},
	} {
		if diff := cmp.Diff(want, stateOf(t, got, want.Tool)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Tool, diff)
		}
	}
	asked, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(asked)), "\n")
	slices.Sort(lines)
	if diff := cmp.Diff([]string{"cairntrace --version", "tvault doctor --json", "vecgrep --version"}, lines); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
}

// TestAMendingCommandIsOneThatWouldMend holds the advice to what is wrong: no index is made for a tool that is not there,
// or that did not say that it has none.
func TestAMendingCommandIsOneThatWouldMend(t *testing.T) {
	t.Parallel()
	status := func(body string) string { return `test "$1" = --version && echo v1 && exit 0` + "\n" + body }
	for name, tt := range map[string]struct {
		tool, body string
		want       State
	}{
		"ready":     {Codemap, status(`echo '{"project":"p","registered":true,"nodes":5,"files":2,"stale":0}'`), State{Index: IndexReady}},
		"stale":     {Codemap, status(`echo '{"project":"p","registered":true,"nodes":5,"files":2,"stale":3}'`), State{Index: IndexStale, Fix: "codemap index"}},
		"no index":  {Codemap, status(`echo '{"ok":false,"error":"none","code":"index_missing"}'; exit 3`), State{Index: IndexNone, Fix: "codemap index"}},
		"empty":     {Codemap, status(`echo '{"project":"p","registered":false,"nodes":0,"files":0}'`), State{Index: IndexNone, Fix: "codemap index"}},
		"broken":    {Codemap, status(`echo '{"ok":false,"error":"disk","code":"operational"}'; exit 1`), State{}},
		"prose":     {Codemap, status(`echo all is well`), State{}},
		"ready too": {Vecgrep, status(`echo '{"index_fresh":true,"stats":{"chunks":9},"pending_changes":{"total_pending":0}}'`), State{Index: IndexReady}},
		"not fresh": {Vecgrep, status(`echo '{"index_fresh":false,"stats":{"chunks":9}}'`), State{Index: IndexStale, Fix: "vecgrep index"}},
		"no chunks": {Vecgrep, status(`echo '{"index_fresh":true,"stats":{"chunks":0}}'`), State{Index: IndexNone, Fix: "vecgrep init && vecgrep index"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := toolbox(t, map[string]string{tt.tool: tt.body})
			got := stateOf(t, r.States(t.Context(), 3), tt.tool)
			if !got.Available || got.Index != tt.want.Index || got.Fix != tt.want.Fix || (got.Detail == "") != (tt.want.Index == IndexReady) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
	for _, s := range (Runner{Environ: []string{"PATH=" + t.TempDir()}}).States(t.Context(), 3) {
		if s.Available || s.Fix != "" || s.Index != "" || !strings.Contains(s.Detail, "not on PATH") {
			t.Errorf("a tool that is not there: %+v", s)
		}
	}
}

func TestToolsGetNoWordToGitOrCortex(t *testing.T) {
	t.Parallel()
	process := []string{"PATH=/bin", "GIT_DIR=/x", "CORTEX_APPROVE_COMMANDS=1", "HOME=/h"}
	if diff := cmp.Diff([]string{"PATH=/bin", "HOME=/h"}, Environment(process)); diff != "" || process[1] != "GIT_DIR=/x" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestWhatIsBuiltInNeedsOnlyGit(t *testing.T) {
	t.Parallel()
	r, _ := toolbox(t, nil)
	for _, tt := range []struct {
		checks, approved int
		fix              string
	}{{0, 0, "cortex init"}, {2, 1, "cortex setup --trust-commands"}, {2, 2, ""}} {
		got := r.Built(tt.checks, tt.approved)
		if command := stateOf(t, got, "command"); command.Fix != tt.fix || (command.Detail == "") != (tt.fix == "") {
			t.Errorf("%d of %d approved: %+v", tt.approved, tt.checks, command)
		}
		if !stateOf(t, got, "git").Available || !stateOf(t, got, "code").Available {
			t.Errorf("with git: %+v", got)
		}
	}
	for _, s := range (Runner{Environ: []string{"PATH=" + t.TempDir()}}).Built(0, 0) {
		if s.Available != (s.Tool == "command") {
			t.Errorf("without git: %+v", s)
		}
	}
}
