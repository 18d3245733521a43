package casefile

import (
	"fmt"
	"slices"
	"time"

	"cortex/internal/problem"
)

// Reopening is what makes an ended case active again.
type Reopening struct {
	From     Phase
	Events   []PhaseEvent
	Evidence Evidence
	Guessed  bool // the phase that the case was abandoned from is not recorded
}

// ReopenInput says why a case is reopened, and by whom.
type ReopenInput struct {
	Reason string // checked
	Actor  string // "" for whoever opened the case
}

// Reopen makes an abandoned or completed case active again: the only way out of an ended phase. A completed case goes
// back to verifying, where its proof is judged anew; an abandoned one to the phase that it was abandoned from, as the
// given phase events tell, a pause included while its decision is still pending. The lease stays released and summary.md
// stays what it is. On an error c is unchanged.
func Reopen(c *Case, events []PhaseEvent, waiting *Decision, in ReopenInput, newID func(prefix string) string, now time.Time) (Reopening, error) {
	if !reopenable(c.Status) {
		return Reopening{}, notEnded(c)
	}
	out := Reopening{From: c.Status}
	to, pausedFrom := PhaseVerifying, Phase("")
	if c.Status == PhaseAbandoned {
		to, pausedFrom, out.Guessed = abandonedFrom(events, waiting != nil)
	}
	out.Events = []PhaseEvent{{Timestamp: now, From: c.Status, To: to}}
	out.Evidence = reopenRecord(c, to, in, newID("ev"), now)
	EndLease(c, now)
	c.Status, c.PausedFrom, c.BlockedReason, c.CompletedOn = to, pausedFrom, "", nil
	if to == PhasePaused {
		c.Awaited = waiting
	}
	c.Notes = append(c.Notes, fmt.Sprintf("reopened from %s at %s: %s", out.From, now.UTC().Format(time.RFC3339), out.Evidence.ID))
	return out, nil
}

func reopenable(p Phase) bool { return p == PhaseComplete || p == PhaseAbandoned }

// abandonedFrom reads from the events where a case stood. Without a record of it the case is investigated again: that is
// the one phase from which everything can be done.
func abandonedFrom(events []PhaseEvent, waiting bool) (to, pausedFrom Phase, guessed bool) {
	to = cameFrom(events, PhaseAbandoned)
	if to == PhasePaused {
		pausedFrom = cameFrom(events, PhasePaused)
		if !waiting {
			to, pausedFrom = pausedFrom, ""
		}
	}
	if !to.lifecycle() && (to != PhasePaused || !pausedFrom.lifecycle()) {
		return PhaseInvestigating, "", true
	}
	return to, pausedFrom, false
}

// cameFrom is the phase that the newest move to another one came from, "" when none is recorded.
func cameFrom(events []PhaseEvent, to Phase) Phase {
	for _, e := range slices.Backward(events) {
		if e.To == to {
			return e.From
		}
	}
	return ""
}

func reopenRecord(c *Case, to Phase, in ReopenInput, id string, now time.Time) Evidence {
	actor := in.Actor
	if actor == "" {
		actor = c.Actor
	}
	return Evidence{
		ID: id, Timestamp: now, Kind: KindHumanReport, Category: "reopening", Confidence: ConfidenceMedium, Sensitivity: SensitivityNormal,
		Source: Source{Tool: "human", Actor: actor}, Claim: fmt.Sprintf("case reopened (was %s, now %s): %s", c.Status, to, in.Reason),
		RawRef: "case://" + c.ID + "/evidence/" + id,
	}
}

func notEnded(c *Case) error {
	p := problem.New(problem.WrongPhase, "cannot reopen in phase %q; only a completed or an abandoned case can be reopened.", c.Status).About(c.ID, string(c.Status))
	if steps := NextSteps(c, Judgement{}, c.UpdatedAt); len(steps) > 0 {
		return p.With(steps...)
	}
	return p.With(problem.Step{Op: "open", Inputs: []string{"goal"}, Why: "take further work up in a new case"})
}
