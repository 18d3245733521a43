package casefile

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func TestAcquire(t *testing.T) {
	t.Parallel()
	released := func(c *Case) *Case { EndLease(c, start().Add(time.Minute)); return c }
	tests := []struct {
		name   string
		c      *Case
		actor  string
		ttl    time.Duration
		after  time.Duration // of now since start
		code   problem.Code
		expiry time.Duration // of the lease since start
	}{
		{"free", changeCase(PhasePlanned), "a", 0, 0, "", 15 * time.Minute},
		{"free with ttl", changeCase(PhasePlanned), "a", time.Hour, 0, "", time.Hour},
		{"own, no ttl, keeps", leased(changeCase(PhaseChanging), "a"), "a", 0, 5 * time.Minute, "", 15 * time.Minute},
		{"own, ttl, renews", leased(changeCase(PhaseChanging), "a"), "a", time.Minute, 5 * time.Minute, "", 6 * time.Minute},
		{"held by another", leased(changeCase(PhaseChanging), "b"), "a", 0, 5 * time.Minute, problem.LeaseConflict, 15 * time.Minute},
		{"ended, by another", leased(changeCase(PhaseChanging), "b"), "a", 0, 15 * time.Minute, "", 30 * time.Minute},
		{"released by another", released(leased(changeCase(PhaseChanging), "b")), "a", 0, 5 * time.Minute, "", 20 * time.Minute},
		{"ttl too short", changeCase(PhasePlanned), "a", time.Millisecond, 0, problem.InvalidInput, 0},
		{"ttl too long", changeCase(PhasePlanned), "a", time.Hour + 1, 0, problem.InvalidInput, 0},
		{"ttl negative", changeCase(PhasePlanned), "a", -time.Minute, 0, problem.InvalidInput, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			now := start().Add(tt.after)
			err := Acquire(tt.c, tt.actor, tt.ttl, now, now)
			if tt.code != "" {
				refused(t, err, tt.code)
			} else if err != nil || tt.c.ChangeLease.Actor != tt.actor {
				t.Fatalf("lease %+v, error %v", tt.c.ChangeLease, err)
			}
			if tt.c.ChangeLease != nil && !tt.c.ChangeLease.ExpiresAt.Equal(start().Add(tt.expiry)) {
				t.Errorf("expires at %s, want %s", tt.c.ChangeLease.ExpiresAt, start().Add(tt.expiry))
			}
		})
	}
}

func TestAConflictSaysWhoAndUntilWhen(t *testing.T) {
	t.Parallel()
	p := refused(t, Acquire(leased(changeCase(PhaseChanging), "agent-b"), "agent-a", 0, start(), start()), problem.LeaseConflict)
	for _, want := range []string{`"agent-b"`, "2026-03-04T05:21:07Z"} {
		if !strings.Contains(p.Message, want) {
			t.Errorf("message %q does not name %s", p.Message, want)
		}
	}
	if len(p.Next) != 1 || len(p.Next[0].BlockedBy) == 0 {
		t.Errorf("steps %+v do not say what to wait for", p.Next)
	}
}

func TestAClockSetBackNeitherRevivesNorStealsALease(t *testing.T) {
	t.Parallel()
	ended := leased(changeCase(PhaseChanging), "a")
	newest := start().Add(20 * time.Minute) // a record written after the lease had ended
	if _, active := LeaseHolder(ended, Judged(ended, start(), newest)); active {
		t.Error("a lease that had ended when a record was written is active again after the clock was set back")
	}
	held := leased(changeCase(PhaseChanging), "a")
	refused(t, Acquire(held, "b", 0, start().Add(-24*time.Hour), start()), problem.LeaseConflict)
	if err := Acquire(held, "a", time.Minute, start().Add(-24*time.Hour), start()); err != nil {
		t.Fatal(err)
	}
	if got, want := held.ChangeLease.ExpiresAt, start().Add(time.Minute); !got.Equal(want) {
		t.Errorf("renewed with a clock set back: expires %s, want %s", got, want)
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		c     *Case
		actor string
		after time.Duration
		code  problem.Code
	}{
		{"active", leased(changeCase(PhaseChanging), "a"), "a", time.Minute, ""},
		{"in grace", leased(changeCase(PhaseChanging), "a"), "a", 30*time.Minute - time.Nanosecond, ""},
		{"past grace", leased(changeCase(PhaseChanging), "a"), "a", 30 * time.Minute, problem.LeaseRequired},
		{"another's", leased(changeCase(PhaseChanging), "b"), "a", time.Minute, problem.WrongActor},
		{"none", changeCase(PhasePlanned), "a", 0, problem.LeaseRequired},
		{"none, nothing planned", changeCase(PhaseInvestigating), "a", 0, problem.LeaseRequired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			now := start().Add(tt.after)
			err := Renew(tt.c, tt.actor, 0, now, now)
			if tt.code != "" {
				refused(t, err, tt.code)
				return
			}
			if err != nil || !tt.c.ChangeLease.ExpiresAt.Equal(now.Add(DefaultLeaseTTL)) {
				t.Errorf("lease %+v, error %v; want it to end at %s", tt.c.ChangeLease, err, now.Add(DefaultLeaseTTL))
			}
		})
	}
}

func TestReleaseIsIdempotentAndKeepsTheRecord(t *testing.T) {
	t.Parallel()
	c := leased(changeCase(PhaseChanging), "a")
	refused(t, Release(c, "b", start()), problem.WrongActor)
	for range 2 {
		if err := Release(c, "a", start().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	if c.ChangeLease == nil || c.ChangeLease.ReleasedAt == nil || !c.ChangeLease.ReleasedAt.Equal(start().Add(time.Minute)) {
		t.Errorf("lease %+v", c.ChangeLease)
	}
	refused(t, Release(c, "b", start()), problem.WrongActor)
	if err := Release(changeCase(PhasePlanned), "a", start()); err != nil {
		t.Errorf("releasing what was never taken: %v", err)
	}
}

func TestRequireLease(t *testing.T) {
	t.Parallel()
	at := start().Add(time.Minute)
	if actor, err := RequireLease(leased(changeCase(PhaseChanging), "a"), "", at); actor != "a" || err != nil {
		t.Errorf("default actor %q, error %v; want the holder", actor, err)
	}
	if actor, err := RequireLease(changeCase(PhasePlanned), "z", at); actor != "z" || err != nil {
		t.Errorf("no lease: actor %q, error %v", actor, err)
	}
	p := refused(t, second(RequireLease(leased(changeCase(PhaseChanging), "a"), "b", at)), problem.WrongActor)
	if !strings.Contains(p.Message, `"a"`) || !strings.Contains(p.Message, `"b"`) {
		t.Errorf("message %q does not name both actors", p.Message)
	}
	p = refused(t, second(RequireLease(leased(changeCase(PhaseChanging), "a"), "", start().Add(16*time.Minute))), problem.LeaseRequired)
	if p.Next[0].Op != "lease renew" || p.Next[1].Op != "begin-change" {
		t.Errorf("in the grace time: steps %+v, want renew, then begin-change", p.Next)
	}
	p = refused(t, second(RequireLease(leased(changeCase(PhaseChanging), "a"), "", start().Add(time.Hour))), problem.LeaseRequired)
	if p.Next[0].Op != "begin-change" {
		t.Errorf("past the grace time: steps %+v, want begin-change", p.Next)
	}
}

func second[T any](_ T, err error) error { return err }

func TestBeginChange(t *testing.T) {
	t.Parallel()
	c := changeCase(PhasePlanned)
	events, err := BeginChange(c, "a", 0, start(), start())
	if err != nil || len(events) != 1 || c.Status != PhaseChanging {
		t.Errorf("events %v, status %s, error %v", events, c.Status, err)
	}
	if events, err = BeginChange(c, "a", time.Hour, start(), start()); err != nil || len(events) != 0 {
		t.Errorf("again: events %v, error %v", events, err)
	}
	c.Status = PhaseVerifying
	if events, err = BeginChange(c, "a", 0, start(), start()); err != nil || len(events) != 1 || c.Status != PhaseChanging {
		t.Errorf("repair: events %v, status %s, error %v", events, c.Status, err)
	}
	refused(t, second(BeginChange(changeCase(PhaseInvestigating), "a", 0, start(), start())), problem.WrongPhase)
	open := changeCase(PhasePlanned)
	open.ChangeBoundary = Boundary{Symbols: []string{"add"}}
	refused(t, second(BeginChange(open, "a", 0, start(), start())), problem.MissingBoundary)
	reading := changeCase(PhasePlanned)
	reading.Mode = ModeInvestigate
	refused(t, second(BeginChange(reading, "a", 0, start(), start())), problem.WrongPhase)
}

// TestOneHolderAtATime lets two actors act with a clock that jumps: whoever acts successfully must be the only holder,
// and a lease that was seen to have ended must not come back by itself.
func TestOneHolderAtATime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := changeCase(PhasePlanned)
		newest := start()
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now := start().Add(time.Duration(rapid.IntRange(-60, 120).Draw(t, "minute")) * time.Minute)
			judged := Judged(c, now, newest)
			if judged.Before(newest) || judged.Before(now) {
				t.Fatalf("judged at %s, before now %s or the newest record %s", judged, now, newest)
			}
			holder, active := LeaseHolder(c, judged)
			actor := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "actor")
			var err error
			switch rapid.IntRange(0, 3).Draw(t, "act") {
			case 0:
				err = Acquire(c, actor, 10*time.Minute, now, newest)
			case 1:
				err = Renew(c, actor, 10*time.Minute, now, newest)
				if err == nil && holder != actor {
					t.Fatalf("%s renewed the lease of %q", actor, holder)
				}
			case 2:
				err = Release(c, actor, now)
			case 3:
				newest = judged // a record is written
				continue
			}
			if err == nil && active && holder != actor {
				if got, still := LeaseHolder(c, judged); got != holder || !still {
					t.Fatalf("%s took or ended the lease of %s, which was active at %s", actor, holder, judged)
				}
			}
			if got, is := LeaseHolder(c, judged); is && !active && got != actor {
				t.Fatalf("the lease of %s came back without its doing", got)
			}
			newest = Judged(c, newest)
		}
	})
}
