package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var abort = op.Define(op.Spec{
	Name: "abort", Tool: "cortex_abort_task", Title: "Abandon a task", Effect: op.Ends, Profiles: op.Agent,
	Help: `Ends a case without an outcome and says why. Its records stay, a change lease is released.

Refuses a case that has ended already.`,
	Example: `cortex abort task_… "superseded by the rewrite"`,
}, (*Service).Abort)

// AbortInput says why.
type AbortInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Reason string `json:"reason" op:"args,required" jsonschema:"why the work stops"`
}

// Abort moves the case to abandoned.
func (s *Service) Abort(ctx context.Context, in AbortInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	reason, err := casefile.CheckText("reason", in.Reason, casefile.MaxText)
	if err != nil {
		return op.Envelope{}, err
	}
	var c *casefile.Case
	err = s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c = e.Case()
		if err := casefile.RequirePhase(c, "abort"); err != nil {
			return err
		}
		events, err := casefile.Advance(c, casefile.PhaseAbandoned, s.now())
		if err != nil {
			return err
		}
		casefile.EndLease(c, s.now())
		c.BlockedReason = reason
		e.AddPhases(events...)
		return e.PutCase(c)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, fmt.Sprintf("task aborted: %s", reason))
	out.Warn(s.Warnings...)
	out.Hints = []string{"the case is closed; its records stay readable with cortex show"}
	return out, nil
}
