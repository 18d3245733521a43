package casefile

import (
	"slices"
	"time"
)

// Ledgers are the records of which a timeline is made.
type Ledgers struct {
	Evidence []Evidence
	Phases   []PhaseEvent
	Commands []CommandRecord
	Receipts []Receipt
}

// TimelineEntry is one thing that happened in a case.
type TimelineEntry struct {
	Timestamp time.Time `json:"timestamp"`
	Kind      string    `json:"kind"` // phase, evidence, command or verification
	Summary   string    `json:"summary"`
	Detail    string    `json:"detail,omitempty"`
	Ref       string    `json:"ref,omitempty"`
}

// Timeline merges the ledgers by time; records of the same time keep the order of their ledger.
func Timeline(l Ledgers) []TimelineEntry {
	var out []TimelineEntry
	for _, e := range l.Evidence {
		out = append(out, TimelineEntry{e.Timestamp, "evidence", e.Claim, e.Kind, e.ID})
	}
	for _, p := range l.Phases {
		out = append(out, TimelineEntry{Timestamp: p.Timestamp, Kind: "phase", Summary: string(p.From) + " → " + string(p.To)})
	}
	for _, c := range l.Commands {
		detail := string(c.ActionClass)
		if c.Actor != "" {
			detail += " · " + c.Actor
		}
		out = append(out, TimelineEntry{Timestamp: c.Timestamp, Kind: "command", Summary: c.Tool + "." + c.Operation + " (" + c.Status + ")", Detail: detail})
	}
	for _, r := range l.Receipts {
		out = append(out, TimelineEntry{r.Timestamp, "verification", string(r.Status) + ": " + r.Claim, string(r.Surface), r.ID})
	}
	slices.SortStableFunc(out, func(a, b TimelineEntry) int { return a.Timestamp.Compare(b.Timestamp) })
	return out
}

// PhaseDuration is the time that a case spent in a phase, all visits together.
type PhaseDuration struct {
	Phase Phase `json:"phase"`
	MS    int64 `json:"ms"`
}

// PhaseDurations adds up the phases in the order of their first visit, and the whole time from the case's creation to
// its end, or to now. A clock that was set back counts as no time.
func PhaseDurations(c *Case, events []PhaseEvent, now time.Time) (durations []PhaseDuration, elapsedMS int64) {
	add := func(p Phase, from, to time.Time) {
		ms := max(0, to.Sub(from).Milliseconds())
		for i := range durations {
			if durations[i].Phase == p {
				durations[i].MS += ms
				return
			}
		}
		durations = append(durations, PhaseDuration{p, ms})
	}
	from := c.CreatedAt
	for _, e := range events {
		add(e.From, from, e.Timestamp)
		from = e.Timestamp
	}
	end := from
	if c.Status.Active() {
		end = now
		add(c.Status, from, now)
	}
	return durations, max(0, end.Sub(c.CreatedAt).Milliseconds())
}
