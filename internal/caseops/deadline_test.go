package caseops

import (
	"context"
	"testing"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/config"
	"cortex/internal/op"
	"cortex/internal/verifier"
)

func TestVerifyHasTheTimeOfItsChecksAndAMinute(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		limit     time.Duration
		overrides map[string]string
		want      time.Duration
	}{
		{"as configured", 5 * time.Minute, nil, 6 * time.Minute},
		{"not configured", 0, nil, verifier.DefaultTimeout + time.Minute},
		{"by the plan", 5 * time.Minute, map[string]string{"command": "10s"}, 70 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.Config.Verifiers = []config.Verifier{{Name: "unit", Argv: []string{"check"}, Kind: casefile.KindUnitTest, Surface: "code", Timeout: row.limit}}
			d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "change a", Mode: casefile.ModeChange, Risk: casefile.RiskLow}}))
			plan := onePlan()
			plan.TimeoutOverrides = row.overrides
			d.must(d.Plan(t.Context(), plan))
			d.must(d.BeginChange(t.Context(), BeginChangeInput{Actor: "agent-a"}))
			d.repo.Write("a.txt", "two\n")
			var left time.Duration
			d.Execute = func(ctx context.Context, c verifier.Check) verifier.Run {
				at, _ := ctx.Deadline()
				left = time.Until(at)
				return passedRun(c)
			}
			d.must(d.Verify(t.Context(), VerifyInput{}))
			if left > row.want || left < row.want-30*time.Second {
				t.Errorf("the check has %v, want about %v", left, row.want)
			}
		})
	}
}

func TestVerbsSayWhatTheyAreDoing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.changing()
	var said []string
	ctx := op.WithProgress(t.Context(), func(doing string) { said = append(said, doing) })
	d.must(d.Verify(ctx, VerifyInput{}))
	if len(said) != 2 || said[0] != "running check unit (1 of 1)" {
		t.Errorf("verify said %q, want which check runs", said)
	}
}
