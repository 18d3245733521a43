package casefile

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func phases() []Phase {
	return []Phase{
		PhaseNew, PhaseOrienting, PhaseInvestigating, PhasePlanned, PhaseChanging, PhaseVerifying, PhasePersisting,
		PhaseComplete, PhaseBlocked, PhaseAbandoned, PhasePaused,
	}
}

func TestOnlyNeighboursAreReached(t *testing.T) {
	t.Parallel()
	legal := map[Phase][]Phase{
		PhaseNew:           {PhaseOrienting},
		PhaseOrienting:     {PhaseInvestigating},
		PhaseInvestigating: {PhasePlanned},
		PhasePlanned:       {PhaseChanging, PhaseVerifying},
		PhaseChanging:      {PhaseVerifying},
		PhaseVerifying:     {PhasePersisting, PhaseChanging},
		PhasePersisting:    {PhaseComplete},
		PhasePaused:        {PhaseNew, PhaseOrienting, PhaseInvestigating, PhasePlanned, PhaseChanging, PhaseVerifying, PhasePersisting},
	}
	for from, to := range legal {
		legal[from] = append(to, PhaseBlocked, PhaseAbandoned)
		if from != PhasePaused {
			legal[from] = append(legal[from], PhasePaused)
		}
	}
	for _, from := range append(phases(), "of_a_later_version") {
		for _, to := range append(phases(), "of_a_later_version") {
			if got, want := CanMove(from, to), slices.Contains(legal[from], to); got != want {
				t.Errorf("CanMove(%s, %s) = %v, want %v", from, to, got, want)
			}
		}
	}
}

func TestAdvanceLogsThePhasesBetween(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode     Mode
		from, to Phase
		want     string
	}{
		{ModeChange, PhaseNew, PhaseInvestigating, "orienting investigating"},
		{ModeChange, PhasePlanned, PhaseVerifying, "changing verifying"},
		{ModeInvestigate, PhasePlanned, PhaseVerifying, "verifying"},
		{ModeChange, PhaseVerifying, PhaseComplete, "persisting complete"},
		{ModeChange, PhasePersisting, PhaseComplete, "complete"},
		{ModeChange, PhaseVerifying, PhaseChanging, "changing"},
		{ModeChange, PhasePlanned, PhasePlanned, ""},
		{ModeChange, PhaseChanging, PhaseAbandoned, "abandoned"},
	}
	for _, tt := range tests {
		c := &Case{Mode: tt.mode, Status: tt.from}
		events, err := Advance(c, tt.to, start())
		var got []string
		last := tt.from
		for _, e := range events {
			got = append(got, string(e.To))
			if e.From != last || !e.Timestamp.Equal(start()) {
				t.Errorf("%s %s→%s: event %+v does not follow %s", tt.mode, tt.from, tt.to, e, last)
			}
			last = e.To
		}
		if strings.Join(got, " ") != tt.want || err != nil || c.Status != tt.to {
			t.Errorf("%s %s→%s: got %v, status %s, error %v; want %s", tt.mode, tt.from, tt.to, got, c.Status, err, tt.want)
		}
	}
}

func TestAPauseLeadsBackToWhereItCameFrom(t *testing.T) {
	t.Parallel()
	c := changeCase(PhasePlanned)
	if _, err := Advance(c, PhasePaused, start()); err != nil || c.PausedFrom != PhasePlanned {
		t.Fatalf("pause: pausedFrom %q, error %v", c.PausedFrom, err)
	}
	if _, err := Advance(c, PhaseVerifying, start()); err == nil {
		t.Errorf("a pause from planned was resumed into %s", c.Status)
	}
	if _, err := Advance(c, PhasePlanned, start()); err != nil || c.Status != PhasePlanned || c.PausedFrom != "" {
		t.Errorf("resume: status %s, pausedFrom %q, error %v", c.Status, c.PausedFrom, err)
	}
}

func TestAWalkNeverReachesAnIllegalState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &Case{ID: "task_1", Status: PhaseNew, Mode: rapid.SampledFrom([]Mode{ModeChange, ModeInvestigate}).Draw(t, "mode")}
		at := PhaseNew
		for _, to := range rapid.SliceOfN(rapid.SampledFrom(phases()), 1, 20).Draw(t, "targets") {
			before := *c
			events, err := Advance(c, to, start())
			if err != nil {
				if c.Status != before.Status || c.PausedFrom != before.PausedFrom {
					t.Fatalf("a refused move to %s changed %s to %s", to, before.Status, c.Status)
				}
				continue
			}
			for _, e := range events {
				if e.From != at || !CanMove(e.From, e.To) {
					t.Fatalf("event %s→%s after %s", e.From, e.To, at)
				}
				at = e.To
			}
			if at != c.Status || (c.PausedFrom != "") != (c.Status == PhasePaused) {
				t.Fatalf("status %s, pausedFrom %q after events up to %s", c.Status, c.PausedFrom, at)
			}
		}
	})
}

func TestVerbsAreHeldToTheirPhases(t *testing.T) {
	t.Parallel()
	active := []Phase{PhaseNew, PhaseOrienting, PhaseInvestigating, PhasePlanned, PhaseChanging, PhaseVerifying, PhasePersisting}
	tests := map[string][]Phase{
		"investigate":     {PhaseInvestigating, PhasePlanned},
		"plan":            {PhaseInvestigating, PhasePlanned},
		"begin-change":    {PhasePlanned, PhaseChanging, PhaseVerifying},
		"verify":          {PhasePlanned, PhaseChanging, PhaseVerifying},
		"remember":        {PhaseVerifying, PhasePersisting},
		"resolve":         active,
		"note":            append(slices.Clone(active), PhasePaused),
		"abort":           append(slices.Clone(active), PhasePaused),
		"lease renew":     append(slices.Clone(active), PhasePaused),
		"lease release":   phases(),
		"decision answer": {PhasePaused},
	}
	for verb, want := range tests {
		for _, phase := range phases() {
			err := RequirePhase(changeCase(phase), verb)
			if slices.Contains(want, phase) {
				if err != nil {
					t.Errorf("%s in %s: refused: %v", verb, phase, err)
				}
				continue
			}
			p := refused(t, err, problem.WrongPhase)
			if prefix := "cannot " + verb + ` in phase "` + string(phase) + `"; `; !strings.HasPrefix(p.Message, prefix) {
				t.Errorf("%s in %s: message %q, want prefix %q", verb, phase, p.Message, prefix)
			}
		}
	}
}

func TestAWrongPhaseOffersWhatThePhaseAllows(t *testing.T) {
	t.Parallel()
	for _, phase := range []Phase{PhaseInvestigating, PhasePlanned, PhaseChanging, PhaseVerifying} {
		for _, verb := range []string{"investigate", "plan", "begin-change", "verify", "remember"} {
			c := changeCase(phase)
			err := RequirePhase(c, verb)
			if err == nil {
				continue
			}
			p := refused(t, err, problem.WrongPhase)
			if len(p.Next) == 0 || RequirePhase(c, p.Next[0].Op) != nil {
				t.Errorf("%s in %s offers %+v, which the phase does not allow", verb, phase, p.Next)
			}
		}
	}
}
