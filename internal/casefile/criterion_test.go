package casefile

import (
	"fmt"
	"testing"

	"cortex/internal/problem"
)

func TestACriterionComesBeforeTheFirstVerdict(t *testing.T) {
	t.Parallel()
	late := Criterion{ID: "late", Statement: "it holds"}
	full := changeCase(PhasePlanned)
	for i := len(full.AcceptanceCriteria); i < MaxCriteria; i++ {
		full.AcceptanceCriteria = append(full.AcceptanceCriteria, Criterion{ID: fmt.Sprint("c", i), Statement: "x"})
	}
	of := func(all ...ReceiptStatus) []Receipt {
		var out []Receipt
		for i, s := range all {
			out = append(out, runOf(fmt.Sprint("vb_", i), "unit", s, "d1"))
		}
		return out
	}
	first := changeCase(PhasePlanned).AcceptanceCriteria[0]
	tests := []struct {
		name     string
		c        *Case
		receipts []Receipt
		k        Criterion
		known    bool
		want     problem.Code
	}{
		{"while planned", changeCase(PhasePlanned), nil, late, false, ""},
		{"while paused", changeCase(PhasePaused), nil, late, false, ""},
		{"of the process", changeCase(PhaseChanging), nil, Criterion{ID: "how", Statement: "x", Kind: CriterionProcess}, false, ""},
		{"texts are trimmed", changeCase(PhasePlanned), nil, Criterion{ID: " late ", Statement: " it holds\n"}, false, ""},
		{"no verdict yet", changeCase(PhaseVerifying), of(StatusBlocked, StatusInconclusive, StatusNotRun, StatusNotApplicable), late, false, ""},
		{"after a pass", changeCase(PhaseVerifying), of(StatusBlocked, StatusPassed), late, false, problem.CriteriaImmutable},
		{"after a failure", changeCase(PhaseChanging), of(StatusFailed), late, false, problem.CriteriaImmutable},
		{"again", changeCase(PhasePlanned), nil, first, true, ""},
		{"again after a verdict", changeCase(PhaseVerifying), of(StatusPassed), first, true, ""},
		{"again when ended", changeCase(PhaseComplete), of(StatusPassed), first, true, ""},
		{"with other words", changeCase(PhasePlanned), nil, Criterion{ID: first.ID, Statement: "else"}, false, problem.CriteriaImmutable},
		{"of another kind", changeCase(PhasePlanned), nil, Criterion{ID: first.ID, Statement: first.Statement, Kind: CriterionProcess}, false, problem.CriteriaImmutable},
		{"when ended", changeCase(PhaseAbandoned), nil, late, false, problem.WrongPhase},
		{"one too many", full, nil, late, false, problem.LimitReached},
		{"no statement", changeCase(PhasePlanned), nil, Criterion{ID: "late"}, false, problem.InvalidInput},
		{"bad id", changeCase(PhasePlanned), nil, Criterion{ID: "a b", Statement: "x"}, false, problem.InvalidInput},
		{"unknown kind", changeCase(PhasePlanned), nil, Criterion{ID: "late", Statement: "x", Kind: "odd"}, false, problem.InvalidInput},
	}
	for _, tt := range tests {
		before := len(tt.c.AcceptanceCriteria)
		added, known, err := AddCriterion(tt.c, tt.receipts, tt.k, nil)
		if len(tt.c.AcceptanceCriteria) != before {
			t.Errorf("%s: the rule itself changed the case", tt.name)
		}
		if tt.want != "" {
			refused(t, err, tt.want)
			continue
		}
		if err != nil || known != tt.known || !tt.known && (added.ID == "" || added.ID[0] == ' ') {
			t.Errorf("%s: got %+v, known %v, error %v; want known %v", tt.name, added, known, err, tt.known)
		}
	}
}
