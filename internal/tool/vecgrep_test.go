package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	goodHit      = `{"chunk_id":1,"file_id":0,"file_path":"calc.sh","relative_path":"calc.sh","content":"add() { echo; }","start_line":1,"end_line":1,"chunk_type":"function","symbol_name":"add","language":"sh","distance":0.2,"score":0.8}`
	goodSearch   = `{"schema_version":1,"index":{"indexed":true,"fresh":true,"chunks":3},"hits":[` + goodHit + `]}`
	goodRecall   = `[{"id":"1","content":"a note","importance":0.5,"tags":["cortex"],"score":0.65}]`
	goodVecgrep  = `{"project_root":"/r","index_fresh":true,"stats":{"chunks":3,"files":1},"pending_changes":{"total_pending":0}}`
	downAtQuery  = "Warning: embedding provider unavailable at query time (connection refused): results are keyword-only (BM25)"
	noCollection = "Error: open database (read-only): veclite: collection not found: chunks; run 'vecgrep index'\nUsage:\n  -f, --format string  output format"
)

func vecgrepSubjects() []subject {
	return []subject{
		{name: "vecgrep search", tool: Vecgrep, good: goodSearch, future: strings.Replace(goodSearch, `"schema_version":1`, `"schema_version":2`, 1), asked: 2,
			ask: func(ctx context.Context, r Runner) (any, Answer) {
				v, a := r.VecgrepSearch(ctx, VecgrepQuery{Text: "where is addition done", Limit: 8})
				return v, a
			}},
		{name: "vecgrep status", tool: Vecgrep, good: goodVecgrep, ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, a := r.VecgrepStatus(ctx)
			return v, a
		}},
		{name: "vecgrep memory recall", tool: Vecgrep, good: goodRecall, ask: func(ctx context.Context, r Runner) (any, Answer) {
			v, a := r.VecgrepRecall(ctx, "q", 3, []string{"cortex"})
			return v, a
		}},
		{name: "vecgrep memory remember", tool: Vecgrep, writes: true, good: "Memory stored (id 1)", plain: true, ask: func(ctx context.Context, r Runner) (any, Answer) {
			return nil, r.VecgrepRemember(ctx, "text", 0.5, []string{"a"})
		}},
	}
}

func TestVecgrepIsAskedAsItDocuments(t *testing.T) {
	t.Parallel()
	r := faked(t, Vecgrep, `echo "$*" >>`+filepath.Join(t.TempDir(), "log")+`; echo 'Error: collection not found' >&2; exit 1`)
	for want, ask := range map[string]func() Answer{
		"vecgrep search where is addition done -m hybrid -n 8 -f json-envelope": func() Answer {
			_, a := r.VecgrepSearch(t.Context(), VecgrepQuery{Text: "where is addition done", Limit: 8})
			return a
		},
		"vecgrep search q -m keyword -n 3 --dir pkg/a -f json-envelope": func() Answer {
			_, a := r.VecgrepSearch(t.Context(), VecgrepQuery{Text: "--q", Limit: 3, Dir: "pkg/a", Keyword: true})
			return a
		},
		"vecgrep status -f json --lightweight": func() Answer { _, a := r.VecgrepStatus(t.Context()); return a },
		"vecgrep memory recall q --limit 3 --format json --tags cortex,repo:r": func() Answer {
			_, a := r.VecgrepRecall(t.Context(), "q", 3, []string{"cortex", "repo:r"})
			return a
		},
		"vecgrep memory remember repo=r --importance 0.50 --tags cortex,a b": func() Answer {
			return r.VecgrepRemember(t.Context(), "repo=r", 0.5, []string{"cortex", "a,b", " "})
		},
	} {
		a := ask()
		if strings.Join(a.Argv, " ") != want {
			t.Errorf("got %q, want %q", a.Argv, want)
		}
		if a.Operation != "memory remember" && (a.Class != Unavailable || !strings.Contains(a.Cause, "no index")) {
			t.Errorf("%s: %s (%s), want unavailable for want of an index", want, a.Class, a.Cause)
		}
	}
}

func TestVecgrepsHitsArePassages(t *testing.T) {
	t.Parallel()
	found, a := answering(t, Vecgrep, map[string]string{"search": goodSearch}, "calc.sh").VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 8})
	want := VecgrepHit{File: "calc.sh", Start: 1, End: 1, Symbol: "add", Language: "sh", Text: "add() { echo; }", Score: 0.8}
	if len(found.Hits) != 1 || found.Hits[0] != want || found.Keyword || found.Dropped != 0 || a.Class != Authoritative {
		t.Errorf("got %+v, %s (%s)", found, a.Class, a.Cause)
	}
}

// hits is an envelope of hits that differ from the good one as told.
func hits(t *testing.T, changes ...map[string]any) string {
	t.Helper()
	var all []string
	for _, change := range changes {
		var h map[string]any
		if err := json.Unmarshal([]byte(goodHit), &h); err != nil {
			t.Fatal(err)
		}
		for k, v := range change {
			h[k] = v
		}
		text, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return strings.Replace(goodSearch, goodHit, strings.Join(all, ","), 1)
}

func TestHitsWithoutAPlaceOrAStatementAreDropped(t *testing.T) {
	t.Parallel()
	elsewhere := filepath.Join(t.TempDir(), "calc.sh")
	if err := os.WriteFile(elsewhere, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text := hits(t, map[string]any{"chunk_type": "heading"}, map[string]any{"chunk_type": "import_block"}, map[string]any{"content": "}\n)\n"},
		map[string]any{"content": ""}, map[string]any{"relative_path": "../calc.sh"}, map[string]any{"relative_path": "gone.sh"},
		map[string]any{"file_path": elsewhere}, map[string]any{"file_path": "/srv/gone/calc.sh", "start_line": -3, "end_line": -9, "score": 0.01})
	found, a := answering(t, Vecgrep, map[string]string{"search": text}, "calc.sh").VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 20})
	if len(found.Hits) != 1 || found.Dropped != 7 || found.Hits[0].Start != 1 || found.Hits[0].End != 1 || a.Class != Authoritative {
		t.Errorf("got %+v, %s (%s); want the last of 8", found, a.Class, a.Cause)
	}
	low := hits(t, map[string]any{"score": 0.09}, map[string]any{"score": -1})
	if found, a := answering(t, Vecgrep, map[string]string{"search": low}, "calc.sh").VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 8}); len(found.Hits) != 0 || found.Dropped != 2 || a.Class != Authoritative {
		t.Errorf("scores below 0.10: got %+v, %s (%s); want no hits", found, a.Class, a.Cause)
	}
	many := hits(t, nil, nil, nil, nil)
	if found, _ := answering(t, Vecgrep, map[string]string{"search": many}, "calc.sh").VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 2}); len(found.Hits) != 2 {
		t.Errorf("%d hits, asked for 2", len(found.Hits))
	}
}

func TestAbsolutePathsInTheWorkspaceDecide(t *testing.T) {
	t.Parallel()
	r := answering(t, Vecgrep, nil, "sub/calc.sh", "calc.sh")
	text := hits(t, map[string]any{"file_path": filepath.Join(r.Workspace, "sub", "calc.sh"), "relative_path": "calc.sh"})
	r.Environ = faked(t, Vecgrep, printing(t, text, 0)).Environ
	if found, _ := r.VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 8}); len(found.Hits) != 1 || found.Hits[0].File != "sub/calc.sh" {
		t.Errorf("got %+v, want sub/calc.sh", found)
	}
}

func TestWhatVecgrepCannotPromiseIsPartial(t *testing.T) {
	t.Parallel()
	index := func(text string) string {
		return strings.Replace(goodSearch, `"index":{"indexed":true,"fresh":true,"chunks":3}`, `"index":`+text, 1)
	}
	for name, tt := range map[string]struct {
		body    string
		want    Class
		keyword bool
		hits    int
		cause   string
	}{
		"only by words":        {fmt.Sprintf("echo '%s' >&2; %s", downAtQuery, printing(t, goodSearch, 0)), Partial, true, 1, "by words alone"},
		"stale":                {printing(t, index(`{"indexed":true,"fresh":false,"chunks":3}`), 0), Partial, false, 1, "not fresh"},
		"no freshness":         {printing(t, index(`{"indexed":true}`), 0), Partial, false, 1, "whether its index is fresh"},
		"no index":             {printing(t, index(`{"indexed":false,"fresh":false,"chunks":0}`), 0), Unavailable, false, 0, "no index"},
		"no collection":        {fmt.Sprintf(`printf '%%s' "%s" >&2; exit 1`, noCollection), Unavailable, false, 0, "no index"},
		"schema 0":             {printing(t, strings.Replace(goodSearch, `"schema_version":1,`, "", 1), 0), Authoritative, false, 1, ""},
		"no hits member":       {printing(t, `{"schema_version":1,"index":{"indexed":true,"fresh":true}}`, 0), Partial, false, 0, `no "hits"`},
		"null hits":            {printing(t, strings.Replace(goodSearch, `[`+goodHit+`]`, "null", 1), 0), Partial, false, 0, `no "hits"`},
		"hits of another kind": {printing(t, strings.Replace(goodSearch, goodHit, `"calc.sh"`, 1), 0), Partial, false, 0, "not the JSON"},
		"by meaning it fails":  {`case "$*" in *hybrid*) echo 'Error: embed query: connection refused' >&2; exit 1;; esac; ` + printing(t, goodSearch, 0), Partial, true, 1, "connection refused"},
		"it fails":             {"echo 'Error: disk' >&2; exit 1", Failed, false, 0, "by words alone: exit 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := answering(t, Vecgrep, nil, "calc.sh")
			r.Environ = faked(t, Vecgrep, tt.body).Environ
			found, a := r.VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 20})
			if a.Class != tt.want || found.Keyword != tt.keyword || len(found.Hits) != tt.hits || !strings.Contains(a.Cause, tt.cause) {
				t.Errorf("got %+v, %s (%s); want %s (…%s…)", found, a.Class, a.Cause, tt.want, tt.cause)
			}
		})
	}
}

func TestASlowSearchByMeaningIsFollowedByOneByWords(t *testing.T) {
	t.Parallel()
	r := answering(t, Vecgrep, nil, "calc.sh")
	r.Environ = faked(t, Vecgrep, `case "$*" in *hybrid*) sleep 60;; *"-n 8"*) ;; *) exit 9;; esac; `+printing(t, goodSearch, 0)).Environ
	r.Timeouts = map[string]time.Duration{Vecgrep: 300 * time.Millisecond}
	found, a := r.VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 20})
	if !found.Keyword || len(found.Hits) != 1 || a.Class != Partial || a.Attempts != 2 || !strings.Contains(a.Cause, "timed out") {
		t.Errorf("got %+v, %s (%s) after %d attempts", found, a.Class, a.Cause, a.Attempts)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, a := r.VecgrepSearch(ctx, VecgrepQuery{Text: "q", Limit: 20}); a.Class != Partial || a.Attempts != 1 {
		t.Errorf("after the end of the call: %s (%s) after %d attempts, want one", a.Class, a.Cause, a.Attempts)
	}
}

func TestOlderVecgrepIsAskedForTheBareList(t *testing.T) {
	t.Parallel()
	for _, complaint := range []string{`unsupported output format \"json-envelope\"`, `invalid format: json-envelope`} {
		r := answering(t, Vecgrep, nil, "calc.sh")
		r.Environ = faked(t, Vecgrep, fmt.Sprintf(`case "$*" in *envelope) echo "Error: %s" >&2; exit 1;; esac; `, complaint)+printing(t, "["+goodHit+"]", 0)).Environ
		found, a := r.VecgrepSearch(t.Context(), VecgrepQuery{Text: "q", Limit: 8})
		if len(found.Hits) != 1 || a.Class != Partial || a.Attempts != 2 || !strings.HasSuffix(strings.Join(a.Argv, " "), "-m hybrid -n 8 -f json") {
			t.Errorf("%s: got %+v, %s (%s) by %q", complaint, found, a.Class, a.Cause, a.Argv)
		}
	}
}

func TestVecgrepStatusKnowsMissingAndStaleIndexes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Class{
		strings.Replace(goodVecgrep, `"index_fresh":true`, `"index_fresh":false`, 1):        Partial,
		strings.Replace(goodVecgrep, `"total_pending":0`, `"total_pending":2`, 1):           Partial,
		strings.Replace(goodVecgrep, `"total_pending":0`, `"total_pending":-2`, 1):          Partial,
		strings.Replace(goodVecgrep, `"chunks":3`, `"chunks":0`, 1):                         Unavailable,
		strings.Replace(goodVecgrep, `"index_fresh":true,`, ``, 1):                          Partial,
		strings.Replace(goodVecgrep, `,"pending_changes":{"total_pending":0}`, ``, 1):       Authoritative,
		strings.Replace(goodVecgrep, `"stats":{"chunks":3,"files":1}`, `"stats":"many"`, 1): Partial,
	} {
		if _, a := answering(t, Vecgrep, map[string]string{"status": text}).VecgrepStatus(t.Context()); a.Class != want {
			t.Errorf("%s: %s (%s), want %s", text, a.Class, a.Cause, want)
		}
	}
}

func TestMemoriesHaveContent(t *testing.T) {
	t.Parallel()
	r := answering(t, Vecgrep, map[string]string{"memory recall": goodRecall})
	got, a := r.VecgrepRecall(t.Context(), "q", 3, nil)
	if len(got) != 1 || got[0].Content != "a note" || got[0].Score != 0.65 || a.Class != Authoritative {
		t.Errorf("got %+v, %s (%s)", got, a.Class, a.Cause)
	}
	for text, want := range map[string]Class{`[]`: Authoritative, `[{}]`: Partial, `["x"]`: Partial, `{"memories":[]}`: Partial} {
		if got, a := answering(t, Vecgrep, map[string]string{"memory recall": text}).VecgrepRecall(t.Context(), "q", 3, nil); len(got) != 0 || a.Class != want {
			t.Errorf("%s: got %+v, %s (%s), want %s", text, got, a.Class, a.Cause, want)
		}
	}
}

func FuzzVecgrep(f *testing.F) {
	for _, seed := range []string{goodSearch, "[" + goodHit + "]", goodRecall, goodVecgrep, `null`, `{"hits":[null],"index":{}}`, "\xff"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, said []byte, bare bool) {
		a := Answer{Class: Authoritative, Stdout: said}
		hits, ok := a.vecgrepHits(bare)
		if !ok && a.Class == Authoritative || a.Class != Authoritative && a.Cause == "" {
			t.Errorf("%q: %s (%q), read %t", said, a.Class, a.Cause, ok)
		}
		for _, h := range (Runner{Workspace: t.TempDir()}).passages(hits, 5).Hits {
			t.Errorf("%q: a hit in an empty workspace: %+v", said, h)
		}
	})
}
