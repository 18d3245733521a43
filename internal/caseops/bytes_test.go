package caseops

import (
	"os"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/config"
)

func (d *desk) outcome() casefile.Outcome {
	d.t.Helper()
	st, err := d.Status(d.t.Context(), StatusInput{TaskID: d.id()})
	if err != nil {
		d.t.Fatal(err)
	}
	return st.VerificationOutcome
}

// id is that of the only case, ended or not.
func (d *desk) id() string {
	d.t.Helper()
	all, err := d.Store.List(d.t.Context())
	if err != nil || len(all) != 1 {
		d.t.Fatalf("list: %d cases, %v, want one", len(all), err)
	}
	return all[0].Case.ID
}

func TestAnEditThatIsUndoneDuringTheRunProvesNothing(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		do   func(t *testing.T, d *desk)
	}{
		{"written back", func(_ *testing.T, d *desk) { d.repo.Write("a.txt", "other\n"); d.repo.Write("a.txt", "two\n") }},
		{"moved away and back", func(t *testing.T, d *desk) {
			rename(t, d.repo.Path("a.txt"), d.repo.Path("a.bak"))
			d.repo.Write("a.txt", "other\n")
			rename(t, d.repo.Path("a.bak"), d.repo.Path("a.txt"))
		}},
		{"stashed and popped", func(_ *testing.T, d *desk) { d.repo.Git("stash"); d.repo.Git("stash", "pop") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.changing()
			d.during(func() { row.do(t, d) })
			out, err := d.Verify(t.Context(), VerifyInput{})
			if err != nil {
				t.Fatal(err)
			}
			if out.Outcome != casefile.OutcomeUnverified || out.Receipts[0].Binding != casefile.Unbound || !strings.Contains(out.Receipts[0].Notes, "a.txt") {
				t.Errorf("got %s, receipt %+v; want unverified and an unbound receipt that names a.txt", out.Outcome, out.Receipts[0])
			}
		})
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestACompletedCaseKeepsTheOutcomeItWasCompletedWith(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name          string
		before, after string // what the file holds at completion, and later
		want          casefile.Outcome
	}{
		{"completed on the proven bytes", "two\n", "two\n", casefile.OutcomeVerified},
		{"edited afterwards", "two\n", "three\n", casefile.OutcomeVerified},
		{"completed on other bytes", "three\n", "three\n", casefile.OutcomeUnverified},
		{"completed on other bytes, proven ones later", "three\n", "two\n", casefile.OutcomeUnverified},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.changing()
			d.must(d.Verify(t.Context(), VerifyInput{}))
			d.repo.Write("a.txt", row.before)
			d.must(d.Remember(t.Context(), RememberInput{Outcome: "done", VerificationNotPossible: true}))
			d.repo.Write("a.txt", row.after)
			if got := d.outcome(); got != row.want {
				t.Errorf("outcome after completion: got %s, want %s", got, row.want)
			}
		})
	}
}

func TestACheckThatIsConfiguredOtherwiseProvesNothing(t *testing.T) {
	t.Parallel()
	unit := config.Verifier{Name: "unit", Argv: []string{"check"}, Kind: casefile.KindUnitTest, Surface: "code"}
	with := func(change func(*config.Verifier)) []config.Verifier {
		v := unit
		change(&v)
		return []config.Verifier{v}
	}
	for _, row := range []struct {
		name  string
		later []config.Verifier
		want  casefile.Outcome
	}{
		{"as it was", with(func(*config.Verifier) {}), casefile.OutcomeVerified},
		{"another time limit", with(func(v *config.Verifier) { v.Timeout = 1 }), casefile.OutcomeVerified},
		{"another argv", with(func(v *config.Verifier) { v.Argv = []string{"check", "-all"} }), casefile.OutcomeUnverified},
		{"another variable", with(func(v *config.Verifier) { v.Env = []string{"MODE=full"} }), casefile.OutcomeUnverified},
		{"another report", with(func(v *config.Verifier) { v.Report = "exit" }), casefile.OutcomeUnverified},
		{"removed", nil, casefile.OutcomeUnverified},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.changing()
			d.must(d.Verify(t.Context(), VerifyInput{FromPlan: true}))
			d.Config.Verifiers = row.later
			if got := d.outcome(); got != row.want {
				t.Errorf("outcome: got %s, want %s", got, row.want)
			}
			_, err := d.Remember(t.Context(), RememberInput{Outcome: "done"})
			if (err == nil) != (row.want == casefile.OutcomeVerified) {
				t.Errorf("remember: %v for the outcome %s", err, row.want)
			}
		})
	}
}

func TestAnOpenChildHasNoOutcomeWithoutALookAtItsWorktree(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "the whole", Mode: casefile.ModeInvestigate}}))
	parent := d.id()
	child, err := d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "change a", Mode: casefile.ModeChange, Risk: casefile.RiskLow}, ParentTaskID: parent})
	if err != nil {
		t.Fatal(err)
	}
	plan := onePlan()
	plan.TaskID = child.TaskID
	d.must(d.Plan(t.Context(), plan))
	d.must(d.BeginChange(t.Context(), BeginChangeInput{TaskID: child.TaskID, Actor: "agent-a"}))
	d.repo.Write("a.txt", "two\n")
	d.must(d.Verify(t.Context(), VerifyInput{TaskID: child.TaskID}))
	d.repo.Write("a.txt", "three\n")
	st, err := d.Status(t.Context(), StatusInput{TaskID: parent})
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Children) != 1 || st.Children[0].Outcome == casefile.OutcomeVerified {
		t.Errorf("children %+v, want one that is not verified", st.Children)
	}
}

func TestWhatCouldNotBeHashedIsNamed(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before the run", "during the run"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.changing()
			grow := func() {
				d.repo.Write("big.bin", "")
				if err := os.Truncate(d.repo.Path("big.bin"), 3<<30); err != nil {
					t.Fatal(err)
				}
			}
			if when == "before the run" {
				grow()
			} else {
				d.during(grow)
			}
			out, err := d.Verify(t.Context(), VerifyInput{})
			if err != nil {
				t.Fatal(err)
			}
			r := out.Receipts[0]
			if r.Binding != casefile.Unbound || !strings.Contains(r.Notes, "big.bin") || !strings.Contains(strings.Join(r.Exclusions, " "), "big.bin") {
				t.Errorf("binding %q, notes %q, exclusions %q; want unbound and both to name big.bin", r.Binding, r.Notes, r.Exclusions)
			}
		})
	}
}

func TestAVerificationWarnsOfWhatIsStaleAfterItOnly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.changing()
	d.must(d.Verify(t.Context(), VerifyInput{}))
	d.repo.Write("a.txt", "three\n")
	for range 2 {
		out, err := d.Verify(t.Context(), VerifyInput{})
		if err != nil || out.Outcome != casefile.OutcomeVerified || strings.Contains(strings.Join(out.Warnings, "\n"), "stale") {
			t.Errorf("%s, warnings %q, error %v; want none of what was stale before", out.Outcome, out.Warnings, err)
		}
	}
}
