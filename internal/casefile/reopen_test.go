package casefile

import (
	"strings"
	"testing"
	"time"

	"cortex/internal/problem"
)

func eventsOf(phases ...Phase) []PhaseEvent {
	var out []PhaseEvent
	for i := 1; i < len(phases); i++ {
		out = append(out, PhaseEvent{Timestamp: start(), From: phases[i-1], To: phases[i]})
	}
	return out
}

func TestAnEndedCaseIsReopenedWhereItWas(t *testing.T) {
	t.Parallel()
	d := pending()
	tests := []struct {
		name       string
		ended      Phase
		events     []PhaseEvent
		waiting    *Decision
		want       Phase
		pausedFrom Phase
		guessed    bool
	}{
		{"completed", PhaseComplete, eventsOf(PhaseVerifying, PhasePersisting, PhaseComplete), nil, PhaseVerifying, "", false},
		{"completed, no events", PhaseComplete, nil, nil, PhaseVerifying, "", false},
		{"abandoned while changing", PhaseAbandoned, eventsOf(PhasePlanned, PhaseChanging, PhaseAbandoned), nil, PhaseChanging, "", false},
		{"abandoned while new", PhaseAbandoned, eventsOf(PhaseNew, PhaseAbandoned), nil, PhaseNew, "", false},
		{"abandoned twice", PhaseAbandoned, eventsOf(PhaseChanging, PhaseAbandoned, PhaseChanging, PhaseVerifying, PhaseAbandoned), nil, PhaseVerifying, "", false},
		{"abandoned while waiting", PhaseAbandoned, eventsOf(PhasePlanned, PhasePaused, PhaseAbandoned), &d, PhasePaused, PhasePlanned, false},
		{"waiting for nothing", PhaseAbandoned, eventsOf(PhasePlanned, PhasePaused, PhaseAbandoned), nil, PhasePlanned, "", false},
		{"not recorded", PhaseAbandoned, nil, nil, PhaseInvestigating, "", true},
		{"pause not recorded", PhaseAbandoned, eventsOf(PhasePaused, PhaseAbandoned), &d, PhaseInvestigating, "", true},
		{"a phase of a later version", PhaseAbandoned, eventsOf("dreaming", PhaseAbandoned), nil, PhaseInvestigating, "", true},
	}
	for _, tt := range tests {
		c := leased(changeCase(tt.ended), "agent-a")
		c.BlockedReason, c.CompletedOn = "no time", &Completed{}
		got, err := Reopen(c, tt.events, tt.waiting, ReopenInput{Reason: "more time", Actor: "maria"}, counter(), start().Add(time.Hour))
		if err != nil || c.Status != tt.want || c.PausedFrom != tt.pausedFrom || got.Guessed != tt.guessed || got.From != tt.ended {
			t.Errorf("%s: status %s from %q, %+v, error %v; want %s from %q", tt.name, c.Status, c.PausedFrom, got, err, tt.want, tt.pausedFrom)
			continue
		}
		if len(got.Events) != 1 || got.Events[0].From != tt.ended || got.Events[0].To != tt.want {
			t.Errorf("%s: events %+v", tt.name, got.Events)
		}
		if c.ChangeLease.ReleasedAt == nil || c.BlockedReason != "" || c.CompletedOn != nil || (c.Awaited != nil) != (tt.want == PhasePaused) {
			t.Errorf("%s: case %+v", tt.name, c)
		}
		if !strings.Contains(got.Evidence.Claim, "more time") || got.Evidence.Source.Actor != "maria" || !strings.Contains(c.Notes[0], got.Evidence.ID) {
			t.Errorf("%s: evidence %+v, notes %q", tt.name, got.Evidence, c.Notes)
		}
	}
}

func TestOnlyAnEndedCaseIsReopened(t *testing.T) {
	t.Parallel()
	for _, phase := range phases() {
		if reopenable(phase) {
			continue
		}
		c := changeCase(phase)
		_, err := Reopen(c, eventsOf(PhasePlanned, PhaseAbandoned), nil, ReopenInput{Reason: "x"}, counter(), start())
		refused(t, err, problem.WrongPhase)
		if c.Status != phase || len(c.Notes) != 0 {
			t.Errorf("a refused reopening changed %s to %+v", phase, c)
		}
	}
}

func TestReopeningIsTheOnlyWayOutOfAnEndedPhase(t *testing.T) {
	t.Parallel()
	for _, ended := range []Phase{PhaseComplete, PhaseAbandoned, PhaseBlocked} {
		for _, to := range phases() {
			if CanMove(ended, to) {
				t.Errorf("one can move from %s to %s", ended, to)
			}
		}
	}
	p := refused(t, RequirePhase(changeCase(PhaseComplete), "verify"), problem.WrongPhase)
	if last := p.Next[len(p.Next)-1]; last.Op != "reopen" || last.Inputs[0] != "reason" {
		t.Errorf("a verb on a completed case offers %+v", p.Next)
	}
}
