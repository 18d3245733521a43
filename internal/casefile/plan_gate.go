package casefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cortex/internal/problem"
)

// HypothesisInput is a hypothesis as a plan proposes it.
type HypothesisInput struct {
	Statement  string     `json:"statement"`
	Supports   []string   `json:"supports,omitempty"`
	Confidence Confidence `json:"confidence,omitempty"` // low when empty
	DisproveBy string     `json:"disproveBy"`
}

// MarshalText returns "statement :: disproof", or an error when that would not be the whole.
func (h HypothesisInput) MarshalText() ([]byte, error) {
	if len(h.Supports) > 0 || h.Confidence != "" || strings.Contains(h.Statement, "::") {
		return nil, errors.New("the hypothesis is more than a statement and a disproof")
	}
	return []byte(h.Statement + " :: " + h.DisproveBy), nil
}

// MarshalJSON returns the object form.
func (h HypothesisInput) MarshalJSON() ([]byte, error) {
	type plain HypothesisInput // without methods
	return json.Marshal(plain(h))
}

// PlanInput is a proposed plan.
type PlanInput struct {
	Hypotheses       []HypothesisInput
	Files            []string
	Symbols          []string
	BoundaryReason   string
	Verification     []string
	Uncertainty      string
	TimeoutOverrides map[string]string // tool to duration
}

// PlanGate is what the planning gate needs to know from outside.
type PlanGate struct {
	Known     func(evidenceID string) bool // whether the case has that evidence
	Evidence  []string                     // ids to offer when a cited one is unknown
	Verifiers VerifierSet
	NewID     func(prefix string) string
	Refuses   func(string) bool // whether text is secret-shaped and may not be kept; may be nil
}

// AcceptPlan judges a proposed plan and returns it as it is to be stored, with warnings. c is not changed: ApplyPlan
// does that. A refusal carries a plan step with what was right in the call, and the inputs that must be supplied.
func AcceptPlan(c *Case, in PlanInput, gate PlanGate) (Plan, []string, error) {
	if err := RequirePhase(c, "plan"); err != nil {
		return Plan{}, nil, err
	}
	hypotheses, err := acceptHypotheses(c, in, gate)
	if err != nil {
		return Plan{}, nil, err
	}
	uncertainty, err := CheckOptional("uncertainty", in.Uncertainty, MaxText)
	if err != nil {
		return Plan{}, nil, rejected(c, in, err, "uncertainty")
	}
	if uncertainty == "" {
		return Plan{}, nil, rejected(c, in, problem.New(problem.PlanRejected,
			"plan rejected: it does not say what is uncertain; set uncertainty"), "uncertainty")
	}
	boundary, err := acceptBoundary(c, in, gate)
	if err != nil {
		return Plan{}, nil, err
	}
	required, warnings, err := acceptVerification(c, in, gate)
	if err != nil {
		return Plan{}, nil, err
	}
	if err := CheckTimeouts(in.TimeoutOverrides); err != nil {
		return Plan{}, nil, rejected(c, in, err, "timeoutOverrides")
	}
	return Plan{Hypotheses: hypotheses, ChangeBoundary: boundary, VerificationRequired: required, Uncertainty: uncertainty}, warnings, nil
}

// ApplyPlan makes an accepted plan the plan of c and moves it to planned. Time limits replace earlier ones when given.
func ApplyPlan(c *Case, plan Plan, timeouts map[string]string, now time.Time) ([]PhaseEvent, error) {
	c.ChangeBoundary, c.VerificationRequired = plan.ChangeBoundary, plan.VerificationRequired
	if len(timeouts) > 0 {
		c.TimeoutOverrides = timeouts
	}
	return Advance(c, PhasePlanned, now)
}

func acceptHypotheses(c *Case, in PlanInput, gate PlanGate) ([]Hypothesis, error) {
	switch n := len(in.Hypotheses); {
	case n == 0:
		return nil, rejected(c, in, problem.New(problem.PlanRejected, "plan rejected: it has no hypothesis"), "hypotheses")
	case n > MaxHypotheses:
		return nil, rejected(c, in, tooLarge("hypotheses", n, MaxHypotheses, "hypotheses"), "hypotheses")
	}
	out := make([]Hypothesis, 0, len(in.Hypotheses))
	for i, given := range in.Hypotheses {
		h, err := acceptHypothesis(c, in, gate, i, given)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

func acceptHypothesis(c *Case, in PlanInput, gate PlanGate, i int, given HypothesisInput) (Hypothesis, error) {
	statement, err := CheckText("hypotheses", given.Statement, MaxText)
	if err != nil {
		return Hypothesis{}, rejected(c, in, err, "hypotheses")
	}
	disproof, err := CheckOptional("hypotheses", given.DisproveBy, MaxText)
	if err != nil {
		return Hypothesis{}, rejected(c, in, err, "hypotheses")
	}
	if disproof == "" {
		return Hypothesis{}, rejected(c, in, problem.New(problem.MissingDisproof,
			"plan rejected: hypothesis %d (%q) has no disproof: say what observation would show it wrong", i+1, clip(statement, MaxProofRef)), "hypotheses")
	}
	confidence := given.Confidence
	if confidence == "" {
		confidence = ConfidenceLow
	}
	if !slices.Contains(confidence.Values(), string(confidence)) {
		return Hypothesis{}, rejected(c, in, invalid("confidence", confidence, strings.Join(confidence.Values(), ", "),
			"confidence must be one of: %s (got %q)", strings.Join(confidence.Values(), ", "), confidence), "hypotheses")
	}
	supports := dedupe(given.Supports)
	if len(supports) > MaxSupports {
		return Hypothesis{}, rejected(c, in, tooLarge("hypotheses", len(supports), MaxSupports, "supports"), "hypotheses")
	}
	for _, id := range supports {
		if gate.Known == nil || !gate.Known(id) {
			return Hypothesis{}, unknownSupport(c, in, gate, id)
		}
	}
	return Hypothesis{
		ID: gate.NewID("hyp"), Statement: statement, Supports: supports, Confidence: confidence,
		DisproveBy: Disproof{Note: disproof}, Status: HypothesisActive,
	}, nil
}

func unknownSupport(c *Case, in PlanInput, gate PlanGate, id string) error {
	p := problem.New(problem.PlanRejected, "plan rejected: support %q is not evidence of case %s", clip(id, MaxIdentifier), c.ID)
	p = rejected(c, in, p, "hypotheses")
	if len(gate.Evidence) > 0 {
		p.Next[0].Candidates = map[string][]string{"supports": bounded(gate.Evidence)}
	}
	return p
}

func acceptBoundary(c *Case, in PlanInput, gate PlanGate) (Boundary, error) {
	reason, err := CheckOptional("boundaryReason", in.BoundaryReason, MaxText)
	if err != nil {
		return Boundary{}, rejected(c, in, err, "boundaryReason")
	}
	b := Boundary{Reason: reason}
	for _, entry := range in.Files {
		file, err := CheckBoundaryFile(c.Workspace.Root, entry, gate.Refuses)
		if err != nil {
			return Boundary{}, rejected(c, in, err, "files")
		}
		b.Files = append(b.Files, file)
	}
	for _, symbol := range in.Symbols {
		symbol, err := CheckIdentifier("symbols", symbol, gate.Refuses)
		if err != nil {
			return Boundary{}, rejected(c, in, err, "symbols")
		}
		b.Symbols = append(b.Symbols, symbol)
	}
	b.Files, b.Symbols = dedupe(b.Files), dedupe(b.Symbols)
	if outside := slices.DeleteFunc(slices.Clone(b.Files), c.allowsEntry); len(outside) > 0 {
		return Boundary{}, entriesNotAllowed(c, in, outside)
	}
	switch {
	case len(b.Files) > MaxBoundaryFiles:
		return Boundary{}, rejected(c, in, tooLarge("files", len(b.Files), MaxBoundaryFiles, "files"), "files")
	case len(b.Symbols) > MaxBoundarySymbol:
		return Boundary{}, rejected(c, in, tooLarge("symbols", len(b.Symbols), MaxBoundarySymbol, "symbols"), "symbols")
	case len(b.Files) == 0 && len(b.Symbols) > 0:
		return Boundary{}, missingBoundary(c, in, "a change boundary of symbols alone cannot be compared with changed files")
	case len(b.Files) == 0 && c.Mode == ModeChange:
		return Boundary{}, missingBoundary(c, in, "a change case must declare its change boundary")
	}
	return b, nil
}

func entriesNotAllowed(c *Case, in PlanInput, outside []string) error {
	p := rejected(c, in, notAllowed(c, "plan rejected: the change boundary reaches", outside), "files")
	var offer []string
	for _, pattern := range c.AllowedPaths {
		if base, _ := splitWildcard(pattern); !strings.ContainsAny(base, "*?[") { // a boundary knows no other wildcards
			offer = append(offer, pattern)
		}
	}
	if len(offer) > 0 {
		p.Next[0].Candidates = map[string][]string{"files": bounded(offer)}
	}
	return p
}

func missingBoundary(c *Case, in PlanInput, why string) error {
	return rejected(c, in, problem.New(problem.MissingBoundary,
		"plan rejected: %s; name the files, or dir/**, that may change", why), "files")
}

// acceptVerification returns the requirements of the plan. A change of medium or high risk needs the structural review
// unless a planned unit test proves behaviour, which makes the review advisory; a change that names no verifier gets
// the configured unit tests.
func acceptVerification(c *Case, in PlanInput, gate PlanGate) (required, warnings []string, err error) {
	for _, name := range in.Verification {
		canonical, p := gate.Verifiers.Canonical(name)
		if p != nil {
			return nil, nil, unknownVerifier(c, in, gate, p)
		}
		required = append(required, canonical)
	}
	required = dedupe(required)
	if len(required) == 0 && c.Mode == ModeChange {
		for _, v := range gate.Verifiers.Commands {
			if v.Kind == KindUnitTest {
				required = append(required, CommandRequirement(v.Name))
			}
		}
		if len(required) > 0 {
			warnings = append(warnings, "no verification was named; planned the configured unit tests: "+strings.Join(required, ", "))
		}
	}
	tested := slices.ContainsFunc(required, func(r string) bool { return gate.Verifiers.Kind(r) == KindUnitTest })
	asked := slices.Contains(required, RequireReview)
	switch {
	case tested && asked:
		required = slices.DeleteFunc(required, func(r string) bool { return r == RequireReview })
		warnings = append(warnings, RequireReview+" is advisory while a unit test is planned; it is not required")
	case !tested && !asked && c.Mode == ModeChange && (c.Risk == RiskMedium || c.Risk == RiskHigh):
		required = append([]string{RequireReview}, required...)
		warnings = append(warnings, fmt.Sprintf("a %s-risk change without a planned unit test also requires %s", c.Risk, RequireReview))
	}
	return required, warnings, nil
}

func unknownVerifier(c *Case, in PlanInput, gate PlanGate, p *problem.Problem) error {
	p = rejected(c, in, p, "verification")
	p.Next[0].Candidates = map[string][]string{"verification": bounded(gate.Verifiers.Requirements())}
	if len(gate.Verifiers.Commands) == 0 {
		p.Next = append(p.Next, problem.Step{Command: "cortex init", Why: "configure the repository's own tests as verifiers"})
	}
	return p
}

// CheckTimeouts refuses time limits for unknown tools and those that are no positive duration.
func CheckTimeouts(timeouts map[string]string) error {
	tools := []string{"git", "codemap", "vecgrep", "cairntrace", "glyphrun", "fcheap", "vidtrace", "tvault", "codebase-memory", "veclite", "command"}
	for tool, limit := range timeouts {
		if !slices.Contains(tools, tool) {
			return invalid("timeoutOverrides", tool, strings.Join(tools, ", "), "there is no tool %q to limit.", clip(tool, MaxIdentifier))
		}
		if d, err := time.ParseDuration(limit); err != nil || d <= 0 {
			return invalid("timeoutOverrides", limit, "a positive duration such as 45s", "time limit %q of %s is no positive duration.", clip(limit, MaxIdentifier), tool)
		}
	}
	return nil
}

// rejected turns err into the refusal of a plan, with the step that repeats the call except for the named input.
func rejected(c *Case, in PlanInput, err error, input string) *problem.Problem {
	p := problem.From(err).About(c.ID, string(c.Status))
	args := map[string]any{"taskId": c.ID}
	for name, given := range map[string]any{
		"hypotheses": in.Hypotheses, "files": in.Files, "symbols": in.Symbols, "verification": in.Verification,
		"uncertainty": in.Uncertainty, "boundaryReason": in.BoundaryReason,
	} {
		if name != input && !emptyArg(given) {
			args[name] = given
		}
	}
	inputs := []string{input}
	needed := []string{"hypotheses", "uncertainty"}
	if c.Mode == ModeChange {
		needed = append(needed, "files")
	}
	for _, name := range needed {
		if _, given := args[name]; !given && name != input {
			inputs = append(inputs, name)
		}
	}
	p.Next = []problem.Step{{Op: "plan", Args: args, Inputs: inputs, Why: "resend the plan with " + input + " supplied or corrected"}}
	p.NoStep = ""
	return p
}

// emptyArg reports whether an argument was not given, or is too long to be repeated in a step.
func emptyArg(value any) bool {
	switch v := value.(type) {
	case string:
		return v == "" || len(v) > MaxLocator
	case []string:
		return len(v) == 0 || len(v) > MaxCandidates
	case []HypothesisInput:
		return len(v) == 0 || len(v) > MaxCandidates || len(fmt.Sprint(v)) > MaxLocator
	}
	return true
}
