package casefile

import (
	"fmt"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// FromPlan derives typed claims from the plan. With acceptance criteria each is bound to the one check that the plan
// leaves for it: the only planned check, or the only planned unit test among several commands; codemap_review never proves
// a criterion. known are the contracts by tool for which a planned flow, artifact or project can stand. Where that is
// ambiguous nothing is guessed: the problem offers a verify call for each candidate. Without criteria every requirement
// becomes a claim of its own.
func FromPlan(c *Case, verifiers VerifierSet, known map[string][]string) ([]ClaimSpec, error) {
	criteria := c.provable()
	if len(criteria) == 0 {
		return requirementClaims(c, known)
	}
	candidates := c.planCandidates(known)
	chosen := candidates
	if len(candidates) != 1 {
		chosen = slices.DeleteFunc(slices.Clone(candidates), func(k ClaimSpec) bool { return verifiers.Kind(k.Verifier) != KindUnitTest })
	}
	switch unnamed := c.unnamed(known); {
	case len(unnamed) == 1 && len(candidates) == 0:
		return nil, missingContract(c, unnamed[0])
	case len(unnamed) > 0 || len(chosen) != 1 || len(candidates) > 1 && c.plansFlow():
		return nil, ambiguousPlan(c, candidates, unnamed)
	}
	return criterionClaims(criteria, chosen[0]), nil
}

// planCandidates are the checks of the plan that could prove a criterion, as claims without id and statement.
func (c *Case) planCandidates(known map[string][]string) []ClaimSpec {
	var out []ClaimSpec
	for _, r := range c.VerificationRequired {
		if _, ok := CommandName(r); ok {
			out = append(out, commandCheck(r))
		}
		if s, ok := specialistOf(r); ok {
			for _, contract := range known[s.tool] {
				out = append(out, ClaimSpec{Surface: s.surface, Verifier: s.tool, Contract: contract})
			}
		}
	}
	return out
}

// unnamed are the specialists that the plan requires and for which there is nothing to check.
func (c *Case) unnamed(known map[string][]string) []specialist {
	var out []specialist
	for _, r := range c.VerificationRequired {
		if s, ok := specialistOf(r); ok && len(known[s.tool]) == 0 {
			out = append(out, s)
		}
	}
	return out
}

// provable are the criteria that a verifier can prove.
func (c *Case) provable() []Criterion {
	var out []Criterion
	for _, k := range c.AcceptanceCriteria {
		if k.Kind != CriterionProcess {
			out = append(out, k)
		}
	}
	return out
}

// plansFlow reports whether the plan requires a check on another surface than code.
func (c *Case) plansFlow() bool {
	for _, r := range c.VerificationRequired {
		if _, command := CommandName(r); !command && r != RequireReview {
			return true
		}
	}
	return false
}

// criterionClaims binds criteria to the check of a claim without id and statement.
func criterionClaims(criteria []Criterion, check ClaimSpec) []ClaimSpec {
	out := make([]ClaimSpec, 0, len(criteria))
	for _, k := range criteria {
		check.ID, check.Statement = k.ID, k.Statement
		out = append(out, check)
	}
	return out
}

func commandCheck(requirement string) ClaimSpec {
	name, _ := CommandName(requirement)
	return ClaimSpec{Surface: SurfaceCode, Verifier: requirement, Contract: name}
}

func requirementClaims(c *Case, known map[string][]string) ([]ClaimSpec, error) {
	if unnamed := c.unnamed(known); len(unnamed) > 0 {
		return nil, missingContract(c, unnamed[0])
	}
	var out []ClaimSpec
	for _, r := range c.VerificationRequired {
		if _, ok := CommandName(r); ok {
			check := commandCheck(r)
			check.Statement = "the planned check " + r + " passes"
			out = append(out, check)
		} else if r == RequireReview {
			out = append(out, ClaimSpec{Statement: "the structural review of the change passes", Surface: SurfaceCode, Verifier: "codemap", Contract: r})
		} else if s, ok := specialistOf(r); ok {
			for _, contract := range known[s.tool] {
				out = append(out, ClaimSpec{Statement: fmt.Sprintf("the planned %s%s passes", s.label, contract), Surface: s.surface, Verifier: s.tool, Contract: contract})
			}
		}
	}
	if len(out) == 0 {
		return nil, claimStep(c, problem.New(problem.InvalidInput, "the plan requires no check that a claim could be derived from; name it with a claim spec.").
			On("fromPlan", true, "a plan with a command verifier"), ClaimSpec{})
	}
	return out, nil
}

// missingContract asks for what the plan's requirement leaves open.
func missingContract(c *Case, s specialist) error {
	return problem.New(problem.InvalidInput, "the plan requires %s, and no %s is named.", s.requirement, s.what).
		On(s.field, nil, "the "+s.what).About(c.ID, string(c.Status)).
		With(problem.Step{Op: "verify", Args: map[string]any{"taskId": c.ID, "fromPlan": true}, Inputs: []string{s.field}, Why: "name the " + s.what + " that proves it"})
}

func ambiguousPlan(c *Case, candidates []ClaimSpec, unnamed []specialist) error {
	var listed []string
	for _, k := range candidates {
		if _, command := CommandName(k.Verifier); command {
			listed = append(listed, k.Verifier)
		} else {
			listed = append(listed, k.Verifier+" "+k.Contract)
		}
	}
	for _, s := range unnamed {
		listed = append(listed, s.requirement)
	}
	names := strings.Join(bounded(listed), ", ")
	if len(listed) == 0 {
		names = "none of the planned verifiers can: " + strings.Join(c.VerificationRequired, ", ")
	}
	p := problem.New(problem.InvalidInput, "the plan does not say which one check proves the acceptance criteria (%s); bind them with claim specs.", names).
		On("fromPlan", true, "a plan with exactly one command verifier of kind unit_test").About(c.ID, string(c.Status))
	criteria := c.provable()
	for _, k := range candidates[:min(len(candidates), 4)] {
		step := verifyClaims(c, criterionClaims(criteria[:min(len(criteria), 8)], k)...)
		step.Why = fmt.Sprintf("let %s prove them", strings.TrimSuffix(k.Verifier+" "+k.Contract, " "+strings.TrimPrefix(k.Verifier, commandPrefix)))
		p = p.With(step)
	}
	if len(p.Next) > 0 {
		return p
	}
	if len(listed) == 0 {
		p = p.With(problem.Step{Command: "cortex init", Why: "configure the repository's own tests as verifiers"})
	}
	return p.With(problem.Step{Op: "verify", Args: map[string]any{"taskId": c.ID}, Inputs: []string{"claimSpecs"}, Why: "name the exact check of each criterion"})
}

// LegacyWarning says that a claim of free text is not judged, and which claim spec would bind it. Nothing is guessed
// from the words of a claim.
func LegacyWarning(c *Case, text string) string {
	spec := ClaimSpec{Statement: text, Surface: SurfaceCode, Verifier: "command:NAME", Contract: "NAME"}
	if planned := c.commandRequirements(); len(planned) > 0 {
		spec.Verifier = planned[0]
		spec.Contract, _ = CommandName(planned[0])
	}
	for _, k := range c.AcceptanceCriteria {
		if k.Statement == text {
			spec.ID = k.ID
		}
	}
	return fmt.Sprintf("claim %q names no check and stays not_run; bind it with --claim-spec %q", clip(text, MaxProofRef), clip(spec.String(), MaxContract))
}
