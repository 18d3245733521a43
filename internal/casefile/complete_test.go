package casefile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func verifying() *Case { return leased(changeCase(PhaseVerifying), "agent-a") }

func judgement(o Outcome, edit func(*Judgement)) Judgement {
	j := Judgement{Assessment: Assessment{Outcome: o}}
	if edit != nil {
		edit(&j)
	}
	return j
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	missing := func(j *Judgement) { j.MissingCriteria = []string{"a", "b"} }
	stale := func(j *Judgement) { j.Stale = []string{"vr_1"} }
	tests := []struct {
		name string
		c    *Case
		j    Judgement
		in   CompletionInput
		code problem.Code
	}{
		{"verified", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: "done"}, ""},
		{"wrong phase", changeCase(PhasePlanned), judgement(OutcomeVerified, nil), CompletionInput{}, problem.WrongPhase},
		{"empty outcome", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: " "}, problem.InvalidInput},
		{"long outcome", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: strings.Repeat("x", MaxText+1)}, problem.TooLarge},
		{"many tags", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: "x", Tags: slices.Repeat([]string{"t"}, 65)}, problem.TooLarge},
		{"empty tag", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: "x", Tags: []string{""}}, problem.InvalidInput},
		{"open child", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: "x", OpenChildren: []string{"task_2"}}, problem.ChildrenOpen},
		{"open child accepted", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: "x", OpenChildren: []string{"task_2"}, AcceptOpenChildren: true}, ""},
		{"missing criteria", verifying(), judgement(OutcomePartial, missing), CompletionInput{Outcome: "x", VerificationNotPossible: true}, problem.CriteriaMissing},
		{"some of them named", verifying(), judgement(OutcomePartial, missing), CompletionInput{Outcome: "x", AcceptMissing: []string{"a"}}, problem.CriteriaMissing},
		{"one too many named", verifying(), judgement(OutcomePartial, missing), CompletionInput{Outcome: "x", AcceptMissing: []string{"a", "b", "c"}}, problem.CriteriaMissing},
		{"named in any order", verifying(), judgement(OutcomePartial, missing), CompletionInput{Outcome: "x", AcceptMissing: []string{"b", "a"}}, ""},
		{"none missing, some named", verifying(), judgement(OutcomeVerified, nil), CompletionInput{Outcome: "x", AcceptMissing: []string{"a"}}, problem.CriteriaMissing},
		{"missing before failed", verifying(), judgement(OutcomeFailed, missing), CompletionInput{Outcome: "x"}, problem.CriteriaMissing},
		{"missing named, failed not", verifying(), judgement(OutcomeFailed, missing), CompletionInput{Outcome: "x", AcceptMissing: []string{"a", "b"}}, problem.VerificationFailed},
		{"failed", verifying(), judgement(OutcomeFailed, nil), CompletionInput{Outcome: "x", VerificationNotPossible: true}, problem.VerificationFailed},
		{"failed accepted", verifying(), judgement(OutcomeFailed, nil), CompletionInput{Outcome: "x", AcceptFailed: true}, ""},
		{"partial", verifying(), judgement(OutcomePartial, nil), CompletionInput{Outcome: "x", AcceptFailed: true}, problem.VerificationMissing},
		{"unverified", verifying(), judgement(OutcomeUnverified, nil), CompletionInput{Outcome: "x"}, problem.VerificationMissing},
		{"unverified stated", verifying(), judgement(OutcomeUnverified, nil), CompletionInput{Outcome: "x", VerificationNotPossible: true}, ""},
		{"stale", verifying(), judgement(OutcomeUnverified, stale), CompletionInput{Outcome: "x"}, problem.VerificationStale},
		{"stale stated", verifying(), judgement(OutcomeUnverified, stale), CompletionInput{Outcome: "x", VerificationNotPossible: true}, ""},
		{"persisting, unverified", changeCase(PhasePersisting), judgement(OutcomeUnverified, nil), CompletionInput{Outcome: "x"}, problem.VerificationMissing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := Completion(tt.c, tt.j, tt.in)
			if tt.code == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			refused(t, err, tt.code)
		})
	}
}

// fill repeats a remember call as its step says.
func fill(step problem.Step, in CompletionInput) CompletionInput {
	in.VerificationNotPossible = step.Args["verificationNotPossible"] == true
	in.AcceptFailed = step.Args["acceptFailed"] == true
	in.AcceptOpenChildren = step.Args["acceptOpenChildren"] == true
	in.AcceptMissing, _ = step.Args["acceptMissingCriteria"].([]string)
	in.Outcome = "said"
	in.Tags = nil
	return in
}

// TestTheOfferedRememberSucceeds follows the remember step of every refusal, which must pass at once.
func TestTheOfferedRememberSucceeds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string, of ...string) []string {
			return slices.DeleteFunc(of, func(string) bool { return rapid.Bool().Draw(t, name) })
		}
		j := judgement(rapid.SampledFrom([]Outcome{OutcomeVerified, OutcomePartial, OutcomeFailed, OutcomeUnverified}).Draw(t, "outcome"), nil)
		j.Stale, j.NeedsGrant = some("stale", "vr_1"), some("grant", "command:unit")
		if j.Outcome != OutcomeVerified {
			j.MissingCriteria = some("missing", "a", "b")
		}
		in := CompletionInput{
			Outcome: rapid.SampledFrom([]string{"", "done"}).Draw(t, "text"), AcceptMissing: some("named", "a", "b"), OpenChildren: some("child", "task_2"),
			AcceptOpenChildren: rapid.Bool().Draw(t, "acceptChildren"), VerificationNotPossible: rapid.Bool().Draw(t, "impossible"),
		}
		c := verifying()
		err := Completion(c, j, in)
		if err == nil {
			return
		}
		p := problem.From(err)
		checkSteps(t, p.Next)
		last := p.Next[len(p.Next)-1]
		if last.Op != "remember" {
			t.Fatalf("%s ends with %+v, want remember", p.Message, last)
		}
		if p.Code == problem.InvalidInput {
			return // the outcome is the caller's to say; other refusals may follow
		}
		if p.Code == problem.ChildrenOpen {
			in.AcceptOpenChildren = true
		}
		if err := Completion(c, j, fill(last, in)); err != nil {
			t.Fatalf("the step of %q is refused: %v", p.Message, err)
		}
	})
}

func TestAMissingCriterionOffersItsProofFirst(t *testing.T) {
	t.Parallel()
	c := verifying()
	j := Judge(c, []Receipt{runOf("b", "unit", StatusPassed, "d")}, bytesNow("head1", "d"))
	p := refused(t, Completion(c, j, CompletionInput{Outcome: "x"}), problem.CriteriaMissing)
	if p.Next[0].Op != "verify" || p.Next[0].Args["fromPlan"] != true {
		t.Errorf("first step %+v, want verify from the plan", p.Next[0])
	}
	c.VerificationRequired = []string{"command:unit", "command:lint"}
	p = refused(t, Completion(c, j, CompletionInput{Outcome: "x"}), problem.CriteriaMissing)
	want := "id=add-sums|surface=code|verifier=command:lint|contract=lint|calc.sh 2 3 prints 5"
	if got := p.Next[0].Candidates["claimSpecs"]; len(got) != 2 || got[1] != want {
		t.Errorf("candidates %q, want %q as the second", got, want)
	}
	if !strings.Contains(p.Message, "add-sums") {
		t.Errorf("message %q does not name the criterion", p.Message)
	}
}

func TestAFailureOffersTheRepairAndABlockTheApproval(t *testing.T) {
	t.Parallel()
	p := refused(t, Completion(verifying(), judgement(OutcomeFailed, nil), CompletionInput{Outcome: "x"}), problem.VerificationFailed)
	if p.Next[0].Op != "begin-change" {
		t.Errorf("first step %+v, want begin-change", p.Next[0])
	}
	blocked := judgement(OutcomeUnverified, func(j *Judgement) { j.NeedsGrant = []string{"command:unit"} })
	p = refused(t, Completion(verifying(), blocked, CompletionInput{Outcome: "x"}), problem.VerificationMissing)
	if p.Next[0].Op != "setup" {
		t.Errorf("first step %+v, want the approval", p.Next[0])
	}
	late := verifying()
	late.UpdatedAt = start().Add(time.Hour)
	p = refused(t, Completion(late, judgement(OutcomeUnverified, nil), CompletionInput{Outcome: "x"}), problem.VerificationMissing)
	if p.Next[0].Op != "begin-change" {
		t.Errorf("with a lapsed lease: first step %+v, want begin-change", p.Next[0])
	}
}
