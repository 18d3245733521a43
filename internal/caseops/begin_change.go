package caseops

import (
	"context"
	"fmt"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var beginChange = op.Define(op.Spec{
	Name: "begin-change", Tool: "cortex_begin_change", Title: "Claim the bounded change", Effect: op.Changes, Profiles: op.Agent, Idempotent: true,
	Help: `Takes the change lease before the first edit, for one actor and a limited time, and moves the case to changing; from
verifying it begins a repair. The holder may call it again, with a ttl to renew.

Refuses while another actor holds the lease, saying who and until when, and refuses a case that makes no change or declares
no boundary.`,
	Example: `cortex begin-change task_… --actor agent-a --ttl 30m`,
}, (*Service).BeginChange)

// BeginChangeInput says who begins the change and for how long.
type BeginChangeInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Actor  string `json:"actor" op:"required" jsonschema:"who makes the change"`
	TTL    string `json:"ttl,omitempty" jsonschema:"how long the lease lasts, 1s to 1h (default 15m)"`
}

// BeginChange acquires or renews the lease.
func (s *Service) BeginChange(ctx context.Context, in BeginChangeInput) (op.Envelope, error) {
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
		events, err := casefile.BeginChange(c, actor, ttl, s.now(), newest)
		if err != nil {
			return op.Envelope{}, err
		}
		e.AddPhases(events...)
		out := answerFor(c, fmt.Sprintf("change begun by %s within the declared boundary", actor))
		out.Hints = []string{fmt.Sprintf("make the edits within the declared boundary; the lease ends at %s", c.ChangeLease.ExpiresAt.Format(time.RFC3339))}
		return out, nil
	})
}

// leaseArguments checks who and for how long; a ttl of "" is 0, the default.
func (s *Service) leaseArguments(actor, ttl string) (string, time.Duration, error) {
	actor, err := casefile.CheckActor(actor, s.Redact.Refuses)
	if err != nil {
		return "", 0, err
	}
	if ttl == "" {
		return actor, 0, nil
	}
	d, err := time.ParseDuration(ttl)
	if err != nil || d <= 0 {
		return "", 0, problem.New(problem.InvalidInput, "ttl %q is not a duration such as 15m.", ttl).
			On("ttl", ttl, "1s to 1h").Without("give a duration from 1s to 1h and call again")
	}
	return actor, d, nil
}

// changeLease runs one change of a lease in a transaction and answers with what is possible next. fn gets the newest
// time that the case's ledgers record.
func (s *Service) changeLease(ctx context.Context, id string, fn func(*casestore.Edit, time.Time) (op.Envelope, error)) (op.Envelope, error) {
	var out op.Envelope
	err := s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		newest, err := newestRecord(e.Reader)
		if err != nil {
			return err
		}
		if out, err = fn(e, newest); err != nil {
			return err
		}
		out.Steps = s.steps(e.Case(), casefile.Judgement{})
		return e.PutCase(e.Case())
	})
	if err != nil {
		return op.Envelope{}, err
	}
	out.Warn(s.Warnings...)
	return out, nil
}

// newestRecord is the newest time in the case's ledgers, by which a lease is judged beside the clock.
func newestRecord(r *casestore.Reader) (time.Time, error) {
	var newest time.Time
	events, _, err := r.PhasesTail(1)
	if err != nil {
		return newest, err
	}
	for _, e := range events {
		newest = e.Timestamp
	}
	records, _, err := r.EvidenceTail(1)
	if err != nil {
		return newest, err
	}
	for _, e := range records {
		if e.Timestamp.After(newest) {
			newest = e.Timestamp
		}
	}
	return newest, nil
}
