package caseops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/code"
	"cortex/internal/op"
	"cortex/internal/tool"
)

const (
	answersDiscount = `{"schema_version":1,"index":{"indexed":true,"fresh":true},"hits":[{"relative_path":"a/price.go","content":"`
	ghToken         = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
)

// looking is an equipped desk with a shop of some files and a case to look into it.
func looking(t *testing.T, files int, mode casefile.Mode, scripts map[string]string) (d *desk, log string) {
	t.Helper()
	d, log = equipped(t, scripts)
	d.shop(files)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: mode, Risk: casefile.RiskLow}}))
	return d, log
}

// claims are what a round says, a line each.
func claims(out op.Envelope) string {
	var b strings.Builder
	for _, f := range out.Facts {
		b.WriteString(f.Source + " " + f.Confidence + " " + f.Claim + "\n")
	}
	return b.String()
}

func TestATextOfAMegabyteCostsNoRound(t *testing.T) {
	t.Parallel()
	d, _ := looking(t, 3, casefile.ModeInvestigate, map[string]string{
		"codemap": `printf '{"found":true,"locations":[],"direct_callers":[{"symbol":"'; head -c 1000000 /dev/zero | tr '\0' x; printf '"}],"call_graph":"precise"}'`,
	})
	out := d.investigated(InvestigateInput{Question: "where is the discount of the price"})
	if text := claims(out); !strings.Contains(text, "codemap high impact of DiscountA: 1 direct callers (xxx") || len(text) > 20*maxClaim {
		t.Errorf("%d bytes: %.3000s", len(text), text)
	}
}

func TestToolsThatSayMoreThanABlobHoldsCostNoRound(t *testing.T) {
	t.Parallel()
	much := `head -c 5000000 /dev/zero | tr '\0' x`
	d, _ := looking(t, 5, casefile.ModeInvestigate, map[string]string{"codemap": much, "vecgrep": much})
	d.Config.Budget.MaxRawOutputBytesPerTool = casefile.MaxRawBlob
	out := d.investigated(InvestigateInput{Question: "where is the discount of the price"})
	if !out.Degraded || len(out.Facts) < 6 || len(d.file("raw/*.txt")) < maxRaw {
		t.Errorf("degraded %t, %d facts, %d bytes of raw text", out.Degraded, len(out.Facts), len(d.file("raw/*.txt")))
	}
}

func TestHalfASecretOfAToolOrAFileIsNotShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("w ", 111) + ghToken
	d, _ := equipped(t, map[string]string{
		"vecgrep": `case "$1" in search) echo '` + answersDiscount + "discount price " + long + `","start_line":90,"end_line":90,"score":1}]}' ;; *) echo '[{"content":"` + long + `"}]' ;; esac`,
		"codemap": `echo '{"hits":[{"symbol":"` + ghToken + `","file":"a/price.go"}]}'`,
	})
	d.repo.Write("leak.txt", `"needle" `+long+"\n")
	d.shop(1)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
	out := d.investigated(InvestigateInput{Question: "where is the discount price"})
	out.Facts = append(out.Facts, d.investigated(InvestigateInput{Question: "\"needle\""}).Facts...)
	text, ledger, raw := claims(out), d.file("evidence.jsonl"), d.file("raw/*.txt")
	if !strings.Contains(text, "remembered: ") || !strings.Contains(text, `matches "needle"`) || strings.Contains(text+ledger+raw, "ghp_") {
		t.Errorf("claims:\n%sledger:\n%sraw:\n%s", text, ledger, raw)
	}
	for line := range strings.Lines(ledger) {
		if sensitive := strings.Contains(line, `"sensitivity":"sensitive"`); sensitive != strings.Contains(line, "«redacted»") {
			t.Errorf("sensitive %t: %s", sensitive, line)
		}
	}
}

// TestAHangingToolLeavesTheFloor gives a round less time than the tool takes.
func TestAHangingToolLeavesTheFloor(t *testing.T) {
	t.Parallel()
	d, _ := looking(t, 1, casefile.ModeInvestigate, map[string]string{"codemap": "sleep 60"})
	d.repo.Write("main.go", "package main\n\nimport \"example.org/shop/a\"\n\nfunc main() { a.DiscountA(1) }\n")
	for _, mode := range []casefile.Mode{casefile.ModeInvestigate, casefile.ModeReview} {
		c := &casefile.Case{ID: "task_1", Mode: mode}
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		r, err := d.round(ctx, c, "what breaks if I change DiscountA", "quick", aside{})
		if err != nil || !r.degraded || ctx.Err() == nil {
			t.Fatalf("degraded %t, %v, %v", r != nil && r.degraded, err, ctx.Err())
		}
		text := claims(op.Envelope{Facts: facts(r.evidence)})
		want := "code medium 1 call site names DiscountA in a file that imports its package (func at a/price.go:4; resolved): main.go:5"
		if mode == casefile.ModeReview {
			want = "code low 1 definitions differ"
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%swarnings %q", mode, want, text, r.warnings)
		}
	}
}

func TestSitesThatWereNotReadAreNotNone(t *testing.T) {
	t.Parallel()
	d, _ := looking(t, 1, casefile.ModeInvestigate, nil)
	cache, err := d.cache(t.Context())
	d.must(nil, err)
	defer cache.Close()
	structure, err := code.ReadStructure(t.Context(), d.Repo, cache)
	d.must(nil, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r := &round{s: d.Service, c: &casefile.Case{}, tools: tool.Runner{}}
	r.route(ended, route{symbols: []string{"DiscountA"}, relation: "impact"}, structure)
	if len(r.evidence) > 0 || !r.degraded || len(r.warnings) != 1 {
		t.Errorf("evidence %+v, degraded %t, warnings %q", r.evidence, r.degraded, r.warnings)
	}
}

func TestCodemapSilencesNoGraph(t *testing.T) {
	t.Parallel()
	d, _ := looking(t, 1, casefile.ModeReview, map[string]string{
		"codemap": `case "$1" in impact) echo '{"found":true,"direct_callers":[],"blast_radius":0,"tests":0,"call_graph":"precise"}' ;; *) echo '{"schema_version":1,"project":"p","mode":"working","depth":3,"is_repo":true,"indexed":true,"stale":false,"changed_files":[{"path":"main.go","status":"?","symbols":0}],"changed_symbols":[],"blast_radius":[],"covering_tests":[],"untested_symbols":[]}' ;; esac`,
	})
	d.repo.Write("main.go", "package main\n\nimport \"example.org/shop/a\"\n\nfunc main() { a.DiscountA(1) }\n")
	text := claims(d.investigated(InvestigateInput{Question: "what breaks if I change DiscountA"}))
	for _, want := range []string{"codemap high codemap review: 1 file", "code low 1 definitions differ", "codemap high impact of DiscountA: 0 direct callers", "code medium 1 call site names DiscountA"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestRoomThatAToolDoesNotFillIsForCandidates(t *testing.T) {
	t.Parallel()
	d, _ := looking(t, 20, casefile.ModeInvestigate, map[string]string{"fcheap": "exit 1", "vidtrace": "exit 1"})
	d.repo.Write("bundle/x.json", "{}")
	out := d.investigated(InvestigateInput{Question: "where is the discount of the price", Surfaces: []casefile.Surface{"artifact"}, Video: "bundle"})
	if len(out.Facts) != 13 || strings.Contains(out.Summary, "fcheap") || strings.Contains(out.Summary, "vidtrace") {
		t.Errorf("%d facts, want 12 besides git's: %s\n%s", len(out.Facts), out.Summary, claims(out))
	}
}

func TestModulesAreThoseOfCandidatesThatAreTold(t *testing.T) {
	t.Parallel()
	d, _ := looking(t, 26, casefile.ModeInvestigate, map[string]string{"codemap": knowingCodemap, "vecgrep": loudVecgrep})
	out := d.investigated(InvestigateInput{Question: "where is the discount of the price", Depth: "deep"})
	modules := 0
	for _, f := range out.Facts {
		if !strings.Contains(f.Claim, "imports") {
			continue
		}
		modules++
		if len(f.DerivedFrom) == 0 || !slices.ContainsFunc(out.Facts, func(g op.Fact) bool { return g.ID == f.DerivedFrom[0] }) {
			t.Errorf("%q is derived from %q", f.Claim, f.DerivedFrom)
		}
	}
	if modules != 6 {
		t.Errorf("%d modules, want 6", modules)
	}
}

func TestACanceledRoundIsNotRecorded(t *testing.T) {
	t.Parallel()
	begun := filepath.Join(t.TempDir(), "begun")
	d, _ := looking(t, 1, casefile.ModeInvestigate, map[string]string{"codemap": `touch "` + begun + `"; sleep 60`})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := d.Investigate(ctx, InvestigateInput{Question: "what breaks if I change DiscountA"})
	if !errors.Is(err, context.Canceled) || strings.Contains(d.file("case.json"), "investigationRounds") || d.lines("evidence.jsonl") != 1 {
		t.Errorf("%v; case %s\nevidence %s", err, d.file("case.json"), d.file("evidence.jsonl"))
	}
}

func TestWhatWasMaskedIsNotRemembered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ goal, outcome string }{
		{"rotate " + ghToken, "done"}, {"g", strings.Repeat("word ", 199) + ghToken}, {"g", "the «redacted» is gone"}, {"g", "done"},
	} {
		d, log := equipped(t, map[string]string{"vecgrep": "echo '{}'"})
		d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: tt.goal, Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
		d.must(d.Plan(t.Context(), PlanInput{Hypotheses: []HypothesisInput{{Statement: "x", DisproveBy: "y"}}, Uncertainty: "none"}))
		d.must(d.Verify(t.Context(), VerifyInput{}))
		out, err := d.Remember(t.Context(), RememberInput{Outcome: tt.outcome, VerificationNotPossible: true})
		d.must(out, err)
		plain := tt.goal == "g" && tt.outcome == "done"
		if asked := logged(t, log)[0] != ""; asked != plain || plain == strings.Contains(strings.Join(out.Warnings, "\n"), "durable memory not stored") {
			t.Errorf("%q, %.20q: asked %t, warnings %q", tt.goal, tt.outcome, asked, out.Warnings)
		}
	}
}

func TestAPlanTellsAMissingToolOnce(t *testing.T) {
	t.Parallel()
	d, _ := equipped(t, nil)
	d.Environ = append(d.Environ, "PATH="+t.TempDir()) // the repository has its own environment
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeChange, Risk: casefile.RiskLow, Surfaces: []casefile.Surface{"terminal"}}}))
	in := onePlan()
	in.Verification = []string{"glyphrun_flow", "cairntrace_flow"}
	in.TimeoutOverrides = map[string]string{"codebase-memory": "1s"}
	for n, want := range []string{"cairntrace_flow", ""} {
		out, err := d.Plan(t.Context(), in)
		d.must(out, err)
		var said []string
		for _, w := range out.Warnings {
			if name, rest, _ := strings.Cut(w, " "); strings.HasPrefix(rest, "cannot be met here") {
				said = append(said, name)
			}
		}
		if strings.Join(said, " ") != want {
			t.Errorf("plan %d told %q, want %q", n, said, want)
		}
	}
}

func TestHalfASecretOfBobIsNotShown(t *testing.T) {
	t.Parallel()
	d, _ := equipped(t, map[string]string{"bob": `printf '{"schema_version":1,"ok":true,"command":"context","data":{"schema_version":1,"workspace":"%s","context_digest":"d","recipe":{"id":"r","version":1},` +
		`"product":{"name":"p"},"repository":{"state":"clean","managed_files":1},"invariants":[{"statement":"` + strings.Repeat("w ", 111) + ghToken + `"}]},"warnings":[],"next_actions":[]}' "$PWD"`})
	d.repo.Write("bob.yaml", "a: 1\n")
	out, err := d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}})
	d.must(out, err)
	if text := claims(out) + d.file("evidence.jsonl"); !strings.Contains(text, "bob holds the repository to: w w") || strings.Contains(text, "ghp_") || !strings.Contains(text, `"sensitivity":"sensitive"`) {
		t.Error(text)
	}
}
