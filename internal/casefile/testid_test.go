package casefile

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func TestContractsNameTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		contract, name string
		tests          []string
		canonical      string
	}{
		{"unit", "unit", nil, "unit"},
		{"unit#TestSum", "unit", []string{"TestSum"}, "unit#TestSum"},
		{"unit # TestB, TestA,,TestB", "unit", []string{"TestA", "TestB"}, "unit#TestA,TestB"},
		{`unit#adds\, then subtracts,x`, "unit", []string{"adds, then subtracts", "x"}, `unit#adds\, then subtracts,x`},
		{`unit#test[a\nb]`, "unit", []string{`test[a\nb]`}, `unit#test[a\\nb]`},
		{"unit#a#b", "unit", []string{"a#b"}, "unit#a#b"},
		{"unit#", "unit", nil, "unit"},
	} {
		name, tests := SplitContract(c.contract)
		if name != c.name || !slices.Equal(tests, c.tests) {
			t.Errorf("%q: got %q %q, want %q %q", c.contract, name, tests, c.name, c.tests)
		}
		if got := joinContract(name, tests); got != c.canonical {
			t.Errorf("%q: canonical %q, want %q", c.contract, got, c.canonical)
		}
	}
}

func TestAJoinedContractIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tests := rapid.SliceOfN(rapid.StringMatching(`[a-z,\\# ]{0,6}`), 0, 4).Draw(t, "tests")
		for i := range tests {
			tests[i] = strings.TrimSpace(tests[i])
		}
		tests = slices.DeleteFunc(tests, func(s string) bool { return s == "" })
		slices.Sort(tests)
		tests = slices.Compact(tests)
		contract := joinContract("unit", tests)
		if name, got := SplitContract(contract); name != "unit" || !slices.Equal(got, tests) {
			t.Fatalf("%q: got %q, want %q", contract, got, tests)
		}
	})
}

func TestClaimsOfNamedTestsAreNormalised(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseChanging)
	for _, given := range []ClaimSpec{
		{Contract: "command:unit#TestB,TestA"}, {Verifier: "command:unit", Contract: "unit#TestA,TestB"}, {Verifier: "command:UNIT", Contract: "UNIT#TestA , TestB"},
	} {
		given.ID, given.Statement, given.Surface = "add-sums", "calc.sh 2 3 prints 5", SurfaceCode
		got, err := CheckClaims(c, []ClaimSpec{given}, nil, unitSet(), nil)
		if err != nil || got[0].Verifier != "command:unit" || got[0].Contract != "unit#TestA,TestB" {
			t.Errorf("%+v: got %+v, %v", given, got, err)
		}
	}
	for _, contract := range []string{"command:unit#", "command:lost#TestA"} {
		_, err := CheckClaims(c, []ClaimSpec{{Statement: "x", Surface: SurfaceCode, Contract: contract}}, nil, unitSet(), nil)
		if err == nil {
			t.Errorf("contract %q was accepted", contract)
		}
	}
}

func TestAClaimOfNamedTestsGetsTheWorstOfThem(t *testing.T) {
	t.Parallel()
	tests := map[string]ReceiptStatus{"TestA": StatusPassed, "TestB": StatusFailed, "TestC": StatusNotRun, "TestD": StatusInconclusive}
	for _, c := range []struct {
		contract string
		run      ReceiptStatus
		want     ReceiptStatus
	}{
		{"unit", StatusPassed, StatusPassed},
		{"unit", StatusFailed, StatusFailed},
		{"unit#TestA", StatusPassed, StatusPassed},
		{"unit#TestA", StatusFailed, StatusPassed}, // another test failed
		{"unit#TestB", StatusFailed, StatusFailed},
		{"unit#TestC", StatusPassed, StatusNotRun},
		{"unit#TestD", StatusPassed, StatusInconclusive},
		{"unit#TestNone", StatusPassed, StatusNotRun},
		{"unit#TestA,TestC", StatusPassed, StatusNotRun},
		{"unit#TestA,TestB,TestC", StatusFailed, StatusFailed},
		{"unit#TestA", StatusInconclusive, StatusInconclusive}, // the run reached no verdict
		{"unit#TestA", StatusBlocked, StatusBlocked},
		{"unit#TestA", StatusNotRun, StatusNotRun},
		{"lint#TestA", StatusPassed, StatusNotRun}, // another check
	} {
		name, _ := SplitContract(c.contract)
		plan := VerificationPlan{Actor: "a", Claims: []ClaimSpec{{ID: "k", Statement: "s", Surface: SurfaceCode, Verifier: "command:" + name, Contract: c.contract}}}
		run := CheckRun{Check: Check{Requirement: "command:unit", Name: "unit"}, Status: c.run, Tests: tests}
		got, _ := Receipts(plan, []CheckRun{run}, Batch{ID: "vb", NewID: counter(), Before: *bytesNow("h", "d"), After: *bytesNow("h", "d"), Now: start()})
		if claim := got[len(got)-1]; claim.Status != c.want || claim.Contract != c.contract {
			t.Errorf("%s of a run that %s: got %s of %s (%s), want %s", c.contract, c.run, claim.Status, claim.Contract, claim.Notes, c.want)
		}
	}
}

func TestTheRunOfACheckIsAskedForTheTestsOfItsClaims(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseChanging), "agent-a")
	claims := []ClaimSpec{
		{ID: "one", Statement: "one", Surface: SurfaceCode, Contract: "command:unit#TestA"},
		{ID: "two", Statement: "two", Surface: SurfaceCode, Contract: "command:unit#TestB,TestA"},
		{ID: "all", Statement: "all", Surface: SurfaceCode, Contract: "command:unit"},
	}
	facts := factsOf("calc.sh")
	facts.State = *bytesNow("head1", "d")
	plan, err := PlanVerification(c, nil, VerifyInput{Claims: claims}, facts)
	if err != nil || len(plan.Checks) != 1 || !slices.Equal(plan.Checks[0].Wanted, []string{"TestA", "TestB"}) {
		t.Fatalf("plan %+v, %v, want one check of TestA and TestB", plan.Checks, err)
	}
	proven := runOf("b", "unit", StatusPassed, "d")
	for _, listed := range []bool{true, false} {
		proven.Tests = map[string]ReceiptStatus{"TestA": StatusPassed}
		if listed {
			proven.Tests["TestB"] = StatusFailed
		}
		plan, err = PlanVerification(c, []Receipt{proven}, VerifyInput{Claims: claims, Stale: true}, facts)
		if err != nil || (len(plan.Checks) == 0) != listed || (len(plan.Carried) == 1) != listed {
			t.Errorf("all tests listed %v: checks %+v, carried %d, %v; want a run only when the proof does not tell of them", listed, plan.Checks, len(plan.Carried), err)
		}
	}
}

// A claim that was bound to another check before any verdict stays usable with the check that gave one.
func TestAReboundClaimKeepsTheCheckOfItsVerdict(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseVerifying)
	receipt := func(contract string, status ReceiptStatus) Receipt {
		return Receipt{ClaimID: "k", Claim: "s", Surface: SurfaceCode, Purpose: PurposeClaim, Tool: "command:unit", Contract: contract, Status: status}
	}
	receipts := []Receipt{receipt("unit#TestOld", StatusNotRun), receipt("unit#TestNew", StatusPassed)}
	spec := ClaimSpec{ID: "k", Statement: "s", Surface: SurfaceCode, Contract: "command:unit#TestNew"}
	if _, err := CheckClaims(c, []ClaimSpec{spec}, receipts, unitSet(), nil); err != nil {
		t.Errorf("the check of the verdict was refused: %v", err)
	}
	spec.Contract = "command:unit#TestOld"
	_, err := CheckClaims(c, []ClaimSpec{spec}, receipts, unitSet(), nil)
	refused(t, err, problem.ClaimChanged)
}
