package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var criterionAdd = op.Define(op.Spec{
	Name: "criterion add", Tool: "cortex_criterion", Title: "Add an acceptance criterion", Effect: op.Adds, Profiles: op.Agent, Idempotent: true,
	Help: `Adds one acceptance criterion to an open case before its first verdict.

Refuses one after a check has passed or failed, because it could be fitted to the result, and other words under an id that
exists.`,
	Example: `cortex criterion add task_… returns="after login the browser is back at checkout"`,
}, (*Service).AddCriterion)

// CriterionKind is what a criterion is about.
type CriterionKind string

// Values lists the kinds beside the default, a statement that a check can prove.
func (CriterionKind) Values() []string { return []string{casefile.CriterionProcess} }

// AddCriterionInput is one more criterion.
type AddCriterionInput struct {
	TaskID    string        `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Criterion Criterion     `json:"criterion" op:"args,required" jsonschema:"what must hold; on the command line id=statement"`
	Kind      CriterionKind `json:"kind,omitempty" op:"hide=mcp" jsonschema:"process: about how the work is done, which no check can prove"`
}

// AddCriterion adds the criterion, and a note that it came late, in one transaction.
func (s *Service) AddCriterion(ctx context.Context, in AddCriterionInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	wanted := criteria([]Criterion{in.Criterion})[0]
	wanted.Statement = s.Redact.Text(wanted.Statement)
	if in.Kind != "" {
		wanted.Kind = string(in.Kind)
	}
	known := false
	err = s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c := e.Case()
		receipts, err := e.Receipts()
		if err != nil {
			return err
		}
		var added casefile.Criterion
		if added, known, err = casefile.AddCriterion(c, receipts, wanted, s.Redact.Refuses); err != nil || known {
			return err
		}
		e.AddCriterion(added)
		casefile.NoteLate(c, added.ID, s.now())
		return e.PutCase(c)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	k, err := s.know(ctx, id, withWorktreeIfJudged)
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(k.c, fmt.Sprintf("criterion %s added; the case has %d", wanted.ID, len(k.c.AcceptanceCriteria)))
	if known {
		out.Summary = fmt.Sprintf("criterion %s is there already", wanted.ID)
	}
	out.Warn(k.warnings...)
	out.Steps = s.steps(k.c, k.judgement)
	return out, nil
}
