package casefile

import (
	"fmt"
	"strings"

	"cortex/internal/problem"
)

// FromPlan derives typed claims from the plan. With acceptance criteria each is bound to the one check that the plan
// leaves for it: the only planned command, or the only planned unit test among several; codemap_review never proves a
// criterion. Where that is ambiguous nothing is guessed: the problem offers a verify call for each candidate. Without
// criteria every planned command or review becomes a claim of its own.
func FromPlan(c *Case, verifiers VerifierSet) ([]ClaimSpec, error) {
	criteria := c.provable()
	if len(criteria) == 0 {
		return requirementClaims(c)
	}
	candidates := c.commandRequirements()
	var tests []string
	for _, r := range candidates {
		if verifiers.Kind(r) == KindUnitTest {
			tests = append(tests, r)
		}
	}
	chosen := candidates
	if len(chosen) != 1 {
		chosen = tests
	}
	if len(chosen) != 1 || c.plansFlow() {
		return nil, ambiguousPlan(c, candidates)
	}
	return criterionClaims(criteria, chosen[0]), nil
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

func criterionClaims(criteria []Criterion, requirement string) []ClaimSpec {
	name, _ := CommandName(requirement)
	out := make([]ClaimSpec, 0, len(criteria))
	for _, k := range criteria {
		out = append(out, ClaimSpec{ID: k.ID, Statement: k.Statement, Surface: SurfaceCode, Verifier: requirement, Contract: name})
	}
	return out
}

func requirementClaims(c *Case) ([]ClaimSpec, error) {
	var out []ClaimSpec
	for _, r := range c.VerificationRequired {
		if name, ok := CommandName(r); ok {
			out = append(out, ClaimSpec{Statement: "the planned check " + r + " passes", Surface: SurfaceCode, Verifier: r, Contract: name})
		} else if r == RequireReview {
			out = append(out, ClaimSpec{Statement: "the structural review of the change passes", Surface: SurfaceCode, Verifier: "codemap", Contract: r})
		}
	}
	if len(out) == 0 {
		return nil, claimStep(c, problem.New(problem.InvalidInput, "the plan requires no check that a claim could be derived from; name it with a claim spec.").
			On("fromPlan", true, "a plan with a command verifier"), ClaimSpec{})
	}
	return out, nil
}

func ambiguousPlan(c *Case, candidates []string) error {
	names := strings.Join(candidates, ", ")
	if len(candidates) == 0 {
		names = "none of the planned verifiers can: " + strings.Join(c.VerificationRequired, ", ")
	}
	p := problem.New(problem.InvalidInput, "the plan does not say which one check proves the acceptance criteria (%s); bind them with claim specs.", names).
		On("fromPlan", true, "a plan with exactly one command verifier of kind unit_test").About(c.ID, string(c.Status))
	criteria := c.provable()
	for _, r := range candidates[:min(len(candidates), 4)] {
		step := verifyClaims(c, criterionClaims(criteria[:min(len(criteria), 8)], r)...)
		step.Why = fmt.Sprintf("let %s prove them", r)
		p = p.With(step)
	}
	if len(p.Next) > 0 {
		return p
	}
	return p.With(
		problem.Step{Command: "cortex init", Why: "configure the repository's own tests as verifiers"},
		problem.Step{Op: "verify", Args: map[string]any{"taskId": c.ID}, Inputs: []string{"claimSpecs"}, Why: "name the exact check of each criterion"},
	)
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
