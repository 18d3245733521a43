package casefile

import (
	"strings"
	"testing"
	"time"

	"cortex/internal/problem"
)

// ops names the steps in short: the verb, "?" and each input, "=" and each argument but the task.
func ops(steps []problem.Step) string {
	var out []string
	for _, s := range steps {
		name := s.Op + s.Command
		for _, in := range s.Inputs {
			name += " ?" + in
		}
		for _, arg := range []string{"actor", "ttl", "goal", "fromPlan", "stale", "verificationNotPossible", "acceptFailed", "acceptMissingCriteria", "decisionId", "resume"} {
			if _, ok := s.Args[arg]; ok {
				name += " =" + arg
			}
		}
		out = append(out, name)
	}
	return strings.Join(out, "; ")
}

func TestNextSteps(t *testing.T) {
	t.Parallel()
	edit := func(c *Case, change func(*Case)) *Case { change(c); return c }
	verified, failed := judgement(OutcomeVerified, nil), judgement(OutcomeFailed, nil)
	open := judgement(OutcomeUnverified, func(j *Judgement) { j.MissingCriteria = []string{"add-sums"} })
	now, late := start(), start().Add(time.Hour)
	tests := []struct {
		name string
		c    *Case
		j    Judgement
		now  time.Time
		want string
	}{
		{"new", changeCase(PhaseNew), Judgement{}, now, "open =goal"},
		{"investigating", changeCase(PhaseInvestigating), Judgement{}, now, "investigate ?question; plan ?hypotheses ?uncertainty ?files"},
		{"after a round", edit(changeCase(PhaseInvestigating), func(c *Case) { c.InvestigationRounds = 1 }), Judgement{}, now, "plan ?hypotheses ?uncertainty ?files; investigate ?question"},
		{"reading", edit(changeCase(PhaseInvestigating), func(c *Case) { c.Mode = ModeInvestigate }), Judgement{}, now, "investigate ?question; plan ?hypotheses ?uncertainty"},
		{"planned", changeCase(PhasePlanned), Judgement{}, now, "begin-change =actor =ttl"},
		{"planned by nobody", edit(changeCase(PhasePlanned), func(c *Case) { c.Actor = "" }), Judgement{}, now, "begin-change ?actor =ttl"},
		{"planned reading", edit(changeCase(PhasePlanned), func(c *Case) { c.Mode = ModeInvestigate }), Judgement{}, now, "verify =fromPlan"},
		{"changing", leased(changeCase(PhaseChanging), "a"), Judgement{}, now, "verify =actor =fromPlan"},
		{"changing, lease lapsed", leased(changeCase(PhaseChanging), "a"), Judgement{}, late, "begin-change =actor =ttl"},
		{"verified", verifying(), verified, now, "remember ?outcome"},
		{"verified, not judged", verifying(), Judgement{}, now, "verify =actor =fromPlan"},
		{"failed", verifying(), failed, now, "begin-change =actor =ttl"},
		{"failed reading", edit(changeCase(PhaseVerifying), func(c *Case) { c.Mode = ModeInvestigate }), failed, now, "verify =fromPlan"},
		{"unverified", verifying(), open, now, "verify =actor =fromPlan; remember ?outcome =verificationNotPossible =acceptMissingCriteria"},
		{"unverified, lease lapsed", verifying(), open, late, "begin-change =actor =ttl; remember ?outcome =verificationNotPossible =acceptMissingCriteria"},
		{"two checks", edit(verifying(), func(c *Case) { c.VerificationRequired = []string{"command:unit", "command:lint"} }), open, now,
			"verify ?claimSpecs =actor; remember ?outcome =verificationNotPossible =acceptMissingCriteria"},
		{"two checks, stale", edit(verifying(), func(c *Case) { c.VerificationRequired = []string{"command:unit", "command:lint"} }),
			judgement(OutcomeUnverified, func(j *Judgement) { j.Stale = []string{"vr_1"} }), now, "verify =actor =stale; remember ?outcome =verificationNotPossible"},
		{"persisting", changeCase(PhasePersisting), verified, now, "remember ?outcome"},
		{"paused", edit(changeCase(PhasePaused), func(c *Case) { c.Awaited = &Decision{ID: "dec_1"} }), Judgement{}, now, "decision answer ?answer ?responder =decisionId"},
		{"paused, and answered already", changeCase(PhasePaused), Judgement{}, now, "decision answer =resume"},
		{"complete", changeCase(PhaseComplete), verified, now, ""},
		{"abandoned", changeCase(PhaseAbandoned), Judgement{}, now, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			steps := NextSteps(tt.c, tt.j, tt.now)
			checkSteps(t, steps)
			if got := ops(steps); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for _, s := range steps {
				if s.Op != "" && s.Op != "open" && s.Args["taskId"] != tt.c.ID {
					t.Errorf("step %+v does not name the case", s)
				}
				if s.Why == "" {
					t.Errorf("step %+v gives no reason", s)
				}
				if s.Op != "open" && s.Op != "" && RequirePhase(tt.c, s.Op) != nil {
					t.Errorf("step %s is not allowed in %s", s.Op, tt.c.Status)
				}
			}
		})
	}
}

// TestFollowingTheStepsCompletesACase walks a case from its opening to its end by the first step each time.
func TestNextStepsOfWhatIsProvenAlreadyAndOfWhatCannotBe(t *testing.T) {
	t.Parallel()
	proven := judgement(OutcomeVerified, func(j *Judgement) { j.SatisfiedCriteria = []string{"add-sums"} })
	if got, want := ops(NextSteps(leased(changeCase(PhaseChanging), "a"), proven, start())), "verify =actor =fromPlan"; got != want {
		t.Errorf("changing again what is proven: got %q, want %q", got, want)
	}
	halted := Receipt{ID: "vr_1", BatchID: "vb_1", Claim: "x", Purpose: PurposeRun, Requirement: "command:unit", Status: StatusNotRun, Notes: "no test was executed"}
	if j := Judge(verifying(), []Receipt{halted}, nil); !j.Halted || NextSteps(verifying(), j, start())[0].Why == "run the planned checks" {
		t.Errorf("a check without a test: halted %t, %q", j.Halted, NextSteps(verifying(), j, start())[0].Why)
	}
	c := changeCase(PhaseVerifying)
	c.Mode, c.VerificationRequired, c.AcceptanceCriteria = ModeInvestigate, nil, nil
	if got, want := ops(NextSteps(c, judgement(OutcomeUnverified, nil), start())), "remember ?outcome =verificationNotPossible"; got != want {
		t.Errorf("reading without a check: got %q, want %q", got, want)
	}
}

func TestFollowingTheStepsCompletesACase(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseInvestigating)
	c.InvestigationRounds = 1
	var receipts []Receipt
	state := bytesNow("head1", "d1")
	for turn := 0; c.Status.Active(); turn++ {
		if turn > 10 {
			t.Fatalf("still %s after 10 steps", c.Status)
		}
		step := NextSteps(c, Judge(c, receipts, state), start())[0]
		var err error
		switch step.Op {
		case "plan":
			plan, _, planErr := AcceptPlan(c, goodPlan(), gate())
			if planErr != nil {
				t.Fatal(planErr)
			}
			_, err = ApplyPlan(c, plan, nil, start())
		case "begin-change":
			_, err = BeginChange(c, step.Args["actor"].(string), DefaultLeaseTTL, start(), start())
		case "verify":
			var plan VerificationPlan
			plan, err = PlanVerification(c, receipts, VerifyInput{Actor: step.Args["actor"].(string), FromPlan: step.Args["fromPlan"] == true}, factsOf("calc.sh"))
			batch, _ := Receipts(plan, []CheckRun{unitRun(StatusPassed)}, boundBatch())
			receipts = append(receipts, batch...)
			if _, moved := Advance(c, PhaseVerifying, start()); moved != nil {
				t.Fatal(moved)
			}
		case "remember":
			if err = Completion(c, Judge(c, receipts, state), CompletionInput{Outcome: "done"}); err == nil {
				EndLease(c, start())
				_, err = Advance(c, PhaseComplete, start())
			}
		default:
			t.Fatalf("unexpected step %+v", step)
		}
		if err != nil {
			t.Fatalf("step %+v in %s is refused: %v", step, c.Status, err)
		}
	}
	if j := Judge(c, receipts, state); !j.Green() || c.ChangeLease.ReleasedAt == nil {
		t.Errorf("ended with %+v, lease %+v", j, c.ChangeLease)
	}
}
