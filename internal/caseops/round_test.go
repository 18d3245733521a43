package caseops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/testkit"
	"cortex/internal/tool"
)

// equipped is a desk whose tools are shell scripts of the given bodies, and the log of their calls.
func equipped(t *testing.T, scripts map[string]string) (d *desk, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	path := os.Getenv("PATH")
	for name, body := range scripts {
		path = testkit.FakeTool(t, name, `echo "`+name+` $*" >>"`+log+"\"\n"+body) + string(os.PathListSeparator) + path
	}
	d = newDesk(t, "PATH="+path)
	d.Config.CacheDir = t.TempDir()
	d.Config.Budget.MaxCandidateFilesReturned, d.Config.Budget.MaxRawOutputBytesPerTool = 8, 32768
	d.Config.Budget.MaxParallelCalls = 3
	return d, log
}

func (d *desk) investigated(in InvestigateInput) op.Envelope {
	d.t.Helper()
	out, err := d.Investigate(d.t.Context(), in)
	d.must(out, err)
	return out
}

func logged(t *testing.T, log string) []string {
	t.Helper()
	raw, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// shop is a repository with many answers to one question.
func (d *desk) shop(files int) {
	d.repo.Write("go.mod", "module example.org/shop\n")
	for i := range files {
		name := string(rune('a' + i))
		d.repo.Write(name+"/price.go", "package "+name+"\n\n// Discount lowers the price.\nfunc Discount"+strings.ToUpper(name)+"(price int) int { return price }\n")
	}
	d.repo.Commit("shop")
}

const (
	loudVecgrep = `case "$1" in search) echo '{"schema_version":1,"index":{"indexed":true,"fresh":true,"chunks":1},"hits":[]}' ;;
		*) echo '[{"content":"one"},{"content":"two"},{"content":"three"},{"content":"four"}]' ;; esac`
	knowingCodemap = `echo '{"found":true,"direct_callers":2,"call_graph":"name"}'`
)

func TestCandidatesKeepHalfOfTheRound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		depth Depth
		most  int
	}{{"quick", 4}, {"standard", 12}, {"deep", 24}} {
		d, _ := equipped(t, map[string]string{"codemap": knowingCodemap, "vecgrep": loudVecgrep})
		d.shop(26)
		d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
		out := d.investigated(InvestigateInput{Question: "where is the discount of the price", Depth: tt.depth})
		candidates, codemap, memories := 0, 0, 0
		for _, f := range out.Facts[1:] {
			switch {
			case strings.Contains(f.Claim, "of the question"):
				candidates++
			case f.Source == tool.Codemap:
				codemap++
				if len(f.DerivedFrom) != 1 || !slices.ContainsFunc(out.Facts, func(g op.Fact) bool { return g.ID == f.DerivedFrom[0] }) {
					t.Errorf("%s: %q is derived from %q, which is no fact of the round", tt.depth, f.Claim, f.DerivedFrom)
				}
			case strings.HasPrefix(f.Claim, "remembered: "):
				memories++
			}
		}
		if len(out.Facts) != tt.most+1 || candidates < tt.most/2 || out.Degraded {
			t.Errorf("%s: %d facts, %d of them candidates, %d of codemap, %d memories; want %d besides git's", tt.depth, len(out.Facts), candidates, codemap, memories, tt.most)
		}
		if tt.depth != "quick" && (codemap < 3 || memories > 3) {
			t.Errorf("%s: %d facts of codemap and %d memories", tt.depth, codemap, memories)
		}
	}
}

func TestAToolThatIsNotThereIsNotStartedAndSaidOnce(t *testing.T) {
	t.Parallel()
	d, _ := equipped(t, nil)
	d.Environ = append(d.Environ, "PATH="+t.TempDir()) // the repository has its own environment
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
	first := d.investigated(InvestigateInput{Question: "where is one"})
	second := d.investigated(InvestigateInput{Question: "where is two"})
	said := func(out op.Envelope) int {
		return strings.Count(strings.Join(out.Warnings, "\n"), "tools unavailable: codemap, vecgrep")
	}
	if said(first) != 1 || said(second) != 0 || first.Degraded || second.Degraded {
		t.Errorf("first %q, second %q; want it said once, and nothing degraded", first.Warnings, second.Warnings)
	}
	if ledger := d.file("evidence.jsonl"); strings.Contains(ledger, "tool_unavailable") {
		t.Errorf("a missing tool is evidence:\n%s", ledger)
	}
}

func TestAMissingToolIsToldByWhicheverVerbNeedsItFirst(t *testing.T) {
	t.Parallel()
	c, nowhere := &casefile.Case{}, tool.Runner{Workspace: t.TempDir(), Environ: []string{"PATH=" + t.TempDir()}}
	tellMissing(c, untold(c, nowhere, tool.Glyphrun))
	if got := untold(c, nowhere, tool.Codemap, tool.Glyphrun, tool.Vecgrep); strings.Join(got, " ") != "codemap vecgrep" {
		t.Errorf("still to be told: %q", got)
	}
	tellMissing(c, untold(c, nowhere, tool.Codemap, tool.Vecgrep))
	tellMissing(c, untold(c, nowhere, tool.Codemap, tool.Vecgrep))
	if len(c.Notes) != 2 || c.Notes[1] != "tools unavailable: codemap, vecgrep" {
		t.Errorf("notes %q", c.Notes)
	}
}

func TestAToolThatFailsOnceIsNotAskedAgainInTheRound(t *testing.T) {
	t.Parallel()
	d, log := equipped(t, map[string]string{
		"codemap": `echo '{"ok":false,"error":"gone","code":"index_missing"}'; exit 3`, "vecgrep": `echo 'Error: collection not found' >&2; exit 1`,
	})
	d.shop(5)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
	out := d.investigated(InvestigateInput{Question: "what breaks if I change DiscountA"})
	if got := logged(t, log); len(got) != 2 {
		t.Errorf("%d calls, want one of each tool: %q", len(got), got)
	}
	text := strings.Join(out.Warnings, "\n")
	if !out.Degraded || strings.Count(text, "codemap:") != 1 || strings.Count(text, "vecgrep:") != 1 || !strings.Contains(out.Summary, "via code search → call sites") {
		t.Errorf("%q, degraded %t, warnings %q", out.Summary, out.Degraded, text)
	}
}

func TestTheFirstQuestionGoesAlone(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	question := func(class tool.Class) func() told {
		return func() told { asked.Add(1); return told{answer: tool.Answer{Class: class}} }
	}
	for class, want := range map[tool.Class]int{tool.Authoritative: 3, tool.Partial: 3, tool.Failed: 1, tool.Unavailable: 1, tool.Blocked: 1} {
		asked.Store(0)
		got := firstThenTheRest([]func() told{question(class), question(tool.Failed), question(tool.Partial)}, 0)
		if len(got) != want || int(asked.Load()) != want {
			t.Errorf("%s: %d answers to %d questions, want %d", class, len(got), asked.Load(), want)
		}
	}
	if got := firstThenTheRest(nil, 3); got != nil {
		t.Errorf("no question gave %v", got)
	}
}

func TestRouteOfAQuestion(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"HandleCallback": "HandleCallback", "cart.Total": "cart.Total", "a::b": "a::b", "total": "", "where is HandleCallback": "",
		"what breaks if I change ApplyDiscount": "ApplyDiscount", "who calls cart.Total and ApplyDiscount or X_y?": "cart.Total ApplyDiscount",
		"what breaks if I change add": "?add", "callers of the parser": "?parser", "impact": "", "why does the build break": "", "": "", "«»": "",
		"blast radius of renaming the store of leases": "?leases store renaming",
	} {
		got := routeOf(question)
		text := strings.Join(got.symbols, " ")
		if got.guessed {
			text = "?" + text
		}
		if text != "" && got.relation == "" {
			t.Errorf("%q: %q without a relation", question, text)
		}
		if text != want {
			t.Errorf("%q: %q, want %q", question, text, want)
		}
	}
}

func TestRelationOfAQuestion(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"callers of a.B": "callers", "who calls a.B": "callers", "what is called by a.B": "callees", "what breaks if a.B goes": "impact", "where is a.B": "",
	} {
		if got := relationOf(question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestMemoryNamesItsProofOnceAndTellsNoSecret(t *testing.T) {
	t.Parallel()
	c := &casefile.Case{ID: "task_1", Goal: "with\n tools", Surfaces: []casefile.Surface{"code", "terminal"}}
	c.Workspace.Repository, c.Workspace.CommitBefore = "repo", "c1d2d79"
	c.ChangeBoundary.Symbols = []string{"add"}
	k := &knowledge{receipts: []casefile.Receipt{{Artifact: "fcheap://stash/fc_1"}, {Artifact: "fcheap://stash/fc_1"}, {Artifact: "fcheap://stash/fc_2", Sensitive: true}, {Artifact: "a.log"}}}
	const want = "repo=repo area=code+terminal symbol=add behavior=with tools finding=broken confidence=medium evidence=case task_1; fcheap://stash/fc_1 commit=c1d2d79"
	if got := memoryLine(k, c, casefile.SummaryInput{Outcome: "broken"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	k.judgement.Outcome = casefile.OutcomeVerified
	if got := memoryLine(k, c, casefile.SummaryInput{Outcome: strings.Repeat("é ", 2000)}); !strings.Contains(got, "confidence=high") || len([]rune(got)) > 1400 {
		t.Errorf("got %d characters of %.200s", len([]rune(got)), got)
	}
	for given, want := range map[float64]float64{-1: 0.5, 0: 0.5, 0.2: 0.2, 7: 1} {
		if got := memoryWeight(given); got != want {
			t.Errorf("importance %v weighs %v, want %v", given, got, want)
		}
	}
}

func TestAMemoryThatCannotBeStoredIsAWarning(t *testing.T) {
	t.Parallel()
	d, log := equipped(t, map[string]string{"vecgrep": `echo 'Error: disk is full' >&2; exit 1`})
	d.changing()
	d.must(d.Verify(t.Context(), VerifyInput{}))
	out, err := d.Remember(t.Context(), RememberInput{Outcome: "done", Tags: []string{"a"}})
	d.must(out, err)
	if text := strings.Join(out.Warnings, "\n"); !strings.Contains(text, "durable memory not stored: exit 1: Error: disk is full") || out.Phase != "complete" {
		t.Errorf("phase %s, warnings %q", out.Phase, text)
	}
	if got := logged(t, log); len(got) != 1 {
		t.Errorf("it was tried %d times: %q", len(got), got)
	}
	if audit := d.file("commands.jsonl"); !strings.Contains(audit, `"operation":"memory remember","actionClass":"local_mutation","status":"error"`) {
		t.Errorf("no audit line of it:\n%s", audit)
	}
}
