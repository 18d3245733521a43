package caseops

import (
	"context"
	"slices"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var resolve = op.Define(op.Spec{
	Name: "resolve", Tool: "cortex_resolve", Title: "Settle a hypothesis", Effect: op.Changes, Profiles: op.Agent, Idempotent: true,
	Help: `Marks a hypothesis as confirmed, challenged or rejected, with a reason and the evidence for it. What is decided is
itself recorded as evidence.`,
	Example: `cortex resolve task_… hyp_… --status rejected --reason "the log shows the URL intact" --evidence ev_…`,
}, (*Service).Resolve)

// Resolution is what becomes of a hypothesis.
type Resolution string

// Values lists the resolutions.
func (Resolution) Values() []string { return []string{"confirmed", "challenged", "rejected"} }

// ResolveInput settles one hypothesis.
type ResolveInput struct {
	TaskID       string     `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	HypothesisID string     `json:"hypothesisId" op:"arg,required" jsonschema:"the hypothesis"`
	Status       Resolution `json:"status" op:"required" jsonschema:"what becomes of it"`
	Reason       string     `json:"reason" op:"required" jsonschema:"what was observed"`
	Evidence     []string   `json:"evidence,omitempty" jsonschema:"evidence ids of this case that show it"`
}

// Resolve changes the hypothesis and records why, in one transaction.
func (s *Service) Resolve(ctx context.Context, in ResolveInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	var c *casefile.Case
	var settled []casefile.Hypothesis
	var record casefile.Evidence
	err = s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c = e.Case()
		all, err := e.Hypotheses()
		if err != nil {
			return err
		}
		known, err := knownEvidence(e.Reader, in.Evidence)
		if err != nil {
			return err
		}
		settled, record, err = casefile.Resolve(c, all, casefile.Resolution{
			HypothesisID: in.HypothesisID, Status: casefile.HypothesisStatus(in.Status), Reason: in.Reason, Evidence: in.Evidence, Actor: c.Actor,
		}, known, s.IDs.New, s.now())
		if err != nil {
			return err
		}
		e.PutHypotheses(settled)
		e.AddEvidence(record)
		return e.PutCase(c)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	k, err := s.know(ctx, id, withWorktreeIfJudged)
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(k.c, record.Claim)
	out.Facts = facts([]casefile.Evidence{record})
	i := slices.IndexFunc(settled, func(h casefile.Hypothesis) bool { return h.ID == in.HypothesisID })
	out.Hypotheses = hypothesisViews(settled[i : i+1])
	out.Warn(k.warnings...)
	out.Steps = s.steps(k.c, k.judgement)
	return out, nil
}
