package caseops

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/problem"
	"cortex/internal/testkit"
)

const (
	passedFlow = `{"schemaVersion":1,"runId":"r1","specPath":"flow.yml","status":"passed","outcomes":[{"id":"greets","status":"passed"}],"exitCode":0}`
	failedFlow = `{"schemaVersion":1,"runId":"r1","specPath":"flow.yml","status":"failed","outcomes":[{"id":"o1","status":"failed","message":"boom"}],"exitCode":1}`
	leaveRun   = `while [ $# -gt 1 ]; do [ "$1" = --artifact-root ] && mkdir -p "$2/r1" && echo x >"$2/r1/log"; shift; done; `
)

// observed is a desk with fake tools, and a log of all that they were asked.
type observed struct {
	*desk
	log string
}

// newObserved has a case about the terminal that must prove a flow, and whose a.txt changed. Each body is a shell script.
func newObserved(t *testing.T, bodies map[string]string, required ...string) *observed {
	t.Helper()
	o := &observed{log: filepath.Join(t.TempDir(), "argv.log")}
	path := os.Getenv("PATH")
	for name, body := range bodies {
		path = testkit.FakeTool(t, name, `echo "`+name+` $*" >>'`+o.log+"'\n[ \"$1\" = --version ] && echo '"+name+" 1.2' && exit 0\n"+body) + string(os.PathListSeparator) + path
	}
	o.desk = newDesk(t, "PATH="+path)
	o.Config.CacheDir = t.TempDir()
	if len(required) == 0 {
		required = []string{casefile.RequireTerminal}
	}
	o.repo.Write("flow.yml", "name: flow\n")
	o.repo.Write("add.go", "package a\n")
	o.repo.Commit("flow")
	o.must(o.Open(t.Context(), OpenInput{Terms: Terms{Goal: "change a", Mode: casefile.ModeChange, Risk: casefile.RiskLow, Surfaces: []casefile.Surface{casefile.SurfaceCode}}}))
	plan := onePlan()
	plan.Verification, plan.Symbols, plan.Files = required, []string{"add"}, []string{"a.txt", "add.go"}
	o.must(o.Plan(t.Context(), plan))
	o.must(o.BeginChange(t.Context(), BeginChangeInput{Actor: "agent-a"}))
	o.repo.Write("a.txt", "two\n")
	return o
}

// asked are the command lines that the tools got, without those for versions and with directories of runs left out.
func (o *observed) asked() string {
	o.t.Helper()
	data, err := os.ReadFile(o.log)
	if err != nil && !os.IsNotExist(err) {
		o.t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(string(data), o.Config.CacheDir, "CACHE")) {
		if !strings.HasSuffix(line, " --version\n") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "\n")
}

func (o *observed) verify(in VerifyInput) VerifyResult {
	o.t.Helper()
	out, err := o.Verify(o.t.Context(), in)
	if err != nil {
		o.t.Fatal(err)
	}
	return out
}

// says prints text and ends with the status.
func says(text string, status int) string { return fmt.Sprintf("echo '%s'; exit %d", text, status) }

func TestAPassedFlowProvesWhatNamesIt(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"glyph": leaveRun + says(passedFlow, 0)})
	out := o.verify(VerifyInput{Specs: []ClaimSpec{{ID: "greets", Statement: "it greets", Surface: casefile.SurfaceTerminal, Contract: "./flow.yml"}}})
	if out.Outcome != casefile.OutcomeVerified || len(out.Receipts) != 2 {
		t.Fatalf("%s, receipts %+v", out.Outcome, out.Receipts)
	}
	r := out.Receipts[0]
	if r.Claim != "terminal flow flow.yml" || r.Requirement != casefile.RequireTerminal || r.Tool != "glyphrun" || r.Contract != "flow.yml" || r.Surface != casefile.SurfaceTerminal ||
		r.VerifierVersion != "glyph 1.2" || r.Binding != casefile.Bound || r.CheckDigest == "" || *r.ExitStatus != 0 || r.Counts.Executed != 1 || len(r.Evidence) != 1 {
		t.Errorf("receipt %+v", r)
	}
	if claim := out.Receipts[1]; claim.ClaimID != "greets" || claim.Status != casefile.StatusPassed || claim.CheckDigest != r.CheckDigest {
		t.Errorf("claim %+v", claim)
	}
	if len(out.Facts) != 1 || out.Facts[0].Claim != "glyphrun spec flow.yml passed (1 outcome)" || out.Facts[0].Kind != casefile.KindTerminalRun || out.Facts[0].Confidence != "high" {
		t.Errorf("facts %+v", out.Facts)
	}
	if left, err := os.ReadDir(filepath.Join(o.Config.CacheDir, "flows")); err != nil || len(left) != 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
	if o.outcome() != casefile.OutcomeVerified {
		t.Errorf("status says %s", o.outcome())
	}
	o.repo.Write("flow.yml", "name: another\n")
	if o.outcome() == casefile.OutcomeVerified {
		t.Error("a changed spec keeps the proof")
	}
}

// TestNothingOddVerifies holds the whole verb to what tools print that no tool should.
func TestNothingOddVerifies(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"failed": says(failedFlow, 1), "passed and exit 1": says(passedFlow, 1), "failed and exit 0": says(failedFlow, 0), "silence": "exit 0",
		"text": "echo all good; exit 0", "null": says("null", 0), "a list": says("["+passedFlow+"]", 0), "a refusal": says(`{"ok":false,"error":"no"}`, 0),
		"no outcome": says(`{"schemaVersion":1,"status":"passed","outcomes":[]}`, 0), "a later schema": says(strings.Replace(passedFlow, `"schemaVersion":1`, `"schemaVersion":2`, 1), 0),
		"another spec": says(strings.Replace(passedFlow, "flow.yml", "other.yml", 1), 0), "an unknown status": says(strings.Replace(passedFlow, `"status":"passed","outcomes"`, `"status":"fine","outcomes"`, 1), 0),
		"killed": "kill -9 $$", "twice": "echo '" + passedFlow + "'; " + says(passedFlow, 0), "two results": says(`{"results":[`+passedFlow+`,`+failedFlow+`]}`, 0),
		"it edits a file": "echo three >a.txt; " + says(passedFlow, 0), "it edits the spec": "echo >>flow.yml; " + says(passedFlow, 0), "it writes a file": "echo x >new.txt; " + says(passedFlow, 0),
		"it edits and restores": "echo three >a.txt; echo two >a.txt; " + says(passedFlow, 0), "it commits": "git -c user.name=x -c user.email=x@example.com commit -qam x; " + says(passedFlow, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newObserved(t, map[string]string{"glyph": body, "codemap": "exit 0"})
			out := o.verify(VerifyInput{FromPlan: true, Terminal: []string{"flow.yml"}})
			if out.Outcome == casefile.OutcomeVerified || len(out.Assessment.SatisfiedRequired) > 0 || o.outcome() == casefile.OutcomeVerified {
				t.Errorf("%s: %+v", out.Outcome, out.Assessment)
			}
			if failed := name == "failed"; (out.Outcome == casefile.OutcomeFailed) != failed {
				t.Errorf("%s with %q", out.Outcome, out.Receipts[0].Notes)
			}
			if out.Receipts[0].Notes == "" && out.Outcome != casefile.OutcomeFailed {
				t.Error("the receipt does not say why")
			}
			if asked := o.asked(); strings.Contains(asked, "annotate") != (name == "failed") {
				t.Errorf("asked:\n%s", asked)
			}
		})
	}
}

// TestASpecThatGitIgnoresIsWatched is about a spec that the digest of the worktree does not cover.
func TestASpecThatGitIgnoresIsWatched(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"edited by the run": "echo more >>own.yml; ", "edited and restored": "cp -p own.yml $0.copy; echo more >>own.yml; cp -p $0.copy own.yml; ",
		"replaced and put back": "mv own.yml $0.own; echo more >own.yml; mv $0.own own.yml; ", "edited later": "",
	} {
		o := newObserved(t, map[string]string{"glyph": body + says(strings.Replace(passedFlow, "flow.yml", "own.yml", 1), 0)})
		o.repo.Write(".git/info/exclude", "own.yml\n")
		o.repo.Write("own.yml", "name: own\n")
		out := o.verify(VerifyInput{Terminal: []string{"own.yml"}})
		if body != "" {
			if r := out.Receipts[0]; r.Status != casefile.StatusInconclusive || r.Binding != casefile.Bound || !strings.Contains(r.Notes, "the spec changed while it ran") {
				t.Errorf("%s: receipt %+v", name, r)
			}
			continue
		}
		if out.Outcome != casefile.OutcomeVerified || o.outcome() != casefile.OutcomeVerified {
			t.Errorf("%s: %s before it", name, out.Outcome)
		}
		o.repo.Write("own.yml", "name: another\n")
		if got := o.outcome(); got == casefile.OutcomeVerified {
			t.Errorf("%s: still %s", name, got)
		}
	}
}

func TestAFailedFlowIsArchivedAndNotedAtItsSymbols(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"glyph": leaveRun + says(failedFlow, 1), "fcheap": says(`{"id":"fc_1"}`, 0), "codemap": says(`{"ok":true}`, 0)})
	out := o.verify(VerifyInput{Terminal: []string{"flow.yml"}})
	warnings := strings.Join(out.Warnings, "\n")
	if out.Outcome != casefile.OutcomeFailed || !strings.Contains(warnings, "glyphrun verification did NOT pass (exit 1)") || !strings.Contains(warnings, "archived failed terminal run to fcheap://stash/fc_1") {
		t.Errorf("%s, warnings %q", out.Outcome, warnings)
	}
	if len(out.Facts) != 2 || !strings.HasPrefix(out.Facts[0].Claim, "glyphrun spec flow.yml FAILED") || out.Facts[1].Claim != "outcome o1: boom" || !slices.Equal(out.Facts[1].DerivedFrom, []string{out.Facts[0].ID}) {
		t.Errorf("facts %+v", out.Facts)
	}
	if r := out.Receipts[0]; r.Artifact != "fcheap://stash/fc_1" || r.Status != casefile.StatusFailed || r.Counts.Failed != 1 {
		t.Errorf("receipt %+v", r)
	}
	asked := strings.Split(o.asked(), "\n")
	if len(asked) != 3 || !strings.HasPrefix(asked[0], "glyph run flow.yml --format json") || !strings.HasPrefix(asked[1], "fcheap save CACHE/flows/glyphrun-") ||
		!strings.HasSuffix(asked[1], " --json --tool glyphrun --tag cortex --tag repo:"+o.Repo.Name+" --tag terminal --tag failed-run --index") ||
		asked[2] != `codemap annotate add --source glyphrun --note cortex: glyphrun behavior "flow.yml" failed (task `+out.TaskID+`); evidence fcheap://stash/fc_1 --json` {
		t.Errorf("asked:\n%s", strings.Join(asked, "\n"))
	}
	refs, err := filepath.Glob(filepath.Join(o.Store.Dir(), "task_*", "refs", "*.json"))
	if err != nil || len(refs) != 1 {
		t.Errorf("references %v (%v), want one", refs, err)
	}
	if kept, err := os.ReadDir(filepath.Join(o.Config.CacheDir, "flows")); err != nil || len(kept) != 1 || !strings.Contains(out.Facts[0].Claim, kept[0].Name()) {
		t.Errorf("kept %v (%v), want the one that the evidence names", kept, err)
	}
	audit := o.file("commands.jsonl")
	for _, want := range []string{`"tool":"glyphrun","operation":"run","actionClass":"configured_execution"`, `"tool":"fcheap","operation":"save","actionClass":"local_mutation"`, `"tool":"codemap","operation":"annotate","actionClass":"local_mutation"`} {
		if !strings.Contains(audit, want) {
			t.Errorf("audit has no %s:\n%s", want, audit)
		}
	}
}

func TestWhatGoesWrongBesideAFlowIsAWarning(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"glyph": leaveRun + says(failedFlow, 1), "fcheap": "echo full >&2; exit 1", "codemap": "echo locked >&2; exit 1"})
	out := o.verify(VerifyInput{Terminal: []string{"flow.yml"}})
	warnings := strings.Join(out.Warnings, "\n")
	if out.Outcome != casefile.OutcomeFailed || !strings.Contains(warnings, "was not archived: exit 1: full") || !strings.Contains(warnings, "codemap could not keep a note at add: exit 1: locked") {
		t.Errorf("%s, warnings %q", out.Outcome, warnings)
	}
	if out.Receipts[0].Artifact != "" {
		t.Errorf("receipt cites %s", out.Receipts[0].Artifact)
	}
}

func TestAMissingToolBlocksAndIsNamed(t *testing.T) {
	t.Parallel()
	o := newObserved(t, nil)
	out := o.verify(VerifyInput{Terminal: []string{"flow.yml"}, Browser: []string{"flow.yml"}, ArtifactRef: "fc_1", Project: "p"})
	if out.Outcome != casefile.OutcomeUnverified || len(out.Receipts) != 4 {
		t.Fatalf("%s, receipts %+v", out.Outcome, out.Receipts)
	}
	for i, install := range []string{"install cairntrace", "install glyphrun", "install fcheap", "install tvault"} {
		if r := out.Receipts[i]; r.Status != casefile.StatusBlocked || !strings.Contains(r.Notes, install) || len(r.Evidence) != 0 {
			t.Errorf("receipt %+v, want blocked and %q", r, install)
		}
	}
}

func TestABrowserFlowNeedsABrowser(t *testing.T) {
	t.Parallel()
	passed := strings.Replace(passedFlow, `"schemaVersion":1`, `"version":"1","backend":"playwright"`, 1)
	for name, tt := range map[string]struct {
		doctor string
		run    string
		want   casefile.ReceiptStatus
		note   string
		asked  string
	}{
		"none":        {`{"ok":false,"checks":[{"name":"agent-browser","ok":false,"detail":"not on PATH"},{"name":"playwright-chromium","ok":false,"detail":"run bunx playwright install chromium"}]}`, passed, casefile.StatusBlocked, "bunx playwright install chromium", "cairn doctor --format json"},
		"one":         {`{"checks":[{"name":"agent-browser","ok":false},{"name":"playwright-chromium","ok":true}]}`, passed, casefile.StatusPassed, "", "cairn doctor --format json\ncairn run flow.yml --json --backend playwright\ncairn run b.yml --json --backend playwright"},
		"not said":    {"what?", passed, casefile.StatusPassed, "", "cairn doctor --format json\ncairn run flow.yml --json\ncairn run b.yml --json"},
		"only a mock": {"what?", strings.Replace(passed, "playwright", "mock", 1), casefile.StatusInconclusive, "mock", "cairn doctor --format json\ncairn run flow.yml --json\ncairn run b.yml --json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newObserved(t, map[string]string{"cairn": "[ $1 = doctor ] && echo '" + tt.doctor + "' && exit 0\necho '" + tt.run + `' | sed "s/flow.yml/$2/"`}, casefile.RequireBrowser)
			o.repo.Write("b.yml", "name: b\n")
			out := o.verify(VerifyInput{Browser: []string{"flow.yml", "b.yml"}})
			for _, r := range out.Receipts {
				if r.Status != tt.want || !strings.Contains(r.Notes, tt.note) || r.Surface != casefile.SurfaceBrowser {
					t.Errorf("receipt %+v, want %s and %q", r, tt.want, tt.note)
				}
			}
			if got := o.asked(); got != tt.asked {
				t.Errorf("asked:\n%s\nwant:\n%s", got, tt.asked)
			}
		})
	}
}

func TestSpecsThatAreNoFilesAreRefused(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"glyph": says(passedFlow, 0)})
	if err := os.Symlink(filepath.Join(t.TempDir(), "x"), o.repo.Path("out.yml")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, spec := range []string{"none.yml", "../flow.yml", "-x.yml", "/etc/passwd", "out.yml", "."} {
		for field, in := range map[string]VerifyInput{
			"terminalSpecs": {Terminal: []string{spec}}, "browserSpecs": {Browser: []string{spec}},
			"claimSpecs": {Specs: []ClaimSpec{{Statement: "x", Surface: casefile.SurfaceTerminal, Contract: spec}}},
		} {
			_, err := o.Verify(t.Context(), in)
			if p := problem.From(err); p == nil || p.Code != problem.InvalidInput || p.Field != field {
				t.Errorf("%s %q: %+v, want invalid_input about %s", field, spec, p, field)
			}
		}
	}
	if got := o.asked(); got != "" {
		t.Errorf("asked:\n%s", got)
	}
}

func TestARefusedCallAsksNoTool(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"glyph": says(`{"specs":[]}`, 0)})
	for name, in := range map[string]VerifyInput{
		"another actor": {Actor: "agent-b", FromPlan: true}, "an unknown check": {Only: []string{"e2e"}, FromPlan: true},
		"no spec": {Specs: []ClaimSpec{{Statement: "x", Surface: casefile.SurfaceBrowser, Contract: "none.yml"}}, FromPlan: true},
	} {
		if _, err := o.Verify(t.Context(), in); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if got := o.asked(); got != "" {
		t.Errorf("asked:\n%s", got)
	}
	if _, err := o.Verify(t.Context(), VerifyInput{FromPlan: true}); err == nil || !strings.HasPrefix(o.asked(), "glyph affected-specs") {
		t.Errorf("the plan may stand for what glyph chooses, and it was asked %q (%v)", o.asked(), err)
	}
}

func TestWhatIsAskedWhenNothingIsStaleIsAudited(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"glyph": says(`{"specs":[]}`, 0)}, "command:unit")
	o.must(nil, o.Store.Update(t.Context(), o.verify(VerifyInput{}).TaskID, func(e *casestore.Edit) error {
		e.Case().Surfaces = append(e.Case().Surfaces, casefile.SurfaceTerminal)
		return e.PutCase(e.Case())
	}))
	out := o.verify(VerifyInput{Stale: true})
	if len(out.Receipts) != 0 || o.asked() == "" || !strings.Contains(o.file("commands.jsonl"), `"operation":"affected-specs"`) {
		t.Errorf("receipts %+v, asked %q, audit:\n%s", out.Receipts, o.asked(), o.file("commands.jsonl"))
	}
	if !strings.Contains(strings.Join(out.Warnings, "\n"), "surface terminal was not checked") {
		t.Errorf("warnings %q", out.Warnings)
	}
}

func TestTheChoiceOfAToolIsRunWhereTheSurfaceIsInScope(t *testing.T) {
	t.Parallel()
	choose := `[ "$1" = affected-specs ] && echo '{"specs":[{"path":"flow.yml"},{"path":"gone.yml"},{"path":"../x.yml"},{"path":"b.yml"},{"path":"c.yml"}]}' && exit 0; `
	o := newObserved(t, map[string]string{"glyph": choose + `echo '` + passedFlow + `' | sed "s/flow.yml/$2/"`})
	for _, name := range []string{"b.yml", "c.yml"} {
		o.repo.Write(name, "name: x\n")
	}
	out := o.verify(VerifyInput{})
	labels := map[string]casefile.ReceiptStatus{}
	for _, r := range out.Receipts {
		labels[r.Claim] = r.Status
	}
	want := map[string]casefile.ReceiptStatus{"auto-selected terminal flow flow.yml": "passed", "auto-selected terminal flow gone.yml": "inconclusive", "auto-selected terminal flow b.yml": "passed"}
	if !maps.Equal(labels, want) || out.Outcome != casefile.OutcomePartial || !strings.Contains(strings.Join(out.Warnings, "\n"), "3 of 4 affected") {
		t.Errorf("%s, receipts %v, warnings %q", out.Outcome, labels, out.Warnings)
	}
	if base := o.file("case.json"); !strings.Contains(o.asked(), "glyph affected-specs --format json --since ") || base == "" {
		t.Errorf("asked:\n%s", o.asked())
	}
	if out := o.verify(VerifyInput{NoAutoSpecs: true, Only: nil}); strings.Contains(out.Summary, "gone.yml") {
		t.Errorf("not asked for, and run: %s", out.Summary)
	}
}

func TestWhatManyFlowsPrintIsKeptAsFarAsThereIsRoom(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"glyph": `yes 'a line of noise' | head -c 4200000 >&2; echo '` + passedFlow + `' | sed "s/flow.yml/$2/"`})
	var specs []string
	for i := range 5 {
		specs = append(specs, fmt.Sprintf("f%d.yml", i))
		o.repo.Write(specs[i], "name: x\n")
	}
	if out := o.verify(VerifyInput{Terminal: specs}); out.Outcome != casefile.OutcomeVerified || len(o.file("raw/*.txt")) > casefile.MaxRawBlob {
		t.Errorf("%s with %d bytes of output", out.Outcome, len(o.file("raw/*.txt")))
	}
}
