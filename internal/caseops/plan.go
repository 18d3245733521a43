package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var plan = op.Define(op.Spec{
	Name: "plan", Tool: "cortex_plan", Title: "Plan a bounded change", Effect: op.Changes, Profiles: op.Agent, Idempotent: true,
	Help: `Passes the planning gate: hypotheses that could be disproven, what is uncertain, the files that may change, and the
checks that will prove the result. A plan may be replaced until the change begins.

Refuses a hypothesis without a disproof, a change without a boundary of files, evidence of another case, and verifiers that
do not exist.`,
	Example: `cortex plan task_… --hypothesis "the URL is dropped in the callback :: log it before and after" \
  --file src/auth/callback.ts --verify command:unit --uncertainty "other entry points"`,
}, (*Service).Plan)

// PlanInput is a proposed plan.
type PlanInput struct {
	TaskID           string              `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Hypotheses       []HypothesisInput   `json:"hypotheses,omitempty" op:"flag=hypothesis" jsonschema:"explanations, each with what would disprove it; on the command line: statement :: disproof"`
	Disproofs        []string            `json:"disproofs,omitempty" op:"flag=disprove,hide=mcp" jsonschema:"disproof of the hypothesis at the same place, instead of :: in it"`
	Supports         []string            `json:"supports,omitempty" op:"flag=support,hide=mcp" jsonschema:"N=ev_…[,ev_…]: evidence for the Nth hypothesis, counted from 1"`
	Confidence       casefile.Confidence `json:"confidence,omitempty" op:"hide=mcp" jsonschema:"confidence of hypotheses that give none (default low)"`
	Files            []string            `json:"files,omitempty" op:"flag=file" jsonschema:"what may change: a path relative to the workspace, dir/** or dir/*"`
	Symbols          []string            `json:"symbols,omitempty" op:"flag=symbol" jsonschema:"functions or types that the change is about"`
	BoundaryReason   string              `json:"boundaryReason,omitempty" jsonschema:"why the boundary is where it is"`
	Verification     []string            `json:"verification,omitempty" op:"flag=verify" jsonschema:"checks that must pass, such as command:unit; the configured unit tests when left out"`
	Uncertainty      string              `json:"uncertainty,omitempty" jsonschema:"what could still be wrong"`
	TimeoutOverrides map[string]string   `json:"timeoutOverrides,omitempty" op:"flag=timeout" jsonschema:"time limit by tool, such as command=5m"`
}

// Plan accepts a plan and moves the case to planned.
func (s *Service) Plan(ctx context.Context, in PlanInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	proposed, err := in.proposed()
	if err != nil {
		return op.Envelope{}, err
	}
	bob := s.bobPaths(ctx, s.tools(nil), proposed.Files)
	var out op.Envelope
	err = s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		if out, err = s.acceptPlan(e, proposed); err != nil {
			return err
		}
		return s.planByTools(e, bob, &out)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	out.Warn(s.Warnings...)
	return out, nil
}

func (s *Service) acceptPlan(e *casestore.Edit, in casefile.PlanInput) (op.Envelope, error) {
	c := e.Case()
	known, offer, err := citable(e, in)
	if err != nil {
		return op.Envelope{}, err
	}
	accepted, warnings, err := casefile.AcceptPlan(c, in, casefile.PlanGate{
		Known: known, Evidence: offer, Verifiers: s.verifiers(), NewID: s.IDs.New, Refuses: s.Redact.Refuses,
	})
	if err != nil {
		return op.Envelope{}, err
	}
	events, err := casefile.ApplyPlan(c, accepted, in.TimeoutOverrides, s.now())
	if err != nil {
		return op.Envelope{}, err
	}
	e.PutPlan(&accepted)
	e.PutHypotheses(accepted.Hypotheses)
	e.AddPhases(events...)
	if err := e.PutCase(c); err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, planSummary(accepted))
	out.Hypotheses = hypothesisViews(accepted.Hypotheses)
	advice := "investigate to gather some before changing"
	if c.InvestigationRounds >= s.Config.Budget.MaxInvestigationRounds {
		advice = "name records of the case that support it, or note what you know"
	}
	for _, h := range accepted.Hypotheses {
		if len(h.Supports) == 0 {
			out.Warn(fmt.Sprintf("hypothesis %q has no supporting evidence — %s", h.ID, advice))
		}
	}
	out.Warn(warnings...)
	out.Steps = s.steps(c, casefile.Judgement{})
	return out, nil
}

func planSummary(p casefile.Plan) string {
	hypotheses, verifiers := "hypotheses", "verifiers"
	if len(p.Hypotheses) == 1 {
		hypotheses = "hypothesis"
	}
	if len(p.VerificationRequired) == 1 {
		verifiers = "verifier"
	}
	return fmt.Sprintf("plan accepted: %d %s, boundary of %d file(s) / %d symbol(s), %d %s required",
		len(p.Hypotheses), hypotheses, len(p.ChangeBoundary.Files), len(p.ChangeBoundary.Symbols), len(p.VerificationRequired), verifiers)
}

// citable returns whether an id is evidence of the case, and a few of its newest ids to offer when one is not.
func citable(e *casestore.Edit, in casefile.PlanInput) (known func(string) bool, offer []string, err error) {
	var cited []string
	for _, h := range in.Hypotheses {
		cited = append(cited, h.Supports...)
	}
	if len(cited) == 0 {
		return func(string) bool { return false }, nil, nil
	}
	if known, err = knownEvidence(e.Reader, cited); err != nil {
		return nil, nil, err
	}
	newest, _, err := e.EvidenceTail(casefile.MaxCandidates)
	if err != nil {
		return nil, nil, err
	}
	for _, ev := range newest {
		offer = append(offer, ev.ID)
	}
	return known, offer, nil
}

// knownEvidence returns whether one of the given ids is evidence of the case.
func knownEvidence(r *casestore.Reader, ids []string) (func(string) bool, error) {
	have := map[string]bool{}
	for _, id := range ids {
		known, err := r.HasEvidence(id)
		if err != nil {
			return nil, err
		}
		have[id] = known
	}
	return func(id string) bool { return have[id] }, nil
}
