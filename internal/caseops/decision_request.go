package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var decisionRequest = op.Define(op.Spec{
	Name: "decision request", Tool: "cortex_request_decision", Title: "Ask a person to decide", Effect: op.Changes, Profiles: op.Agent, Idempotent: true,
	Help: `Pauses a case until a person chooses one of at least two options, each with its consequence; the answer brings the
case back to exactly the phase it was in. While a decision is pending, that one is returned instead of a second.`,
	Example: `cortex decision request task_… --question "Which migration?" --option "safe=Safe|more rollout time" --option "fast=Fast|harder to undo"`,
}, (*Service).RequestDecision)

// Option is one way to decide as an argument: an object on the wire, id=label|consequence on a command line.
type Option struct {
	ID          string `json:"id" op:"required" jsonschema:"a short name to answer with"`
	Label       string `json:"label" op:"required" jsonschema:"what is chosen"`
	Consequence string `json:"consequence" op:"required" jsonschema:"what follows from it"`
}

// UnmarshalText reads id=label|consequence.
func (o *Option) UnmarshalText(text []byte) error {
	parsed, err := casefile.ParseDecisionOption(string(text))
	*o = Option(parsed)
	return err
}

// RequestDecisionInput is a question to a person.
type RequestDecisionInput struct {
	TaskID    string   `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Question  string   `json:"question" op:"required" jsonschema:"what is to be decided"`
	Options   []Option `json:"options" op:"required,flag=option" jsonschema:"2 to 16 ways to decide; on the command line id=label|consequence"`
	Requester string   `json:"requester,omitempty" op:"default=agent" jsonschema:"who asks"`
}

// maxQuestionInSummary is how much of a question an answer repeats, in bytes; status shows it whole.
const maxQuestionInSummary = 1 << 10

// RequestDecision records the question and pauses the case in one transaction.
func (s *Service) RequestDecision(ctx context.Context, in RequestDecisionInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	asked := casefile.DecisionRequest{Question: in.Question, Requester: in.Requester}
	for _, o := range in.Options {
		asked.Options = append(asked.Options, casefile.DecisionOption(o))
	}
	if asked, err = casefile.CheckDecision(asked, s.Redact.Refuses); err != nil {
		return op.Envelope{}, err
	}
	c, change, err := s.decide(ctx, id, func(c *casefile.Case, all []casefile.Decision) (casefile.DecisionChange, error) {
		return casefile.RequestDecision(c, all, asked, s.IDs.New("dec"), s.now())
	})
	if err != nil {
		return op.Envelope{}, err
	}
	d := change.Decision
	question := op.Cut(s.Redact.Text(d.Question), maxQuestionInSummary)
	out := answerFor(c, fmt.Sprintf("waiting for decision %s: %s", d.ID, question))
	out.Warn(s.Warnings...)
	if change.Known {
		out.Summary = fmt.Sprintf("recovered existing pending decision %s: %s", d.ID, question)
		if d.Question != s.Redact.Text(asked.Question) {
			out.Warn("another decision is pending already, so this question was not recorded: ask again once that one is answered")
		}
	}
	out.Artifacts = []op.Artifact{{ID: d.ID, Kind: "decision", URI: casefile.DecisionRef(c.ID, d.ID), Summary: question}}
	out.Steps = s.steps(c, casefile.Judgement{})
	return out, nil
}

// decide applies a rule to the decisions of a case and writes what it changes, all at once: decisions, the record of an
// answer, phase event and case.
func (s *Service) decide(ctx context.Context, id string, rule func(*casefile.Case, []casefile.Decision) (casefile.DecisionChange, error)) (*casefile.Case, casefile.DecisionChange, error) {
	var c *casefile.Case
	var change casefile.DecisionChange
	err := s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c = e.Case()
		all, err := e.Decisions()
		if err != nil {
			return err
		}
		if change, err = rule(c, all); err != nil {
			return err
		}
		missing := false
		if change.Evidence != nil {
			there, err := e.HasEvidence(change.Evidence.ID)
			if err != nil {
				return err
			}
			missing = !there
		}
		if change.Known && !missing && len(change.Events) == 0 {
			return nil
		}
		if missing {
			e.AddEvidence(*change.Evidence)
		}
		e.PutDecisions(change.All)
		e.AddPhases(change.Events...)
		return e.PutCase(c)
	})
	return c, change, err
}
