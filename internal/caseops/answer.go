package caseops

import (
	"slices"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/problem"
)

// answerFor starts the answer of a verb about c.
func answerFor(c *casefile.Case, summary string) op.Envelope {
	return op.Envelope{OK: true, TaskID: c.ID, Phase: string(c.Status), Summary: summary}
}

// facts shows evidence records in an answer; their text is what was stored.
func facts(records []casefile.Evidence) []op.Fact {
	var out []op.Fact
	for _, e := range records {
		source := e.Source.Tool
		if source == "" {
			source = e.Source.Origin
		}
		out = append(out, op.Fact{
			ID: e.ID, Claim: e.Claim, Confidence: string(e.Confidence), Source: source,
			Actor: e.Source.Actor, Category: e.Category, Kind: e.Kind, DerivedFrom: e.DerivedFrom,
		})
	}
	return out
}

func hypothesisViews(all []casefile.Hypothesis) []op.Hypothesis {
	var out []op.Hypothesis
	for _, h := range all {
		out = append(out, op.Hypothesis{ID: h.ID, Statement: h.Statement, Confidence: string(h.Confidence), Status: string(h.Status)})
	}
	return out
}

// steps says what can be done next. A round of investigation is not offered once the budget of the case is used.
func (s *Service) steps(c *casefile.Case, j casefile.Judgement) []problem.Step {
	steps := casefile.NextSteps(c, j, s.now())
	if c.InvestigationRounds < s.Config.Budget.MaxInvestigationRounds {
		return steps
	}
	return slices.DeleteFunc(steps, func(step problem.Step) bool { return step.Op == "investigate" })
}
