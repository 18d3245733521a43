package caseops

import (
	"context"

	"cortex/internal/op"
)

var startTask = op.Define(op.Spec{
	Name: "start", Tool: "cortex_start_task", Title: "Start a fresh task", Effect: op.Adds, Profiles: op.Agent,
	Help:    `Always opens a new case. Use open when the call may be repeated.`,
	Example: `cortex start "Fix the checkout return URL" --risk low`,
}, (*Service).Start)

// StartInput is what a fresh case is started with.
type StartInput struct{ Terms }

// Start always creates a case.
func (s *Service) Start(ctx context.Context, in StartInput) (op.Envelope, error) {
	draft, err := s.draftCase(OpenInput{Terms: in.Terms})
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
	if err := s.orientByTools(ctx, draft, &seen, false); err != nil {
		return op.Envelope{}, err
	}
	return s.create(ctx, draft, seen, nil)
}
