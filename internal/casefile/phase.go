package casefile

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
