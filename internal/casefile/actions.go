package casefile

import (
	"slices"
	"time"

	"cortex/internal/problem"
)

// NextSteps says what can be done with c now, most useful first. An ended case has none. now judges the lease. A
// zero Judgement stands for one that was not made.
func NextSteps(c *Case, j Judgement, now time.Time) []problem.Step {
	switch c.Status {
	case PhaseNew, PhaseOrienting:
		return []problem.Step{openStep(c)}
	case PhaseInvestigating:
		steps := []problem.Step{investigateStep(c), planStep(c)}
		if c.InvestigationRounds > 0 {
			steps[0], steps[1] = steps[1], steps[0]
		}
		return steps
	case PhasePlanned:
		if c.Mode == ModeChange {
			return []problem.Step{beginStep(c, "", "take the change lease before editing")}
		}
		return []problem.Step{verifyStep(c, j)}
	case PhaseChanging:
		if lapsed(c, now) {
			return []problem.Step{beginStep(c, c.ChangeLease.Actor, "the change lease has lapsed")}
		}
		return []problem.Step{verifyStep(c, j)}
	case PhaseVerifying:
		return verifyingSteps(c, j, now)
	case PhasePersisting:
		return []problem.Step{rememberStep(c, j)}
	case PhasePaused:
		return []problem.Step{AnswerStep(c, c.Awaited)}
	}
	return nil
}

func verifyingSteps(c *Case, j Judgement, now time.Time) []problem.Step {
	if j.Green() {
		return []problem.Step{rememberStep(c, j)}
	}
	if j.Outcome == OutcomeFailed && c.Mode == ModeChange {
		return []problem.Step{beginStep(c, "", "repair what the verification found")}
	}
	var steps []problem.Step
	if len(j.NeedsGrant) > 0 {
		steps = append(steps, trustStep())
	}
	if lapsed(c, now) {
		steps = append(steps, beginStep(c, c.ChangeLease.Actor, "the change lease has lapsed"))
	} else {
		steps = append(steps, proofSteps(c, j)...)
	}
	if j.Outcome == OutcomeFailed || j.Outcome == "" {
		return steps
	}
	return append(steps, rememberStep(c, j))
}

// lapsed reports whether c has a lease that must be taken again before anything is verified.
func lapsed(c *Case, now time.Time) bool {
	if c.ChangeLease == nil || c.Mode != ModeChange {
		return false
	}
	_, active := LeaseHolder(c, Judged(c, now))
	return !active
}

func openStep(c *Case) problem.Step {
	args := map[string]any{"goal": c.Goal, "mode": string(c.Mode)}
	if c.IdempotencyKey != "" {
		args["idempotencyKey"] = c.IdempotencyKey
	}
	return problem.Step{Op: "open", Args: args, Why: "finish the orientation of this case"}
}

func investigateStep(c *Case) problem.Step {
	return problem.Step{Op: "investigate", Args: taskArgs(c), Inputs: []string{"question"}, Why: "gather evidence for a hypothesis"}
}

func planStep(c *Case) problem.Step {
	inputs := []string{"hypotheses", "uncertainty"}
	if c.Mode == ModeChange {
		inputs = append(inputs, "files")
	}
	return problem.Step{Op: "plan", Args: taskArgs(c), Inputs: inputs, Why: "state what you believe, what would disprove it, and what may change"}
}

func beginStep(c *Case, actor, why string) problem.Step {
	step := problem.Step{Op: "begin-change", Args: taskArgs(c), Why: why}
	step.Args["ttl"] = DefaultLeaseTTL.String()
	if actor == "" {
		actor = c.leaseActor()
	}
	if actor == "" {
		step.Inputs = []string{"actor"}
	} else {
		step.Args["actor"] = actor
	}
	return step
}

// proofSteps ask for what has no proof yet, and for the attestations that are missing.
func proofSteps(c *Case, j Judgement) []problem.Step {
	unattested := c.unattested(j)
	if len(unattested) == 0 {
		if c.Mode != ModeChange && len(c.VerificationRequired)+len(c.provable())+len(j.Stale)+len(j.FailedClaims) == 0 {
			return nil // nothing is planned that could be proven
		}
		return []problem.Step{verifyStep(c, j)}
	}
	attest := attestStep(c, unattested)
	open := slices.ContainsFunc(c.provable(), func(k Criterion) bool { return slices.Contains(j.MissingCriteria, k.ID) })
	if !open && len(j.MissingRequired)+len(j.FailedClaims) == 0 {
		return []problem.Step{attest}
	}
	return []problem.Step{verifyStep(c, j), attest}
}

// verifyStep asks for what has no proof yet. Criteria without proof are bound from the plan when it leaves one check
// for them; else they need claim specs, and those that would do are offered. Lapsed claims keep their check.
func verifyStep(c *Case, j Judgement) problem.Step {
	step := problem.Step{Op: "verify", Args: taskArgs(c), Why: "run the planned checks"}
	if actor := c.leaseActor(); actor != "" && c.ChangeLease != nil {
		step.Args["actor"] = actor
	}
	open := c.provable()
	if c.Status != PhaseChanging { // while the change goes on, what is proven is about to lapse
		open = slices.DeleteFunc(open, func(k Criterion) bool { return slices.Contains(j.SatisfiedCriteria, k.ID) })
	}
	commands := c.commandRequirements()
	switch {
	case len(open) == 0:
	case len(commands) == 1 && !c.plansFlow():
		step.Args["fromPlan"] = true
	case len(j.Stale) > 0:
		step.Args["stale"] = true
	case len(commands) == 0 && len(c.unnamed(nil)) == 1:
		step.Args["fromPlan"], step.Inputs = true, []string{c.unnamed(nil)[0].field}
	default:
		step.Inputs, step.Why = []string{"claimSpecs"}, "bind each criterion to the check that proves it"
		step.Candidates = claimCandidates(open, commands)
	}
	switch {
	case len(j.Stale) > 0:
		step.Why = "the worktree changed since it was verified"
		return step
	case j.Halted:
		step.Why = "once what stopped a check is mended, as its line says"
	case len(c.VerificationRequired)+len(c.provable()) == 0:
		step.Why = "no check is planned: record that, then the case can be closed"
	}
	for _, missing := range j.MissingRequired {
		if s, ok := specialistOf(missing); ok && !slices.Contains(step.Inputs, s.field) {
			step.Inputs = append(step.Inputs, s.field)
		}
	}
	return step
}

// claimCandidates spells out the claim specs by which planned commands could prove criteria.
func claimCandidates(criteria []Criterion, commands []string) map[string][]string {
	var out []string
	for _, k := range criteria {
		for _, r := range commands {
			out = append(out, criterionClaims([]Criterion{k}, commandCheck(r))[0].String())
		}
	}
	if len(out) == 0 {
		return nil
	}
	return map[string][]string{"claimSpecs": bounded(out)}
}

// rememberStep completes the case with the acknowledgements that its present outcome needs.
func rememberStep(c *Case, j Judgement) problem.Step {
	step := problem.Step{Op: "remember", Args: taskArgs(c), Inputs: []string{"outcome"}, Why: "preserve the verified outcome and close the case"}
	if j.Outcome == OutcomeVerified || j.Outcome == "" {
		return step
	}
	step.Why = "only if no more can be proven: close the case as " + string(j.Outcome)
	if len(j.MissingCriteria) > 0 {
		step.Args["acceptMissingCriteria"] = j.MissingCriteria
	}
	if j.Outcome == OutcomeFailed {
		step.Args["acceptFailed"] = true
	} else {
		step.Args["verificationNotPossible"] = true
	}
	return step
}

func trustStep() problem.Step {
	return problem.Step{
		Op: "setup", Args: map[string]any{"trustCommands": true}, BlockedBy: []string{"a person's approval"},
		Why: "a person reads the configured command lines and approves them",
	}
}

func taskArgs(c *Case) map[string]any { return map[string]any{"taskId": c.ID} }

// leaseActor is who works on the change: who has or had the lease, else who opened the case.
func (c *Case) leaseActor() string {
	if c.ChangeLease != nil {
		return c.ChangeLease.Actor
	}
	return c.Actor
}
