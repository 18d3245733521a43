package casefile

import (
	"time"

	"cortex/internal/problem"
)

// Judged is the time by which leases are judged: the later of the given times and every time that c records. With it a
// clock that was set back neither revives a lease nor lets a second actor take one.
func Judged(c *Case, latest ...time.Time) time.Time {
	times := append([]time.Time{c.CreatedAt, c.UpdatedAt}, latest...)
	if l := c.ChangeLease; l != nil {
		times = append(times, l.AcquiredAt, l.RenewedAt)
		if l.ReleasedAt != nil {
			times = append(times, *l.ReleasedAt)
		}
	}
	var newest time.Time
	for _, t := range times {
		if t.After(newest) {
			newest = t
		}
	}
	return newest
}

// LeaseHolder returns who holds c's change lease, "" when it was never taken or was given back, and whether it is
// active: it ends at ExpiresAt, that instant excluded.
func LeaseHolder(c *Case, judged time.Time) (actor string, active bool) {
	l := c.ChangeLease
	if l == nil || l.ReleasedAt != nil {
		return "", false
	}
	return l.Actor, judged.Before(l.ExpiresAt)
}

// Acquire gives the change lease of c to actor, or refuses with lease_conflict while another one holds it. A ttl of 0
// takes the default and leaves a lease that actor holds already as it is; another ttl renews it from now. newest is the
// newest time in the case's ledgers, which Judged cannot see.
func Acquire(c *Case, actor string, ttl time.Duration, now, newest time.Time) error {
	if err := checkTTL(ttl); err != nil {
		return err
	}
	at := Judged(c, now, newest)
	holder, active := LeaseHolder(c, at)
	switch {
	case active && holder != actor:
		return leaseConflict(c)
	case active && ttl == 0:
		return nil
	case active:
		c.ChangeLease.RenewedAt, c.ChangeLease.ExpiresAt = at, at.Add(ttl)
		return nil
	}
	if ttl == 0 {
		ttl = DefaultLeaseTTL
	}
	c.ChangeLease = &Lease{Actor: actor, AcquiredAt: at, RenewedAt: at, ExpiresAt: at.Add(ttl)}
	return nil
}

// Renew extends actor's lease to ttl from now; 0 is the default. The owner may do so until LeaseGrace after it ended,
// because nobody else has taken it.
func Renew(c *Case, actor string, ttl time.Duration, now, newest time.Time) error {
	if err := checkTTL(ttl); err != nil {
		return err
	}
	if ttl == 0 {
		ttl = DefaultLeaseTTL
	}
	at := Judged(c, now, newest)
	holder, _ := LeaseHolder(c, at)
	switch {
	case holder == "":
		return leaseRequired(c, actor, at)
	case holder != actor:
		return wrongActor(c, actor)
	case !at.Before(c.ChangeLease.ExpiresAt.Add(LeaseGrace)):
		return leaseRequired(c, actor, at)
	}
	c.ChangeLease.RenewedAt, c.ChangeLease.ExpiresAt = at, at.Add(ttl)
	return nil
}

// Release gives actor's lease back; the record stays. Releasing a lease that was released by the same actor, or that
// never existed, is a success without effect.
func Release(c *Case, actor string, now time.Time) error {
	if c.ChangeLease == nil {
		return nil
	}
	if c.ChangeLease.Actor != actor {
		return wrongActor(c, actor)
	}
	EndLease(c, now)
	return nil
}

// EndLease marks a lease as released whoever holds it, as completing or aborting a case does.
func EndLease(c *Case, now time.Time) {
	if c.ChangeLease == nil || c.ChangeLease.ReleasedAt != nil {
		return
	}
	at := Judged(c, now)
	c.ChangeLease.ReleasedAt = &at
}

// BeginChange is the whole begin-change: phase, mode, boundary, lease, and the move to changing. On an error c is
// unchanged.
func BeginChange(c *Case, actor string, ttl time.Duration, now, newest time.Time) ([]PhaseEvent, error) {
	if err := RequirePhase(c, "begin-change"); err != nil {
		return nil, err
	}
	if c.Mode != ModeChange {
		return nil, problem.New(problem.WrongPhase, "cannot begin-change in phase %q: a case of mode %q makes no change.", c.Status, c.Mode).
			About(c.ID, string(c.Status)).
			With(problem.Step{Op: "open", Args: map[string]any{"mode": string(ModeChange)}, Inputs: []string{"goal"}, Why: "make the change in a case of its own"})
	}
	if len(c.ChangeBoundary.Files) == 0 {
		return nil, missingBoundary(c, PlanInput{}, "the plan declares no change boundary with files")
	}
	if err := Acquire(c, actor, ttl, now, newest); err != nil {
		return nil, err
	}
	return Advance(c, PhaseChanging, now)
}

// RequireLease checks that actor may verify c's change and returns who that is: the holder when actor is "". A case
// whose lease was never taken needs none. An ended or released one is lease_required, somebody else's wrong_actor.
func RequireLease(c *Case, actor string, judged time.Time) (string, error) {
	if c.ChangeLease == nil || c.Mode != ModeChange {
		return actor, nil
	}
	holder, active := LeaseHolder(c, judged)
	switch {
	case !active:
		return "", leaseRequired(c, actor, judged)
	case actor != "" && actor != holder:
		return "", wrongActor(c, actor)
	}
	return holder, nil
}

func checkTTL(ttl time.Duration) error {
	if ttl == 0 || ttl >= MinLeaseTTL && ttl <= MaxLeaseTTL {
		return nil
	}
	return invalid("ttl", ttl.String(), "1s to 1h", "ttl %s is outside %s to %s.", ttl, MinLeaseTTL, MaxLeaseTTL)
}

func leaseConflict(c *Case) error {
	until := c.ChangeLease.ExpiresAt.UTC().Format(time.RFC3339)
	return problem.New(problem.LeaseConflict, "change lease is held by %q until %s; wait until then, or ask for its release", c.ChangeLease.Actor, until).
		About(c.ID, string(c.Status)).On("actor", nil, c.ChangeLease.Actor).
		With(waitForLease(c, until))
}

func wrongActor(c *Case, actor string) error {
	l := c.ChangeLease
	p := problem.New(problem.WrongActor, "change lease belongs to %q, not %q", l.Actor, actor).
		About(c.ID, string(c.Status)).On("actor", actor, l.Actor)
	if l.ReleasedAt != nil {
		return p.Without("the lease was released and can be taken by anybody with begin-change")
	}
	return p.With(waitForLease(c, l.ExpiresAt.UTC().Format(time.RFC3339)))
}

func waitForLease(c *Case, until string) problem.Step {
	return problem.Step{
		Op: "begin-change", Args: map[string]any{"taskId": c.ID}, Inputs: []string{"actor"},
		Why: "take the lease over once it has ended", BlockedBy: []string{"the lease of " + c.ChangeLease.Actor + " until " + until},
	}
}

func leaseRequired(c *Case, actor string, judged time.Time) error {
	state := "was never taken"
	var steps []problem.Step
	if l := c.ChangeLease; l != nil && l.ReleasedAt != nil {
		state = "of " + l.Actor + " was released at " + l.ReleasedAt.UTC().Format(time.RFC3339)
	} else if l != nil {
		state = "of " + l.Actor + " ended at " + l.ExpiresAt.UTC().Format(time.RFC3339)
		if judged.Before(l.ExpiresAt.Add(LeaseGrace)) && (actor == "" || actor == l.Actor) {
			steps = append(steps, problem.Step{Op: "lease renew", Args: map[string]any{"taskId": c.ID, "actor": l.Actor}, Why: "nobody else has taken the lease"})
		}
	}
	p := problem.New(problem.LeaseRequired, "change lease %s; begin the change again", state).About(c.ID, string(c.Status))
	if c.Mode != ModeChange || !allowed(c.Status, "begin-change") {
		return p.Without(phaseHint(c.Status))
	}
	return p.With(append(steps, beginStep(c, actor, "take the lease again"))...)
}
