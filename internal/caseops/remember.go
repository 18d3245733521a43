package caseops

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var remember = op.Define(op.Spec{
	Name: "remember", Aliases: []string{"complete"}, Tool: "cortex_remember", Title: "Complete a task with its outcome", Effect: op.Ends, Profiles: op.Agent, Idempotent: true,
	Help: `Completes a case: writes summary.md, releases the lease, and keeps the outcome. It refuses "done" without proof:
open children, acceptance criteria without a current bound passing receipt, failed checks, and missing or stale
verification each stop it until they are mended or accepted by name.`,
	Example: `cortex remember task_… "the return URL survives the login"`,
}, (*Service).Remember)

// RememberInput is the outcome and what is accepted with it.
type RememberInput struct {
	TaskID                  string   `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Outcome                 string   `json:"outcome" op:"args,required" jsonschema:"what was achieved, for whoever reads it later"`
	Importance              float64  `json:"importance,omitempty" op:"default=0.5" jsonschema:"0 to 1: how much later work should weigh it"`
	Tags                    []string `json:"tags,omitempty" op:"flag=tag" jsonschema:"words to find it by"`
	VerificationNotPossible bool     `json:"verificationNotPossible,omitempty" op:"flag=unverified" jsonschema:"complete without proof, and say so"`
	AcceptFailed            bool     `json:"acceptFailed,omitempty" jsonschema:"complete although checks fail"`
	AcceptMissing           []string `json:"acceptMissingCriteria,omitempty" op:"flag=accept-missing-criteria" jsonschema:"exactly the ids of the criteria that stay unproven"`
	AcceptOpenChildren      bool     `json:"acceptOpenChildren,omitempty" jsonschema:"complete although child cases are open"`
}

// Remember completes the case in one transaction: summary, lease, phase events and case.
func (s *Service) Remember(ctx context.Context, in RememberInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	var summary casefile.SummaryInput
	k, err := s.know(ctx, id, withWorktree, func(r *casestore.Reader) error {
		summary = casefile.SummaryInput{}
		summary.Evidence, summary.EvidenceTotal, err = r.EvidenceTail(casefile.SummaryEvidence)
		return err
	})
	if err != nil {
		return op.Envelope{}, err
	}
	open, warnings, err := s.openChildren(ctx, k.c)
	if err != nil {
		return op.Envelope{}, err
	}
	err = casefile.Completion(k.c, k.judgement, casefile.CompletionInput{
		Outcome: in.Outcome, Tags: in.Tags, VerificationNotPossible: in.VerificationNotPossible, AcceptFailed: in.AcceptFailed,
		AcceptMissing: in.AcceptMissing, AcceptOpenChildren: in.AcceptOpenChildren, OpenChildren: open,
	})
	if err != nil {
		return op.Envelope{}, err
	}
	summary.Outcome, summary.AcceptMissing = strings.TrimSpace(in.Outcome), in.AcceptMissing
	summary.Tags, summary.Importance = in.Tags, min(max(in.Importance, 0), 1)
	c, err := s.complete(ctx, k, summary)
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, fmt.Sprintf("task %s complete, %s: %s", c.ID, k.judgement.Outcome, summary.Outcome))
	out.Warn(k.warnings...)
	out.Warn(warnings...)
	if n := len(casefile.Unresolved(k.hypotheses)); n > 0 {
		out.Warn(fmt.Sprintf("%d hypothesis(es) were left unresolved: the ledger does not say whether they held", n))
	}
	out.Warn(s.memorise(ctx, k, c, summary)...)
	out.Hints = []string{"summary written to " + filepath.Join(s.Store.CaseDir(c.ID), "summary.md")}
	return out, nil
}

// judgedState is the worktree that a case was judged about; not Known when it could not be read.
func (s *Service) judgedState(k *knowledge) casefile.WorkState {
	if !k.seen {
		return casefile.WorkState{}
	}
	return *s.workState(k.state)
}

// complete writes the end of the case at the revision that was judged.
func (s *Service) complete(ctx context.Context, k *knowledge, summary casefile.SummaryInput) (*casefile.Case, error) {
	var c *casefile.Case
	err := s.Store.UpdateAt(ctx, k.c.ID, k.c.Revision, func(e *casestore.Edit) error {
		c = e.Case()
		events, err := casefile.Advance(c, casefile.PhaseComplete, s.now())
		if err != nil {
			return err
		}
		casefile.EndLease(c, s.now())
		casefile.RecordCompletion(c, s.judgedState(k))
		summary.Case, summary.Hypotheses, summary.Receipts, summary.Judgement = c, k.hypotheses, k.receipts, k.judgement
		e.PutSummary(casefile.Summary(summary))
		e.AddPhases(events...)
		return e.PutCase(c)
	})
	return c, err
}
