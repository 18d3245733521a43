package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	goodReview = `{"schema_version":1,"project":"p","mode":"working","depth":3,"is_repo":true,"indexed":true,
		"changed_files":[{"path":"a.go","status":"M","symbols":1}],
		"changed_symbols":[{"symbol":"Run","fqn":"app.Run","kind":"function","file":"a.go","start_line":5,"end_line":7}],
		"blast_radius":[{"symbol":"Other","kind":"function","file":"b.go","start_line":3,"depth":1}],
		"covering_tests":[{"symbol":"TestRun","kind":"test","file":"a_test.go","start_line":5,"depth":1}],
		"untested_symbols":[],"stale":false,"staleness":{"changed":0},"call_graph":"name",
		"risk":{"level":"low","score":0,"factors":[]},"next":[{"tool":"codemap_index"}]}`
	goodImpact = `{"found":true,"locations":[{"file":"a.go","start_line":5,"kind":"function"}],"direct_callers":[{"symbol":"Other","file":"b.go","line":3}],
		"blast_radius":2,"tests":["TestRun"],"untested":false,"call_graph":"resolved"}`
	goodFind = `{"hits":[{"symbol":"add","kind":"function","file":"calc.sh","start_line":1,"end_line":1,"score":0.9}]}`
)

func codemapSubjects() []subject {
	return []subject{
		{name: "codemap status", tool: Codemap, good: `{"project":"p","registered":true,"nodes":10,"files":2,"stale":0}`, ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, a := r.CodemapStatus(ctx)
			return v, a
		}},
		{name: "codemap impact", tool: Codemap, good: goodImpact, ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, a := r.CodemapImpact(ctx, "Run")
			return v, a
		}},
		{name: "codemap callers", tool: Codemap, good: `{"found":true,"callers":[{"symbol":"Other","file":"b.go","line":3}],"call_graph":"name"}`, ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, a := r.CodemapCallers(ctx, "Run")
			return v, a
		}},
		{name: "codemap callees", tool: Codemap, good: `{"callees":[]}`, ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, a := r.CodemapCallees(ctx, "Run")
			return v, a
		}},
		{name: "codemap find", tool: Codemap, good: goodFind, ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, _, a := r.CodemapFind(ctx, "add", 8)
			return v, a
		}},
		{name: "codemap review", tool: Codemap, good: goodReview, future: strings.Replace(goodReview, `"schema_version":1`, `"schema_version":2`, 1), ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, a := r.CodemapReview(ctx, "")
			return v, a
		}},
		{name: "codemap annotate", tool: Codemap, writes: true, good: `{"ok":true}`, plain: true, ask: func(ctx context.Context, r Runner) (any, Answer) {
			return nil, r.CodemapAnnotate(ctx, "add", "glyphrun", "n")
		}},
	}
}

// answering is a runner whose tool prints one of the texts for each operation, and its workspace holds the named files.
func answering(t *testing.T, name string, says map[string]string, files ...string) Runner {
	t.Helper()
	body := "case \"$*\" in\n"
	for operation, text := range says {
		body += fmt.Sprintf("%q*) %s ;;\n", operation, printing(t, text, 0))
	}
	r := faked(t, name, body+"*) echo \"not expected: $*\" >&2; exit 9 ;;\nesac")
	for _, file := range files {
		path := filepath.Join(r.Workspace, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestCodemapIsAskedAsItDocuments(t *testing.T) {
	t.Parallel()
	r := faked(t, Codemap, "exit 9")
	for want, ask := range map[string]func() Answer{
		"codemap status --json --skip-stale": func() Answer { _, a := r.CodemapStatus(t.Context()); return a },
		"codemap find where is addition done --top 8 --json": func() Answer {
			_, _, a := r.CodemapFind(t.Context(), "where is addition done", 8)
			return a
		},
		"codemap find rf --top 1 --json":                  func() Answer { _, _, a := r.CodemapFind(t.Context(), "--rf", 1); return a },
		"codemap impact add --depth 3 --json":             func() Answer { _, a := r.CodemapImpact(t.Context(), "add"); return a },
		"codemap callers add --json":                      func() Answer { _, a := r.CodemapCallers(t.Context(), "add"); return a },
		"codemap callees add --json":                      func() Answer { _, a := r.CodemapCallees(t.Context(), "add"); return a },
		"codemap review --json":                           func() Answer { _, a := r.CodemapReview(t.Context(), ""); return a },
		"codemap review --json --since c1d2d79":           func() Answer { _, a := r.CodemapReview(t.Context(), "c1d2d79"); return a },
		"codemap annotate add --source s --note n --json": func() Answer { return r.CodemapAnnotate(t.Context(), "add", "s", "n") },
	} {
		if a := ask(); strings.Join(a.Argv, " ") != want || a.Class != Failed {
			t.Errorf("got %q, %s; want %q, error", a.Argv, a.Class, want)
		}
	}
}

func TestCodemapStatusIsAskedAgainWithoutTheNewFlag(t *testing.T) {
	t.Parallel()
	r := faked(t, Codemap, `case "$*" in *skip-stale*) echo "Error: unknown flag: --skip-stale" >&2; exit 1;; esac
		echo '{"registered":true,"nodes":3,"stale":{"changed":1,"new":2,"deleted":0}}'`)
	state, a := r.CodemapStatus(t.Context())
	if !state.Indexed || state.Pending != 3 || a.Class != Partial || a.Attempts != 2 || strings.Join(a.Argv[1:], " ") != "status --json" {
		t.Errorf("got %+v, %s (%s), %q after %d attempts", state, a.Class, a.Cause, a.Argv, a.Attempts)
	}
	for text, want := range map[string]Class{
		`{"registered":false}`:                                         Unavailable,
		`{"registered":true,"nodes":0}`:                                Unavailable,
		`{"registered":true,"nodes":1}`:                                Authoritative,
		`{"registered":true,"nodes":1,"stale":4}`:                      Partial,
		`{"registered":true,"nodes":1,"stale":{}}`:                     Authoritative,
		`{"registered":true,"nodes":1,"stale":-4}`:                     Partial,
		`{"registered":true,"nodes":1,"stale":true}`:                   Partial,
		`{"registered":true,"nodes":1,"stale":"much"}`:                 Partial,
		`{"registered":true,"nodes":1,"stale":{"changed":-1,"new":1}}`: Partial,
		`{"nodes":1}`:                                   Partial,
		`{"registered":null,"nodes":1}`:                 Partial,
		`{"registered":"yes","nodes":1}`:                Partial,
		`{"ok":false,"error":"x","code":"operational"}`: Failed,
	} {
		a := printed(text, 0)
		a.codemapRefusal()
		if parseIndex(a); a.Class != want {
			t.Errorf("%s: %s (%s), want %s", text, a.Class, a.Cause, want)
		}
	}
}

func TestCodemapReviewIsReadWhole(t *testing.T) {
	t.Parallel()
	r := answering(t, Codemap, map[string]string{"review": goodReview}, "a.go", "b.go", "a_test.go")
	got, a := r.CodemapReview(t.Context(), "")
	want := CodemapReview{
		Files:   []CodemapFile{{"a.go", "M", 1}},
		Symbols: []CodemapPlace{{Symbol: "Run", Kind: "function", File: "a.go", Start: 5, End: 7}},
		Radius:  []CodemapPlace{{Symbol: "Other", Kind: "function", File: "b.go", Start: 3, End: 3, Depth: 1}},
		Tests:   []CodemapPlace{{Symbol: "TestRun", Kind: "test", File: "a_test.go", Start: 5, End: 5, Depth: 1}}, CallGraph: "name",
		Risk: &CodemapRisk{Level: "low", Factors: []json.RawMessage{}},
	}
	if diff := cmp.Diff(want, got); diff != "" || a.Class != Authoritative {
		t.Errorf("%s (%s), -want +got:\n%s", a.Class, a.Cause, diff)
	}
}

// TestNoDriftOfCodemapsReviewReadsAsClean changes one thing of a good review at a time.
func TestNoDriftOfCodemapsReviewReadsAsClean(t *testing.T) {
	t.Parallel()
	var whole map[string]any
	if err := json.Unmarshal([]byte(goodReview), &whole); err != nil {
		t.Fatal(err)
	}
	changed := map[string][]any{
		"schema_version": {0, 2, "1"}, "is_repo": {false, "yes"}, "indexed": {false}, "stale": {true, 1}, "mode": {"staged", "since", "x"},
		"depth": {0, -1, "3"}, "call_graph": {"guessed", 3}, "changed_files": {[]any{map[string]any{"status": "M"}}, []any{map[string]any{"path": "a.go", "status": "R"}}, map[string]any{}},
		"changed_symbols": {[]any{map[string]any{"kind": "function"}}, []any{nil}, "all"}, "untested_symbols": {"none"},
		"risk": {map[string]any{"level": "unknown"}, map[string]any{"level": "critical", "score": 1}, map[string]any{"level": "low", "score": 7},
			map[string]any{"level": "low", "factors": []any{1, 2, 3, 4, 5, 6}}, map[string]any{}},
	}
	for _, member := range []string{"project", "mode", "depth", "is_repo", "indexed", "changed_files", "changed_symbols", "blast_radius", "covering_tests", "untested_symbols", "stale", "schema_version"} {
		changed[member] = append(changed[member], nil)
	}
	const gone = "(gone)"
	r := Runner{Workspace: t.TempDir()}
	for member, values := range changed {
		if member != "risk" && member != "call_graph" {
			values = append(values, gone)
		}
		for _, value := range values {
			other := map[string]any{}
			for k, v := range whole {
				other[k] = v
			}
			if other[member] = value; value == gone {
				delete(other, member)
			}
			text, err := json.Marshal(other)
			if err != nil {
				t.Fatal(err)
			}
			a := printed(string(text), 0)
			if r.parseReview(a, "working"); a.Class != Partial || a.Cause == "" {
				t.Errorf("%s = %v: %s (%q), want partial", member, value, a.Class, a.Cause)
			}
		}
	}
}

func TestCodemapImpactSaysHowFarItCanBeTrusted(t *testing.T) {
	t.Parallel()
	r := answering(t, Codemap, map[string]string{"impact": goodImpact}, "a.go", "b.go")
	got, a := r.CodemapImpact(t.Context(), "Run")
	if !got.Found || got.Callers.List[0].File != "b.go" || got.Callers.List[0].Start != 3 || got.Radius.Count != 2 || got.Tests.List[0].Symbol != "TestRun" || got.Resolution != "resolved" || a.Class != Authoritative {
		t.Errorf("got %+v, %s (%s)", got, a.Class, a.Cause)
	}
	for text, want := range map[string]Class{
		`{"found":false}`: Authoritative,
		`{"ok":false,"error":"no such symbol","code":"not_found"}`: Authoritative,
		`{"ok":false,"error":"no index","code":"index_missing"}`:   Unavailable,
		`{"ok":false,"error":"damaged","code":"index_corrupt"}`:    Unavailable,
		`{"ok":false,"error":"disk","code":"operational"}`:         Failed,
		`{"found":true,"call_graph":"telepathy"}`:                  Partial,
		`{"found":true,"resolution":"telepathy"}`:                  Partial,
		`{"locations":[]}`:                           Partial,
		`{"found":true,"direct_callers":{"b.go":1}}`: Partial,
		`{"found":true,"direct_callers":-1}`:         Partial,
		`{"found":"yes"}`:                            Partial,
	} {
		a := printed(text, 0)
		a.codemapRefusal()
		got := r.parseImpact(a)
		if a.Class != want || a.Class == Authoritative && got.Found {
			t.Errorf("%s: %s (%q) with %+v, want %s", text, a.Class, a.Cause, got, want)
		}
	}
}

func TestWhatCodemapLeavesOutIsNotNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]int{
		`{"found":true}`: {-1, -1, -1},
		`{"found":true,"direct_callers":null,"blast_radius":0,"tests":[]}`: {-1, 0, 0},
		`{"found":true,"direct_callers":["a"],"blast_radius":3}`:           {1, 3, -1},
	} {
		if got := (Runner{}).parseImpact(printed(text, 0)); [3]int{got.Callers.Count, got.Radius.Count, got.Tests.Count} != want {
			t.Errorf("%s: %+v, want callers, radius and tests %v", text, got, want)
		}
	}
}

func TestCodemapsPathsStayInTheWorkspace(t *testing.T) {
	t.Parallel()
	r := faked(t, Codemap, "exit 9")
	inside := filepath.Join(r.Workspace, "in.go")
	if err := os.WriteFile(inside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "out.go")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"hits":[{"symbol":"A","file":%q},{"symbol":"B","file":%q},{"symbol":"C","file":"../out.go"},{"symbol":"D","file":"gone.go"},{"symbol":"E"},{"name":"F","file":"./in.go","start_line":-4}]}`, inside, outside)
	r.Environ = faked(t, Codemap, printing(t, text, 0)).Environ
	hits, dropped, a := r.CodemapFind(t.Context(), "x", 8)
	if len(hits) != 2 || hits[0].File != "in.go" || hits[1].Symbol != "F" || hits[1].File != "in.go" || hits[1].Start != 0 || dropped != 4 || a.Class != Authoritative {
		t.Errorf("got %+v, %d dropped, %s (%s)", hits, dropped, a.Class, a.Cause)
	}
}

// FuzzCodemap holds every reader of codemap's JSON to one rule: whatever is printed, it does not panic, and nothing that it
// cannot read counts as an answer.
func FuzzCodemap(f *testing.F) {
	for _, seed := range []string{goodReview, goodImpact, goodFind, `{"ok":false,"code":"not_found"}`, `null`, `[]`, `{"found":true,"tests":[null]}`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		a := Answer{Class: Authoritative, Stdout: said}
		var v codemapReviewed
		if a.decode(&v, "schema_version", "is_repo", "indexed", "stale") && a.schema(v.Schema, 1) {
			v.doubts(&a, "working")
			if a.Class == Authoritative && (!v.IsRepo || !v.Indexed || v.Stale || v.Schema != 1) {
				t.Errorf("%q counts as a whole review", said)
			}
		}
		if a.Class != Authoritative && a.Cause == "" {
			t.Errorf("%q is %s without a cause", said, a.Class)
		}
		var places CodemapPlaces
		if places.UnmarshalJSON(said) == nil && places.Count < len(places.List) {
			t.Errorf("%q: %+v", said, places)
		}
		Runner{Workspace: t.TempDir()}.settle(places.List)
		if n, ok := pendingFiles(said); ok && n < -1 {
			t.Errorf("%q: %d pending files", said, n)
		}
	})
}
