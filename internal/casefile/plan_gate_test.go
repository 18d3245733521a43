package casefile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

func goodPlan() PlanInput {
	return PlanInput{
		Hypotheses:  []HypothesisInput{{Statement: "add subtracts", DisproveBy: "run test.sh", Supports: []string{"ev_1", "ev_1"}, Confidence: ConfidenceMedium}},
		Files:       []string{"./calc.sh", "calc.sh"},
		Symbols:     []string{"add"},
		Uncertainty: " shell portability ", Verification: []string{"command:unit"},
	}
}

func gate() PlanGate {
	return PlanGate{
		Known: func(id string) bool { return id == "ev_1" }, Evidence: []string{"ev_1"}, Verifiers: unitSet(), NewID: counter(),
		Refuses: func(s string) bool { return strings.Contains(s, "ghp_") },
	}
}

func TestAGoodPlanIsAccepted(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseInvestigating)
	plan, warnings, err := AcceptPlan(c, goodPlan(), gate())
	if err != nil || len(warnings) > 0 {
		t.Fatalf("warnings %q, error %v", warnings, err)
	}
	want := Plan{
		Hypotheses: []Hypothesis{{
			ID: "hyp_1", Statement: "add subtracts", Supports: []string{"ev_1"}, Confidence: ConfidenceMedium,
			DisproveBy: Disproof{Note: "run test.sh"}, Status: HypothesisActive,
		}},
		ChangeBoundary: Boundary{Files: []string{"calc.sh"}, Symbols: []string{"add"}}, VerificationRequired: []string{"command:unit"},
		Uncertainty: "shell portability",
	}
	if d := cmp.Diff(want, plan); d != "" {
		t.Errorf("plan (-want +got):\n%s", d)
	}
	if c.Status != PhaseInvestigating {
		t.Errorf("accepting moved the case to %s", c.Status)
	}
	events, err := ApplyPlan(c, plan, map[string]string{"command": "5m"}, start())
	if err != nil || len(events) != 1 || c.Status != PhasePlanned || c.TimeoutOverrides["command"] != "5m" {
		t.Errorf("applied: status %s, timeouts %v, events %v, error %v", c.Status, c.TimeoutOverrides, events, err)
	}
	if events, err = ApplyPlan(c, plan, nil, start()); err != nil || len(events) != 0 || c.TimeoutOverrides["command"] != "5m" {
		t.Errorf("applied again: timeouts %v, events %v, error %v", c.TimeoutOverrides, events, err)
	}
}

func TestPlanRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		edit  func(*PlanInput)
		code  problem.Code
		input string // that the step asks for
		word  string // that the message holds
	}{
		{"no hypothesis", func(in *PlanInput) { in.Hypotheses = nil }, problem.PlanRejected, "hypotheses", "hypothesis"},
		{"no statement", func(in *PlanInput) { in.Hypotheses[0].Statement = " " }, problem.InvalidInput, "hypotheses", "empty"},
		{"no disproof", func(in *PlanInput) { in.Hypotheses[0].DisproveBy = "\n" }, problem.MissingDisproof, "hypotheses", "disproof"},
		{"unknown support", func(in *PlanInput) { in.Hypotheses[0].Supports = []string{"ev_2"} }, problem.PlanRejected, "hypotheses", "ev_2"},
		{"unknown confidence", func(in *PlanInput) { in.Hypotheses[0].Confidence = "sure" }, problem.InvalidInput, "hypotheses", "confidence must be one of"},
		{"65 hypotheses", func(in *PlanInput) { in.Hypotheses = slices.Repeat(in.Hypotheses, 65) }, problem.TooLarge, "hypotheses", "64"},
		{"no uncertainty", func(in *PlanInput) { in.Uncertainty = "" }, problem.PlanRejected, "uncertainty", "uncertain"},
		{"oversized uncertainty", func(in *PlanInput) { in.Uncertainty = strings.Repeat("x", MaxText+1) }, problem.TooLarge, "uncertainty", "16384"},
		{"no boundary", func(in *PlanInput) { in.Files, in.Symbols = nil, nil }, problem.MissingBoundary, "files", "boundary"},
		{"symbols alone", func(in *PlanInput) { in.Files = nil }, problem.MissingBoundary, "files", "boundary"},
		{"outside", func(in *PlanInput) { in.Files = []string{"../x"} }, problem.PathOutside, "files", "outside"},
		{"secret file", func(in *PlanInput) { in.Files = []string{"ghp_1"} }, problem.SecretInInput, "files", "secret"},
		{"secret symbol", func(in *PlanInput) { in.Symbols = []string{"ghp_1"} }, problem.SecretInInput, "symbols", "secret"},
		{"unknown verifier", func(in *PlanInput) { in.Verification = []string{"command:e2e"} }, problem.UnknownVerifier, "verification", "command:e2e"},
		{"unknown tool", func(in *PlanInput) { in.TimeoutOverrides = map[string]string{"vim": "1s"} }, problem.InvalidInput, "timeoutOverrides", "vim"},
		{"no duration", func(in *PlanInput) { in.TimeoutOverrides = map[string]string{"git": "-1s"} }, problem.InvalidInput, "timeoutOverrides", "-1s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, in := changeCase(PhaseInvestigating), goodPlan()
			tt.edit(&in)
			_, _, err := AcceptPlan(c, in, gate())
			p := refused(t, err, tt.code)
			if !strings.Contains(p.Message, tt.word) {
				t.Errorf("message %q does not say %q", p.Message, tt.word)
			}
			if p.Next[0].Op != "plan" || !slices.Equal(p.Next[0].Inputs, []string{tt.input}) || p.TaskID != c.ID {
				t.Errorf("step %+v about %q, want plan with the input %s", p.Next[0], p.TaskID, tt.input)
			}
		})
	}
}

// TestARefusedPlanCanBeResent supplies the input that the step asks for and calls again with the step's arguments.
func TestARefusedPlanCanBeResent(t *testing.T) {
	t.Parallel()
	in := goodPlan()
	in.Files = nil
	_, _, err := AcceptPlan(changeCase(PhaseInvestigating), in, gate())
	args := refused(t, err, problem.MissingBoundary).Next[0].Args
	again := PlanInput{
		Hypotheses: args["hypotheses"].([]HypothesisInput), Symbols: args["symbols"].([]string), Uncertainty: args["uncertainty"].(string),
		Verification: args["verification"].([]string), Files: []string{"calc.sh"},
	}
	if _, _, err := AcceptPlan(changeCase(PhaseInvestigating), again, gate()); err != nil {
		t.Errorf("the resent plan is refused: %v", err)
	}
}

func TestAnUnknownVerifierOffersTheKnownOnes(t *testing.T) {
	t.Parallel()
	in := goodPlan()
	in.Verification = []string{"unit"}
	_, _, err := AcceptPlan(changeCase(PhaseInvestigating), in, gate())
	p := refused(t, err, problem.UnknownVerifier)
	if got := p.Next[0].Candidates["verification"]; !slices.Contains(got, "command:unit") || !slices.Contains(got, RequireReview) {
		t.Errorf("candidates %q", got)
	}
	none := gate()
	none.Verifiers = VerifierSet{}
	_, _, err = AcceptPlan(changeCase(PhaseInvestigating), in, none)
	if p := refused(t, err, problem.UnknownVerifier); len(p.Next) != 2 || p.Next[1].Command != "cortex init" {
		t.Errorf("with nothing configured: steps %+v, want cortex init among them", p.Next)
	}
}

func TestWhatAPlanRequires(t *testing.T) {
	t.Parallel()
	capital := VerifierSet{Commands: []Verifier{{"Unit", KindUnitTest}, {"unit", KindUnitTest}, {"Lint", KindLint}}}
	tests := []struct {
		name  string
		risk  Risk
		mode  Mode
		given []string
		set   VerifierSet
		want  string
		warns int
	}{
		{"low risk", RiskLow, ModeChange, []string{"command:lint"}, unitSet(), "command:lint", 0},
		{"medium risk without a test", RiskMedium, ModeChange, []string{"command:lint"}, unitSet(), "codemap_review command:lint", 1},
		{"high risk without a test", RiskHigh, ModeChange, []string{"command:lint"}, unitSet(), "codemap_review command:lint", 1},
		{"medium risk with a test", RiskMedium, ModeChange, []string{"command:unit"}, unitSet(), "command:unit", 0},
		{"review asked beside a test", RiskMedium, ModeChange, []string{"codemap_review", "command:unit"}, unitSet(), "command:unit", 1},
		{"review asked alone", RiskMedium, ModeChange, []string{"codemap_review"}, unitSet(), "codemap_review", 0},
		{"nothing named", RiskMedium, ModeChange, nil, unitSet(), "command:unit", 1},
		{"nothing named or configured", RiskMedium, ModeChange, nil, VerifierSet{}, "codemap_review", 1},
		{"nothing named, low risk", RiskLow, ModeChange, nil, VerifierSet{}, "", 0},
		{"an investigation", RiskMedium, ModeInvestigate, nil, unitSet(), "", 0},
		{"repeated", RiskLow, ModeChange, []string{"command:unit", "command:unit"}, unitSet(), "command:unit", 0},
		{"other case, unique", RiskLow, ModeChange, []string{"command:lint"}, capital, "command:Lint", 0},
		{"exact among two", RiskLow, ModeChange, []string{"command:unit"}, capital, "command:unit", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, in, g := changeCase(PhaseInvestigating), goodPlan(), gate()
			c.Risk, c.Mode, in.Verification, g.Verifiers = tt.risk, tt.mode, tt.given, tt.set
			plan, warnings, err := AcceptPlan(c, in, g)
			if got := strings.Join(plan.VerificationRequired, " "); got != tt.want || err != nil || len(warnings) != tt.warns {
				t.Errorf("required %q, warnings %q, error %v; want %q and %d warnings", got, warnings, err, tt.want, tt.warns)
			}
		})
	}
	if _, p := capital.Canonical("command:UNIT"); p == nil {
		t.Error("a name that two verifiers fit but for case was accepted")
	}
}

func TestAnInvestigationNeedsNoBoundary(t *testing.T) {
	t.Parallel()
	c, in := changeCase(PhaseInvestigating), goodPlan()
	c.Mode, in.Files, in.Symbols = ModeInvestigate, nil, nil
	if _, _, err := AcceptPlan(c, in, gate()); err != nil {
		t.Error(err)
	}
}

func TestHypothesisInputKeepsItsObjectForm(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(HypothesisInput{Statement: "a", DisproveBy: "b"})
	if want := `{"statement":"a","disproveBy":"b"}`; err != nil || string(raw) != want {
		t.Errorf("got %s, error %v; want %s", raw, err, want)
	}
	if text, err := (HypothesisInput{Statement: "a", DisproveBy: "b"}).MarshalText(); err != nil || string(text) != "a :: b" {
		t.Errorf("text %q, error %v", text, err)
	}
	if text, err := (HypothesisInput{Statement: "a", DisproveBy: "b", Supports: []string{"ev_1"}}).MarshalText(); err == nil {
		t.Errorf("text %q drops the supports", text)
	}
}
