package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"cortex/internal/problem"

	"github.com/google/go-cmp/cmp"
)

func stashSubjects() []subject {
	return []subject{
		{name: "fcheap info", tool: Fcheap, good: `{"id":"fc_1","files":[{"path":"log.txt","size":6}]}`,
			ask: func(ctx context.Context, r Runner) (any, Answer) { return pair(r.FcheapInfo(ctx, "fc_1")) }},
		{name: "fcheap save", tool: Fcheap, writes: true, good: `{"id":"fc_1"}`,
			ask: func(ctx context.Context, r Runner) (any, Answer) {
				return pair(r.FcheapSave(ctx, r.Workspace, Glyphrun, []string{"cortex"}, true))
			}},
		{name: "fcheap search", tool: Fcheap, good: `[{"stash_id":"fc_1","score":0.7,"text":"panic","file":"log.txt","source":"text"}]`,
			ask: func(ctx context.Context, r Runner) (any, Answer) { return pair(r.FcheapSearch(ctx, "panic", 5)) }},
		{name: "fcheap list", tool: Fcheap, good: `[{"id":"fc_1","name":"run","tool":"glyphrun","tags":["cortex"],"file_count":3,"total_size":9,"created_at":"x"}]`,
			ask: func(ctx context.Context, r Runner) (any, Answer) { return pair(r.FcheapList(ctx, "cortex")) }},
		{name: "fcheap connect", tool: Fcheap, good: `{"matches":[],"index_status":"indexed"}`,
			ask: func(ctx context.Context, r Runner) (any, Answer) { return pair(r.FcheapConnect(ctx, "fc_1", "add", 5)) }},
		{name: "fcheap restore", tool: Fcheap, good: `{}`, plain: true,
			ask: func(ctx context.Context, r Runner) (any, Answer) {
				s, a := r.FcheapRestore(ctx, "fc_1")
				if s != nil {
					return s.Close(), a
				}
				return nil, a
			}},
	}
}

func pair[T any](v T, a Answer) (any, Answer) { return v, a }

// told is the runner of a tool that prints text and ends with status 0.
func told(t *testing.T, name, text string) Runner { return faked(t, name, printing(t, text, 0)) }

func TestFcheapIsAskedWithTheseWords(t *testing.T) {
	t.Parallel()
	r := faked(t, Fcheap, "exit 1")
	for want, ask := range map[string]func(context.Context) Answer{
		"fcheap info fc_1 --json": func(ctx context.Context) Answer { _, a := r.FcheapInfo(ctx, "fc_1"); return a },
		"fcheap save /run --json --tool glyphrun --tag cortex --tag repo:r --tag terminal --tag failed-run --index": func(ctx context.Context) Answer {
			_, a := r.FcheapSave(ctx, "/run", Glyphrun, []string{"cortex", "repo:r", "terminal", "failed-run"}, true)
			return a
		},
		"fcheap save /run --json --tool x":                                    func(ctx context.Context) Answer { _, a := r.FcheapSave(ctx, "/run", "x", nil, false); return a },
		"fcheap search " + operand("--exec sh") + " --limit 1 --json":         func(ctx context.Context) Answer { _, a := r.FcheapSearch(ctx, "--exec sh", 0); return a },
		"fcheap list --json --tag repo:r":                                     func(ctx context.Context) Answer { _, a := r.FcheapList(ctx, "repo:r"); return a },
		"fcheap list --json":                                                  func(ctx context.Context) Answer { _, a := r.FcheapList(ctx, ""); return a },
		"fcheap connect fc_1 " + r.Workspace + " --limit 50 --json --query q": func(ctx context.Context) Answer { _, a := r.FcheapConnect(ctx, "fc_1", "q", 99); return a },
	} {
		if got := strings.Join(ask(t.Context()).Argv, " "); got != want {
			t.Errorf("ran %q, want %q", got, want)
		}
	}
}

func TestWhatIsNoStashIsNotAskedFor(t *testing.T) {
	t.Parallel()
	r := told(t, Fcheap, `{"id":"x","files":[],"matches":[],"index_status":"indexed"}`)
	for _, id := range []string{"", "-x", "--help", "../x", "a/b", "a b", "a\x00", "é", strings.Repeat("a", 300), ".", "_x"} {
		_, info := r.FcheapInfo(t.Context(), id)
		_, link := r.FcheapConnect(t.Context(), id, "", 1)
		s, back := r.FcheapRestore(t.Context(), id)
		for _, a := range []Answer{info, link, back} {
			if a.Class != Failed || a.Attempts > 0 || a.Cause == "" || s != nil {
				t.Errorf("%q: %s %s after %d attempts, want refused unasked", id, a.Operation, a.Class, a.Attempts)
			}
		}
	}
	if _, a := r.FcheapSave(t.Context(), "run", "x", nil, false); a.Class != Failed || a.Attempts > 0 {
		t.Errorf("a relative path was kept: %+v", a)
	}
}

func TestAStashIsTakenOnlyAsItIsDescribed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		class Class
		files int
	}{
		`{"id":"fc_1","files":[{"path":"a","size":1},{"path":"b/c","size":0}]}`: {Authoritative, 2},
		`{"id":"fc_1","files":[]}`:                                                      {Authoritative, 0},
		`{"id":"fc_2","files":[{"path":"a","size":1}]}`:                                 {Partial, 0},
		`{"id":"fc_1","files":null}`:                                                    {Partial, 0},
		`{"id":"fc_1","file_list":[{"path":"a","size":1}]}`:                             {Partial, 0},
		`{"id":"fc_1","files":[{"path":"../a","size":1},{"path":"b","size":1}]}`:        {Partial, 1},
		`{"id":"fc_1","files":[{"path":"a"},{"path":"b","size":-1}]}`:                   {Partial, 0},
		`{"id":"fc_1","files":[{"path":"/etc/passwd","size":1},{"path":".","size":1}]}`: {Partial, 0},
	} {
		a := printed(text, 0)
		if info := parseStashInfo(a, "fc_1"); a.Class != want.class || len(info.Files) != want.files {
			t.Errorf("%s: %s (%s) with %+v, want %+v", text, a.Class, a.Cause, info, want)
		}
	}
	for text, want := range map[string]Class{`{"id":"fc_2"}`: Authoritative, `{"id":"--x"}`: Partial, `{"stash":"fc_2"}`: Partial, `"fc_2"`: Partial} {
		a := printed(text, 0)
		if id := parseSaved(a); a.Class != want || (id != "") != (want == Authoritative) {
			t.Errorf("save said %s: %q, %s (%s)", text, id, a.Class, a.Cause)
		}
	}
}

func TestNothingIndexedIsNothingFound(t *testing.T) {
	t.Parallel()
	if hits, a := told(t, Fcheap, `[]`).FcheapSearch(t.Context(), "q", 3); len(hits) != 0 || a.Class != Authoritative {
		t.Errorf("hits %+v, %s (%s)", hits, a.Class, a.Cause)
	}
	if hits, a := told(t, Fcheap, `[{"stash_id":"../x"},{"stash_id":"fc_1","file":"l"}]`).FcheapSearch(t.Context(), "q", 3); len(hits) != 1 || a.Class != Partial {
		t.Errorf("hits %+v, %s (%s)", hits, a.Class, a.Cause)
	}
	if lines, a := told(t, Fcheap, `[{"id":"fc 1"}]`).FcheapList(t.Context(), ""); len(lines) != 0 || a.Class != Partial {
		t.Errorf("list %+v, %s (%s)", lines, a.Class, a.Cause)
	}
}

func TestConnectedPlacesAreThoseOfTheWorkspace(t *testing.T) {
	t.Parallel()
	r := faked(t, Fcheap, "")
	for _, name := range []string{"a/b.go", "c.go", "e"} {
		place(t, r, name, "x")
	}
	text := fmt.Sprintf(`{"matches":[{"file":"a/b.go","line":3},{"file":"%s/c.go","line":1},{"file":"/etc/passwd"},{"file":"../d"},{"file":"e","line":-1}],"index_status":"indexed"}`, r.Workspace)
	r.Environ = told(t, Fcheap, text).Environ
	links, a := r.FcheapConnect(t.Context(), "fc_1", "", 10)
	if diff := cmp.Diff([]StashLink{{File: "a/b.go", Line: 3}, {File: "c.go", Line: 1}}, links); diff != "" || a.Class != Partial {
		t.Errorf("%s (%s) (-want +got):\n%s", a.Class, a.Cause, diff)
	}
	for _, status := range []string{"missing", "someday"} {
		a := printed(`{"matches":[],"index_status":"`+status+`"}`, 0)
		if r.parseStashLinks(a); a.Class != Partial || !strings.Contains(a.Cause, status) {
			t.Errorf("index %s: %s (%s), want partial", status, a.Class, a.Cause)
		}
	}
}

func TestRestoreAsksFcheapForTheStash(t *testing.T) {
	t.Parallel()
	r := faked(t, Fcheap, `test "$1 $2 $3 $5 $#" = "restore fc_1 --to --json 5" && echo "$4" >"$4/a.txt"`)
	s, err := r.RestoreStash(t.Context(), "fc_1")
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := s.Read("a.txt", 1000)
	if err != nil || strings.TrimSpace(string(data)) != s.dir {
		t.Errorf("it restored to %q (%v), want %s", data, err, s.dir)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestRestoreSaysWhyThereIsNothing(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]string{
		"not on PATH":           "",
		"exit 3: no such stash": `echo "no such stash." >&2; echo more >&2; exit 3`,
		"exit 4: out":           `echo out; exit 4`,
		"it said nothing":       `exit 1`,
		"gone: it was dropped":  `echo '{"ok":false,"code":"gone","error":"it was dropped"}'`,
	} {
		r := faked(t, Fcheap, body)
		if body == "" {
			r.Environ = []string{"PATH=" + t.TempDir()}
		}
		s, err := r.RestoreStash(t.Context(), "fc_1")
		p := problem.From(err)
		if s != nil || p == nil || p.Code != problem.ToolUnavailable || !strings.Contains(p.Message, want) || p.NoStep == "" {
			t.Errorf("RestoreStash = %v, %+v; want tool_unavailable with %q", s, p, want)
		}
	}
}

// TestARestoreThatEndsEarlyLeavesNothing has a directory for temporary files of its own, so it is not parallel.
func TestARestoreThatEndsEarlyLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := faked(t, Fcheap, `sleep 60`).RestoreStash(ctx, "fc_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("RestoreStash = %v, want canceled", err)
	}
	if s, a := faked(t, Fcheap, `echo x >"$4/a"; exit 2`).FcheapRestore(t.Context(), "fc_1"); s != nil || a.Class != Failed {
		t.Errorf("a failed restore: %v, %s", s, a.Class)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func FuzzFcheapAnswers(f *testing.F) {
	for _, s := range stashSubjects() {
		f.Add(s.good)
	}
	f.Add(`{"ok":false,"error":"x"}`)
	f.Add(`null`)
	f.Add(`{"id":"fc_1","files":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		answer := func() *Answer { return &Answer{Class: Authoritative, Stdout: []byte(text)} }
		a := answer()
		if info := parseStashInfo(a, "fc_1"); a.Class == Authoritative && info.ID != "fc_1" {
			t.Errorf("%q: %+v", text, info)
		}
		a = answer()
		if id := parseSaved(a); a.Class == Authoritative && !stashID(id) {
			t.Errorf("%q: saved %q", text, id)
		}
		a = answer()
		parseStashHits(a)
		if !strings.HasPrefix(strings.TrimSpace(text), "[") && a.Class == Authoritative {
			t.Errorf("%q is no list of hits", text)
		}
		parseStashList(answer())
		if links := (Runner{Workspace: "/nowhere"}).parseStashLinks(answer()); len(links) > 0 {
			t.Errorf("%q: %+v", text, links)
		}
	})
}
