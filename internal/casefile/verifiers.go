package casefile

import (
	"slices"
	"strings"

	"cortex/internal/problem"
)

// Requirements that a plan may name beside "command:NAME".
const (
	RequireReview     = "codemap_review"
	RequireBrowser    = "cairntrace_flow"
	RequireTerminal   = "glyphrun_flow"
	RequireArtifact   = "fcheap_artifact"
	RequireCapability = "tvault_capability"
)

const commandPrefix = "command:"

// CommandRequirement is the requirement that a configured command verifier satisfies.
func CommandRequirement(name string) string { return commandPrefix + name }

// CommandName returns the verifier named by a requirement, and whether it names one.
func CommandName(requirement string) (string, bool) {
	return strings.CutPrefix(requirement, commandPrefix)
}

// Verifier is a configured command verifier as the rules see it.
type Verifier struct {
	Name string // as configured; case counts
	Kind string // kind of the evidence it gives: unit_test, build, lint, …
}

// VerifierSet is what the configuration offers.
type VerifierSet struct {
	Commands []Verifier
}

// Requirements lists every requirement that a plan may name.
func (v VerifierSet) Requirements() []string {
	out := []string{RequireReview, RequireBrowser, RequireTerminal, RequireArtifact, RequireCapability}
	for _, c := range v.Commands {
		out = append(out, CommandRequirement(c.Name))
	}
	return out
}

// Canonical returns a requirement as it is to be written. A command that differs from exactly one configured one in
// case only is accepted as that one; an unknown name is an unknown_verifier problem without steps.
func (v VerifierSet) Canonical(requirement string) (string, *problem.Problem) {
	requirement = strings.TrimSpace(requirement)
	all := v.Requirements()
	if slices.Contains(all, requirement) {
		return requirement, nil
	}
	var alike []string
	for _, known := range all {
		if strings.EqualFold(known, requirement) {
			alike = append(alike, known)
		}
	}
	if len(alike) == 1 {
		return alike[0], nil
	}
	return "", problem.New(problem.UnknownVerifier, "verifier %q is not known; choose one of: %s.", clip(requirement, MaxIdentifier), strings.Join(bounded(all), ", ")).
		On("verification", clip(requirement, MaxIdentifier), strings.Join(bounded(all), ", "))
}

// Kind returns the configured kind of a command requirement, "" when it is none or not configured.
func (v VerifierSet) Kind(requirement string) string {
	name, ok := CommandName(requirement)
	if !ok {
		return ""
	}
	for _, c := range v.Commands {
		if c.Name == name {
			return c.Kind
		}
	}
	return ""
}

// bounded cuts a list of candidates to what a rejection may show.
func bounded(list []string) []string { return list[:min(len(list), MaxCandidates)] }
