package casefile

import (
	"slices"

	"cortex/internal/problem"
)

// RequirePhase refuses a verb that is not allowed in c's phase: wrong_phase, with the steps that the phase offers.
// A verb without a rule of its own is allowed until the case has ended.
func RequirePhase(c *Case, verb string) error {
	if allowed(c.Status, verb) {
		return nil
	}
	p := problem.New(problem.WrongPhase, "cannot %s in phase %q; %s", verb, c.Status, phaseHint(c.Status)).
		About(c.ID, string(c.Status))
	if c.Status.Terminal() {
		p = p.With(problem.Step{Op: "open", Inputs: []string{"goal"}, Why: "take further work up in a new case"})
		if reopenable(c.Status) {
			p = p.With(problem.Step{Op: "reopen", Args: taskArgs(c), Inputs: []string{"reason"}, Why: "or take this case up again"})
		}
		return p
	}
	steps := NextSteps(c, Judgement{Assessment: Assessment{Outcome: OutcomeUnverified}}, c.UpdatedAt)
	if len(steps) == 0 {
		return p.Without(phaseHint(c.Status))
	}
	return p.With(steps...)
}

func allowed(p Phase, verb string) bool {
	in := func(phases ...Phase) bool { return slices.Contains(phases, p) }
	switch verb {
	case "investigate", "plan":
		return in(PhaseInvestigating, PhasePlanned)
	case "begin-change", "verify":
		return in(PhasePlanned, PhaseChanging, PhaseVerifying)
	case "remember":
		return in(PhaseVerifying, PhasePersisting)
	case "decision answer", "decision resume":
		return in(PhasePaused)
	case "resolve":
		return p.Active() && !in(PhasePaused)
	case "lease release":
		return true // idempotent, and the record is kept
	}
	return p.Active()
}

// phaseHint says what brings a case on from a phase.
func phaseHint(p Phase) string {
	switch p {
	case PhaseNew, PhaseOrienting:
		return "open it again to finish its orientation"
	case PhaseInvestigating:
		return "have a plan accepted first"
	case PhasePlanned:
		return "verify first"
	case PhaseChanging:
		return "the plan is fixed once the change has begun: verify the change"
	case PhaseVerifying:
		return "the plan is fixed once the change has begun: repair it with begin-change, verify again, or remember the outcome"
	case PhasePersisting:
		return "the outcome is being stored: remember it"
	case PhasePaused:
		return "a person must answer the pending decision first"
	case PhaseComplete, PhaseAbandoned:
		return "the case has ended: open a new one, or reopen it with a reason"
	case PhaseBlocked:
		return "the case has ended: open a new one"
	}
	return "this version does not know that phase"
}
