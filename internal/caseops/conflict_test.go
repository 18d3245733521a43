package caseops

import (
	"context"
	"testing"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/problem"
	"cortex/internal/verifier"
)

// during makes the check do something else while it runs.
func (d *desk) during(do func()) {
	d.check = func(c verifier.Check) verifier.Run {
		do()
		return passedRun(c)
	}
}

func TestCaseChangedDuringTheRunWritesNothingButTheAudit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		do   func(*desk)
	}{
		{"another verb", func(d *desk) { d.must(d.RenewLease(d.t.Context(), BeginChangeInput{Actor: "agent-a", TTL: "30m"})) }},
		{"another owner", func(d *desk) {
			d.must(d.ReleaseLease(d.t.Context(), ReleaseLeaseInput{Actor: "agent-a"}))
			d.must(d.BeginChange(d.t.Context(), BeginChangeInput{Actor: "agent-b"}))
		}},
		{"another verification", func(d *desk) {
			d.check = func(c verifier.Check) verifier.Run { return passedRun(c) }
			d.must(d.Verify(d.t.Context(), VerifyInput{}))
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.changing()
			evidence, audit, receipts := 0, 0, ""
			d.during(func() {
				row.do(d)
				evidence, audit, receipts = d.lines("evidence.jsonl"), d.lines("commands.jsonl"), d.file("verification.json")
			})
			_, err := d.Verify(t.Context(), VerifyInput{})
			if !problem.Is(err, problem.RevisionConflict) {
				t.Fatalf("verify: %v, want a revision conflict", err)
			}
			if got := d.lines("evidence.jsonl"); got != evidence {
				t.Errorf("%d evidence records, want the %d from before", got, evidence)
			}
			if d.file("verification.json") != receipts {
				t.Error("receipts of the lost run were written")
			}
			if got := d.lines("commands.jsonl"); got != audit+1 {
				t.Errorf("%d audit records, want %d: what ran must stay visible", got, audit+1)
			}
		})
	}
}

func TestWorktreeChangedDuringTheRunIsUnboundAndMasksOlderProof(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		do   func(*desk)
	}{
		{"an edit", func(d *desk) { d.repo.Write("a.txt", "three\n") }},
		{"a new file", func(d *desk) { d.repo.Write("new.txt", "x") }},
		{"a commit", func(d *desk) { d.repo.Commit("meanwhile") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.changing()
			if got, err := d.Verify(t.Context(), VerifyInput{}); err != nil || got.Outcome != casefile.OutcomeVerified {
				t.Fatalf("verify: %v %v", got.Outcome, err)
			}
			d.during(func() { row.do(d) })
			got, err := d.Verify(t.Context(), VerifyInput{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome == casefile.OutcomeVerified || got.Green() {
				t.Errorf("outcome %s", got.Outcome)
			}
			for _, r := range got.Receipts {
				if r.Binding != casefile.Unbound || r.Status != casefile.StatusInconclusive {
					t.Errorf("receipt %s is %s and %s, want inconclusive and unbound", r.Claim, r.Status, r.Binding)
				}
			}
			if _, err := d.Remember(t.Context(), RememberInput{Outcome: "done"}); err == nil {
				t.Error("the case completed on masked proof")
			}
		})
	}
}

func TestLeaseThatEndsDuringTheRunUnbinds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.changing()
	d.during(func() { d.clock.Advance(time.Hour) })
	got, err := d.Verify(t.Context(), VerifyInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Green() || got.Receipts[0].Binding != casefile.Unbound {
		t.Errorf("outcome %s, binding %s", got.Outcome, got.Receipts[0].Binding)
	}
}

func TestCanceledRunLeavesTheAuditOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.changing()
	ctx, cancel := context.WithCancel(t.Context())
	d.check = func(c verifier.Check) verifier.Run {
		cancel()
		return verifier.Run{Argv: c.Argv, Status: verifier.Inconclusive, Reason: "canceled"}
	}
	if _, err := d.Verify(ctx, VerifyInput{}); err == nil {
		t.Fatal("a canceled verification succeeded")
	}
	if d.file("verification.json") != "" || d.lines("commands.jsonl") != 1 {
		t.Errorf("receipts %q, %d audit records; want none and 1", d.file("verification.json"), d.lines("commands.jsonl"))
	}
}

func TestClockSetBackNeitherRevivesNorStealsALease(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.changing()
	d.clock.Advance(20 * time.Minute) // the lease of 15 minutes has ended
	d.must(d.Note(t.Context(), NoteInput{Claim: "written after the end", Confidence: "medium"}))
	d.clock.Advance(-time.Hour)
	if _, err := d.Verify(t.Context(), VerifyInput{Actor: "agent-a"}); !problem.Is(err, problem.LeaseRequired) {
		t.Errorf("verify on a lease that ended: %v, want lease_required", err)
	}
	d.must(d.BeginChange(t.Context(), BeginChangeInput{Actor: "agent-b"}))
	d.clock.Advance(-24 * time.Hour)
	if _, err := d.BeginChange(t.Context(), BeginChangeInput{Actor: "agent-a"}); !problem.Is(err, problem.LeaseConflict) {
		t.Errorf("begin-change while agent-b holds the lease: %v, want lease_conflict", err)
	}
}
