package caseops

import (
	"slices"

	"cortex/internal/casefile"
)

// Criterion is an acceptance criterion as an argument: an object on the wire, id=statement on a command line.
type Criterion struct {
	ID        string        `json:"id" op:"required" jsonschema:"letters, digits, - and _"`
	Statement string        `json:"statement" op:"required" jsonschema:"what must hold when the work is done"`
	Kind      CriterionKind `json:"kind,omitempty" jsonschema:"process: about how the work is done; attested, never proven"`
}

// UnmarshalText reads id=statement.
func (c *Criterion) UnmarshalText(text []byte) error {
	parsed, err := casefile.ParseCriterion(string(text))
	*c = Criterion{ID: parsed.ID, Statement: parsed.Statement}
	return err
}

func criteria(in []Criterion) []casefile.Criterion {
	var out []casefile.Criterion
	for _, c := range in {
		out = append(out, casefile.Criterion{ID: c.ID, Statement: c.Statement, Kind: string(c.Kind)})
	}
	return out
}

// allCriteria are ordinary criteria and those that the command line gives as process criteria, in this order.
func allCriteria(ordinary, process []Criterion) []Criterion {
	out := slices.Clone(ordinary)
	for _, c := range process {
		c.Kind = casefile.CriterionProcess
		out = append(out, c)
	}
	return out
}
