package caseops

import (
	"context"

	"cortex/internal/casefile"
	"cortex/internal/op"
)

var startTask = op.Define(op.Spec{
	Name: "start", Tool: "cortex_start_task", Title: "Start a fresh task", Effect: op.Adds, Profiles: op.Agent,
	Help: `Opens a new case in any event, even when one with the same goal is active. Use open instead when the call may be
repeated, or when the case needs an actor, a parent or an idempotency key.`,
	Example: `cortex start "Fix the checkout return URL" --risk low`,
}, (*Service).Start)

// StartInput is what a fresh case is started with.
type StartInput struct {
	Goal     string             `json:"goal" op:"args,required" jsonschema:"what is to be achieved, in one paragraph"`
	Mode     casefile.Mode      `json:"mode,omitempty" op:"default=change" jsonschema:"what the case is for; only change has a boundary and a lease"`
	Risk     casefile.Risk      `json:"risk,omitempty" op:"default=medium" jsonschema:"how much harm a wrong change could do"`
	Surfaces []casefile.Surface `json:"surfaces,omitempty" op:"flag=surface" jsonschema:"from which sides the result can be observed (default code)"`
	Criteria []Criterion        `json:"acceptanceCriteria,omitempty" op:"flag=criterion" jsonschema:"statements that must be proven before the case can complete; on the command line id=statement"`
	Process  []Criterion        `json:"processCriteria,omitempty" op:"flag=process-criterion,hide=mcp" jsonschema:"id=statement of how the work is to be done; attested, never proven"`

	AllowedPaths []string `json:"allowedPaths,omitempty" op:"flag=allow-path" jsonschema:"the only files that may change: paths, src/*.go, dir/**"`
}

// Start always creates a case.
func (s *Service) Start(ctx context.Context, in StartInput) (op.Envelope, error) {
	draft, err := s.draftCase(OpenInput{
		Goal: in.Goal, Mode: in.Mode, Risk: in.Risk, Surfaces: in.Surfaces, Criteria: in.Criteria, Process: in.Process, AllowedPaths: in.AllowedPaths,
	})
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
	return s.create(ctx, draft, seen, nil)
}
