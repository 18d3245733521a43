package casefile

import (
	"slices"
	"strings"
	"time"

	"cortex/internal/problem"
)

// AddCriterion decides whether c may get one more acceptance criterion: until the first verdict, because a criterion that
// is written after it could be fitted to it. It returns the criterion with its text trimmed, and known when c has exactly
// that one already. The statement is compared as it is stored, so it must be masked.
func AddCriterion(c *Case, receipts []Receipt, k Criterion, refuses func(string) bool) (added Criterion, known bool, err error) {
	checked, err := CheckCriteria([]Criterion{k}, refuses)
	if err != nil {
		return k, false, err
	}
	k = checked[0]
	at := slices.IndexFunc(c.AcceptanceCriteria, func(have Criterion) bool { return have.ID == k.ID })
	if at >= 0 && c.AcceptanceCriteria[at] == k {
		return k, true, nil
	}
	if err := RequirePhase(c, "criterion add"); err != nil {
		return k, false, err
	}
	if at >= 0 {
		return k, false, immutable(c, "criterion %q exists already with other words, and no criterion is ever changed.", k.ID)
	}
	verdict := slices.IndexFunc(receipts, func(r Receipt) bool { return r.Status == StatusPassed || r.Status == StatusFailed })
	if verdict >= 0 {
		r := receipts[verdict]
		return k, false, immutable(c, "criterion %q comes too late: receipt %s has given the first verdict (%s), and criteria are fixed from then on.", k.ID, r.ID, r.Status)
	}
	if len(c.AcceptanceCriteria) >= MaxCriteria {
		return k, false, problem.New(problem.LimitReached, "case %s has %d acceptance criteria already, the most that a case may have.", c.ID, len(c.AcceptanceCriteria)).
			About(c.ID, string(c.Status)).With(childStep(c))
	}
	return k, false, nil
}

// NoteLate keeps in c that the criterion id was not among those it was opened with.
func NoteLate(c *Case, id string, now time.Time) {
	c.Notes = append(c.Notes, lateNote(id)+now.UTC().Format(time.RFC3339))
}

func lateNote(id string) string { return "criterion " + id + " added at " }

// SameCriteria reports whether a call with the given criteria opens c: they are those that it was opened with, or those
// that it has by now.
func SameCriteria(c *Case, given []Criterion) bool {
	early := slices.DeleteFunc(slices.Clone(c.AcceptanceCriteria), func(k Criterion) bool {
		return slices.ContainsFunc(c.Notes, func(note string) bool { return strings.HasPrefix(note, lateNote(k.ID)) })
	})
	return slices.Equal(early, given) || slices.Equal(c.AcceptanceCriteria, given)
}

func immutable(c *Case, format string, args ...any) error {
	return problem.New(problem.CriteriaImmutable, format, args...).About(c.ID, string(c.Status)).With(childStep(c))
}

func childStep(c *Case) problem.Step {
	return problem.Step{Op: "open", Args: map[string]any{"parentTaskId": c.ID}, Inputs: []string{"goal", "acceptanceCriteria"}, Why: "open a child case with the further criterion"}
}
