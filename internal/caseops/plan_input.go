package caseops

import (
	"strconv"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

// HypothesisInput is a hypothesis as an argument: an object on the wire, "statement :: disproof" on a command line.
type HypothesisInput struct {
	Statement  string              `json:"statement" op:"required" jsonschema:"what is believed to be the case"`
	Supports   []string            `json:"supports,omitempty" jsonschema:"evidence ids of this case"`
	Confidence casefile.Confidence `json:"confidence,omitempty" jsonschema:"default low"`
	DisproveBy string              `json:"disproveBy,omitempty" jsonschema:"what observation would show it wrong; required"`
}

// UnmarshalText reads "statement :: disproof".
func (h *HypothesisInput) UnmarshalText(text []byte) error {
	statement, disproof, _ := strings.Cut(string(text), "::")
	*h = HypothesisInput{Statement: strings.TrimSpace(statement), DisproveBy: strings.TrimSpace(disproof)}
	return nil
}

// proposed brings the forms in which a plan can be given together.
func (in PlanInput) proposed() (casefile.PlanInput, error) {
	out := casefile.PlanInput{
		Files: in.Files, Symbols: in.Symbols, BoundaryReason: in.BoundaryReason,
		Verification: in.Verification, Uncertainty: in.Uncertainty, TimeoutOverrides: in.TimeoutOverrides,
	}
	if len(in.Disproofs) > 0 && len(in.Disproofs) != len(in.Hypotheses) {
		return out, planFlags("disproofs", strconv.Itoa(len(in.Disproofs)), "%d hypotheses need as many --disprove, or none; %d were given.", len(in.Hypotheses), len(in.Disproofs))
	}
	for i, h := range in.Hypotheses {
		h.Confidence = casefile.Confidence(orWord(string(h.Confidence), string(in.Confidence)))
		if len(in.Disproofs) > 0 {
			h.DisproveBy = in.Disproofs[i]
		}
		out.Hypotheses = append(out.Hypotheses, casefile.HypothesisInput{
			Statement: h.Statement, Supports: h.Supports, Confidence: h.Confidence, DisproveBy: h.DisproveBy,
		})
	}
	for _, support := range in.Supports {
		if err := addSupport(out.Hypotheses, support); err != nil {
			return out, err
		}
	}
	return out, nil
}

// addSupport reads "N=ev_…,ev_…" with N counted from 1.
func addSupport(hypotheses []casefile.HypothesisInput, support string) error {
	place, ids, ok := strings.Cut(support, "=")
	n, err := strconv.Atoi(strings.TrimSpace(place))
	if !ok || err != nil || n < 1 || n > len(hypotheses) {
		return planFlags("supports", support, "support %q is not of the form N=ev_…[,ev_…] with N from 1 to %d.", support, len(hypotheses))
	}
	for id := range strings.SplitSeq(ids, ",") {
		hypotheses[n-1].Supports = append(hypotheses[n-1].Supports, strings.TrimSpace(id))
	}
	return nil
}

func planFlags(field, received, format string, args ...any) error {
	return problem.New(problem.InvalidInput, format, args...).On(field, received, "see the help of plan")
}

// verifiers is what the configuration offers a plan.
func (s *Service) verifiers() casefile.VerifierSet {
	var set casefile.VerifierSet
	for _, v := range s.Config.Verifiers {
		set.Commands = append(set.Commands, casefile.Verifier{Name: v.Name, Kind: v.Kind})
	}
	return set
}
