package caseops

import (
	"context"
	"fmt"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var leaseRenew = op.Define(op.Spec{
	Name: "lease renew", Tool: "cortex_lease", Operation: "renew", Title: "Renew the change lease", Effect: op.Changes, Profiles: op.Agent,
	Help: `Extends the change lease of the actor who holds it, until 15 minutes after it ended if nobody else took it.

Refuses another actor, naming both.`,
	Example: `cortex lease renew task_… --actor agent-a --ttl 30m`,
}, (*Service).RenewLease)

var leaseRelease = op.Define(op.Spec{
	Name: "lease release", Tool: "cortex_lease", Operation: "release", Title: "Release the change lease", Effect: op.Changes, Profiles: op.Agent, Idempotent: true,
	Help: `Gives the change lease back, so that another actor can take it; the record is kept.

Releasing twice is no error. Refuses another actor, naming both.`,
	Example: `cortex lease release task_… --actor agent-a`,
}, (*Service).ReleaseLease)

// ReleaseLeaseInput says whose lease is released.
type ReleaseLeaseInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Actor  string `json:"actor" op:"required" jsonschema:"who holds the lease"`
}

// RenewLease extends the lease from now.
func (s *Service) RenewLease(ctx context.Context, in BeginChangeInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	actor, ttl, err := s.leaseArguments(in.Actor, in.TTL)
	if err != nil {
		return op.Envelope{}, err
	}
	return s.changeLease(ctx, id, func(e *casestore.Edit, newest time.Time) (op.Envelope, error) {
		c := e.Case()
		if err := casefile.RequirePhase(c, "lease renew"); err != nil {
			return op.Envelope{}, err
		}
		if err := casefile.Renew(c, actor, ttl, s.now(), newest); err != nil {
			return op.Envelope{}, err
		}
		return answerFor(c, fmt.Sprintf("change lease of %s renewed until %s", actor, c.ChangeLease.ExpiresAt.Format(time.RFC3339))), nil
	})
}

// ReleaseLease ends the lease; its record stays.
func (s *Service) ReleaseLease(ctx context.Context, in ReleaseLeaseInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	actor, _, err := s.leaseArguments(in.Actor, "")
	if err != nil {
		return op.Envelope{}, err
	}
	return s.changeLease(ctx, id, func(e *casestore.Edit, _ time.Time) (op.Envelope, error) {
		c := e.Case()
		if err := casefile.Release(c, actor, s.now()); err != nil {
			return op.Envelope{}, err
		}
		return answerFor(c, fmt.Sprintf("change lease of %s released", actor)), nil
	})
}
