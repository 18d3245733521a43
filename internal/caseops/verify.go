package caseops

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/gitrepo"
	"cortex/internal/op"
)

var verify = op.Define(op.Spec{
	Name: "verify", Tool: "cortex_verify", Title: "Run the planned checks and keep receipts", Effect: op.Changes, Profiles: op.Agent, OpenWorld: true, OwnDeadline: true,
	Help: `Runs the planned checks without a shell; receipts of what they said are bound to the exact bytes of the worktree. A claim
is proven only by the check that it names, or with contract=NAME#TEST only when that run lists the test as passed. Specs,
stashes and vault projects are checked by installed tools; for a surface in scope these choose up to 3 affected specs.
Attesting is no proof. A command runs only after a person approved its argv.

Changes during the run leave receipts unbound: they prove nothing. Refuses a case without change, change outside the allowed
paths, and drift at high risk, unless acknowledged. Exits with status 6 when not verified.`,
	Example: `cortex verify task_… --from-plan
cortex verify task_… --claim-spec "id=returns|surface=code|contract=command:unit|after login the browser is back at checkout"`,
}, (*Service).Verify)

// VerifyInput says what is to be proven and how.
type VerifyInput struct {
	TaskID       string        `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Actor        string        `json:"actor,omitempty" jsonschema:"default: the lease's holder"`
	FromPlan     bool          `json:"fromPlan,omitempty" jsonschema:"prove the criteria by the one planned check"`
	Specs        []ClaimSpec   `json:"claimSpecs,omitempty" op:"flag=claim-spec" jsonschema:"claims with their checks; on the command line id=…|surface=…|verifier=…|contract=…|statement"`
	Claims       []string      `json:"claims,omitempty" op:"flag=claim" jsonschema:"statement of a claim; recorded as not run"`
	IDs          []string      `json:"claimIds,omitempty" op:"flag=claim-id,hide=mcp" jsonschema:"id of the claim at the same place"`
	Surfaces     []string      `json:"claimSurfaces,omitempty" op:"flag=claim-surface,hide=mcp" jsonschema:"surface of the claim at the same place"`
	Verifiers    []string      `json:"claimVerifiers,omitempty" op:"flag=claim-verifier,hide=mcp" jsonschema:"verifier of the claim at the same place"`
	Contracts    []string      `json:"claimContracts,omitempty" op:"flag=claim-contract,hide=mcp" jsonschema:"contract of the claim at the same place"`
	Attestations []Attestation `json:"attestations,omitempty" op:"flag=attest" jsonschema:"evidence for process criteria; alone it runs nothing; on the command line id=ev_…[,ev_…][|note]"`
	Browser      []string      `json:"browserSpecs,omitempty" op:"flag=browser-spec" jsonschema:"specs for cairn"`
	Terminal     []string      `json:"terminalSpecs,omitempty" op:"flag=terminal-spec" jsonschema:"specs for glyph"`
	NoAutoSpecs  bool          `json:"noAutoSpecs,omitempty" jsonschema:"no other specs"`
	ArtifactRef  string        `json:"artifactRef,omitempty" jsonschema:"fcheap stash"`
	Project      string        `json:"secretProject,omitempty" jsonschema:"tvault project"`
	ChangedFiles []string      `json:"changedFiles,omitempty" op:"flag=changed-file,hide=mcp" jsonschema:"a file that should have changed; one that git does not see changed is named in a warning"`
	Only         []string      `json:"only,omitempty" jsonschema:"run these planned checks alone"`
	Stale        bool          `json:"stale,omitempty" jsonschema:"run only what lacks present proof"`
	NoOp         bool          `json:"noOpAcknowledged,omitempty" op:"flag=no-op" jsonschema:"no change is intended"`
	AckDrift     bool          `json:"driftAcknowledged,omitempty" op:"flag=ack-drift" jsonschema:"drift is intended"`
}

// VerifyResult is the answer of verify: what was proven, and by which receipts.
type VerifyResult struct {
	op.Envelope
	Outcome    casefile.Outcome    `json:"verificationOutcome"`
	Assessment casefile.Assessment `json:"verificationAssessment"`
	Receipts   []casefile.Receipt  `json:"receipts,omitempty"` // of this batch, without the names of the environment
	Scope      *casefile.Scope     `json:"scope,omitempty"`
	Written    []string            `json:"written,omitempty"` // what changed in the worktree while the checks ran
}

// Green reports whether everything required is proven.
func (r VerifyResult) Green() bool { return r.Outcome == casefile.OutcomeVerified }

// Verify plans the checks, runs them without a lock, and commits all receipts in one transaction, or none of them when
// the case changed meanwhile.
func (s *Service) Verify(ctx context.Context, in VerifyInput) (VerifyResult, error) {
	planning, cancel := context.WithTimeout(ctx, op.ChangeDeadline)
	defer cancel()
	s, id, err := s.task(planning, in.TaskID)
	if err != nil {
		return VerifyResult{}, err
	}
	if s.Repo == nil {
		return VerifyResult{}, notARepository(s.Workspace)
	}
	if err := s.Store.MayWrite(planning, id); err != nil {
		return VerifyResult{}, err // before any check runs for a case that cannot keep its result
	}
	b, err := s.planBatch(planning, ctx, id, in)
	if err != nil {
		return VerifyResult{}, err
	}
	if b.plan.UpToDate {
		return s.upToDate(ctx, b)
	}
	ctx, cancel = context.WithTimeout(ctx, s.timeLimit(b)+s.toolLimit(b)+op.ChangeDeadline)
	defer cancel()
	s.runReview(ctx, b)
	s.runChecks(ctx, b)
	s.runTools(ctx, b)
	op.Progress(ctx, "reading the worktree again")
	if err := ctx.Err(); err != nil {
		return VerifyResult{}, s.abandonBatch(ctx, b, err)
	}
	if err := s.lookAgain(ctx, b); err != nil {
		return VerifyResult{}, s.abandonBatch(ctx, b, err)
	}
	return s.commitBatch(ctx, b)
}

// batch is one verification from its plan to its receipts.
type batch struct {
	k        *knowledge
	plan     casefile.VerificationPlan
	runs     []casefile.CheckRun
	raws     []casestore.Raw
	evidence []casefile.Evidence
	audit    []casefile.CommandRecord
	after    gitrepo.State
	written  []string // what differs in the worktree after the checks
	touched  []string // what was written meanwhile and is as it was
	warnings []string
}

// planBatch reads the case and its worktree within ctx, asks tools for their choice of specs within long, and plans.
func (s *Service) planBatch(ctx, long context.Context, id string, in VerifyInput) (*batch, error) {
	want, err := in.rules()
	if err != nil {
		return nil, err
	}
	facts := casefile.VerifyFacts{Now: s.now(), Verifiers: s.verifiers(), Refuses: s.Redact.Refuses}
	k, err := s.know(ctx, id, withWorktreeSaved, func(r *casestore.Reader) error {
		if facts.Newest, err = newestRecord(r); err != nil {
			return err
		}
		facts.Cited, err = citedKinds(r, want.Attest)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !k.seen { // know has already said why; without the worktree there is nothing to bind to
		return nil, unreadableWorktree(k)
	}
	facts.Changed, facts.State = s.relativeAll(k.facts.Changed), *s.workState(k.state)
	b := &batch{k: k, warnings: slices.DeleteFunc(slices.Clone(k.warnings), func(w string) bool {
		return slices.Contains(k.judgement.Warnings, w) // the answer has those of the judgement after the run
	})}
	if b.plan, err = s.planChecks(long, b, want, facts); err != nil {
		return nil, s.abandonBatch(long, b, err)
	}
	return b, nil
}

// lookAgain reads the worktree after the checks and says what they changed in it.
func (s *Service) lookAgain(ctx context.Context, b *batch) error {
	after, err := s.Repo.State(ctx, gitrepo.StateOptions{SaveCache: true})
	if err != nil {
		return err
	}
	b.after = after
	b.touched = s.relativeAll(after.TouchedSince(b.k.state))
	if after.Digest != b.k.state.Digest {
		b.written = s.relativeAll(after.ChangedSince(b.k.state))
		for i := range b.runs {
			b.runs[i].Written = b.written
		}
	}
	return nil
}

// commitBatch writes evidence, raw output, receipts, audit and phase in one transaction.
func (s *Service) commitBatch(ctx context.Context, b *batch) (VerifyResult, error) {
	var c *casefile.Case
	var all, receipts []casefile.Receipt
	var warnings []string
	err := s.Store.Update(ctx, b.k.c.ID, func(e *casestore.Edit) error {
		c = e.Case()
		if err := b.plan.ChangedDuringRun(c); err != nil {
			return err
		}
		earlier, err := e.Receipts()
		if err != nil {
			return err
		}
		receipts, warnings = casefile.Receipts(b.plan, b.runs, s.batchFacts(c, b))
		all = append(earlier, receipts...)
		events, err := casefile.Advance(c, casefile.PhaseVerifying, s.now())
		if err != nil {
			return err
		}
		for _, raw := range b.raws {
			e.AddRaw(raw.ID, raw.Text)
		}
		e.AddEvidence(b.evidence...)
		e.PutReceipts(all)
		e.AddCommands(b.audit...)
		e.AddPhases(events...)
		return e.PutCase(c)
	})
	if err != nil {
		return VerifyResult{}, s.abandonBatch(ctx, b, err)
	}
	b.k.c, b.k.receipts = c, all
	b.k.state = b.after
	b.k.judgement = casefile.Judge(c, all, s.workState(b.after))
	warnings = append(append(b.warnings, warnings...), s.annotate(ctx, b, receipts)...)
	return s.verified(b, receipts, warnings), nil
}

func (s *Service) batchFacts(c *casefile.Case, b *batch) casefile.Batch {
	now := s.now()
	exclusions := slices.Clone(b.k.state.Exclusions)
	for _, phrase := range b.after.Exclusions {
		if !slices.Contains(exclusions, phrase) {
			exclusions = append(exclusions, phrase)
		}
	}
	_, active := casefile.LeaseHolder(c, casefile.Judged(c, now))
	return casefile.Batch{
		ID: s.IDs.New("vb"), NewID: s.IDs.New, Before: *s.workState(b.k.state), After: *s.workState(b.after), Touched: b.touched,
		Exclusions: exclusions, Changed: s.relativeAll(b.k.facts.Changed),
		LeaseEnded: c.Mode == casefile.ModeChange && c.ChangeLease != nil && !active, Now: now,
	}
}

// abandonBatch keeps the audit of what was run although its results are not written, and returns the reason.
func (s *Service) abandonBatch(ctx context.Context, b *batch, why error) error {
	if len(b.audit) == 0 {
		return why
	}
	// The call may have been canceled; its audit is kept all the same.
	if err := s.Store.AppendCommands(context.WithoutCancel(ctx), b.k.c.ID, b.audit...); err != nil {
		return errors.Join(why, fmt.Errorf("keep the audit of the checks: %w", err))
	}
	return why
}

// verified is the answer after the commit.
func (s *Service) verified(b *batch, receipts []casefile.Receipt, warnings []string) VerifyResult {
	k := b.k
	scope := s.scope(k)
	out := VerifyResult{Outcome: k.judgement.Outcome, Assessment: k.judgement.Assessment, Receipts: withoutEnvironment(receipts), Scope: scope, Written: b.written[:min(len(b.written), casefile.MaxWrittenPaths)]}
	out.Envelope = answerFor(k.c, fmt.Sprintf("%s: %s; %s", out.Outcome, claimWords(receipts), runWords(receipts)))
	if scope != nil {
		out.Summary += "; scope " + scope.Scope
	}
	out.Facts = facts(b.evidence)
	out.RawAvailable = len(b.raws) > 0
	out.Warn(append(warnings, k.judgement.Warnings...)...)
	if len(b.written) > 0 {
		out.Steps = append(out.Steps, s.ignoreWritten(b.written))
	}
	out.Steps = append(out.Steps, s.steps(k.c, k.judgement)...)
	return out
}

// upToDate answers a call for what is stale when nothing is. Only what tools were asked for their choice is kept.
func (s *Service) upToDate(ctx context.Context, b *batch) (VerifyResult, error) {
	if err := s.abandonBatch(ctx, b, nil); err != nil {
		return VerifyResult{}, err
	}
	out := s.verified(b, nil, append(b.warnings, b.plan.Warnings...))
	out.Summary = fmt.Sprintf("%s: nothing that was checked has lapsed; nothing was run", out.Outcome)
	return out, nil
}

// withoutEnvironment leaves the names of the environment to the stored receipts: they are many and say nothing new.
func withoutEnvironment(receipts []casefile.Receipt) []casefile.Receipt {
	out := slices.Clone(receipts)
	for i := range out {
		out[i].Environment = nil
	}
	return out
}
