package caseops

import (
	"context"
	"path/filepath"
	"slices"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var show = op.Define(op.Spec{
	Name: "show", Aliases: []string{"view"}, Tool: "cortex_show", Title: "Show a whole case", Effect: op.Reads, Profiles: op.All, Idempotent: true,
	Help: `Shows everything a case holds: plan, hypotheses, the newest 200 records of each kind with exact totals, the one
assessment of its receipts, and how long it spent in each phase. nextCursor leads to older records. Changes nothing.`,
	Example: "cortex show task_…\ncortex show --watch",
}, (*Service).Show)

// ShowInput names a case.
type ShowInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Page
}

// Shown is a whole case, or with a cursor a page of its older records.
type Shown struct {
	Slug                   string                   `json:"slug"`
	Case                   *casefile.Case           `json:"case"`
	Plan                   *casefile.Plan           `json:"plan,omitempty"`
	Hypotheses             []casefile.Hypothesis    `json:"hypotheses,omitempty"`
	Evidence               []casefile.Evidence      `json:"evidence,omitempty"`
	Receipts               []casefile.Receipt       `json:"receipts,omitempty"`
	Decisions              []casefile.Decision      `json:"decisions,omitempty"`
	Refs                   []casefile.Ref           `json:"refs,omitempty"` // at most 200, by id
	VerificationAssessment casefile.Assessment      `json:"verificationAssessment"`
	StaleVerification      []string                 `json:"staleVerification,omitempty"`
	VerificationWarnings   []string                 `json:"verificationWarnings,omitempty"`
	Actions                []op.Action              `json:"actions,omitempty"`
	PhaseDurations         []casefile.PhaseDuration `json:"phaseDurations,omitempty"`
	ElapsedMS              int64                    `json:"elapsedMs,omitempty"`
	Timeline               []casefile.TimelineEntry `json:"timeline,omitempty"`
	EvidenceTotal          int                      `json:"evidenceTotal"`
	ReceiptTotal           int                      `json:"receiptTotal"`
	DecisionTotal          int                      `json:"decisionTotal"`
	RefTotal               int                      `json:"refTotal"`
	TimelineTotal          int                      `json:"timelineTotal"`
	ProjectionWarnings     []string                 `json:"projectionWarnings,omitempty"`

	NextCursor string `json:"nextCursor,omitempty"` // of the page with older records

	first recordPlaces        // of the oldest records shown
	mask  func(string) string // masks secrets, before a text is cut
	steps []problem.Step
}

// Project renders the next steps.
func (v *Shown) Project(render func([]problem.Step) []op.Action) { v.Actions = render(v.steps) }

// Warn adds warnings from outside the verb.
func (v *Shown) Warn(warnings ...string) {
	v.ProjectionWarnings = append(v.ProjectionWarnings, warnings...)
}

// Show reads one consistent state of the case, and the worktree to judge its receipts.
func (s *Service) Show(ctx context.Context, in ShowInput) (Shown, error) {
	page, err := in.records()
	if err != nil {
		return Shown{}, err
	}
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return Shown{}, err
	}
	var out Shown
	var ledgers casefile.Ledgers
	k, err := s.know(ctx, id, withWorktreeIfJudged, func(r *casestore.Reader) error {
		out, ledgers = Shown{}, casefile.Ledgers{}
		return readLedgers(r, page, &out, &ledgers)
	})
	if err != nil {
		return Shown{}, err
	}
	ledgers.Receipts = k.receipts
	out.mask = s.Redact.Text
	out.Slug, out.Case, out.Hypotheses = filepath.Base(s.Store.Dir()), k.c, k.hypotheses
	out.VerificationAssessment, out.StaleVerification = k.judgement.Assessment, k.judgement.Stale
	out.VerificationWarnings = k.judgement.Warnings
	out.ReceiptTotal, out.DecisionTotal = len(k.receipts), len(out.Decisions)
	out.cutTo(page, k.receipts)
	timeline := casefile.Timeline(ledgers)
	out.TimelineTotal += len(k.receipts)
	out.Timeline = newest(timeline, casefile.MaxViewRecords)
	out.PhaseDurations, out.ElapsedMS = casefile.PhaseDurations(k.c, ledgers.Phases, s.now())
	out.Warn(slices.DeleteFunc(k.warnings, func(w string) bool { return slices.Contains(out.VerificationWarnings, w) })...)
	out.steps = s.steps(k.c, k.judgement)
	if in.Cursor != "" {
		out.onlyRecords()
	}
	return out, nil
}

// readLedgers reads the records of the page in each ledger and counts the rest.
func readLedgers(r *casestore.Reader, page recordPage, out *Shown, l *casefile.Ledgers) error {
	var err error
	if out.Plan, err = r.Plan(); err != nil {
		return err
	}
	if out.Decisions, err = r.Decisions(); err != nil {
		return err
	}
	if out.Evidence, out.EvidenceTotal, err = r.EvidenceBefore(page.before.evidence, page.limit); err != nil {
		return err
	}
	if out.Refs, out.RefTotal, err = r.Refs(casefile.MaxViewRecords); err != nil {
		return err
	}
	phases, commands := 0, 0
	if l.Phases, phases, err = r.PhasesTail(casefile.MaxViewRecords); err != nil {
		return err
	}
	if l.Commands, commands, err = r.CommandsTail(casefile.MaxViewRecords); err != nil {
		return err
	}
	l.Evidence = out.Evidence
	out.TimelineTotal = out.EvidenceTotal + phases + commands
	return nil
}

// newest returns the last n elements.
func newest[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }
