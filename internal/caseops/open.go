package caseops

import (
	"context"
	"fmt"
	"slices"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var openTask = op.Define(op.Spec{
	Name: "open", Tool: "cortex_open_task", Title: "Open a task, or take it up again", Effect: op.Adds, Profiles: op.Agent, Idempotent: true, MaxJSON: casefile.MaxPrinted,
	Help: `Opens a case for one goal, or resumes the case that an earlier, identical call opened. Call it at the start of
every non-trivial task, and again after a lost answer: the same key or goal returns the same case.

It is the same by its idempotency key, or by goal, mode, branch, parent, criteria and allowed paths. Criteria and allowed
paths are fixed here.`,
	Example: `cortex open "Fix the checkout return URL" --criterion returns="after login the browser is back at checkout"
cortex open "Why is start-up slow" --mode investigate --actor agent-a --idempotency-key issue-17`,
}, (*Service).Open)

// Terms are what a case is about; criteria and allowed paths are fixed with them.
type Terms struct {
	Goal         string             `json:"goal" op:"args,required" jsonschema:"what is to be achieved, in one paragraph"`
	Mode         casefile.Mode      `json:"mode,omitempty" op:"default=change" jsonschema:"what the case is for; only change has a boundary and a lease"`
	Risk         casefile.Risk      `json:"risk,omitempty" op:"default=medium" jsonschema:"how much harm a wrong change could do"`
	Surfaces     []casefile.Surface `json:"surfaces,omitempty" op:"flag=surface" jsonschema:"from which sides the result can be observed (default code)"`
	Criteria     []Criterion        `json:"acceptanceCriteria,omitempty" op:"flag=criterion" jsonschema:"statements that must be proven before the case can complete; on the command line id=statement"`
	Process      []Criterion        `json:"processCriteria,omitempty" op:"flag=process-criterion,hide=mcp" jsonschema:"id=statement of how the work is to be done; attested, never proven"`
	AllowedPaths []string           `json:"allowedPaths,omitempty" op:"flag=allow-path" jsonschema:"the only files that may change: paths, src/*.go, dir/**"`
}

// OpenInput is what a case is opened with.
type OpenInput struct {
	Terms
	SeedPaths      []string `json:"seedPaths,omitempty" op:"flag=seed" jsonschema:"text files of the workspace to start from, at most 8 of 16 KiB"`
	Actor          string   `json:"actor,omitempty" jsonschema:"who works on the case"`
	ParentTaskID   string   `json:"parentTaskId,omitempty" op:"flag=parent" jsonschema:"the case that this one is part of"`
	IdempotencyKey string   `json:"idempotencyKey,omitempty" jsonschema:"a name for this call: calling again with it returns the same case, even a finished one"`
}

// Open opens a case, or resumes the one that the same call opened before. Two processes that open the same thing at
// once get the same case. A crash leaves either no case or a whole one.
func (s *Service) Open(ctx context.Context, in OpenInput) (op.Envelope, error) {
	draft, err := s.draftCase(in)
	if err != nil {
		return op.Envelope{}, err
	}
	seeds, err := s.readSeeds(in.SeedPaths)
	if err != nil {
		return op.Envelope{}, err
	}
	seen, err := s.orient(ctx, draft)
	if err != nil {
		return op.Envelope{}, err
	}
	if s.Store, err = s.Claim(ctx); err != nil {
		return op.Envelope{}, err
	}
	if err := s.orientByTools(ctx, draft, &seen, true); err != nil {
		return op.Envelope{}, err
	}
	var found *casefile.Case
	var others int
	var created op.Envelope
	err = s.Store.Exclusive(ctx, func() error {
		if found, others, err = s.findOpened(ctx, draft); err != nil || found != nil {
			return err
		}
		created, err = s.create(ctx, draft, seen, seeds)
		return err
	})
	if err != nil || found == nil {
		return created, err
	}
	return s.resumeOpened(ctx, found, others, seeds)
}

// draftCase checks the input and returns the case as it would be created, without a place in the world yet.
func (s *Service) draftCase(in OpenInput) (*casefile.Case, error) {
	if s.Redact.Changed(s.Workspace) {
		return nil, problem.New(problem.SecretInInput, "the path of the workspace looks like a secret, which a case may not hold: its directories would be masked.").
			On("workspace", nil, "a path that is no secret").Without("rename the directory, or work in a clone elsewhere")
	}
	goal, err := casefile.CheckGoal(in.Goal)
	if err != nil {
		return nil, err
	}
	criteria, err := casefile.CheckCriteria(criteria(allCriteria(in.Criteria, in.Process)), s.Redact.Refuses)
	if err != nil {
		return nil, err
	}
	for i := range criteria {
		criteria[i].Statement = s.Redact.Text(criteria[i].Statement) // as it is kept, for the same call again to find it
	}
	allowed, err := casefile.CheckAllowedPaths(in.AllowedPaths, s.Redact.Refuses)
	if err != nil {
		return nil, err
	}
	c := &casefile.Case{
		SchemaVersion: casefile.SchemaVersion, Goal: s.Redact.Text(goal), Mode: in.Mode, Risk: in.Risk, Status: casefile.PhaseNew,
		Surfaces: in.Surfaces, AcceptanceCriteria: criteria, AllowedPaths: allowed,
		Workspace: casefile.Workspace{Root: s.Workspace},
	}
	if len(c.Surfaces) == 0 {
		c.Surfaces = []casefile.Surface{casefile.SurfaceCode}
	}
	if in.Actor != "" {
		if c.Actor, err = casefile.CheckActor(in.Actor, s.Redact.Refuses); err != nil {
			return nil, err
		}
	}
	if in.IdempotencyKey != "" {
		if c.IdempotencyKey, err = casefile.CheckIdentifier("idempotencyKey", in.IdempotencyKey, s.Redact.Refuses); err != nil {
			return nil, err
		}
	}
	if in.ParentTaskID != "" {
		if err := casefile.CheckTaskID(in.ParentTaskID); err != nil {
			return nil, err
		}
		c.ParentTaskID = in.ParentTaskID
	}
	return c, nil
}

// create writes the new case and links its parent.
func (s *Service) create(ctx context.Context, c *casefile.Case, seen orientation, seeds []seed) (op.Envelope, error) {
	c.ID = s.IDs.New("task")
	now := s.now()
	c.CreatedAt, c.UpdatedAt, c.Revision = now, now, 1
	if err := s.checkParent(ctx, c.ParentTaskID); err != nil {
		return op.Envelope{}, err
	}
	events, err := casefile.Advance(c, casefile.PhaseInvestigating, now)
	if err != nil {
		return op.Envelope{}, err
	}
	evidence := append(seen.evidence(c.ID, now), seen.bob.of(c, seen.commit, now)...)
	raws := slices.Clone(seen.bob.raws)
	tellMissing(c, seen.missing)
	for _, one := range seeds {
		evidence, raws = append(evidence, one.evidence(c, seen.commit, now)), append(raws, one.raw())
	}
	if err := s.Store.Create(ctx, c, evidence, events, raws); err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, fmt.Sprintf("started task %s (%s); oriented and ready to investigate", c.ID, c.Goal))
	out.Facts = facts(evidence)
	out.Warn(seen.warnings...)
	if len(seen.missing) > 0 {
		out.Warn(missingWords(seen.missing) + "; what they would prove stays blocked")
	}
	out.Warn(seen.bob.warnings...)
	if len(seen.bob.audit) > 0 {
		if err := s.Store.AppendCommands(ctx, c.ID, seen.bob.audit...); err != nil {
			out.Warn(fmt.Sprintf("that bob was asked is not in the audit: %v", err))
		}
	}
	if err := s.linkParent(ctx, c); err != nil {
		out.Warn(fmt.Sprintf("parent %s does not list this case yet: %v", c.ParentTaskID, err))
	}
	out.Steps = s.steps(c, casefile.Judgement{})
	return out, nil
}

// findOpened returns the case that the same call opened before: with a key, the one of that key whatever its phase;
// without, a case still active with the same goal, mode, parent, criteria, allowed paths and branch. The newest wins; others counts
// the rest.
func (s *Service) findOpened(ctx context.Context, want *casefile.Case) (found *casefile.Case, others int, err error) {
	listed, err := s.Store.List(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, l := range listed {
		if l.Err != nil || l.Case.Workspace.Root != want.Workspace.Root || !sameOpening(l.Case, want) {
			continue
		}
		if found != nil {
			others++
		}
		if found == nil || l.Case.UpdatedAt.After(found.UpdatedAt) {
			found = l.Case
		}
	}
	switch {
	case found == nil || want.IdempotencyKey == "":
	case !casefile.SameCriteria(found, want.AcceptanceCriteria):
		return nil, 0, keyConflict(found, "acceptance criteria")
	case !slices.Equal(found.AllowedPaths, want.AllowedPaths):
		return nil, 0, keyConflict(found, "allowed paths")
	}
	return found, others, nil
}

func sameOpening(have, want *casefile.Case) bool {
	if want.IdempotencyKey != "" {
		return have.IdempotencyKey == want.IdempotencyKey
	}
	sameBranch := have.Workspace.Branch == "" || want.Workspace.Branch == "" || have.Workspace.Branch == want.Workspace.Branch
	return have.Status.Active() && sameBranch && have.Mode == want.Mode && have.ParentTaskID == want.ParentTaskID &&
		casefile.NormalGoal(have.Goal) == casefile.NormalGoal(want.Goal) &&
		casefile.SameCriteria(have, want.AcceptanceCriteria) && slices.Equal(have.AllowedPaths, want.AllowedPaths)
}

func keyConflict(have *casefile.Case, what string) error {
	return problem.New(problem.KeyConflict, "idempotency key already identifies a task with different %s: %s (%s).", what, have.ID, have.Goal).
		About(have.ID, string(have.Status)).
		With(problem.Step{Op: "status", Args: map[string]any{"taskId": have.ID}, Why: "see what the key stands for"},
			problem.Step{Op: "open", Args: map[string]any{"goal": have.Goal}, Inputs: []string{"idempotencyKey"}, Why: "open another case under another key"})
}

// resumeOpened answers with a case that exists already, finishing an orientation that a crash cut short.
func (s *Service) resumeOpened(ctx context.Context, c *casefile.Case, others int, seeds []seed) (op.Envelope, error) {
	word := "resumed existing"
	if c.Status == casefile.PhaseNew || c.Status == casefile.PhaseOrienting {
		word = "recovered"
		if err := s.finishOrientation(ctx, c.ID); err != nil {
			return op.Envelope{}, err
		}
	}
	var ignored []string
	k, err := s.know(ctx, c.ID, withWorktreeIfJudged, func(r *casestore.Reader) (err error) {
		ignored, err = changedSeeds(r, seeds)
		return err
	})
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(k.c, fmt.Sprintf("%s task %s (%s)", word, c.ID, c.Goal))
	out.Warn(k.warnings...)
	out.Warn(ignored...)
	if others > 0 {
		out.Warn(fmt.Sprintf("%d older case(s) match as well; this is the newest", others))
	}
	if err := s.linkParent(ctx, k.c); err != nil {
		out.Warn(fmt.Sprintf("parent %s does not list this case yet: %v", c.ParentTaskID, err))
	}
	out.Steps = s.steps(k.c, k.judgement)
	return out, nil
}

// finishOrientation moves a case that never got past its opening to investigating.
func (s *Service) finishOrientation(ctx context.Context, id string) error {
	return s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c := e.Case()
		events, err := casefile.Advance(c, casefile.PhaseInvestigating, s.now())
		if err != nil {
			return err
		}
		e.AddPhases(events...)
		return e.PutCase(c)
	})
}
