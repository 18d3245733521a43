package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cortex/internal/proc"
	"cortex/internal/testkit"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// Answers of codebase-memory-mcp, by tool; @ROOT@ stands for the directory that it was started in.
const (
	memoryProject  = `{"projects":[{"name":"a","root_path":"/somewhere/else"},{"name":"srv-repo","root_path":"@ROOT@"}],"total":2,"has_more":false}`
	memoryCoverage = `{"project":"srv-repo","signal":"best_effort","paths":[{"requested_path":"calc.sh","path":"calc.sh","status":"no_recorded_issue","freshness":"metadata_match"}]}`
	memoryNodes    = "total: 2\nresults: 2  (rows: name label lines in out; qn = group prefix + \".\" + name)\nsrv-repo.calc (calc.sh):\n  add Function 60-187 3 18\n" +
		"srv-repo.calc (calc_test.sh):\n  Test_add Function 32-233 0 14\nhas_more: false\n"
	memoryCallers = "function: add\ndirection: inbound\ncallers_total: 125\ncallers: 3  (rows: name hop; qn = group prefix + \".\" + name)\nsrv-repo.context:\n  BaseRepo 1\n" +
		"srv-repo.pkg.cmd:\n  LatestVersion 2\n  NewCmd 1\ntruncated: true\nnext: c1.i.u010d.2.1647\nhint: \"more rows exist\"\n"
)

func memoryAnswers(change map[string]string) string {
	answers := map[string]string{"list_projects": memoryProject, "check_index_coverage": memoryCoverage, "search_graph": memoryNodes, "trace_path": memoryCallers}
	for name, text := range change {
		answers[name] = text
	}
	raw, err := json.Marshal(answers)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return string(raw)
}

// serving is the script of an MCP server: it answers a call of a tool with the text that goes with its name, as an error
// where that begins with "!".
func serving(t *testing.T, text string) string {
	t.Helper()
	var answers map[string]string
	if err := json.Unmarshal([]byte(text), &answers); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, said := range answers {
		said, isError := strings.CutPrefix(said, "!")
		raw, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": said}}, "isError": isError})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return `root=$(pwd -P)
while IFS= read -r line; do
	id=${line#*'"id":'}
	id=${id%%[!0-9]*}
	test -n "$id" || continue
	case "$line" in
	*'"method":"initialize"'*) answer='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}' ;;
	*)
		name=${line#*'"name":"'}
		IFS= read -r answer <'` + dir + `/'"${name%%'"'*}"
		case "$answer" in *@ROOT@*) answer=${answer%%@ROOT@*}$root${answer#*@ROOT@} ;; esac
		;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$answer"
done`
}

func memorySubjects() []subject {
	return []subject{{
		name: "codebase-memory facts", tool: Memory, good: memoryAnswers(nil), serve: serving,
		ask: func(ctx context.Context, r Runner) (any, Answer) {
			return pair(r.MemoryFacts(ctx, []MemoryQuestion{{"add", "calc.sh"}}))
		},
	}}
}

func TestTheGraphOfTheWorkspaceIsAsked(t *testing.T) {
	t.Parallel()
	r := faked(t, Memory, serving(t, memoryAnswers(nil)))
	facts, a := r.MemoryFacts(t.Context(), []MemoryQuestion{{"add", "calc.sh"}})
	want := []MemoryFact{{Symbol: "add", Kind: "Function", File: "calc.sh", Start: 60, End: 187, Callers: []string{"BaseRepo", "NewCmd"}, Total: 125, Alone: true}}
	if diff := cmp.Diff(want, facts); diff != "" || a.Class != Authoritative || a.Attempts != 1 {
		t.Errorf("%s (%s) (-want +got):\n%s", a.Class, a.Cause, diff)
	}
	for _, want := range []string{
		`> list_projects {}`, `> check_index_coverage {"paths":["calc.sh"],"project":"srv-repo"}`,
		`> search_graph {"format":"json","name_pattern":"add","project":"srv-repo"}`,
		`> trace_path {"depth":1,"direction":"inbound","format":"json","function_name":"add","project":"srv-repo"}`,
	} {
		if !strings.Contains(string(a.Stdout), want) {
			t.Errorf("no %s in what was asked:\n%s", want, a.Stdout)
		}
	}
	if got := strings.Join(a.Argv, " "); got != "codebase-memory-mcp" {
		t.Errorf("ran %q", got)
	}
}

func TestWhatTheGraphDoesNotHoldForSureIsNoFact(t *testing.T) {
	t.Parallel()
	node := `{"results":[{"name":"add","label":"Function","file_path":"calc.sh","start_line":1,"end_line":2}]}`
	for name, tt := range map[string]struct {
		change map[string]string
		class  Class
		cause  string
		facts  int
	}{
		"another root":        {map[string]string{"list_projects": strings.Replace(memoryProject, "@ROOT@", "@ROOT@/sub", 1)}, Unavailable, "no project whose root", 0},
		"the name fits":       {map[string]string{"list_projects": `{"projects":[{"name":"srv-repo","root_path":""}]}`}, Unavailable, "no project whose root", 0},
		"no projects":         {map[string]string{"list_projects": `{"projects":[]}`}, Unavailable, "no project whose root", 0},
		"projects as text":    {map[string]string{"list_projects": "projects: 2"}, Failed, "list that it documents", 0},
		"not covered":         {map[string]string{"check_index_coverage": strings.Replace(memoryCoverage, "no_recorded_issue", "skipped", 1)}, Partial, "does not hold every file", 0},
		"another twice":       {map[string]string{"check_index_coverage": strings.ReplaceAll(memoryCoverage, "calc.sh", "x.sh")}, Partial, "does not hold every file", 0},
		"stale":               {map[string]string{"check_index_coverage": strings.Replace(memoryCoverage, "metadata_match", "metadata_changed", 1)}, Partial, "as it was", 0},
		"coverage as text":    {map[string]string{"check_index_coverage": "all fine"}, Partial, "as it documents", 0},
		"coverage refused":    {map[string]string{"check_index_coverage": `!{"error":"project not found","hint":"list them"}`}, Partial, "project not found", 0},
		"another definition":  {map[string]string{"search_graph": strings.ReplaceAll(node, "calc.sh", "other.sh")}, Authoritative, "", 0},
		"nodes as JSON":       {map[string]string{"search_graph": node}, Authoritative, "", 1},
		"nodes as prose":      {map[string]string{"search_graph": "I found add in calc.sh"}, Partial, "not understood", 0},
		"other columns":       {map[string]string{"search_graph": strings.Replace(memoryNodes, "lines in out", "out in lines", 1)}, Partial, "not understood", 0},
		"fewer rows":          {map[string]string{"search_graph": strings.Replace(memoryNodes, "results: 2", "results: 3", 1)}, Partial, "not understood", 0},
		"callers as JSON":     {map[string]string{"trace_path": `{"callers":[{"name":"x","hop":1}],"callers_total":9}`}, Authoritative, "", 1},
		"callers as prose":    {map[string]string{"trace_path": "nobody"}, Partial, "not understood", 1},
		"callers refused":     {map[string]string{"trace_path": `!ambiguous`}, Partial, "ambiguous", 1},
		"fewer callers":       {map[string]string{"trace_path": strings.Replace(memoryCallers, "callers: 3", "callers: 4", 1)}, Partial, "not understood", 1},
		"nothing of the name": {map[string]string{"search_graph": `{"results":[]}`}, Authoritative, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts, a := faked(t, Memory, serving(t, memoryAnswers(tt.change))).MemoryFacts(t.Context(), []MemoryQuestion{{"add", "calc.sh"}})
			if a.Class != tt.class || !strings.Contains(a.Cause, tt.cause) || len(facts) != tt.facts {
				t.Errorf("%+v, %s (%s), want %d facts, %s with %q", facts, a.Class, a.Cause, tt.facts, tt.class, tt.cause)
			}
		})
	}
}

// TestADefinitionIsAloneOnlyWhenAllOfItsNameWereTold cuts the list of definitions.
func TestADefinitionIsAloneOnlyWhenAllOfItsNameWereTold(t *testing.T) {
	t.Parallel()
	node := `{"results":[{"name":"add","label":"Function","file_path":"calc.sh","start_line":1,"end_line":2}]`
	for said, more := range map[string]bool{
		memoryNodes: false,
		strings.Replace(memoryNodes, "has_more: false", "has_more: true", 1): true,
		strings.Replace(memoryNodes, "total: 2", "total: 40", 1):             true,
		node + `,"total":1,"has_more":false}`:                                false,
		node + `,"total":9,"has_more":false}`:                                true,
		node + `,"total":1,"has_more":true}`:                                 true,
		node + `}`:                                                           true,
	} {
		if nodes, got, ok := parseNodes(said); !ok || got != more || len(nodes) == 0 {
			t.Errorf("%s: %d definitions, more %t, understood %t; want more %t", said, len(nodes), got, ok, more)
		}
	}
	cut := map[string]string{"search_graph": strings.Replace(memoryNodes, "has_more: false", "has_more: true", 1)}
	facts, a := faked(t, Memory, serving(t, memoryAnswers(cut))).MemoryFacts(t.Context(), []MemoryQuestion{{"add", "calc.sh"}})
	if len(facts) != 1 || facts[0].Alone || a.Class != Authoritative {
		t.Errorf("%+v, %s (%s), want one that may not be alone", facts, a.Class, a.Cause)
	}
}

// TestNoServerHoldsUpItsCaller has servers go wrong in every step of a conversation. It looks for goroutines that are left,
// so it is not parallel.
func TestNoServerHoldsUpItsCaller(t *testing.T) {
	began := `IFS= read -r line
id=${line#*'"id":'}
printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}\n' "${id%%[!0-9]*}"
`
	before := goleak.IgnoreCurrent()
	var all sync.WaitGroup
	for name, tt := range map[string]struct {
		body  string
		class Class
	}{
		"it asks and does not listen":  {began + `n=0; while test $n -lt 5000; do n=$((n+1)); printf '{"jsonrpc":"2.0","id":"p%s","method":"ping"}\n' $n; done; sleep 60`, Partial},
		"it answers others":            {began + `while IFS= read -r line; do printf '{"jsonrpc":"2.0","id":999,"result":{}}\n'; done`, Partial},
		"it closes its output":         {began + "exec 1>&-; sleep 60", Partial},
		"it is told nothing and hangs": {"sleep 60", Partial},
		"it ends":                      {began + "exit 0", Failed},
		"it fails":                     {began + "echo broken >&2; exit 3", Failed},
		"it speaks something else":     {"echo hello; sleep 60", Failed},
		"it begins a line without end": {began + "exec tr '\\0' x </dev/zero", Failed},
		"it says too much":             {began + `head -c 3000000 /dev/zero | tr '\0' '\n'; sleep 60`, Partial},
	} {
		r := faked(t, Memory, tt.body)
		r.Timeouts = map[string]time.Duration{Memory: 1200 * time.Millisecond}
		all.Go(func() {
			start := time.Now()
			facts, a := r.MemoryFacts(t.Context(), []MemoryQuestion{{"add", "calc.sh"}})
			took := time.Since(start)
			if a.Class != tt.class && a.Class != Failed || a.Cause == "" || strings.Contains(a.Cause, "jsonrpc") || len(facts) > 0 || took > 20*time.Second {
				t.Errorf("%s: %s (%s), %+v after %v, want %s", name, a.Class, a.Cause, facts, took, tt.class)
			}
			t.Logf("%s: %s (%s) after %v", name, a.Class, a.Cause, took)
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("a server holds up its caller")
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// TestWhatTheServerStartedIsGone has it start a daemon in a session of its own, end well, and hang.
func TestWhatTheServerStartedIsGone(t *testing.T) {
	t.Parallel()
	if _, err := proc.Find("setsid", os.Environ()); err != nil {
		t.Skip("there is no setsid here")
	}
	for name, hang := range map[string]string{"it ends": "", "it hangs": "sleep 60\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			r := faked(t, Memory, "setsid sh -c 'echo $$ >\""+file+"\"; exec sleep 60' >/dev/null 2>&1 </dev/null &\nwhile ! test -s '"+file+"'; do sleep 0.01; done\n"+hang+serving(t, memoryAnswers(nil)))
			if hang != "" {
				r.Timeouts = map[string]time.Duration{Memory: time.Second}
			}
			_, a := r.MemoryFacts(t.Context(), []MemoryQuestion{{"add", "calc.sh"}})
			if (hang == "") != (a.Class == Authoritative) || (hang != "") != a.TimedOut {
				t.Errorf("%s (%s)", a.Class, a.Cause)
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
			if err != nil {
				t.Fatal(err)
			}
			testkit.Wait(t, fmt.Sprintf("the end of the daemon %d", pid), 5*time.Second, func() bool { return !proc.Alive(pid) })
		})
	}
}

func TestACanceledConversationEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, a := faked(t, Memory, "sleep 60").MemoryFacts(ctx, []MemoryQuestion{{"add", "calc.sh"}})
	if a.Class != Partial || !a.TimedOut || time.Since(began) > 10*time.Second {
		t.Errorf("%s (%s) after %v, want timed out", a.Class, a.Cause, time.Since(began))
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, a := faked(t, Memory, "sleep 60").MemoryFacts(ctx, []MemoryQuestion{{"add", "calc.sh"}}); a.Class != Partial || !strings.Contains(a.Cause, "ended with the call") {
		t.Errorf("%s (%s), want ended with the call", a.Class, a.Cause)
	}
}

func FuzzMemoryAnswers(f *testing.F) {
	for _, said := range []string{memoryProject, memoryCoverage, memoryNodes, memoryCallers, `{"results":[]}`, `{"callers":[],"callers_total":-1}`, "results: 99999999999999999999  (rows: name hop)\n"} {
		f.Add(said)
	}
	f.Fuzz(func(t *testing.T, said string) {
		if nodes, _, ok := parseNodes(said); ok {
			for _, n := range nodes {
				if n.Symbol == "" || n.Start < 1 || n.End < n.Start {
					t.Errorf("%q: %+v", said, n)
				}
			}
		}
		if names, total, ok := parseCallers(said); ok && (total < 0 || len(names) > maxMemoryNames) {
			t.Errorf("%q: %q of %d", said, names, total)
		}
		if page, err := parseProjects(said); err == nil && page.Projects == nil {
			t.Errorf("%q: no projects", said)
		}
		if covered, ok := parseCoverage(said); !ok && len(covered) > 0 {
			t.Errorf("%q: %q", said, covered)
		}
	})
}
