package casestore

import (
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

func aDecision(id, status string) casefile.Decision {
	return casefile.Decision{ID: id, Question: "Which?", Requester: "agent-a", RequestedAt: at(44), Status: status,
		Options: []casefile.DecisionOption{{ID: "a", Label: "A", Consequence: "x"}, {ID: "b", Label: "B", Consequence: "y"}}}
}

func TestAPausedCaseIsReadWithTheDecisionItWaitsFor(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	pause := func(all ...casefile.Decision) {
		err := s.Update(ctx, testTask, func(e *Edit) error {
			c := e.Case()
			c.Status, c.PausedFrom = casefile.PhasePaused, casefile.PhaseInvestigating
			e.PutDecisions(all)
			return e.PutCase(c)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	awaited := func() (id string, warnings []string) {
		err := s.View(ctx, testTask, func(r *Reader) error {
			if d := r.Case().Awaited; d != nil {
				id = d.ID
			}
			warnings = r.Warnings()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return id, warnings
	}
	pause(aDecision("dec_1", casefile.DecisionAnswered), aDecision("dec_2", casefile.DecisionPending))
	if id, _ := awaited(); id != "dec_2" {
		t.Errorf("waits for %q, want dec_2", id)
	}
	if text := onDisk(t, s, testTask, caseFile); strings.Contains(text, "dec_2") || strings.Contains(strings.ToLower(text), "awaited") {
		t.Errorf("case.json holds the decision:\n%s", text)
	}
	pause(aDecision("dec_1", casefile.DecisionAnswered))
	if id, _ := awaited(); id != "" {
		t.Errorf("waits for %q, want nothing", id)
	}
	plant(t, s, testTask, map[string]string{decisionsFile: "[{"})
	if id, warnings := awaited(); id != "" || len(warnings) == 0 || !strings.Contains(warnings[0], decisionsFile) {
		t.Errorf("with broken decisions: waits for %q, warnings %q", id, warnings)
	}
}

func TestADecisionWithAMaskedWordIsSensitive(t *testing.T) {
	t.Parallel()
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for name, plantIn := range map[string]func(*casefile.Decision){
		"nowhere":     func(*casefile.Decision) {},
		"question":    func(d *casefile.Decision) { d.Question = "use " + secret },
		"label":       func(d *casefile.Decision) { d.Options[1].Label = secret },
		"consequence": func(d *casefile.Decision) { d.Options[0].Consequence = "leaks " + secret },
	} {
		s := newTestStore(t)
		create(t, s, aCase())
		d := aDecision("dec_1", casefile.DecisionPending)
		plantIn(&d)
		if err := s.Update(ctx, testTask, func(e *Edit) error { return e.PutDecisions([]casefile.Decision{d}) }); err != nil {
			t.Fatal(err)
		}
		text := onDisk(t, s, testTask, decisionsFile)
		if strings.Contains(text, secret) || strings.Contains(text, `"sensitive": true`) != (name != "nowhere") {
			t.Errorf("secret in %s:\n%s", name, text)
		}
	}
}

func TestOnlyAnAddedCriterionPassesTheCheckOfTheTerms(t *testing.T) {
	t.Parallel()
	late := casefile.Criterion{ID: "late", Statement: "it holds"}
	tests := map[string]struct {
		change func(*Edit)
		want   string // ids afterwards, "" for refused
	}{
		"added":       {func(e *Edit) { e.AddCriterion(late) }, "add-sums late"},
		"slipped in":  {func(e *Edit) { e.Case().AcceptanceCriteria = append(e.Case().AcceptanceCriteria, late) }, ""},
		"added twice": {func(e *Edit) { e.AddCriterion(late); e.AddCriterion(casefile.Criterion{ID: "later", Statement: "x"}) }, "add-sums late later"},
		"one more beside": {func(e *Edit) {
			e.AddCriterion(late)
			e.Case().AcceptanceCriteria = append(e.Case().AcceptanceCriteria, late)
		}, ""},
		"another changed": {func(e *Edit) { e.AddCriterion(late); e.Case().AcceptanceCriteria[0].Statement = "else" }, ""},
		"another removed": {func(e *Edit) { e.AddCriterion(late); e.Case().AcceptanceCriteria = e.Case().AcceptanceCriteria[1:] }, ""},
	}
	for name, tt := range tests {
		s := newTestStore(t)
		create(t, s, aCase())
		err := s.Update(ctx, testTask, func(e *Edit) error {
			tt.change(e)
			return e.PutCase(e.Case())
		})
		if tt.want == "" {
			if !problem.Is(err, problem.CriteriaImmutable) {
				t.Errorf("%s: %v, want it refused", name, err)
			}
			continue
		}
		var ids []string
		view := s.View(ctx, testTask, func(r *Reader) error {
			for _, k := range r.Case().AcceptanceCriteria {
				ids = append(ids, k.ID)
			}
			return nil
		})
		if got := strings.Join(ids, " "); err != nil || view != nil || got != tt.want {
			t.Errorf("%s: criteria %q, errors %v, %v; want %q", name, got, err, view, tt.want)
		}
	}
}
