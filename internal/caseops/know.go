package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/gitrepo"
)

// worktree says whether a verb needs to know the state of the worktree, which costs up to three git processes.
type worktree int

const (
	withoutWorktree      worktree = iota
	withWorktree                  // facts and state
	withWorktreeSaved             // the same, and its hashes are kept: for verify only, reads write nothing
	withWorktreeIfJudged          // only where receipts are judged against it: while verifying, and after
)

// knowledge is what a verb has read of one case: its snapshots, the worktree when asked, and the one judgement of both.
type knowledge struct {
	c          *casefile.Case
	hypotheses []casefile.Hypothesis
	receipts   []casefile.Receipt
	facts      gitrepo.Facts // zero without a worktree
	state      gitrepo.State
	seen       bool // facts and state were read
	judgement  casefile.Judgement
	warnings   []string
}

// know reads a case and, as far as asked, its worktree. No lock is held while git runs.
func (s *Service) know(ctx context.Context, id string, want worktree, more ...func(*casestore.Reader) error) (*knowledge, error) {
	k := &knowledge{}
	err := s.Store.View(ctx, id, func(r *casestore.Reader) error {
		*k = knowledge{c: r.Case()}
		var err error
		if k.hypotheses, err = r.Hypotheses(); err != nil {
			return err
		}
		if k.receipts, err = r.Receipts(); err != nil {
			return err
		}
		for _, read := range more {
			if err := read(r); err != nil {
				return err
			}
		}
		k.warnings = append(k.warnings, r.Warnings()...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if want == withWorktreeIfJudged && len(k.receipts) > 0 {
		want = withWorktree
	}
	k.warnings = append(k.warnings, s.Warnings...)
	var work *casefile.WorkState // nil: not looked at
	if want == withWorktree || want == withWorktreeSaved {
		work = s.survey(ctx, k, want == withWorktreeSaved)
	}
	k.judgement = casefile.Judge(k.c, k.receipts, work)
	k.warnings = append(k.warnings, k.judgement.Warnings...)
	return k, nil
}

// survey reads the worktree into k. What git cannot tell is a warning and an unknown state, under which nothing counts
// as current.
func (s *Service) survey(ctx context.Context, k *knowledge, save bool) *casefile.WorkState {
	if s.Repo == nil {
		return &casefile.WorkState{}
	}
	facts, state, err := s.look(ctx, k.c.Workspace.CommitBefore, save)
	if err != nil {
		k.warnings = append(k.warnings, fmt.Sprintf("the worktree cannot be read, so no receipt counts as current: %v", err))
		return &casefile.WorkState{}
	}
	k.facts, k.state, k.seen = facts, state, true
	k.warnings = append(k.warnings, facts.Warnings...)
	return s.workState(state)
}

// look reads facts and state together, or one after the other when the hashes are to be kept.
func (s *Service) look(ctx context.Context, base string, save bool) (gitrepo.Facts, gitrepo.State, error) {
	if !save {
		return s.Repo.Survey(ctx, base)
	}
	facts, err := s.Repo.Facts(ctx, base)
	if err != nil {
		return facts, gitrepo.State{}, err
	}
	state, err := s.Repo.State(ctx, gitrepo.StateOptions{SaveCache: true})
	return facts, state, err
}

// workState is what receipts are compared with: a state of the worktree, and the checks as they are configured.
func (s *Service) workState(st gitrepo.State) *casefile.WorkState {
	return &casefile.WorkState{Known: true, Head: st.Head, Digest: st.Digest, Complete: st.Complete, Checks: s.checkDigests(), Flow: s.flowDigest}
}

// scope compares what changed with the boundary; nil where there is nothing to compare.
func (s *Service) scope(k *knowledge) *casefile.Scope {
	judged := k.c.Status == casefile.PhaseChanging || k.c.Status == casefile.PhaseVerifying
	if k.c.Mode != casefile.ModeChange || !judged || !k.seen {
		return nil
	}
	drift := casefile.Drift(k.c, s.relativeAll(k.facts.Changed))
	if !k.facts.BaseKnown {
		drift.Risk = casefile.RiskUnknown
	}
	return &drift
}
