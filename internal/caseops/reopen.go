package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var reopen = op.Define(op.Spec{
	Name: "reopen", Tool: "cortex_reopen", Title: "Take an ended task up again", Effect: op.Changes, Profiles: op.Agent,
	Help: `Makes a completed or abandoned case active again and records why. A completed case goes back to verifying, an
abandoned one to the phase it was abandoned from; the change lease stays released.

Refuses a case that is active.`,
	Example: `cortex reopen task_… --reason "the fix was reverted in review"`,
}, (*Service).Reopen)

// ReopenInput says why.
type ReopenInput struct {
	TaskID string `json:"taskId" op:"task,required" jsonschema:"the ended case"`
	Reason string `json:"reason" op:"required" jsonschema:"why it is taken up again"`
	Actor  string `json:"actor,omitempty" jsonschema:"who takes it up"`
}

// Reopen moves the case back to work and records it as evidence, phase event and note, in one transaction.
func (s *Service) Reopen(ctx context.Context, in ReopenInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	given := casefile.ReopenInput{}
	if given.Reason, err = casefile.CheckText("reason", in.Reason, casefile.MaxText); err != nil {
		return op.Envelope{}, err
	}
	if in.Actor != "" {
		if given.Actor, err = casefile.CheckActor(in.Actor, s.Redact.Refuses); err != nil {
			return op.Envelope{}, err
		}
	}
	var reopened casefile.Reopening
	err = s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		events, _, err := e.PhasesTail(casefile.MaxViewRecords)
		if err != nil {
			return err
		}
		decisions, err := e.Decisions()
		if err != nil {
			return err
		}
		c := e.Case()
		if reopened, err = casefile.Reopen(c, events, casefile.Pending(decisions), given, s.IDs.New, s.now()); err != nil {
			return err
		}
		e.AddEvidence(reopened.Evidence)
		e.AddPhases(reopened.Events...)
		return e.PutCase(c)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	k, err := s.know(ctx, id, withWorktreeIfJudged)
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(k.c, fmt.Sprintf("task %s was %s and is %s again", id, reopened.From, k.c.Status))
	out.Facts = facts([]casefile.Evidence{reopened.Evidence})
	out.Warn(k.warnings...)
	if reopened.Guessed {
		out.Warn("the phase that the case was abandoned from is not recorded: it is investigated again")
	}
	out.Steps = s.steps(k.c, k.judgement)
	return out, nil
}
