package casefile

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func unitRun(status ReceiptStatus) CheckRun {
	return CheckRun{Check: Check{Requirement: "command:unit", Name: "unit", Kind: KindUnitTest}, Status: status, Evidence: []string{"ev_1"}, At: start()}
}

func boundBatch() Batch {
	return Batch{ID: "vb_1", NewID: counter(), Before: *bytesNow("head1", "d1"), After: *bytesNow("head1", "d1"), Exclusions: []string{"ignored files"}, Now: start()}
}

func unitClaim() ClaimSpec {
	return ClaimSpec{"add-sums", "calc.sh 2 3 prints 5", SurfaceCode, "command:unit", "unit"}
}

func TestARunAndItsClaimBecomeReceipts(t *testing.T) {
	t.Parallel()
	run := unitRun(StatusPassed)
	exit := 0
	run.Counts, run.ExitStatus, run.Duration, run.Runner = &Counts{3, 3, 0, 1}, &exit, 1500*time.Millisecond, "go test"
	got, warnings := Receipts(VerificationPlan{Actor: "agent-a", Claims: []ClaimSpec{unitClaim()}}, []CheckRun{run}, boundBatch())
	if len(got) != 2 || len(warnings) != 0 {
		t.Fatalf("receipts %+v, warnings %q", got, warnings)
	}
	for _, r := range got {
		if r.Binding != Bound || r.Status != StatusPassed || r.BatchID != "vb_1" || r.Revision != "head1" || r.DirtyDigest != "d1" ||
			r.DigestMethod != DigestMethod || r.Actor != "agent-a" || len(r.Exclusions) != 1 || r.Surface != SurfaceCode {
			t.Errorf("receipt %+v", r)
		}
	}
	if r := got[0]; r.Claim != "configured command verifier unit" || r.Requirement != "command:unit" || r.Tool != "command" || r.DurationMS != 1500 || r.Counts.Executed != 3 || r.Notes != "" {
		t.Errorf("run %+v", r)
	}
	if r := got[1]; r.ClaimID != "add-sums" || r.Contract != "unit" || r.Tool != "command:unit" || r.Purpose != PurposeClaim || len(r.Evidence) != 1 {
		t.Errorf("claim %+v", r)
	}
}

func TestAChangedWorldUnbindsTheWholeBatch(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*Batch){
		"HEAD moved":        func(b *Batch) { b.After.Head = "head2" },
		"worktree changed":  func(b *Batch) { b.After.Digest = "d2" },
		"unknown before":    func(b *Batch) { b.Before = WorkState{} },
		"unknown after":     func(b *Batch) { b.After = WorkState{} },
		"incomplete before": func(b *Batch) { b.Before.Complete = false },
		"incomplete after":  func(b *Batch) { b.After.Complete = false },
		"lease ended":       func(b *Batch) { b.LeaseEnded = true },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := boundBatch()
			edit(&b)
			runs := []CheckRun{unitRun(StatusPassed), {Check: Check{Requirement: "command:lint", Name: "lint"}, Status: StatusFailed}, {Check: Check{Requirement: "command:x", Name: "x"}, Status: StatusBlocked}}
			got, warnings := Receipts(VerificationPlan{Claims: []ClaimSpec{unitClaim()}}, runs, b)
			want := []ReceiptStatus{StatusInconclusive, StatusInconclusive, StatusBlocked, StatusInconclusive}
			for i, r := range got {
				if r.Binding != Unbound || r.Status != want[i] {
					t.Errorf("receipt %d is %s and %s, want unbound and %s", i, r.Binding, r.Status, want[i])
				}
				if want[i] == StatusInconclusive && !strings.Contains(r.Notes, ", but ") {
					t.Errorf("receipt %d does not say why: %q", i, r.Notes)
				}
			}
			if !strings.Contains(strings.Join(warnings, "\n"), "nothing was proven") {
				t.Errorf("warnings %q do not say that nothing was proven", warnings)
			}
		})
	}
}

func TestAnUnboundBatchMasksOlderProof(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseVerifying)
	b := boundBatch()
	b.After.Digest = "d2"
	for name, plan := range map[string]VerificationPlan{"with the claim": {Claims: []ClaimSpec{unitClaim()}}, "without it": {}} {
		batch, _ := Receipts(plan, []CheckRun{unitRun(StatusPassed)}, b)
		j := Judge(c, append(proof("b0", "d1"), batch...), bytesNow("head1", "d1"))
		if j.Outcome != OutcomeUnverified || len(j.MissingCriteria) != 1 || len(j.MissingRequired) != 1 {
			t.Errorf("%s: %+v, want unverified", name, j.Assessment)
		}
	}
}

func TestAClaimGetsTheWorstOfExactlyItsRuns(t *testing.T) {
	t.Parallel()
	all := []ReceiptStatus{StatusPassed, StatusBlocked, StatusInconclusive, StatusNotRun, StatusFailed} // from good to bad
	for i, a := range all {
		for k, b := range all {
			runs := []CheckRun{unitRun(a), unitRun(b), {Check: Check{Requirement: "command:lint", Name: "lint"}, Status: StatusFailed}}
			got, _ := Receipts(VerificationPlan{Claims: []ClaimSpec{unitClaim()}}, runs, boundBatch())
			if want := all[max(i, k)]; got[3].Status != want {
				t.Errorf("runs %s and %s: claim %s, want %s", a, b, got[3].Status, want)
			}
		}
	}
	other := unitClaim()
	other.Verifier, other.Contract = "command:lint", "lint"
	got, warnings := Receipts(VerificationPlan{Claims: []ClaimSpec{other}}, []CheckRun{unitRun(StatusPassed)}, boundBatch())
	if got[1].Status != StatusNotRun || len(warnings) != 1 {
		t.Errorf("a claim whose check did not run is %s, warnings %q", got[1].Status, warnings)
	}
}

func TestNoReceiptAtAllIsSaid(t *testing.T) {
	t.Parallel()
	got, _ := Receipts(VerificationPlan{}, nil, boundBatch())
	if len(got) != 1 || got[0].Claim != "verification batch had no runnable verifier" || got[0].Status != StatusNotRun || got[0].Purpose != PurposeRun {
		t.Errorf("receipts %+v", got)
	}
}

func TestFreeTextClaimsAreNotRun(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseChanging), "agent-a")
	plan, err := PlanVerification(c, nil, VerifyInput{Legacy: []string{"the login works"}}, factsOf("calc.sh"))
	if err != nil {
		t.Fatal(err)
	}
	got, warnings := Receipts(plan, []CheckRun{unitRun(StatusPassed)}, boundBatch())
	if r := got[1]; r.Claim != "the login works" || r.Status != StatusNotRun || r.Surface != SurfaceCode || r.Contract != "" {
		t.Errorf("receipt %+v", r)
	}
	if !strings.Contains(strings.Join(warnings, "\n"), "--claim-spec") {
		t.Errorf("warnings %q name no claim spec", warnings)
	}
	next, _ := Receipts(VerificationPlan{Claims: []ClaimSpec{unitClaim()}}, []CheckRun{unitRun(StatusPassed)}, func() Batch { b := boundBatch(); b.ID = "vb_2"; return b }())
	if j := Judge(c, append(got, next...), bytesNow("head1", "d1")); j.Outcome != OutcomeVerified {
		t.Errorf("after a batch without it: %+v, want verified", j.Assessment)
	}
}

func TestABlockedCommandSaysHowToApproveIt(t *testing.T) {
	t.Parallel()
	run := unitRun(StatusBlocked)
	run.NeedsGrant = true
	got, warnings := Receipts(VerificationPlan{}, []CheckRun{run}, boundBatch())
	j := Judge(changeCase(PhaseVerifying), got, bytesNow("head1", "d1"))
	if len(warnings) != 1 || !strings.Contains(warnings[0], "cortex setup --trust-commands") || len(j.NeedsGrant) != 1 || j.NeedsGrant[0] != "command:unit" {
		t.Errorf("warnings %q, needs grant %q", warnings, j.NeedsGrant)
	}
	steps := NextSteps(changeCase(PhaseVerifying), j, start())
	if steps[0].Op != "setup" || len(steps[0].BlockedBy) == 0 {
		t.Errorf("steps %+v, want the approval first", steps)
	}
	checkSteps(t, steps)
	missing := unitRun(StatusBlocked)
	missing.Reason = "go is not installed"
	got, _ = Receipts(VerificationPlan{}, []CheckRun{missing}, boundBatch())
	if j := Judge(changeCase(PhaseVerifying), got, nil); len(j.NeedsGrant) != 0 {
		t.Errorf("a missing runner is said to need approval: %q", j.NeedsGrant)
	}
}

func TestABuildFailureFailsWhenItNamesAChangedFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		printed string
		changed []string
		status  ReceiptStatus
		want    ReceiptStatus
	}{
		{"./calc.go", []string{"calc.go"}, StatusInconclusive, StatusFailed},
		{"calc.go", []string{"sub/calc.go"}, StatusInconclusive, StatusFailed},
		{`sub\calc.go`, []string{"sub/calc.go"}, StatusInconclusive, StatusFailed},
		{"/srv/repo/calc.go", []string{"calc.go"}, StatusInconclusive, StatusFailed},
		{"other.go", []string{"calc.go"}, StatusInconclusive, StatusInconclusive},
		{"alc.go", []string{"calc.go"}, StatusInconclusive, StatusInconclusive},
		{"calc.go", nil, StatusInconclusive, StatusInconclusive},
		{"calc.go", []string{"calc.go"}, StatusBlocked, StatusBlocked},
	}
	for _, tt := range tests {
		run := unitRun(tt.status)
		run.BuildFailedFiles = []string{tt.printed}
		b := boundBatch()
		b.Changed = tt.changed
		got, _ := Receipts(VerificationPlan{}, []CheckRun{run}, b)
		if got[0].Status != tt.want {
			t.Errorf("%s printed, %q changed: %s, want %s", tt.printed, tt.changed, got[0].Status, tt.want)
		}
	}
}

func TestUnknownCountsAreSaid(t *testing.T) {
	t.Parallel()
	for status, want := range map[ReceiptStatus]bool{StatusPassed: true, StatusFailed: true, StatusBlocked: false, StatusNotRun: false} {
		got, _ := Receipts(VerificationPlan{}, []CheckRun{unitRun(status)}, boundBatch())
		if said := strings.Contains(got[0].Notes, UnknownCounts); said != want {
			t.Errorf("%s without counts: notes %q", status, got[0].Notes)
		}
	}
	run := unitRun(StatusPassed)
	run.Reason = UnknownCounts
	if got, _ := Receipts(VerificationPlan{}, []CheckRun{run}, boundBatch()); strings.Count(got[0].Notes, "unknown") != 1 {
		t.Errorf("said twice: %q", got[0].Notes)
	}
}

func TestWrittenFilesAreNamed(t *testing.T) {
	t.Parallel()
	run := unitRun(StatusPassed)
	for range 30 {
		run.Written = append(run.Written, "snap")
	}
	got, warnings := Receipts(VerificationPlan{}, []CheckRun{run}, boundBatch())
	if len(got[0].Written) != MaxWrittenPaths || len(warnings) != 1 || !strings.Contains(warnings[0], "30 files") {
		t.Errorf("%d written, warnings %q", len(got[0].Written), warnings)
	}
}

// TestNoClaimPassesWithoutItsRun draws runs and claims and holds every passed claim to passed runs of its own check.
func TestNoClaimPassesWithoutItsRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"unit", "lint", "build"}
		statuses := []ReceiptStatus{StatusPassed, StatusFailed, StatusInconclusive, StatusBlocked, StatusNotRun}
		var runs []CheckRun
		byName := map[string][]ReceiptStatus{}
		for range rapid.IntRange(0, 5).Draw(t, "runs") {
			name, status := rapid.SampledFrom(names).Draw(t, "name"), rapid.SampledFrom(statuses).Draw(t, "status")
			runs = append(runs, CheckRun{Check: Check{Requirement: "command:" + name, Name: name}, Status: status})
			byName[name] = append(byName[name], status)
		}
		var plan VerificationPlan
		for _, name := range names {
			plan.Claims = append(plan.Claims, ClaimSpec{name, "x", SurfaceCode, "command:" + name, name})
		}
		b := boundBatch()
		if rapid.Bool().Draw(t, "edited") {
			b.After.Digest = "d2"
		}
		got, _ := Receipts(plan, runs, b)
		for _, r := range got {
			if r.Purpose != PurposeClaim || r.Status != StatusPassed {
				continue
			}
			if b.After.Digest == "d2" || len(byName[r.ClaimID]) == 0 {
				t.Fatalf("claim %s passed on runs %v, digest %s", r.ClaimID, byName, b.After.Digest)
			}
			for _, s := range byName[r.ClaimID] {
				if s != StatusPassed {
					t.Fatalf("claim %s passed on runs %v", r.ClaimID, byName)
				}
			}
		}
	})
}
