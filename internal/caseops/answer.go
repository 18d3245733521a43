package caseops

import (
	"cortex/internal/casefile"
	"cortex/internal/op"
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
