package caseops

import (
	"context"
	"fmt"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/tool"
)

var status = op.Define(op.Spec{
	Name: "status", Tool: "cortex_status", Title: "Where a task stands", Effect: op.Reads, Profiles: op.Agent, Idempotent: true, MaxJSON: casefile.MaxPrinted,
	Help: `Says where a case stands: phase, lease, open hypotheses, what is proven about the worktree as it is now, drift
outside the boundary, and the next step. Changes nothing.`,
	Example: "cortex status\ncortex status task_… --json",
}, (*Service).Status)

// Detail is how much status tells.
type Detail string

// Values lists the details.
func (Detail) Values() []string { return []string{"standard", "full"} }

// StatusInput names a case.
type StatusInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Detail Detail `json:"detail,omitempty" op:"default=standard" jsonschema:"full adds evidence and tools"`
}

// Status is the whole state of a case in one answer.
type Status struct {
	op.Envelope
	Revision             uint64                `json:"revision"`
	Actor                string                `json:"actor,omitempty"`
	ParentTaskID         string                `json:"parentTaskId,omitempty"`
	ChildTaskIDs         []string              `json:"childTaskIds,omitempty"`
	Children             []Child               `json:"children,omitempty"`
	PausedFrom           casefile.Phase        `json:"pausedFrom,omitempty"`
	ChangeLease          *casefile.Lease       `json:"changeLease,omitempty"`
	PendingDecision      *casefile.Decision    `json:"pendingDecision,omitempty"`
	Mode                 casefile.Mode         `json:"mode"`
	Risk                 casefile.Risk         `json:"risk"`
	Workspace            casefile.Workspace    `json:"workspace"`
	Surfaces             []casefile.Surface    `json:"surfaces"`
	AllowedPaths         []string              `json:"allowedPaths,omitempty"`
	UnresolvedHypotheses []op.Hypothesis       `json:"unresolvedHypotheses,omitempty"`
	VerificationRequired []string              `json:"verificationRequired,omitempty"`
	VerificationDone     []string              `json:"verificationDone,omitempty"` // claims of current passing receipts
	VerificationOutcome  casefile.Outcome      `json:"verificationOutcome"`
	SatisfiedCriteria    []string              `json:"satisfiedCriteria,omitempty"`
	MissingCriteria      []string              `json:"missingCriteria,omitempty"`
	AttestedCriteria     []string              `json:"attestedCriteria,omitempty"`
	ClaimProofs          []casefile.ClaimProof `json:"claimProofs,omitempty"`
	ClaimProofTotal      int                   `json:"claimProofTotal"`
	ClaimProofsTruncated bool                  `json:"claimProofsTruncated,omitempty"`
	StaleVerification    []string              `json:"staleVerification,omitempty"`
	MissingVerification  []string              `json:"missingVerification,omitempty"`
	Scope                *casefile.Scope       `json:"scope,omitempty"`
	ToolHealth           []tool.State          `json:"toolHealth,omitempty"`
	EvidenceCount        int                   `json:"evidenceCount"`
	InvestigationRounds  int                   `json:"investigationRounds"`
	InvestigationBudget  int                   `json:"investigationBudget"`
}

// Child is one child case as its parent's status shows it.
type Child struct {
	ID      string           `json:"id"`
	Phase   string           `json:"phase"` // "absent" when it is not in this store any more
	Mode    casefile.Mode    `json:"mode,omitempty"`
	Active  bool             `json:"active"`
	Outcome casefile.Outcome `json:"verificationOutcome,omitempty"` // of an ended case; an open one is judged where its worktree is looked at
}

// Status reads the case and the worktree; it writes nothing.
func (s *Service) Status(ctx context.Context, in StatusInput) (Status, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return Status{}, err
	}
	var evidence int
	var newest []casefile.Evidence
	var decisions []casefile.Decision
	k, err := s.know(ctx, id, withWorktree, func(r *casestore.Reader) error {
		if decisions, err = r.Decisions(); err != nil {
			return err
		}
		if in.Detail == "full" {
			newest, evidence, err = r.EvidenceTail(s.Config.Budget.MaxEvidenceItemsReturned)
			return err
		}
		evidence, err = r.EvidenceCount()
		return err
	})
	if err != nil {
		return Status{}, err
	}
	out := s.statusOf(k)
	if in.Detail == "full" {
		out.ToolHealth = s.toolHealth(ctx, k.c)
	}
	out.EvidenceCount, out.Facts = evidence, facts(newest)
	out.Children, err = s.children(ctx, k)
	if err != nil {
		return Status{}, err
	}
	if k.c.Status.Active() {
		out.PendingDecision = casefile.Pending(decisions)
		out.Steps = append(pendingStep(k.c, out.PendingDecision), out.Steps...)
	}
	return out, nil
}

func (s *Service) statusOf(k *knowledge) Status {
	c, j := k.c, k.judgement
	proofs := casefile.ClaimProofs(c, j, k.receipts)
	out := Status{
		Envelope: answerFor(c, fmt.Sprintf("task %s is %s (%s)", c.ID, c.Status, c.Goal)),
		Revision: c.Revision, Actor: c.Actor, ParentTaskID: c.ParentTaskID, ChildTaskIDs: c.ChildTaskIDs, PausedFrom: c.PausedFrom,
		ChangeLease: c.ChangeLease, Mode: c.Mode, Risk: c.Risk, Workspace: c.Workspace, Surfaces: c.Surfaces, AllowedPaths: c.AllowedPaths,
		VerificationRequired: c.VerificationRequired, VerificationDone: j.Done, VerificationOutcome: j.Outcome,
		SatisfiedCriteria: j.SatisfiedCriteria, MissingCriteria: j.MissingCriteria, AttestedCriteria: j.AttestedCriteria,
		ClaimProofs: proofs.Proofs, ClaimProofTotal: proofs.Total, ClaimProofsTruncated: proofs.Truncated,
		StaleVerification: j.Stale, MissingVerification: j.MissingRequired, Scope: s.scope(k),
		InvestigationRounds: c.InvestigationRounds, InvestigationBudget: s.Config.Budget.MaxInvestigationRounds,
	}
	out.UnresolvedHypotheses = hypothesisViews(casefile.Unresolved(k.hypotheses))
	out.Warn(k.warnings...)
	if n := len(out.MissingVerification); n > 0 && len(k.receipts) > 0 {
		out.Warn(fmt.Sprintf("%s without a present pass: %s", counted(n, "required verification"), strings.Join(out.MissingVerification, ", ")))
	}
	out.Steps = s.steps(c, j)
	return out
}

// children shows the child cases, absent ones included.
func (s *Service) children(ctx context.Context, parent *knowledge) ([]Child, error) {
	var out []Child
	for _, id := range parent.c.ChildTaskIDs {
		k, err := s.know(ctx, id, withoutWorktree)
		switch {
		case problem.Is(err, problem.TaskNotFound):
			out = append(out, Child{ID: id, Phase: "absent"})
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			out = append(out, Child{ID: id, Phase: "broken"})
		default:
			out = append(out, Child{
				ID: id, Phase: string(k.c.Status), Mode: k.c.Mode, Active: k.c.Status.Active(),
				Outcome: casefile.Judge(k.c, k.receipts, s.workFor(parent, k.c)).Outcome,
			})
		}
	}
	return out, nil
}

// workFor is the worktree by which a child of k is judged: an ended one keeps its recorded outcome, an open one is judged
// by the bytes its parent was judged by, which are those of the same workspace.
func (s *Service) workFor(k *knowledge, child *casefile.Case) *casefile.WorkState {
	switch {
	case child.Status.Terminal():
		return nil
	case k.seen && child.Workspace.Root == k.c.Workspace.Root:
		return s.workState(k.state)
	}
	return &casefile.WorkState{}
}
