package casefile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func checked(checks []ToolCheck) string {
	var out []string
	for _, c := range checks {
		out = append(out, c.Tool+":"+c.Label())
	}
	return strings.Join(out, ", ")
}

func flowRun(tool, spec string, status ReceiptStatus) CheckRun {
	s, _ := specialistOf(tool)
	return CheckRun{
		Check: Check{Requirement: s.requirement, Name: spec}, Status: status, Tool: tool, Contract: spec, Surface: s.surface,
		Claim: s.label + spec, CheckDigest: "sha256:" + spec, At: start(),
	}
}

// flowCase is a change case about the terminal, and the facts of a changed worktree.
func flowCase() (*Case, VerifyFacts) {
	c := leased(changeCase(PhaseChanging), "agent-a")
	c.Surfaces = []Surface{SurfaceCode, SurfaceTerminal}
	c.VerificationRequired = []string{RequireTerminal}
	facts := factsOf("calc.sh")
	facts.State.Flow = func(_, spec string) string { return "sha256:" + spec }
	return c, facts
}

func TestWhatToolsCheckIsNamedOrChosen(t *testing.T) {
	t.Parallel()
	claim := ClaimSpec{"c1", "it greets", SurfaceTerminal, "", "./specs/c.yml"}
	chosen := func(tool string, specs ...string) map[string]Selection {
		return map[string]Selection{tool: {Specs: specs}}
	}
	for name, tt := range map[string]struct {
		surfaces []Surface
		in       VerifyInput
		selected map[string]Selection
		want     string
		warns    string
	}{
		"nothing in scope":        {nil, VerifyInput{}, chosen("glyphrun"), "", ""},
		"named":                   {nil, VerifyInput{TerminalSpecs: []string{"a.yml", "./a.yml"}, BrowserSpecs: []string{"/srv/repo/b.yml"}}, nil, "cairntrace:browser flow b.yml, glyphrun:terminal flow a.yml", ""},
		"by a claim":              {nil, VerifyInput{Claims: []ClaimSpec{claim}}, nil, "glyphrun:terminal flow specs/c.yml", ""},
		"by a claim and named":    {nil, VerifyInput{Claims: []ClaimSpec{claim}, TerminalSpecs: []string{"specs/c.yml", "a.yml"}}, nil, "glyphrun:terminal flow specs/c.yml, glyphrun:terminal flow a.yml", ""},
		"chosen":                  {[]Surface{SurfaceTerminal}, VerifyInput{}, chosen("glyphrun", "a", "b"), "glyphrun:auto-selected terminal flow a, glyphrun:auto-selected terminal flow b", ""},
		"chosen, three at most":   {[]Surface{SurfaceBrowser}, VerifyInput{}, chosen("cairntrace", "a", "b", "c", "d"), "cairntrace:auto-selected browser flow a, cairntrace:auto-selected browser flow b, cairntrace:auto-selected browser flow c", "3 of 4"},
		"none chosen":             {[]Surface{SurfaceTerminal}, VerifyInput{}, map[string]Selection{"glyphrun": {Why: "glyph is not on PATH"}}, "", "surface terminal was not checked (not_run): name the terminal spec with --terminal-spec; glyph is not on PATH"},
		"artifact and project":    {nil, VerifyInput{ArtifactRef: "fc_1", SecretProject: "proj"}, nil, "fcheap:artifact verification fcheap://stash/fc_1, tvault:secret verification proj", ""},
		"artifact not named":      {[]Surface{SurfaceArtifact}, VerifyInput{}, nil, "", "--artifact-ref"},
		"project not named":       {[]Surface{SurfaceSecret}, VerifyInput{}, nil, "", "--secret-project"},
		"only another check":      {[]Surface{SurfaceTerminal}, VerifyInput{Only: []string{"unit"}, TerminalSpecs: []string{"a.yml"}}, nil, "", ""},
		"only this one":           {[]Surface{SurfaceTerminal}, VerifyInput{Only: []string{RequireTerminal}, TerminalSpecs: []string{"a.yml"}, SecretProject: "p"}, nil, "glyphrun:terminal flow a.yml", ""},
		"a hint that git refutes": {nil, VerifyInput{Hints: []string{"./calc.sh", "/srv/repo/calc.sh", "other.sh"}}, nil, "", "git sees no change in: other.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := leased(changeCase(PhaseChanging), "agent-a")
			c.Surfaces = append(c.Surfaces, tt.surfaces...)
			facts := factsOf("calc.sh")
			facts.Selected = tt.selected
			plan, err := PlanVerification(c, nil, tt.in, facts)
			warnings := strings.Join(plan.Warnings, "; ")
			if got := checked(plan.Tools); err != nil || got != tt.want || !strings.Contains(warnings, tt.warns) || tt.warns == "" && warnings != "" {
				t.Errorf("checks %q, warnings %q, error %v; want %q and %q", got, warnings, err, tt.want, tt.warns)
			}
		})
	}
}

func TestNothingIsChosenUnasked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		edit func(*Case)
		in   VerifyInput
		none bool // nothing changed
		want string
	}{
		"in scope":           {nil, VerifyInput{}, false, "glyphrun"},
		"planned, not named": {func(c *Case) { c.Surfaces = nil }, VerifyInput{}, false, "glyphrun"},
		"both":               {func(c *Case) { c.Surfaces = append(c.Surfaces, SurfaceBrowser) }, VerifyInput{}, false, "cairntrace glyphrun"},
		"out of scope":       {func(c *Case) { c.Surfaces, c.VerificationRequired = nil, nil }, VerifyInput{}, false, ""},
		"nothing changed":    {nil, VerifyInput{}, true, ""},
		"not wanted":         {nil, VerifyInput{NoAutoSpecs: true}, false, ""},
		"named":              {nil, VerifyInput{TerminalSpecs: []string{"a.yml"}}, false, ""},
		"claimed":            {nil, VerifyInput{Claims: []ClaimSpec{{Surface: SurfaceTerminal, Contract: "a.yml"}}}, false, ""},
		"another check only": {nil, VerifyInput{Only: []string{"unit"}}, false, ""},
		"this check only":    {nil, VerifyInput{Only: []string{RequireTerminal}}, false, "glyphrun"},
		"attested only":      {nil, VerifyInput{Attest: []Attestation{{ID: "x"}}}, false, ""},
		"a wrong phase":      {func(c *Case) { c.Status = PhaseComplete }, VerifyInput{}, false, ""},
	} {
		c, facts := flowCase()
		if tt.edit != nil {
			tt.edit(c)
		}
		if tt.none {
			facts.Changed = nil
		}
		if got := strings.Join(SelectFlows(c, nil, tt.in, facts), " "); got != tt.want {
			t.Errorf("%s: asks %q, want %q", name, got, tt.want)
		}
	}
}

func TestPathsOfSpecsStayInTheWorkspace(t *testing.T) {
	t.Parallel()
	c, facts := flowCase()
	for spec, want := range map[string]string{
		"a.yml": "a.yml", "./x//a.yml": "x/a.yml", "/srv/repo/x/a.yml": "x/a.yml", "x y/ä.yml": "x y/ä.yml",
		"../a.yml": "", "x/../../a.yml": "", "x/../a.yml": "", "/etc/passwd": "", "/srv/repository/a.yml": "", "/srv/repo": "", ".": "", "": "", "x/": "",
		"-rf": "", "--config=x": "", "./-x": "", "a\nb": "", "a\x00b": "", strings.Repeat("x", 1025): "",
	} {
		got, err := CheckToolContract(c, "glyphrun", "terminalSpecs", spec, nil)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", spec, got, err, want)
		}
		_, err = PlanVerification(c, nil, VerifyInput{TerminalSpecs: []string{spec}}, facts)
		if want != "" {
			continue
		}
		if p := problem.From(err); p == nil || p.Field != "terminalSpecs" || len(p.Next) != 1 || !slices.Contains(p.Next[0].Inputs, "terminalSpecs") {
			t.Errorf("%q: %+v, want a refusal that names terminalSpecs", spec, p)
		} else {
			checkSteps(t, p.Next)
		}
	}
	many := VerifyInput{BrowserSpecs: make([]string, MaxSpecs+1)}
	_, err := PlanVerification(c, nil, many, facts)
	refused(t, err, problem.TooLarge)
	for contract, want := range map[string]string{"fc_1": "fcheap://stash/fc_1", "fcheap://stash/fc_1": "fcheap://stash/fc_1", "fcheap://stash/../x": "", "case://t/raw/x": "", "-x": "", "https://x/y": ""} {
		if got, err := CheckToolContract(c, "fcheap", "artifactRef", contract, nil); got != want || (err == nil) != (want != "") {
			t.Errorf("artifact %q: %q, %v; want %q", contract, got, err, want)
		}
	}
	_, err = CheckToolContract(c, "tvault", "secretProject", "sk_live_x", func(string) bool { return true })
	refused(t, err, problem.SecretInInput)
}

func TestFlowsProveExactlyTheClaimsThatNameThem(t *testing.T) {
	t.Parallel()
	for status, want := range map[ReceiptStatus]Outcome{
		StatusPassed: OutcomeVerified, StatusFailed: OutcomeFailed, StatusInconclusive: OutcomeUnverified, StatusBlocked: OutcomeUnverified,
	} {
		c, facts := flowCase()
		c.AcceptanceCriteria = []Criterion{{ID: "greets", Statement: "it greets"}}
		plan, err := PlanVerification(c, nil, VerifyInput{FromPlan: true, TerminalSpecs: []string{"a.yml"}}, facts)
		if err != nil || len(plan.Claims) != 1 || plan.Claims[0] != (ClaimSpec{"greets", "it greets", SurfaceTerminal, "glyphrun", "a.yml"}) {
			t.Fatalf("claims %+v, error %v", plan.Claims, err)
		}
		receipts, _ := Receipts(plan, []CheckRun{flowRun("glyphrun", "a.yml", status)}, boundBatch())
		if j := Judge(c, receipts, &facts.State); j.Outcome != want || (len(j.SatisfiedCriteria) == 1) != (want == OutcomeVerified) {
			t.Errorf("%s: %+v, want %s", status, j.Assessment, want)
		}
		if got := receipts[0]; got.Claim != "terminal flow a.yml" || got.Requirement != RequireTerminal || got.Contract != "a.yml" || got.Tool != "glyphrun" || got.Surface != SurfaceTerminal {
			t.Errorf("receipt %+v", got)
		}
		other, _ := Receipts(plan, []CheckRun{flowRun("glyphrun", "b.yml", StatusPassed), flowRun("cairntrace", "a.yml", StatusPassed)}, boundBatch())
		if j := Judge(c, other, &facts.State); j.Outcome == OutcomeVerified {
			t.Errorf("other flows prove the claim: %+v", j.Assessment)
		}
	}
}

func TestAPlannedFlowNeedsItsSpec(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		required []string
		in       VerifyInput
		chosen   []string
		want     string // contract of the claim, "" when refused
		input    string // that the refusal asks for
	}{
		"named":           {[]string{RequireTerminal}, VerifyInput{TerminalSpecs: []string{"a.yml"}}, nil, "a.yml", ""},
		"one is chosen":   {[]string{RequireReview, RequireTerminal}, VerifyInput{}, []string{"a.yml"}, "a.yml", ""},
		"two are chosen":  {[]string{RequireTerminal}, VerifyInput{}, []string{"a.yml", "b.yml"}, "", "claimSpecs"},
		"none":            {[]string{RequireTerminal}, VerifyInput{}, nil, "", "terminalSpecs"},
		"beside a test":   {[]string{"command:unit", RequireTerminal}, VerifyInput{TerminalSpecs: []string{"a.yml"}}, nil, "", "claimSpecs"},
		"two surfaces":    {[]string{RequireBrowser, RequireTerminal}, VerifyInput{TerminalSpecs: []string{"a.yml"}}, nil, "", "claimSpecs"},
		"a stash":         {[]string{RequireArtifact}, VerifyInput{ArtifactRef: "fc_1"}, nil, "fcheap://stash/fc_1", ""},
		"a stash, unsaid": {[]string{RequireArtifact}, VerifyInput{}, nil, "", "artifactRef"},
		"a project":       {[]string{RequireCapability}, VerifyInput{SecretProject: "p"}, nil, "p", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, facts := flowCase()
			c.VerificationRequired = tt.required
			facts.Selected = map[string]Selection{"glyphrun": {Specs: tt.chosen}}
			tt.in.FromPlan = true
			plan, err := PlanVerification(c, nil, tt.in, facts)
			if tt.want != "" {
				if err != nil || len(plan.Claims) != 1 || plan.Claims[0].Contract != tt.want || len(plan.Tools) != 1 {
					t.Errorf("claims %+v, checks %+v, error %v; want %s", plan.Claims, plan.Tools, err, tt.want)
				}
				return
			}
			p := refused(t, err, problem.InvalidInput)
			asked := false
			for _, step := range p.Next {
				_, given := step.Args[tt.input]
				asked = asked || given || slices.Contains(step.Inputs, tt.input)
			}
			if !asked {
				t.Errorf("steps %+v, want one with %s", p.Next, tt.input)
			}
		})
	}
}

// TestVerdictsOfFlowsStayWithTheirBytes holds that a later call that does not name a flow neither loses nor hides its verdict.
func TestVerdictsOfFlowsStayWithTheirBytes(t *testing.T) {
	t.Parallel()
	for status, want := range map[ReceiptStatus]Outcome{StatusPassed: OutcomeVerified, StatusFailed: OutcomeFailed} {
		c, facts := flowCase()
		c.VerificationRequired = []string{RequireTerminal, "command:unit"}
		first, err := PlanVerification(c, nil, VerifyInput{TerminalSpecs: []string{"a.yml"}}, facts)
		if err != nil {
			t.Fatal(err)
		}
		receipts, _ := Receipts(first, []CheckRun{unitRun(StatusPassed), flowRun("glyphrun", "a.yml", status)}, boundBatch())
		for _, in := range []VerifyInput{{}, {NoAutoSpecs: true}, {Only: []string{"unit"}}, {Stale: true, Claims: []ClaimSpec{unitClaim()}}} {
			again, err := PlanVerification(c, receipts, in, facts)
			if err != nil {
				t.Fatal(err)
			}
			runs := []CheckRun{unitRun(StatusPassed)}
			for _, check := range again.Tools {
				runs = append(runs, flowRun(check.Tool, check.Contract, status))
			}
			second := boundBatch()
			second.ID = "vb_2"
			more, _ := Receipts(again, runs, second)
			c.AcceptanceCriteria = nil
			if j := Judge(c, append(receipts, more...), &facts.State); j.Outcome != want || len(again.Warnings) > 0 {
				t.Errorf("%s, then %+v: %s (%+v) with warnings %q, want %s and none", status, in, j.Outcome, j.Assessment, again.Warnings, want)
			}
			c.AcceptanceCriteria = changeCase(PhaseChanging).AcceptanceCriteria
		}
		again, err := PlanVerification(c, receipts, VerifyInput{TerminalSpecs: []string{"a.yml"}}, facts)
		if err != nil || len(again.Carried) != 0 {
			t.Errorf("checked again, and carried %+v (%v)", again.Carried, err)
		}
	}
}

func TestTheNextStepAsksForWhatIsMissing(t *testing.T) {
	t.Parallel()
	c, facts := flowCase()
	c.AcceptanceCriteria, c.Status = nil, PhaseVerifying
	plan, err := PlanVerification(c, nil, VerifyInput{}, facts)
	if err != nil {
		t.Fatal(err)
	}
	receipts, _ := Receipts(plan, nil, boundBatch())
	step := NextSteps(c, Judge(c, receipts, &facts.State), start())[0]
	if step.Op != "verify" || !slices.Contains(step.Inputs, "terminalSpecs") {
		t.Errorf("step %+v, want verify with terminalSpecs", step)
	}
	_, err = PlanVerification(c, nil, VerifyInput{Only: []string{"e2e"}}, facts)
	if p := refused(t, err, problem.UnknownVerifier); !slices.Contains(p.Next[0].Candidates["only"], RequireTerminal) {
		t.Errorf("candidates %v, want %s among them", p.Next[0].Candidates, RequireTerminal)
	}
}

func TestStaleFlowsAreRunAgain(t *testing.T) {
	t.Parallel()
	c, facts := flowCase()
	c.AcceptanceCriteria = nil
	first, err := PlanVerification(c, nil, VerifyInput{TerminalSpecs: []string{"a.yml", "b.yml"}}, facts)
	if err != nil {
		t.Fatal(err)
	}
	receipts, _ := Receipts(first, []CheckRun{flowRun("glyphrun", "a.yml", StatusPassed), flowRun("glyphrun", "b.yml", StatusPassed)}, boundBatch())
	if plan, err := PlanVerification(c, receipts, VerifyInput{Stale: true}, facts); err != nil || !plan.UpToDate {
		t.Errorf("nothing changed: %+v, %v", plan, err)
	}
	edited := facts
	edited.State.Digest = "d2"
	if plan, err := PlanVerification(c, receipts, VerifyInput{Stale: true}, edited); err != nil || checked(plan.Tools) != "glyphrun:terminal flow a.yml, glyphrun:terminal flow b.yml" {
		t.Errorf("edited: %q, %v", checked(plan.Tools), err)
	}
	// The spec alone changed, where the digest of the worktree does not see it.
	ignored := facts
	ignored.State.Flow = func(_, spec string) string { return map[string]string{"a.yml": "sha256:a.yml"}[spec] }
	j := Judge(c, receipts, &ignored.State)
	if j.Outcome == OutcomeVerified || len(j.Outdated) != 1 || j.Outdated[0] != "glyphrun b.yml" {
		t.Errorf("a changed spec: %+v", j)
	}
	if plan, err := PlanVerification(c, receipts, VerifyInput{Stale: true}, ignored); err != nil || checked(plan.Tools) != "glyphrun:terminal flow b.yml" || len(plan.Carried) != 1 {
		t.Errorf("a changed spec: %q, carried %+v, %v", checked(plan.Tools), plan.Carried, err)
	}
}

// TestOnlyPassedFlowsVerify draws verdicts of flows, and whether they are about these bytes.
func TestOnlyPassedFlowsVerify(t *testing.T) {
	t.Parallel()
	verdicts := []ReceiptStatus{StatusPassed, StatusPassed, StatusFailed, StatusInconclusive, StatusBlocked, StatusNotRun}
	rapid.Check(t, func(t *rapid.T) {
		c, facts := flowCase()
		c.AcceptanceCriteria = nil
		c.Surfaces = append(c.Surfaces, SurfaceBrowser)
		c.VerificationRequired = []string{RequireBrowser, RequireTerminal}
		in := VerifyInput{TerminalSpecs: []string{"a.yml", "b.yml"}[:rapid.IntRange(0, 2).Draw(t, "terminal")], BrowserSpecs: []string{"a.yml"}[:rapid.IntRange(0, 1).Draw(t, "browser")]}
		plan, err := PlanVerification(c, nil, in, facts)
		if err != nil {
			t.Fatal(err)
		}
		all := len(in.TerminalSpecs) > 0 && len(in.BrowserSpecs) > 0
		var runs []CheckRun
		for i, check := range plan.Tools {
			status := rapid.SampledFrom(verdicts).Draw(t, fmt.Sprint(i))
			all = all && status == StatusPassed
			runs = append(runs, flowRun(check.Tool, check.Contract, status))
		}
		b := boundBatch()
		if rapid.Bool().Draw(t, "edited") {
			b.After.Digest, all = "d2", false
		}
		receipts, _ := Receipts(plan, runs, b)
		if got := Judge(c, receipts, &facts.State).Outcome; (got == OutcomeVerified) != all {
			t.Errorf("%s for %+v; all passed: %t", got, runs, all)
		}
	})
}
