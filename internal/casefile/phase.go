package casefile

import (
	"time"

	"cortex/internal/problem"
)

// Phase is where a case stands. It is the "status" of case.json.
type Phase string

// The phases of a case.
const (
	PhaseNew           Phase = "new"
	PhaseOrienting     Phase = "orienting"
	PhaseInvestigating Phase = "investigating"
	PhasePlanned       Phase = "planned"
	PhaseChanging      Phase = "changing"
	PhaseVerifying     Phase = "verifying"
	PhasePersisting    Phase = "persisting"
	PhaseComplete      Phase = "complete"
	PhaseBlocked       Phase = "blocked"
	PhaseAbandoned     Phase = "abandoned"
	PhasePaused        Phase = "needs_human_decision"
)

// Terminal reports whether nothing can happen to the case any more.
func (p Phase) Terminal() bool {
	return p == PhaseComplete || p == PhaseBlocked || p == PhaseAbandoned
}

// Active reports whether the case is still open: at work or waiting for a person. A phase of a later version is active.
func (p Phase) Active() bool { return !p.Terminal() }

// lifecycle reports whether p is a phase of ordinary work, one that can be paused and resumed.
func (p Phase) lifecycle() bool {
	switch p {
	case PhaseNew, PhaseOrienting, PhaseInvestigating, PhasePlanned, PhaseChanging, PhaseVerifying, PhasePersisting:
		return true
	}
	return false
}

// CanMove reports whether one step leads from one phase to another. A pause may lead back to any phase of work; Advance
// holds it to the one it came from.
func CanMove(from, to Phase) bool {
	if !from.lifecycle() && from != PhasePaused {
		return false
	}
	switch to {
	case PhaseBlocked, PhaseAbandoned:
		return true
	case PhasePaused:
		return from != PhasePaused
	}
	switch from {
	case PhaseNew:
		return to == PhaseOrienting
	case PhaseOrienting:
		return to == PhaseInvestigating
	case PhaseInvestigating:
		return to == PhasePlanned
	case PhasePlanned:
		return to == PhaseChanging || to == PhaseVerifying
	case PhaseChanging:
		return to == PhaseVerifying
	case PhaseVerifying:
		return to == PhasePersisting || to == PhaseChanging
	case PhasePersisting:
		return to == PhaseComplete
	default: // PhasePaused
		return to.lifecycle()
	}
}

// Advance moves c to a phase and returns one event for each step, none when c is there already. It walks through
// the phase between: orienting on opening, changing when a planned change is verified, persisting on completion. A move
// that is not legal changes nothing and is a wrong_phase problem.
func Advance(c *Case, to Phase, now time.Time) ([]PhaseEvent, error) {
	if c.Status == to {
		return nil, nil
	}
	var events []PhaseEvent
	from := c.Status
	for _, next := range steps(c, to) {
		if !CanMove(from, next) || from == PhasePaused && next.lifecycle() && next != c.PausedFrom {
			return nil, illegalMove(c, to)
		}
		events = append(events, PhaseEvent{Timestamp: now, From: from, To: next})
		from = next
	}
	c.PausedFrom, c.Awaited = "", nil
	if to == PhasePaused {
		c.PausedFrom = c.Status
	}
	c.Status = to
	return events, nil
}

// steps lists the phases to pass from c's phase to another one, the last one included.
func steps(c *Case, to Phase) []Phase {
	switch {
	case c.Status == PhaseNew && to == PhaseInvestigating:
		return []Phase{PhaseOrienting, to}
	case c.Status == PhasePlanned && to == PhaseVerifying && c.Mode == ModeChange:
		return []Phase{PhaseChanging, to}
	case c.Status == PhaseVerifying && to == PhaseComplete:
		return []Phase{PhasePersisting, to}
	}
	return []Phase{to}
}

func illegalMove(c *Case, to Phase) error {
	return problem.New(problem.WrongPhase, "Case %s cannot move from phase %q to %q.", c.ID, c.Status, to).
		About(c.ID, string(c.Status)).Without("the two phases are not neighbours in the life of a case")
}
