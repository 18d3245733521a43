package casefile

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"cortex/internal/problem"
)

// start is the time at which the cases of the tests are opened.
func start() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

func changeCase(phase Phase) *Case {
	return &Case{
		SchemaVersion: 1, Revision: 3, ID: "task_06H2VPRM4KDG25WQ", CreatedAt: start(), UpdatedAt: start(),
		Goal: "Fix add so it sums", Mode: ModeChange, Status: phase, Actor: "agent-a", Risk: RiskLow,
		Workspace:            Workspace{Root: "/srv/repo", Repository: "repo", Branch: "main", CommitBefore: "44b93b5"},
		Surfaces:             []Surface{SurfaceCode},
		AcceptanceCriteria:   []Criterion{{ID: "add-sums", Statement: "calc.sh 2 3 prints 5"}},
		ChangeBoundary:       Boundary{Files: []string{"calc.sh"}, Symbols: []string{"add"}},
		VerificationRequired: []string{"command:unit"},
	}
}

// leased gives c's lease to actor until start plus 15 minutes.
func leased(c *Case, actor string) *Case {
	c.ChangeLease = &Lease{Actor: actor, AcquiredAt: start(), RenewedAt: start(), ExpiresAt: start().Add(15 * time.Minute)}
	return c
}

func unitSet() VerifierSet {
	return VerifierSet{Commands: []Verifier{{"unit", KindUnitTest}, {"lint", KindLint}}}
}

// counter returns an id source that counts.
func counter() func(string) string {
	n := 0
	return func(prefix string) string { n++; return fmt.Sprintf("%s_%d", prefix, n) }
}

// declared are the verbs that steps may name, with the arguments that they take on the wire.
func declared() map[string][]string {
	return map[string][]string{
		"open":         {"goal", "mode", "idempotencyKey", "parentTaskId", "acceptanceCriteria", "allowedPaths"},
		"investigate":  {"taskId", "question"},
		"plan":         {"taskId", "hypotheses", "files", "symbols", "boundaryReason", "verification", "uncertainty", "timeoutOverrides", "supports"},
		"begin-change": {"taskId", "actor", "ttl"},
		"lease renew":  {"taskId", "actor", "ttl"},
		"verify": {"taskId", "actor", "fromPlan", "claimSpecs", "claims", "only", "stale", "attestations", "noOpAcknowledged", "driftAcknowledged",
			"browserSpecs", "terminalSpecs", "noAutoSpecs", "artifactRef", "secretProject"},
		"remember": {"taskId", "outcome", "tags", "verificationNotPossible", "acceptFailed", "acceptMissingCriteria", "acceptOpenChildren"},
		"resolve":  {"taskId", "hypothesisId", "status", "reason", "evidence"},
		"status":   {"taskId"},
		"setup":    {"trustCommands"},
		"list":     {},

		"read-artifact": {"taskId", "ref", "path", "maxBytes", "allowBinary"},
		"reopen":        {"taskId", "reason"},

		"decision request": {"taskId", "question", "options"},
		"decision answer":  {"taskId", "decisionId", "answer", "responder", "resume"},
		"decision list":    {"taskId"},
	}
}

// reporter is what a test and a property have in common.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkSteps fails on a step that no front could render.
func checkSteps(t reporter, steps []problem.Step) {
	t.Helper()
	for _, s := range steps {
		if s.Op == "" {
			if s.Command == "" {
				t.Errorf("step %+v names neither a verb nor a command", s)
			}
			continue
		}
		args, ok := declared()[s.Op]
		if !ok {
			t.Errorf("step names the unknown verb %q", s.Op)
		}
		named := slices.Clone(s.Inputs)
		for name := range s.Args {
			named = append(named, name)
		}
		for name := range s.Candidates {
			named = append(named, name)
		}
		for _, name := range named {
			if !slices.Contains(args, name) {
				t.Errorf("step of %q names the unknown argument %q", s.Op, name)
			}
		}
	}
}

// refused checks that err is a problem of the code, with a way on or the reason why there is none.
func refused(t testing.TB, err error, code problem.Code) *problem.Problem {
	t.Helper()
	var p *problem.Problem
	if !errors.As(err, &p) {
		t.Fatalf("got error %v, want a problem of code %s", err, code)
	}
	if p.Code != code {
		t.Fatalf("got code %s (%s), want %s", p.Code, p.Message, code)
	}
	if len(p.Next) == 0 && p.NoStep == "" {
		t.Errorf("problem %q has neither a step nor a reason why there is none", p.Message)
	}
	checkSteps(t, p.Next)
	return p
}

// bytesNow is the state of a worktree that is completely known.
func bytesNow(head, digest string) *WorkState {
	return &WorkState{Known: true, Complete: true, Head: head, Digest: digest}
}

func runOf(batch, name string, status ReceiptStatus, digest string) Receipt {
	return Receipt{
		ID: "vr_" + batch + "_run_" + name, BatchID: batch, Claim: commandLabel + name, Surface: SurfaceCode, Purpose: PurposeRun,
		Requirement: "command:" + name, Tool: "command", Status: status, Revision: "head1", DirtyDigest: digest,
		DigestMethod: DigestMethod, Binding: Bound,
	}
}

func claimOf(batch, id, statement string, status ReceiptStatus, digest string) Receipt {
	return Receipt{
		ID: "vr_" + batch + "_claim_" + id, BatchID: batch, ClaimID: id, Claim: statement, Surface: SurfaceCode, Purpose: PurposeClaim,
		Contract: "unit", Tool: "command:unit", Status: status, Revision: "head1", DirtyDigest: digest,
		DigestMethod: DigestMethod, Binding: Bound,
	}
}

// proof is a passed run of unit with the passed claim of the criterion of changeCase.
func proof(batch, digest string) []Receipt {
	return []Receipt{runOf(batch, "unit", StatusPassed, digest), claimOf(batch, "add-sums", "calc.sh 2 3 prints 5", StatusPassed, digest)}
}
