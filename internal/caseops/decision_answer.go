package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var decisionAnswer = op.Define(op.Spec{
	Name: "decision answer", Tool: "cortex_answer_decision", Title: "Record a person's decision", Effect: op.Changes, Profiles: op.Agent, Idempotent: true,
	Help: `Records which option a person chose, as evidence too, and resumes the phase that the case was paused in. Only a
person's choice belongs here.

The same answer again is no error; another one is refused, naming who answered what.`,
	Example: `cortex decision answer task_… dec_… --answer safe --responder maria`,
}, (*Service).AnswerDecision)

var decisionResume = op.Define(op.Spec{
	Name: "decision resume", Title: "Finish an interrupted decision", Effect: op.Changes, Idempotent: true,
	Help: `Only for recovery: carries an answered decision through whose case is still paused, or pauses the case of a decision
that is pending, as a crash of another program can leave them. Refuses a case with nothing to recover.`,
	Example: `cortex decision resume task_…`,
}, (*Service).ResumeDecision)

// AnswerDecisionInput is a person's choice.
type AnswerDecisionInput struct {
	TaskID     string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	DecisionID string `json:"decisionId,omitempty" op:"arg" jsonschema:"the decision; default: the pending one"`
	Answer     string `json:"answer,omitempty" jsonschema:"the id of the chosen option"`
	Responder  string `json:"responder,omitempty" op:"default=human" jsonschema:"the person who chose"`
	Resume     bool   `json:"resume,omitempty" jsonschema:"only after a crash: finish an answer that was recorded already"`
}

// ResumeDecisionInput names a case.
type ResumeDecisionInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
}

// AnswerDecision records the answer, its evidence and the resumed phase in one transaction. Of two people who answer
// differently at once exactly one is recorded.
func (s *Service) AnswerDecision(ctx context.Context, in AnswerDecisionInput) (op.Envelope, error) {
	if in.Resume {
		return s.ResumeDecision(ctx, ResumeDecisionInput{TaskID: in.TaskID})
	}
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	responder, err := casefile.CheckPerson("responder", in.Responder, s.Redact.Refuses)
	if err != nil {
		return op.Envelope{}, err
	}
	c, change, err := s.decide(ctx, id, func(c *casefile.Case, all []casefile.Decision) (casefile.DecisionChange, error) {
		return casefile.AnswerDecision(c, all, casefile.DecisionAnswer{DecisionID: in.DecisionID, Answer: in.Answer, Responder: responder}, s.IDs.New, s.now())
	})
	if err != nil {
		return op.Envelope{}, err
	}
	summary := fmt.Sprintf("decision %s answered; resumed %s", change.Decision.ID, c.Status)
	if change.Known {
		summary = fmt.Sprintf("decision %s was already answered; task is %s", change.Decision.ID, c.Status)
	}
	return s.decided(ctx, c, change, summary)
}

// ResumeDecision finishes in one transaction what another program wrote in several and did not finish.
func (s *Service) ResumeDecision(ctx context.Context, in ResumeDecisionInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	c, change, err := s.decide(ctx, id, func(c *casefile.Case, all []casefile.Decision) (casefile.DecisionChange, error) {
		return casefile.ResumeDecision(c, all, s.IDs.New, s.now())
	})
	if err != nil {
		return op.Envelope{}, err
	}
	summary := fmt.Sprintf("resumed %s after an interrupted decision", c.Status)
	if c.Status == casefile.PhasePaused {
		summary = fmt.Sprintf("paused for decision %s, which is pending: %s", change.Decision.ID, op.Cut(change.Decision.Question, maxQuestionInSummary))
	}
	return s.decided(ctx, c, change, summary)
}

// decided is the answer of a verb that changed a decision.
func (s *Service) decided(ctx context.Context, c *casefile.Case, change casefile.DecisionChange, summary string) (op.Envelope, error) {
	k, err := s.know(ctx, c.ID, withWorktreeIfJudged)
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, summary)
	if change.Evidence != nil {
		out.Facts = facts([]casefile.Evidence{*change.Evidence})
	}
	out.Warn(k.warnings...)
	if k.c.Status.Active() {
		out.Steps = s.steps(k.c, k.judgement)
	}
	return out, nil
}

// pendingStep is the step to a decision that another program recorded without pausing its case.
func pendingStep(c *casefile.Case, d *casefile.Decision) []problem.Step {
	if d == nil || c.Status == casefile.PhasePaused {
		return nil
	}
	return []problem.Step{casefile.AnswerStep(c, d)}
}
