package tool

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cortex/internal/testkit"
)

const (
	glyphPassed = `{"$schema":"urn:glyphrun.dev:run:v1","schemaVersion":1,"runId":"r1-pass","specName":"pass","specPath":"specs/pass.yml","status":"passed",` +
		`"durationMs":46,"outcomes":[{"id":"greets","status":"passed","message":"screen contains \"hello\"","evidence":"outcomes/greets.md"},{"id":"exit","status":"passed"}],` +
		`"artifacts":{},"runDir":"/nowhere/r1-pass","exitCode":0,"steps":[{"index":1,"kind":"wait","status":"passed"},{"index":2,"kind":"press","status":"passed"}]}`
	glyphFailed = `{"schemaVersion":1,"runId":"r2-fail","specPath":"specs/pass.yml","status":"failed","durationMs":5047,"outcomes":[{"id":"greets","status":"failed",` +
		`"message":"timed out after 5s: expected screen to contain \"good-bye\"","evidence":"outcomes/greets.md"},{"id":"exit","status":"passed"}],"exitCode":1}`
	glyphMissing = `{"schemaVersion":1,"runId":"r3","specName":"missing","specPath":"specs/pass.yml","status":"errored","errorKind":"spec_parse",` +
		`"diagnostic":"open specs/pass.yml: no such file or directory","durationMs":0,"outcomes":[],"runDir":"","exitCode":4}`
	cairnPassed = `{"$schema":"urn:cairntrace.dev:run:v1","version":"1","runId":"c1","runDir":"/nowhere/c1","spec":{"name":"pass","path":"specs/pass.yml","contractHash":"sha256:7f"},` +
		`"backend":"playwright","status":"passed","summary":"2/2 outcomes passed","durationMs":2175,"outcomes":[{"id":"url","status":"passed","evidence":"outcomes/url.md"}],` +
		`"steps":[{"id":"open","status":"passed","durationMs":733,"artifacts":["snapshots/001_open.txt"]}],"exitCode":0}`
	cairnFailed = `{"version":"1","runId":"c2","spec":{"path":"specs/pass.yml"},"backend":"playwright","status":"failed","summary":"outcome 'text' failed",` +
		`"failure":{"outcome":"text","message":"outcome 'text' failed: actual not found"},"outcomes":[{"id":"url","status":"passed","evidence":"outcomes/url.md"},` +
		`{"id":"text","status":"failed","evidence":"outcomes/text.md"}],"steps":[{"id":"open","status":"passed"}],"exitCode":1}`
	cairnNoBrowser = `{"version":"1","runId":"c3","spec":{"path":"specs/pass.yml"},"backend":"agent-browser","status":"failed","summary":"step 'open' failed: exit -1",` +
		`"failure":{"step":"open","message":"exit -1"},"outcomes":[{"id":"url","status":"failed","evidence":"outcomes/url.md"},{"id":"text","status":"failed","evidence":"outcomes/text.md"}],` +
		`"steps":[{"id":"open","status":"failed","durationMs":29,"error":"exit -1","artifacts":["diagnostics/001_open.json"]}],"exitCode":1}`
	cairnMock = `{"version":"1","runId":"c4","spec":{"path":"specs/pass.yml"},"backend":"mock","status":"passed","outcomes":[{"id":"url","status":"passed","evidence":"outcomes/url.md"}],` +
		`"steps":[{"id":"open","status":"passed"}],"exitCode":0}`
	bothBrowsers = `{"ok":true,"checks":[{"name":"node","ok":true,"detail":"node 26"},{"name":"agent-browser","ok":true},{"name":"playwright-package","ok":true},{"name":"playwright-chromium","ok":true}]}`
	noBrowser    = `{"ok":false,"checks":[{"name":"agent-browser","ok":false,"detail":"agent-browser not on $PATH"},{"name":"playwright-package","ok":true},` +
		`{"name":"playwright-chromium","ok":false,"detail":"Chromium executable missing — run bunx playwright install chromium"},{"name":"fcheap","ok":false}]}`
)

func flowSubjects() []subject {
	const spec = "specs/pass.yml"
	return []subject{
		{name: "glyph run", tool: Glyphrun, good: glyphPassed, future: strings.Replace(glyphPassed, `"schemaVersion":1`, `"schemaVersion":2`, 1),
			ask: func(ctx context.Context, r Runner) (any, Answer) { f, a := r.TerminalFlow(ctx, spec); return f, a }},
		{name: "glyph affected", tool: Glyphrun, good: `{"specs":[{"path":"specs/pass.yml"}]}`, future: `{"schemaVersion":2,"specs":[{"path":"specs/pass.yml"}]}`,
			ask: func(ctx context.Context, r Runner) (any, Answer) {
				s, a := r.AffectedTerminalSpecs(ctx, "HEAD")
				return s, a
			}},
		{name: "cairn run", tool: Cairntrace, good: cairnPassed, future: strings.Replace(cairnPassed, `"version":"1"`, `"version":"2"`, 1),
			ask: func(ctx context.Context, r Runner) (any, Answer) { f, a := r.BrowserFlow(ctx, spec, ""); return f, a }},
		{name: "cairn select", tool: Cairntrace, good: `{"codemapAvailable":false,"selected":[{"name":"pass","path":"specs/pass.yml"}],"skipped":[]}`, future: `{"version":"2","selected":[]}`,
			ask: func(ctx context.Context, r Runner) (any, Answer) {
				s, a := r.AffectedBrowserSpecs(ctx, "")
				return s, a
			}},
		{name: "cairn doctor", tool: Cairntrace, good: bothBrowsers,
			ask: func(ctx context.Context, r Runner) (any, Answer) { b, a := r.Browsers(ctx); return b, a }},
	}
}

func TestFlowsAreJudgedByAllThatIsSaid(t *testing.T) {
	t.Parallel()
	swap := strings.NewReplacer
	for name, tt := range map[string]struct {
		tool, text string
		exit       int
		want       FlowStatus
		why        string
	}{
		"glyph passed":               {Glyphrun, glyphPassed, 0, FlowPassed, ""},
		"glyph passed, in a list":    {Glyphrun, `{"results":[` + glyphPassed + `]}`, 0, FlowPassed, ""},
		"glyph, two runs":            {Glyphrun, `{"results":[` + glyphPassed + `,` + glyphPassed + `]}`, 0, FlowErrored, "2 runs"},
		"glyph, no runs":             {Glyphrun, `{"results":[]}`, 0, FlowErrored, "0 runs"},
		"glyph failed":               {Glyphrun, glyphFailed, 1, FlowFailed, ""},
		"glyph, spec missing":        {Glyphrun, glyphMissing, 4, FlowErrored, "spec_parse"},
		"cairn passed":               {Cairntrace, cairnPassed, 0, FlowPassed, ""},
		"cairn failed":               {Cairntrace, cairnFailed, 1, FlowFailed, "actual not found"},
		"cairn mock":                 {Cairntrace, cairnMock, 0, FlowErrored, "mock"},
		"cairn of a later backend":   {Cairntrace, swap(`"playwright"`, `"telepathy"`).Replace(cairnPassed), 0, FlowErrored, "telepathy"},
		"cairn, no browser":          {Cairntrace, cairnNoBrowser, 1, FlowErrored, "first step"},
		"passed with status 1":       {Glyphrun, glyphPassed, 1, FlowErrored, "exit status"},
		"passed, said otherwise":     {Glyphrun, swap(`"exitCode":0`, `"exitCode":1`).Replace(glyphPassed), 0, FlowErrored, "exit status"},
		"failed with status 0":       {Glyphrun, swap(`"exitCode":1`, `"exitCode":0`).Replace(glyphFailed), 0, FlowErrored, "exit status 0"},
		"passed without outcomes":    {Glyphrun, `{"schemaVersion":1,"specPath":"specs/pass.yml","status":"passed","outcomes":[],"exitCode":0}`, 0, FlowErrored, "no outcome"},
		"passed, outcome failed":     {Glyphrun, swap(`"id":"exit","status":"passed"`, `"id":"exit","status":"failed"`).Replace(glyphPassed), 0, FlowErrored, "outcome exit failed"},
		"passed, outcome unknown":    {Glyphrun, swap(`"id":"exit","status":"passed"`, `"id":"exit","status":"great"`).Replace(glyphPassed), 0, FlowErrored, "great"},
		"passed, outcome unsaid":     {Glyphrun, swap(`"id":"exit","status":"passed"`, `"id":"exit"`).Replace(glyphPassed), 0, FlowErrored, "nothing"},
		"passed, step failed":        {Glyphrun, swap(`"kind":"press","status":"passed"`, `"kind":"press","status":"failed"`).Replace(glyphPassed), 0, FlowErrored, "press"},
		"passed with an error":       {Glyphrun, swap(`"status":"passed","durationMs"`, `"status":"passed","errorKind":"timeout","durationMs"`).Replace(glyphPassed), 0, FlowErrored, "timeout"},
		"another spec":               {Glyphrun, swap(`specs/pass.yml`, `specs/other.yml`).Replace(glyphPassed), 0, FlowErrored, "another spec"},
		"another contract":           {Glyphrun, swap(`"status":"passed","durationMs"`, `"contractHash":"a","expectedHash":"b","status":"passed","durationMs"`).Replace(glyphPassed), 0, FlowErrored, "contract"},
		"contract changed":           {Glyphrun, swap(`"status":"failed","durationMs"`, `"status":"failed","errorKind":"contract_hash_mismatch","durationMs"`).Replace(glyphFailed), 1, FlowErrored, "contract_hash_mismatch"},
		"an unknown status":          {Glyphrun, swap(`"status":"passed","durationMs"`, `"status":"splendid","durationMs"`).Replace(glyphPassed), 0, FlowErrored, "splendid"},
		"no status":                  {Glyphrun, `{"schemaVersion":1,"outcomes":[{"id":"a","status":"passed"}]}`, 0, FlowErrored, "no status"},
		"outcomes of another shape":  {Glyphrun, `{"status":"passed","outcomes":{"a":"passed"}}`, 0, FlowErrored, "JSON"},
		"more behind the answer":     {Glyphrun, glyphPassed + "\ndone", 0, FlowErrored, "JSON"},
		"a status twice":             {Glyphrun, swap(`"status":"passed","durationMs"`, `"status":"failed","status":"passed","durationMs"`).Replace(glyphPassed), 0, FlowErrored, "twice"},
		"a status in two cases":      {Glyphrun, swap(`"status":"passed","durationMs"`, `"status":"failed","Status":"passed","durationMs"`).Replace(glyphPassed), 0, FlowErrored, "twice"},
		"an outcome told twice":      {Glyphrun, swap(`"id":"exit","status":"passed"`, `"id":"exit","status":"failed","status":"passed"`).Replace(glyphPassed), 0, FlowErrored, "twice"},
		"without version and path":   {Glyphrun, `{"status":"passed","outcomes":[{"id":"a","status":"passed"}]}`, 0, FlowPassed, ""},
		"failed without a version":   {Glyphrun, `{"status":"failed","outcomes":[{"id":"o1","status":"failed","message":"boom"}]}`, 1, FlowFailed, ""},
		"a version of another shape": {Cairntrace, swap(`"version":"1"`, `"version":{"major":1}`).Replace(cairnPassed), 0, FlowErrored, "version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := printed(tt.text, tt.exit)
			f := (Runner{Workspace: t.TempDir()}).flowOf(a, "specs/pass.yml")
			if f.Status != tt.want || !strings.Contains(f.Reason, tt.why) {
				t.Errorf("%s (%q), want %s with %q; it printed %s with status %d", f.Status, f.Reason, tt.want, tt.why, tt.text, tt.exit)
			}
			if verdict := tt.want != FlowErrored; verdict != (a.Class == Authoritative) || !verdict && a.Cause == "" {
				t.Errorf("class %s (%q) for %s", a.Class, a.Cause, f.Status)
			}
		})
	}
}

func TestASpecThatCairnCannotReadIsNoVerdict(t *testing.T) {
	t.Parallel()
	f, a := faked(t, Cairntrace, "exit 2").BrowserFlow(t.Context(), "specs/pass.yml", "")
	if f.Status != FlowErrored || !strings.Contains(f.Reason, "could not read the spec") || a.Class == Authoritative {
		t.Errorf("%s (%q), class %s", f.Status, f.Reason, a.Class)
	}
}

func TestAFailureNamesWhatFailed(t *testing.T) {
	t.Parallel()
	f, _ := faked(t, Glyphrun, printing(t, glyphFailed, 1)).TerminalFlow(t.Context(), "specs/pass.yml")
	want := FlowFailure{"outcome", "greets", "failed", `timed out after 5s: expected screen to contain "good-bye"`}
	if len(f.Failed) != 1 || f.Failed[0] != want || f.Outcomes != 2 || f.RunID != "r2-fail" || f.DurationMS != 5047 {
		t.Errorf("got %+v, want the one outcome %+v", f, want)
	}
	text := strings.ReplaceAll(cairnNoBrowser, "exit -1", `line\u001b[31m one\nline two`)
	f, _ = faked(t, Cairntrace, printing(t, text, 1)).BrowserFlow(t.Context(), "specs/pass.yml", "")
	if f.Status != FlowErrored || !strings.Contains(f.Reason, "one line two") {
		t.Errorf("got %+v, want errored and why on one line", f)
	}
	for _, part := range []string{"\n", "\x1b"} {
		if strings.Contains(f.Reason, part) {
			t.Errorf("reason %q holds %q", f.Reason, part)
		}
	}
}

func TestEveryOutcomeThatFailedIsCounted(t *testing.T) {
	t.Parallel()
	outcomes := strings.Repeat(`{"id":"x","status":"failed"},`, maxFlowFailed+5) + `{"id":"y","status":"passed"}`
	f := (Runner{Workspace: t.TempDir()}).flowOf(printed(`{"status":"failed","outcomes":[`+outcomes+`]}`, 1), "a.yml")
	if f.Status != FlowFailed || f.Outcomes != maxFlowFailed+6 || f.NotPassed != maxFlowFailed+5 || len(f.Failed) != maxFlowFailed {
		t.Errorf("%s: %d of %d outcomes did not pass, %d are told", f.Status, f.NotPassed, f.Outcomes, len(f.Failed))
	}
}

func TestAFirstStepThatFailedCountsOnlyWhenSomebodyLooked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := strings.Replace(cairnNoBrowser, `"runId":"c3"`, `"runId":"c3","runDir":"`+filepath.ToSlash(dir)+`"`, 1)
	run := func(text string) FlowStatus {
		f, _ := faked(t, Cairntrace, printing(t, text, 1)).BrowserFlow(t.Context(), "specs/pass.yml", "")
		return f.Status
	}
	timedOut := strings.ReplaceAll(said, "exit -1", "page did not load")
	if got := run(timedOut); got != FlowErrored {
		t.Errorf("named evidence that is not there: %s, want errored", got)
	}
	if err := os.MkdirAll(filepath.Join(dir, "outcomes"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "outcomes", "url.md"), []byte("expected /two.html"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(timedOut); got != FlowFailed {
		t.Errorf("with evidence: %s, want failed", got)
	}
	if got := run(said); got != FlowErrored {
		t.Errorf("a browser that does not start: %s, want errored", got)
	}
}

func TestFlowsAreAskedForAsDocumented(t *testing.T) {
	t.Parallel()
	r := faked(t, Glyphrun, printing(t, glyphPassed, 0))
	_, a := r.TerminalFlow(t.Context(), "specs/a.yml")
	if want := []string{"glyph", "run", "specs/a.yml", "--format", "json", "--progress", "never", "--artifact-root"}; !slices.Equal(a.Argv[:len(a.Argv)-1], want) || !within(r.Artifacts, a.Argv[len(a.Argv)-1]) {
		t.Errorf("argv %q, want %q and a directory in %s", a.Argv, want, r.Artifacts)
	}
	_, a = r.AffectedTerminalSpecs(t.Context(), "c1d2d79")
	if want := []string{"glyph", "affected-specs", "--format", "json", "--since", "c1d2d79"}; !slices.Equal(a.Argv, want) {
		t.Errorf("argv %q, want %q", a.Argv, want)
	}
	r = faked(t, Cairntrace, printing(t, cairnPassed, 0))
	_, a = r.BrowserFlow(t.Context(), "specs/a.yml", "playwright")
	if want := []string{"cairn", "run", "specs/a.yml", "--json", "--backend", "playwright"}; !slices.Equal(a.Argv, want) {
		t.Errorf("argv %q, want %q", a.Argv, want)
	}
	_, a = r.AffectedBrowserSpecs(t.Context(), "HEAD")
	if want := []string{"cairn", "run", ".", "--select-only", "--json", "--since-codemap", "HEAD"}; !slices.Equal(a.Argv, want) {
		t.Errorf("argv %q, want %q", a.Argv, want)
	}
	_, a = r.Browsers(t.Context())
	if want := []string{"cairn", "doctor", "--format", "json"}; !slices.Equal(a.Argv, want) {
		t.Errorf("argv %q, want %q", a.Argv, want)
	}
}

func TestAMissingBrowserIsToldFromAFailure(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text    string
		exit    int
		class   Class
		backend string
		install string
	}{
		"all there":            {bothBrowsers, 0, Authoritative, "", ""},
		"none":                 {noBrowser, 1, Blocked, "", "playwright install chromium"},
		"none, with status 0":  {noBrowser, 0, Blocked, "", "agent-browser not on $PATH"},
		"chromium alone":       {strings.Replace(noBrowser, `"playwright-chromium","ok":false`, `"playwright-chromium","ok":true`, 1), 1, Authoritative, "playwright", ""},
		"agent-browser alone":  {strings.Replace(noBrowser, `"agent-browser","ok":false`, `"agent-browser","ok":true`, 1), 1, Authoritative, "agent-browser", ""},
		"chromium, no library": {`{"checks":[{"name":"playwright-package","ok":false},{"name":"playwright-chromium","ok":true}]}`, 1, Blocked, "", "playwright-package"},
		"says nothing of it":   {`{"checks":[{"name":"node","ok":true}]}`, 0, Partial, "", ""},
		"no state":             {`{"checks":[{"name":"agent-browser"}]}`, 0, Partial, "", ""},
		"an older program":     {"", 2, Failed, "", ""},
	} {
		a := printed(tt.text, tt.exit)
		if b := parseBrowsers(a); a.Class != tt.class || b.Backend != tt.backend || !strings.Contains(b.Install, tt.install) {
			t.Errorf("%s: %s (%s), %+v; want %s, %q, %q", name, a.Class, a.Cause, b, tt.class, tt.backend, tt.install)
		}
	}
}

func TestSelectionsNameSpecsOfTheWorkspaceOnly(t *testing.T) {
	t.Parallel()
	r := faked(t, Glyphrun, "exit 0")
	text := `{"specs":[{"path":"a.yml"},{"path":"` + filepath.ToSlash(filepath.Join(r.Workspace, "b", "c.yml")) + `"},{"path":"../d.yml"},{"path":"/etc/passwd"},{"path":""},{"path":"-x"}]}`
	r2 := faked(t, Glyphrun, printing(t, text, 0))
	r2.Workspace = r.Workspace
	if s, a := r2.AffectedTerminalSpecs(t.Context(), ""); a.Class != Authoritative || !slices.Equal(s.Specs, []string{"a.yml", "b/c.yml"}) || s.Dropped != 4 {
		t.Errorf("%s (%s): %+v, want a.yml and b/c.yml, and 4 dropped", a.Class, a.Cause, s)
	}
	without := faked(t, Glyphrun, "echo codemap is missing >&2; exit 2")
	if s, a := without.AffectedTerminalSpecs(t.Context(), "HEAD"); a.Class != Unavailable || !strings.Contains(a.Cause, "codemap is missing") || s.Specs != nil {
		t.Errorf("without codemap: %s (%s), %+v; want unavailable", a.Class, a.Cause, s)
	}
	for _, text := range []string{`{"specs":null}`, `{"specs":{"path":"a"}}`, `{"specs":["a.yml"]}`, `{}`} {
		a := printed(text, 0)
		if s := r.selection(a, "specs"); a.Class != Partial || s.Specs != nil {
			t.Errorf("%s: %s, %+v; want partial and no spec", text, a.Class, s)
		}
	}
}

func TestRunsLeaveNothingWhenTheyPassed(t *testing.T) {
	t.Parallel()
	leave := `while [ "$1" != --artifact-root ]; do shift; done; mkdir -p "$2/r2-fail"; echo x >"$2/r2-fail/log"; `
	passed := faked(t, Glyphrun, leave+printing(t, glyphPassed, 0))
	if f, _ := passed.TerminalFlow(t.Context(), "specs/pass.yml"); f.RunDir != "" {
		t.Errorf("a passed run keeps %s", f.RunDir)
	}
	if left, err := os.ReadDir(passed.Artifacts); err != nil || len(left) != 0 {
		t.Errorf("a passed run left %v (%v)", left, err)
	}
	failed := faked(t, Glyphrun, leave+printing(t, glyphFailed, 1))
	old := filepath.Join(failed.Artifacts, "glyphrun-old")
	recent := filepath.Join(failed.Artifacts, "glyphrun-recent")
	for dir, age := range map[string]time.Duration{old: 15 * 24 * time.Hour, recent: 13 * 24 * time.Hour} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	f, a := failed.TerminalFlow(t.Context(), "specs/pass.yml")
	if dir := a.Argv[len(a.Argv)-1]; f.RunDir != dir {
		t.Errorf("a failed run is kept in %q, want %s", f.RunDir, dir)
	}
	if _, err := os.Stat(filepath.Join(f.RunDir, "r2-fail", "log")); err != nil {
		t.Errorf("what it left is gone: %v", err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("a run of fifteen days ago is still there")
	}
	if _, err := os.Stat(recent); err != nil {
		t.Errorf("a run of thirteen days ago is gone: %v", err)
	}
}

// TestOnlyTheDirectoryOfTheRunIsKept holds what an answer may name: what is kept is later given to another tool whole.
func TestOnlyTheDirectoryOfTheRunIsKept(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), t.TempDir()
	run := filepath.Join(elsewhere, "r2-fail")
	cairn := filepath.Join(home, ".cairntrace", "runs", "r2-fail")
	keys := filepath.Join(home, ".ssh", "r2-fail")
	for _, dir := range []string{run, cairn, keys} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	workspace := t.TempDir()
	if err := os.Mkdir(filepath.Join(workspace, "r2-fail"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "r2-fail")
	if err := os.Symlink(keys, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	r := Runner{Workspace: workspace, Environ: testkit.Env(t, "HOME="+home)}
	for named, want := range map[string]bool{
		run: true, cairn: true, keys: false, link: false, elsewhere: false, home: false, "/": false, "r2-fail": false, "": false,
		workspace: false, filepath.Join(workspace, "r2-fail"): false, filepath.Dir(workspace): false, run + "/none": false,
	} {
		if got := r.ofRun(named, "r2-fail", ""); got != want {
			t.Errorf("%q: %t, want %t", named, got, want)
		}
	}
	for named, want := range map[string]bool{
		filepath.Dir(workspace): false, workspace: false, home: false, "/": false, "/usr": false, "/usr/bin": false, keys: false, cairn: false, run: true,
	} {
		if got := r.ofRun(named, "", ""); got != want {
			t.Errorf("%q of a run without a name: %t, want %t", named, got, want)
		}
	}
	if !r.ofRun(keys, "other", filepath.Join(home, ".ssh")) {
		t.Error("what is in the directory of the run is not of the run")
	}
}
