package casefile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

func TestAttestationText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Attestation
		back string
	}{
		{"read=ev_1", Attestation{ID: "read", Evidence: []string{"ev_1"}}, "read=ev_1"},
		{" read = ev_1 , ev_2 | on Monday, a|b=c ", Attestation{ID: "read", Evidence: []string{"ev_1", "ev_2"}, Note: "on Monday, a|b=c"}, "read=ev_1,ev_2|on Monday, a|b=c"},
		{"read=", Attestation{ID: "read"}, "read="},
		{"read=|note", Attestation{ID: "read", Note: "note"}, "read=|note"},
	} {
		var got Attestation
		if err := got.UnmarshalText([]byte(c.text)); err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("%q: got %+v, %v, want %+v", c.text, got, err, c.want)
		}
		if back, err := got.MarshalText(); err != nil || string(back) != c.back {
			t.Errorf("%q: written as %q, %v, want %q", c.text, back, err, c.back)
		}
	}
	for _, text := range []string{"", "read", "read|a=b"} {
		if err := new(Attestation).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	for _, a := range []Attestation{{ID: "a", Statement: "s"}, {ID: "a=b"}, {ID: "a|b"}, {ID: "a", Evidence: []string{"x|y"}}} {
		if text, err := a.MarshalText(); err == nil {
			t.Errorf("%+v was written as %q, which is not the whole", a, text)
		}
	}
	var a Attestation
	if err := json.Unmarshal([]byte(`{"id":"a","proof":1}`), &a); err == nil {
		t.Error("an unknown field was read")
	}
}

func attestCase(phase Phase) *Case {
	c := changeCase(phase)
	c.AcceptanceCriteria = append(c.AcceptanceCriteria, Criterion{ID: "read", Statement: "two people read it", Kind: CriterionProcess})
	return c
}

func TestAttestationRefusals(t *testing.T) {
	t.Parallel()
	cited := map[string]string{"ev_1": KindHumanReport, "ev_gone": KindToolUnavailable}
	one := []string{"ev_1"}
	for _, c := range []struct {
		name string
		in   []Attestation
		code problem.Code
		says string
	}{
		{"unknown id", []Attestation{{ID: "nobody", Evidence: one}}, problem.InvalidInput, "not a registered acceptance criterion"},
		{"no id", []Attestation{{Evidence: one}}, problem.InvalidInput, "not a registered acceptance criterion"},
		{"a criterion that a check proves", []Attestation{{ID: "add-sums", Evidence: one}}, problem.InvalidInput, "not a process criterion"},
		{"other words", []Attestation{{ID: "read", Statement: "one person read it", Evidence: one}}, problem.InvalidInput, "registered statement"},
		{"no evidence", []Attestation{{ID: "read"}}, problem.InvalidInput, "cites no evidence"},
		{"evidence of another case", []Attestation{{ID: "read", Evidence: []string{"ev_1", "ev_9"}}}, problem.InvalidInput, "not evidence in task"},
		{"a missing tool", []Attestation{{ID: "read", Evidence: []string{"ev_gone"}}}, problem.InvalidInput, "tool was missing"},
		{"twice", []Attestation{{ID: "read", Evidence: one}, {ID: "read", Evidence: one}}, problem.InvalidInput, "twice"},
		{"a long note", []Attestation{{ID: "read", Evidence: one, Note: strings.Repeat("n", MaxText+1)}}, problem.TooLarge, "limit"},
		{"too many", slices.Repeat([]Attestation{{ID: "read", Evidence: one}}, MaxClaims+1), problem.TooLarge, "limit"},
	} {
		_, err := CheckAttestations(attestCase(PhaseChanging), c.in, cited)
		if p := refused(t, err, c.code); !strings.Contains(p.Message, c.says) {
			t.Errorf("%s: %q does not say %q", c.name, p.Message, c.says)
		}
	}
	_, err := CheckAttestations(changeCase(PhaseChanging), []Attestation{{ID: "read", Evidence: one}}, cited)
	if p := refused(t, err, problem.InvalidInput); len(p.Next) > 0 {
		t.Errorf("a case without process criteria offers %+v", p.Next)
	}
	got, err := CheckAttestations(attestCase(PhaseChanging), []Attestation{{ID: " read ", Evidence: []string{"ev_1", "ev_1"}, Note: " x "}}, cited)
	want := []Attestation{{ID: "read", Statement: "two people read it", Evidence: one, Note: "x"}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("a good one: %v (-want +got):\n%s", err, d)
	}
}

func TestNoCheckProvesAProcessCriterion(t *testing.T) {
	t.Parallel()
	spec := ClaimSpec{ID: " read ", Statement: "two people read it", Surface: SurfaceCode, Verifier: "command:unit", Contract: "unit"}
	_, err := CheckClaims(attestCase(PhaseVerifying), []ClaimSpec{spec}, nil, factsOf().Verifiers, nil)
	p := refused(t, err, problem.InvalidInput)
	if !strings.Contains(p.Message, "attest") || len(p.Next) != 1 || !slices.Equal(p.Next[0].Candidates["attestations"], []string{"read=ev_…"}) {
		t.Errorf("refused with %q and the steps %+v, want the way to attest it", p.Message, p.Next)
	}
}

func TestReceiptsOfAttestationsNameNoVerifier(t *testing.T) {
	t.Parallel()
	x := Receipt{ID: "vr_a", ClaimID: "read", Claim: "two people read it", Purpose: PurposeAttestation, Status: StatusPassed, Evidence: []string{"ev_1"}, DigestMethod: DigestMethod, Binding: Bound}
	in := PullRequestInput{HandoffInput: HandoffInput{Case: attestCase(PhaseVerifying), Receipts: []Receipt{x}}}
	for what, got := range map[string]string{"a packet": receiptLine(x), "a pull request": PullRequest(in)} {
		if !strings.Contains(got, "`vr_a`") || strings.Contains(got, " ``") {
			t.Errorf("%s says %q, want the receipt and no empty name", what, got)
		}
	}
}

func TestAttestationsAloneRunNoCheckAndKeepTheProof(t *testing.T) {
	t.Parallel()
	c := leased(attestCase(PhaseVerifying), "agent-a")
	facts := factsOf("calc.sh")
	facts.State, facts.Cited = *bytesNow("head1", "d"), map[string]string{"ev_1": KindHumanReport}
	in := VerifyInput{Attest: []Attestation{{ID: "read", Evidence: []string{"ev_1"}, Note: "Monday"}}}
	earlier := proof("b", "d")
	plan, err := PlanVerification(c, earlier, in, facts)
	if err != nil || len(plan.Checks) != 0 || len(plan.Carried) != 1 || plan.UpToDate {
		t.Fatalf("plan %+v, %v, want no check and the run carried over", plan, err)
	}
	batch := Batch{ID: "vb", NewID: counter(), Before: facts.State, After: facts.State, Now: start()}
	receipts, _ := Receipts(plan, nil, batch)
	got := receipts[len(receipts)-1]
	if got.Purpose != PurposeAttestation || got.Status != StatusPassed || got.Binding != Bound || got.DirtyDigest != "d" || !slices.Equal(got.Evidence, []string{"ev_1"}) ||
		!strings.Contains(got.Notes, "Monday") {
		t.Errorf("receipt %+v", got)
	}
	j := Judge(c, append(earlier, receipts...), &facts.State)
	if j.Outcome != OutcomeVerified || !slices.Equal(j.AttestedCriteria, []string{"read"}) || slices.Contains(j.Done, "two people read it") {
		t.Errorf("judged %+v, want verified, attested and the attestation not done", j)
	}
	if after := Judge(c, append(earlier, receipts...), bytesNow("head1", "e")); len(after.AttestedCriteria) > 0 || !slices.Contains(after.Stale, got.ID) {
		t.Errorf("after an edit %+v, want the attestation stale", after)
	}
	batch.After = *bytesNow("head1", "e")
	unbound, _ := Receipts(plan, nil, batch)
	if j := Judge(c, append(earlier, unbound...), &facts.State); len(j.AttestedCriteria) > 0 {
		t.Errorf("an unbound attestation counts: %+v", j)
	}
	in.Claims = []ClaimSpec{{ID: "add-sums", Statement: "calc.sh 2 3 prints 5", Surface: SurfaceCode, Contract: "command:unit"}}
	if plan, err = PlanVerification(c, earlier, in, facts); err != nil || len(plan.Checks) != 1 {
		t.Errorf("with a claim beside it: checks %+v, %v, want one", plan.Checks, err)
	}
	in = VerifyInput{Attest: in.Attest, Stale: true}
	if plan, err = PlanVerification(c, earlier, in, facts); err != nil || plan.UpToDate || len(plan.Attested) != 1 {
		t.Errorf("with stale and nothing stale: %+v, %v, want the attestation recorded", plan, err)
	}
}

func TestAnAttestationCannotRescueAFailure(t *testing.T) {
	t.Parallel()
	c := attestCase(PhaseVerifying)
	attested := Receipt{ID: "vr_a", BatchID: "b", ClaimID: "read", Claim: "two people read it", Surface: SurfaceCode, Purpose: PurposeAttestation, Status: StatusPassed,
		Evidence: []string{"ev_1"}, Revision: "head1", DirtyDigest: "d", DigestMethod: DigestMethod, Binding: Bound}
	for run, want := range map[ReceiptStatus]Outcome{StatusFailed: OutcomeFailed, StatusInconclusive: OutcomeUnverified, StatusNotRun: OutcomeUnverified} {
		if j := Judge(c, []Receipt{runOf("b", "unit", run, "d"), attested}, bytesNow("head1", "d")); j.Outcome != want {
			t.Errorf("a run that %s with an attestation: %s, want %s", run, j.Outcome, want)
		}
	}
}

func TestNextStepsAskForMissingAttestations(t *testing.T) {
	t.Parallel()
	c := leased(attestCase(PhaseVerifying), "agent-a")
	proven := Judge(c, proof("b", "d"), bytesNow("head1", "d"))
	steps := NextSteps(c, proven, start())
	checkSteps(t, steps)
	if len(steps) != 2 || steps[0].Op != "verify" || !slices.Equal(steps[0].Inputs, []string{"attestations"}) || steps[1].Op != "remember" {
		t.Errorf("everything else proven: %+v, want attest, remember", steps)
	}
	if got := steps[0].Candidates["attestations"]; !slices.Equal(got, []string{"read=ev_…"}) {
		t.Errorf("candidates %q", got)
	}
	unproven := Judge(c, []Receipt{runOf("b", "unit", StatusInconclusive, "d")}, bytesNow("head1", "d"))
	steps = NextSteps(c, unproven, start())
	if len(steps) != 3 || steps[0].Args["fromPlan"] != true || !slices.Equal(steps[1].Inputs, []string{"attestations"}) {
		t.Errorf("nothing proven: %+v, want verify, attest, remember", steps)
	}
	err := Completion(c, proven, CompletionInput{Outcome: "done"})
	if p := refused(t, err, problem.CriteriaMissing); !slices.Equal(p.Next[0].Inputs, []string{"attestations"}) {
		t.Errorf("completion offers %+v first, want the attestation", p.Next[0])
	}
}
