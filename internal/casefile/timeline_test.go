package casefile

import (
	"testing"
	"time"
)

func TestTimelineIsInOrderOfTime(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	got := Timeline(Ledgers{
		Evidence: []Evidence{{ID: "ev_1", Timestamp: at(3), Claim: "c", Kind: KindUnitTest}},
		Phases:   []PhaseEvent{{Timestamp: at(1), From: PhaseNew, To: PhaseOrienting}},
		Commands: []CommandRecord{{Timestamp: at(2), Tool: "git", Operation: "grep", Status: "authoritative", ActionClass: ReadOnly, Actor: "a"}},
		Receipts: []Receipt{{ID: "vr_1", Timestamp: at(4), Claim: "unit", Status: StatusPassed, Surface: SurfaceCode}},
	})
	want := []string{"new → orienting", "git.grep (authoritative)", "c", "passed: unit"}
	if len(got) != len(want) {
		t.Fatalf("%d entries, want %d", len(got), len(want))
	}
	for i, e := range got {
		if e.Summary != want[i] {
			t.Errorf("entry %d is %q, want %q", i, e.Summary, want[i])
		}
	}
	if got[1].Detail != "read_only · a" {
		t.Errorf("detail of the command is %q", got[1].Detail)
	}
}

func TestPhaseDurations(t *testing.T) {
	t.Parallel()
	start := time.Unix(100, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	events := []PhaseEvent{
		{at(0), PhaseNew, PhaseChanging}, {at(5), PhaseChanging, PhaseVerifying}, {at(7), PhaseVerifying, PhaseChanging},
		{at(6), PhaseChanging, PhaseVerifying}, // the clock was set back
	}
	c := &Case{CreatedAt: start, Status: PhaseVerifying}
	got, elapsed := PhaseDurations(c, events, at(10))
	want := map[Phase]int64{PhaseNew: 0, PhaseChanging: 5000, PhaseVerifying: 6000}
	for _, d := range got {
		if d.MS != want[d.Phase] {
			t.Errorf("%s took %d ms, want %d", d.Phase, d.MS, want[d.Phase])
		}
	}
	if len(got) != len(want) || elapsed != 10000 {
		t.Errorf("%d phases, %d ms in all; want %d, 10000", len(got), elapsed, len(want))
	}
	c.Status = PhaseComplete
	if _, elapsed := PhaseDurations(c, events, at(1000)); elapsed != 6000 {
		t.Errorf("an ended case goes on: %d ms, want 6000", elapsed)
	}
}
