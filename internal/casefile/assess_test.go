package casefile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// recorded are the receipts of a case of another program: a blocked batch, then two with a passed unit test, each with
// a structural review that could not run.
func recorded() []Receipt {
	var out []Receipt
	for i, unit := range []ReceiptStatus{StatusBlocked, StatusPassed, StatusPassed} {
		batch := fmt.Sprintf("vb_%d", i)
		review := runOf(batch, "review", StatusBlocked, "sha256:0b72")
		review.Claim, review.Requirement, review.Tool, review.Evidence = "structural review of the diff", RequireReview, "codemap", []string{"ev_r"}
		out = append(out, review, runOf(batch, "unit", unit, "sha256:0b72"), claimOf(batch, "add-sums", "calc.sh 2 3 prints 5", unit, "sha256:0b72"))
	}
	for i := range out {
		out[i].DigestMethod = ""
	}
	return out
}

func TestARecordedEndedCaseKeepsItsOutcome(t *testing.T) {
	t.Parallel()
	want := Assessment{Outcome: OutcomeVerified, SatisfiedRequired: []string{"command:unit"}, SatisfiedCriteria: []string{"add-sums"}}
	for name, state := range map[string]*WorkState{"unjudged": nil, "another worktree": bytesNow("h", "d"), "no worktree": {}} {
		j := Judge(changeCase(PhaseComplete), recorded(), state)
		if d := cmp.Diff(want, j.Assessment); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if got := strings.Join(j.Done, "; "); got != "configured command verifier unit; calc.sh 2 3 prints 5" {
			t.Errorf("%s: done %q", name, got)
		}
		if len(j.Stale) > 0 || len(j.NotComparable) != 3 || !strings.Contains(j.Warnings[0], "not comparable") {
			t.Errorf("%s: stale %q, not comparable %q, warnings %q", name, j.Stale, j.NotComparable, j.Warnings)
		}
	}
}

func TestReceiptsOfAnotherProgramProveNothingInAnOpenCase(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]*WorkState{"unjudged": nil, "the same digest": bytesNow("head1", "sha256:0b72")} {
		j := Judge(changeCase(PhaseVerifying), recorded(), state)
		if j.Outcome != OutcomeUnverified || len(j.MissingRequired) != 1 || len(j.NotComparable) == 0 {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	unit, lint := runOf("b", "unit", StatusPassed, "d"), runOf("b", "lint", StatusPassed, "d")
	with := func(r Receipt, s ReceiptStatus) Receipt { r.Status = s; return r }
	claim := claimOf("b", "add-sums", "calc.sh 2 3 prints 5", StatusPassed, "d")
	extra := claimOf("b", "extra", "and it is fast", StatusPassed, "d")
	tests := []struct {
		name     string
		receipts []Receipt
		want     Assessment
	}{
		{"nothing", nil, Assessment{Outcome: OutcomeUnverified, MissingRequired: []string{"command:unit"}, MissingCriteria: []string{"add-sums"}, NonPassingClaims: []string{"add-sums"}}},
		{"all", []Receipt{unit, claim}, Assessment{Outcome: OutcomeVerified, SatisfiedRequired: []string{"command:unit"}, SatisfiedCriteria: []string{"add-sums"}}},
		{"run without the claim", []Receipt{unit}, Assessment{Outcome: OutcomePartial, SatisfiedRequired: []string{"command:unit"}, MissingCriteria: []string{"add-sums"}, NonPassingClaims: []string{"add-sums"}}},
		{"claim without the run", []Receipt{claim}, Assessment{Outcome: OutcomePartial, MissingRequired: []string{"command:unit"}, SatisfiedCriteria: []string{"add-sums"}}},
		{"failed run", []Receipt{with(unit, StatusFailed), with(claim, StatusFailed)}, Assessment{Outcome: OutcomeFailed, MissingRequired: []string{"command:unit"}, MissingCriteria: []string{"add-sums"}, FailedClaims: []string{"add-sums"}}},
		{"unrequired run failed", []Receipt{unit, claim, with(lint, StatusFailed)}, Assessment{Outcome: OutcomeFailed, SatisfiedRequired: []string{"command:unit"}, SatisfiedCriteria: []string{"add-sums"}}},
		{"unrequired run blocked", []Receipt{unit, claim, with(lint, StatusBlocked)}, Assessment{Outcome: OutcomeVerified, SatisfiedRequired: []string{"command:unit"}, SatisfiedCriteria: []string{"add-sums"}}},
		{"inconclusive run", []Receipt{with(unit, StatusInconclusive), with(claim, StatusInconclusive)}, Assessment{Outcome: OutcomeUnverified, MissingRequired: []string{"command:unit"}, MissingCriteria: []string{"add-sums"}, NonPassingClaims: []string{"add-sums"}}},
		{"nothing executed", []Receipt{with(unit, StatusNotRun), with(claim, StatusNotRun)}, Assessment{Outcome: OutcomeUnverified, MissingRequired: []string{"command:unit"}, MissingCriteria: []string{"add-sums"}, NonPassingClaims: []string{"add-sums"}}},
		{"another claim open", []Receipt{unit, claim, with(extra, StatusNotRun)}, Assessment{Outcome: OutcomePartial, SatisfiedRequired: []string{"command:unit"}, SatisfiedCriteria: []string{"add-sums"}, NonPassingClaims: []string{"extra"}}},
		{"other words", []Receipt{unit, claimOf("b", "add-sums", "it sums", StatusPassed, "d")}, Assessment{Outcome: OutcomePartial, SatisfiedRequired: []string{"command:unit"}, MissingCriteria: []string{"add-sums"}, NonPassingClaims: []string{"add-sums"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, state := range []*WorkState{nil, bytesNow("head1", "d")} {
				if d := cmp.Diff(tt.want, Judge(changeCase(PhaseVerifying), tt.receipts, state).Assessment); d != "" {
					t.Errorf("state %v (-want +got):\n%s", state, d)
				}
			}
		})
	}
}

func TestFreshness(t *testing.T) {
	t.Parallel()
	incomplete := bytesNow("head1", "d1")
	incomplete.Complete = false
	tests := []struct {
		name    string
		phase   Phase
		state   *WorkState
		outcome Outcome
		green   bool
		stale   int
		same    string
	}{
		{"open, the same bytes", PhaseVerifying, bytesNow("head1", "d1"), OutcomeVerified, true, 0, ""},
		{"open, committed since", PhaseVerifying, bytesNow("head2", "d1"), OutcomeVerified, true, 0, "head2"},
		{"open, edited", PhaseVerifying, bytesNow("head1", "d2"), OutcomeUnverified, false, 2, ""},
		{"open, unknown", PhaseVerifying, &WorkState{}, OutcomeUnverified, false, 0, ""},
		{"open, incomplete", PhaseVerifying, incomplete, OutcomeUnverified, false, 0, ""},
		{"open, not looked", PhaseVerifying, nil, OutcomeVerified, true, 0, ""},
		{"ended, the same bytes", PhaseComplete, bytesNow("head1", "d1"), OutcomeVerified, true, 0, ""},
		{"ended, committed since", PhaseComplete, bytesNow("head2", "d1"), OutcomeVerified, true, 0, "head2"},
		{"ended, edited", PhaseComplete, bytesNow("head2", "d2"), OutcomeVerified, false, 2, ""},
		{"ended, worktree gone", PhaseComplete, &WorkState{}, OutcomeVerified, true, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := Judge(changeCase(tt.phase), proof("b1", "d1"), tt.state)
			if j.Outcome != tt.outcome || j.Green() != tt.green || len(j.Stale) != tt.stale || j.SameBytes != tt.same {
				t.Errorf("got %s, green %v, stale %q, same bytes at %q; want %+v", j.Outcome, j.Green(), j.Stale, j.SameBytes, tt)
			}
			said := strings.Join(j.Warnings, "\n")
			for word, want := range map[string]bool{
				"stale": tt.stale > 0, "same bytes, now commit head2": tt.same != "",
				"could not be read": tt.state != nil && !(tt.state.Known && tt.state.Complete),
			} {
				if strings.Contains(said, word) != want {
					t.Errorf("warnings %q; saying %q should be %v", said, word, want)
				}
			}
		})
	}
}

func TestAnUnboundReceiptProvesNothingWhateverItSays(t *testing.T) {
	t.Parallel()
	receipts := proof("b1", "d1")
	for i := range receipts {
		receipts[i].Binding = Unbound
	}
	for _, phase := range []Phase{PhaseVerifying, PhaseComplete} {
		for _, state := range []*WorkState{nil, bytesNow("head1", "d1")} {
			if j := Judge(changeCase(phase), receipts, state); j.Outcome != OutcomeUnverified {
				t.Errorf("%s, state %v: %s, want unverified", phase, state, j.Outcome)
			}
		}
	}
}

func TestAStaleFailureIsNoFailure(t *testing.T) {
	t.Parallel()
	receipts := []Receipt{runOf("b", "unit", StatusFailed, "d1")}
	if j := Judge(changeCase(PhaseVerifying), receipts, bytesNow("head1", "d2")); j.Outcome != OutcomeUnverified {
		t.Errorf("got %s", j.Outcome)
	}
}

func TestOnlyTheNewestBatchCounts(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseVerifying)
	again := append(proof("b1", "d1"), runOf("b2", "unit", StatusFailed, "d1"))
	if j := Judge(c, again, bytesNow("head1", "d1")); j.Outcome != OutcomeFailed {
		t.Errorf("a later failure: %s, want failed", j.Outcome)
	}
	fixed := append([]Receipt{runOf("b0", "unit", StatusFailed, "d0")}, proof("b1", "d1")...)
	if j := Judge(c, fixed, bytesNow("head1", "d1")); j.Outcome != OutcomeVerified {
		t.Errorf("an earlier failure about other bytes: %s, want verified", j.Outcome)
	}
	claimFirst := []Receipt{claimOf("b1", "add-sums", "calc.sh 2 3 prints 5", StatusPassed, "d1"), runOf("b2", "unit", StatusPassed, "d1")}
	if j := Judge(c, claimFirst, bytesNow("head1", "d1")); j.Outcome != OutcomeVerified {
		t.Errorf("a claim of an earlier batch about the same bytes: %s, want verified", j.Outcome)
	}
}

func TestReceiptsFromBeforePurposesAndBatches(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseComplete)
	c.VerificationRequired = []string{RequireReview, RequireBrowser, RequireTerminal, RequireArtifact, RequireCapability, "command:unit"}
	old := func(claim, tool string) Receipt {
		return Receipt{ID: claim, Claim: claim, Tool: tool, Surface: SurfaceCode, Status: StatusPassed, Revision: "h", DirtyDigest: "d"}
	}
	receipts := []Receipt{
		{ID: "older", Claim: "structural review of the diff", Tool: "codemap", Status: StatusFailed, Revision: "g", DirtyDigest: "e"},
		old("structural review of the diff", "codemap"), old("browser flow a.yml", "cairntrace"), old("auto-selected terminal flow b.yml", "glyphrun"),
		old("artifact verification fc_1", "fcheap"), old("secret verification p", "tvault"), old("configured command verifier unit", "command"),
		old("calc.sh 2 3 prints 5", ""),
	}
	j := Judge(c, receipts, nil)
	if len(j.MissingRequired) > 0 || len(j.SatisfiedRequired) != 6 || j.Outcome != OutcomePartial || !slices.Equal(j.MissingCriteria, []string{"add-sums"}) {
		t.Errorf("got %+v", j.Assessment)
	}
	for _, r := range []Receipt{{Claim: "x", Evidence: []string{"ev"}}, {Claim: ""}, {Claim: "x", Artifact: "a"}, {Claim: "x", VerifierVersion: "1"}} {
		if purpose(r) != PurposeRun {
			t.Errorf("%+v is taken for a %s", r, purpose(r))
		}
	}
}

func TestAnAttestationIsNoProof(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseVerifying)
	c.AcceptanceCriteria = []Criterion{{ID: "reviewed", Statement: "two people read it", Kind: CriterionProcess}, {ID: "add-sums", Statement: "calc.sh 2 3 prints 5"}}
	attest := func(id, statement string) Receipt {
		r := claimOf("b", id, statement, StatusPassed, "d")
		r.Purpose, r.Evidence, r.Tool, r.Contract = PurposeAttestation, []string{"ev_1"}, "", ""
		return r
	}
	receipts := append(proof("b", "d"), attest("reviewed", "two people read it"))
	j := Judge(c, receipts, bytesNow("head1", "d"))
	if j.Outcome != OutcomeVerified || !slices.Equal(j.AttestedCriteria, []string{"reviewed"}) || !slices.Equal(j.SatisfiedCriteria, []string{"add-sums"}) {
		t.Errorf("got %+v", j.Assessment)
	}
	if j := Judge(c, receipts, bytesNow("head1", "d2")); !slices.Contains(j.MissingCriteria, "reviewed") {
		t.Errorf("after an edit: %+v, want the attestation to have lapsed", j.Assessment)
	}
	j = Judge(c, []Receipt{runOf("b", "unit", StatusPassed, "d"), attest("reviewed", "two people read it"), attest("add-sums", "calc.sh 2 3 prints 5")}, nil)
	if j.Outcome != OutcomePartial || !slices.Equal(j.MissingCriteria, []string{"add-sums"}) {
		t.Errorf("an attested ordinary criterion: %+v", j.Assessment)
	}
}

// drawReceipts draws a ledger of batches; the runs and claims of one batch are all different checks.
func drawReceipts(t *rapid.T) []Receipt {
	var out []Receipt
	statuses := []ReceiptStatus{StatusPassed, StatusFailed, StatusInconclusive, StatusBlocked, StatusNotRun, StatusNotApplicable}
	for i := range rapid.IntRange(0, 4).Draw(t, "batches") {
		batch, digest := fmt.Sprintf("b%d", i), rapid.SampledFrom([]string{"d1", "d2"}).Draw(t, "digest")
		binding := rapid.SampledFrom([]Binding{Bound, Bound, Unbound}).Draw(t, "binding")
		method := rapid.SampledFrom([]string{DigestMethod, DigestMethod, ""}).Draw(t, "method")
		for _, r := range []Receipt{
			runOf(batch, "unit", "", digest), runOf(batch, "lint", "", digest),
			claimOf(batch, "add-sums", "calc.sh 2 3 prints 5", "", digest), claimOf(batch, "extra", "x", "", digest),
		} {
			if rapid.Bool().Draw(t, "there") {
				r.Status, r.Binding, r.DigestMethod = rapid.SampledFrom(statuses).Draw(t, "status"), binding, method
				out = append(out, r)
			}
		}
	}
	return out
}

// TestVerifiedMeansProven holds every verified open case to bound, passed receipts of ours about the present bytes for
// each requirement and criterion, in the newest batch that is not unbound.
func TestVerifiedMeansProven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, receipts, state := changeCase(PhaseVerifying), drawReceipts(t), bytesNow("head1", "d1")
		j := Judge(c, receipts, state)
		if j.Outcome != OutcomeVerified {
			return
		}
		good := func(r Receipt) bool {
			return r.Status == StatusPassed && r.Binding == Bound && r.DigestMethod == DigestMethod && r.DirtyDigest == state.Digest
		}
		last := receipts[len(receipts)-1]
		run := slices.ContainsFunc(receipts, func(r Receipt) bool { return r.BatchID == last.BatchID && r.Requirement == "command:unit" && good(r) })
		claim := slices.ContainsFunc(receipts, func(r Receipt) bool { return r.ClaimID == "add-sums" && good(r) })
		if !run || !claim || last.Binding == Unbound {
			t.Fatalf("verified without proof: run %v, claim %v, last batch %s\n%+v", run, claim, last.Binding, receipts)
		}
		for _, r := range receipts {
			if r.BatchID == last.BatchID && r.Status == StatusFailed {
				t.Fatalf("verified although %s failed", r.ID)
			}
		}
	})
}

func TestAssessmentIgnoresRepetitionAndOrderWithinABatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, receipts, state := changeCase(PhaseVerifying), drawReceipts(t), bytesNow("head1", "d1")
		want := Judge(c, receipts, state).Assessment
		var doubled []Receipt
		for _, r := range receipts {
			doubled = append(doubled, r, r)
		}
		if d := cmp.Diff(want, Judge(c, doubled, state).Assessment); d != "" {
			t.Fatalf("each receipt twice (-want +got):\n%s", d)
		}
		seed := rapid.Permutation(receipts).Draw(t, "order")
		slices.SortStableFunc(seed, func(a, b Receipt) int { return strings.Compare(a.BatchID, b.BatchID) })
		if d := cmp.Diff(want, Judge(c, seed, state).Assessment); d != "" {
			t.Fatalf("batches shuffled inside (-want +got):\n%s", d)
		}
	})
}

func TestAssessmentDoesNotChangeItsInput(t *testing.T) {
	t.Parallel()
	c, receipts := changeCase(PhaseVerifying), append(recorded(), proof("b9", "d1")...)
	c.VerificationRequired = []string{"command:unit", RequireReview, "command:a"}
	before := slices.Clone(receipts)
	Judge(c, receipts, bytesNow("head1", "d1"))
	ClaimProofs(c, Judgement{}, receipts)
	if d := cmp.Diff(before, receipts); d != "" || !slices.Equal(c.VerificationRequired, []string{"command:unit", RequireReview, "command:a"}) {
		t.Errorf("changed (-before +after):\n%s\n%q", d, c.VerificationRequired)
	}
}
