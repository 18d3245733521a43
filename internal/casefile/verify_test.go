package casefile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cortex/internal/problem"
)

func factsOf(changed ...string) VerifyFacts {
	return VerifyFacts{Changed: changed, State: *bytesNow("head1", "d1"), Now: start().Add(time.Minute), Newest: start(), Verifiers: unitSet()}
}

func requirements(checks []Check) string {
	var out []string
	for _, c := range checks {
		out = append(out, c.Requirement)
	}
	return strings.Join(out, " ")
}

func TestPlannedChecksRunInTheOrderOfThePlan(t *testing.T) {
	t.Parallel()
	lintClaim := ClaimSpec{"c1", "it is clean", SurfaceCode, "command:lint", "lint"}
	tests := []struct {
		name     string
		required []string
		in       VerifyInput
		want     string
	}{
		{"all", []string{"command:lint", RequireReview, "command:unit"}, VerifyInput{}, "command:lint command:unit"},
		{"only a name", []string{"command:lint", "command:unit"}, VerifyInput{Only: []string{"unit"}}, "command:unit"},
		{"only, other case", []string{"command:lint", "command:unit"}, VerifyInput{Only: []string{"command:UNIT"}}, "command:unit"},
		{"only keeps the order", []string{"command:lint", "command:unit"}, VerifyInput{Only: []string{"unit", "lint"}}, "command:lint command:unit"},
		{"a claim adds its check", []string{"command:unit"}, VerifyInput{Claims: []ClaimSpec{lintClaim}}, "command:unit command:lint"},
		{"a claim of a planned check", []string{"command:lint"}, VerifyInput{Claims: []ClaimSpec{lintClaim}}, "command:lint"},
		{"nothing planned", nil, VerifyInput{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := leased(changeCase(PhaseChanging), "agent-a")
			c.VerificationRequired = tt.required
			plan, err := PlanVerification(c, nil, tt.in, factsOf("calc.sh"))
			if got := requirements(plan.Checks); got != tt.want || err != nil || plan.Actor != "agent-a" {
				t.Errorf("checks %q for %q, error %v; want %q", got, plan.Actor, err, tt.want)
			}
		})
	}
}

func TestVerifyGates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		phase Phase
		edit  func(*Case)
		in    VerifyInput
		facts VerifyFacts
		code  problem.Code
	}{
		{"wrong phase first", PhaseInvestigating, nil, VerifyInput{Actor: "b"}, factsOf(), problem.WrongPhase},
		{"wrong actor before no change", PhaseChanging, nil, VerifyInput{Actor: "b"}, factsOf(), problem.WrongActor},
		{"lease ended", PhaseChanging, nil, VerifyInput{}, VerifyFacts{Changed: []string{"calc.sh"}, Now: start().Add(time.Hour), Verifiers: unitSet()}, problem.LeaseRequired},
		{"bad claim before no change", PhaseChanging, nil, VerifyInput{Claims: []ClaimSpec{{}}}, factsOf(), problem.InvalidInput},
		{"no change", PhaseChanging, nil, VerifyInput{}, factsOf(), problem.NoChange},
		{"no change acknowledged", PhaseChanging, nil, VerifyInput{NoOp: true}, factsOf(), ""},
		{"an investigation changes nothing", PhasePlanned, func(c *Case) { c.Mode = ModeInvestigate }, VerifyInput{}, factsOf(), ""},
		{"drift at low risk", PhaseChanging, nil, VerifyInput{}, factsOf("other"), ""},
		{"drift at high risk", PhaseChanging, func(c *Case) { c.Risk = RiskHigh }, VerifyInput{}, factsOf("other"), problem.DriftUnacknowledged},
		{"drift acknowledged", PhaseChanging, func(c *Case) { c.Risk = RiskHigh }, VerifyInput{AckDrift: true}, factsOf("other"), ""},
		{"within at high risk", PhaseChanging, func(c *Case) { c.Risk = RiskHigh }, VerifyInput{}, factsOf("calc.sh"), ""},
		{"unknown only", PhaseChanging, nil, VerifyInput{Only: []string{"e2e"}}, factsOf("calc.sh"), problem.UnknownVerifier},
		{"unplanned only", PhaseChanging, nil, VerifyInput{Only: []string{"lint"}}, factsOf("calc.sh"), problem.UnknownVerifier},
		{"long legacy claim", PhaseChanging, nil, VerifyInput{Legacy: []string{strings.Repeat("x", 2049)}}, factsOf("calc.sh"), problem.TooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := leased(changeCase(tt.phase), "agent-a")
			if tt.edit != nil {
				tt.edit(c)
			}
			_, err := PlanVerification(c, nil, tt.in, tt.facts)
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

// TestAGateNamesTheCallThatPasses repeats the refused call with what its step adds.
func TestAGateNamesTheCallThatPasses(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseChanging), "agent-a")
	_, err := PlanVerification(c, nil, VerifyInput{FromPlan: true}, factsOf())
	p := refused(t, err, problem.NoChange)
	last := p.Next[len(p.Next)-1]
	if last.Args["noOpAcknowledged"] != true || last.Args["fromPlan"] != true || last.Args["actor"] != "agent-a" {
		t.Errorf("step %+v does not repeat the call with the acknowledgement", last)
	}
	c.Risk = RiskHigh
	_, err = PlanVerification(c, nil, VerifyInput{}, factsOf("other"))
	if p := refused(t, err, problem.DriftUnacknowledged); p.Next[0].Args["driftAcknowledged"] != true || !strings.Contains(p.Message, "other") {
		t.Errorf("%q offers %+v", p.Message, p.Next)
	}
	_, err = PlanVerification(c, nil, VerifyInput{Only: []string{"e2e"}, AckDrift: true}, factsOf("other"))
	p = refused(t, err, problem.UnknownVerifier)
	if got := p.Next[0].Candidates["only"]; !slices.Equal(got, []string{"command:unit"}) || p.Next[0].Args["only"] != nil {
		t.Errorf("step %+v, want the candidates of only", p.Next[0])
	}
}

func TestStaleRunsOnlyWhatHasNoProof(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseVerifying), "agent-a")
	c.VerificationRequired = []string{"command:unit", "command:lint"}
	full := append(proof("b1", "d1"), runOf("b1", "lint", StatusPassed, "d1"))
	failing := append(proof("b1", "d1"), runOf("b1", "lint", StatusFailed, "d1"))
	tests := []struct {
		name     string
		receipts []Receipt
		digest   string
		checks   string
		claims   int
		carried  int
		upToDate bool
	}{
		{"nothing yet", nil, "d1", "command:unit command:lint", 0, 0, false},
		{"all proven", full, "d1", "", 0, 2, true},
		{"all stale", full, "d2", "command:unit command:lint", 1, 0, false},
		{"one failed", failing, "d1", "command:lint", 0, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			facts := factsOf("calc.sh")
			facts.State = *bytesNow("head2", tt.digest)
			plan, err := PlanVerification(c, tt.receipts, VerifyInput{Stale: true}, facts)
			if err != nil {
				t.Fatal(err)
			}
			if got := requirements(plan.Checks); got != tt.checks || len(plan.Claims) != tt.claims || len(plan.Carried) != tt.carried || plan.UpToDate != tt.upToDate {
				t.Errorf("checks %q, claims %v, %d carried, up to date %v; want %+v", got, plan.Claims, len(plan.Carried), plan.UpToDate, tt)
			}
		})
	}
}

// TestAPartialRunKeepsProofAboutTheSameBytes runs one check alone and expects the other's proof to stand.
func TestAPartialRunKeepsProofAboutTheSameBytes(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseVerifying), "agent-a")
	c.VerificationRequired = []string{"command:unit", "command:lint"}
	receipts := append(proof("b1", "d1"), runOf("b1", "lint", StatusFailed, "d1"))
	for digest, want := range map[string]Outcome{"d1": OutcomeVerified, "d2": OutcomePartial} {
		state := bytesNow("head1", digest)
		facts := factsOf("calc.sh")
		facts.State = *state
		plan, err := PlanVerification(c, receipts, VerifyInput{Only: []string{"lint"}}, facts)
		if err != nil {
			t.Fatal(err)
		}
		batch, _ := Receipts(plan, []CheckRun{{Check: plan.Checks[0], Status: StatusPassed}}, Batch{ID: "b2", NewID: counter(), Before: *state, After: *state, Now: start()})
		j := Judge(c, slices.Concat(receipts, batch), state)
		if j.Outcome != want {
			t.Errorf("bytes %s after lint alone passed: %+v, want %s", digest, j.Assessment, want)
		}
		ids := map[string]bool{}
		for _, r := range slices.Concat(receipts, batch) {
			if ids[r.ID] {
				t.Errorf("two receipts are called %s", r.ID)
			}
			ids[r.ID] = true
			if r.BatchID == "b2" && r.DirtyDigest != digest {
				t.Errorf("%s about bytes %s was carried into a batch about %s", r.ID, r.DirtyDigest, digest)
			}
		}
	}
}

func TestFromPlanKeepsAnEarlierBinding(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseVerifying), "agent-a")
	earlier := claimOf("b1", "add-sums", "calc.sh 2 3 prints 5", StatusPassed, "d1")
	earlier.Tool, earlier.Contract = "command:lint", "lint"
	plan, err := PlanVerification(c, []Receipt{earlier}, VerifyInput{FromPlan: true}, factsOf("calc.sh"))
	if err != nil || len(plan.Claims) != 1 || plan.Claims[0].Verifier != "command:lint" {
		t.Errorf("claims %v, error %v; want the earlier check", plan.Claims, err)
	}
}

func TestNothingIsWrittenWhenTheCaseChangedDuringTheRun(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseChanging), "agent-a")
	plan, err := PlanVerification(c, nil, VerifyInput{}, factsOf("calc.sh"))
	if err != nil {
		t.Fatal(err)
	}
	now := func(edit func(*Case)) *Case {
		c := leased(changeCase(PhaseChanging), "agent-a")
		edit(c)
		return c
	}
	if err := plan.ChangedDuringRun(now(func(c *Case) { c.ChangeLease.RenewedAt = start().Add(time.Minute) })); err != nil {
		t.Errorf("a case that is the same is refused: %v", err)
	}
	for name, edit := range map[string]func(*Case){
		"revision":    func(c *Case) { c.Revision++ },
		"owner":       func(c *Case) { c.ChangeLease.Actor = "agent-b" },
		"acquisition": func(c *Case) { c.ChangeLease.AcquiredAt = start().Add(time.Second) },
		"lease gone":  func(c *Case) { c.ChangeLease = nil },
		"ended":       func(c *Case) { c.Revision++; c.Status = PhaseAbandoned },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, plan.ChangedDuringRun(now(edit)), problem.RevisionConflict)
		})
	}
}

func TestStructuralReviewIsMadeWhereItIsRequired(t *testing.T) {
	t.Parallel()
	earlier := Receipt{ID: "vr_1", BatchID: "vb_1", Claim: "structural review of the diff", Purpose: PurposeRun, Requirement: RequireReview, Tool: "code",
		Status: StatusInconclusive, Binding: Bound, Revision: "head1", DirtyDigest: "d1", DigestMethod: DigestMethod}
	partial, passed := earlier, earlier
	partial.Tool, passed.Tool, passed.Status = "codemap", "codemap", StatusPassed
	for _, tt := range []struct {
		name     string
		required []string
		receipts []Receipt
		in       VerifyInput
		want     bool
	}{
		{"required", []string{RequireReview}, nil, VerifyInput{}, true},
		{"not required", []string{"command:unit"}, nil, VerifyInput{}, false},
		{"another check alone", []string{RequireReview, "command:unit"}, nil, VerifyInput{Only: []string{"unit"}}, false},
		{"stale and never made", []string{RequireReview}, nil, VerifyInput{Stale: true}, true},
		{"stale and made of these bytes", []string{RequireReview}, []Receipt{earlier}, VerifyInput{Stale: true}, false},
		{"stale and proven by codemap", []string{RequireReview}, []Receipt{passed}, VerifyInput{Stale: true}, false},
		{"stale and in part by codemap", []string{RequireReview}, []Receipt{partial}, VerifyInput{Stale: true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := leased(changeCase(PhaseChanging), "agent-a")
			c.VerificationRequired = tt.required
			facts := factsOf("calc.sh")
			facts.State = *bytesNow("head1", "d1")
			plan, err := PlanVerification(c, tt.receipts, tt.in, facts)
			if err != nil || plan.Review != tt.want || plan.Review && len(plan.Carried) > 0 {
				t.Errorf("review %t, carried %+v, error %v, want %t and not both", plan.Review, plan.Carried, err, tt.want)
			}
		})
	}
}
