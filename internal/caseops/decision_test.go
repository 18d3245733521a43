package caseops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

func (d *desk) ask() string {
	d.t.Helper()
	out, err := d.RequestDecision(d.t.Context(), RequestDecisionInput{Question: "Which?", Requester: "agent-a", Options: []Option{
		{ID: "safe", Label: "Safe", Consequence: "slow"}, {ID: "fast", Label: "Fast", Consequence: "risky"},
	}})
	d.must(out, err)
	return out.Artifacts[0].ID
}

func (d *desk) answer(decision, option string) error {
	_, err := d.AnswerDecision(d.t.Context(), AnswerDecisionInput{DecisionID: decision, Answer: option, Responder: "maria"})
	return err
}

// put replaces one file of the only case, as a crash of another program can leave it.
func (d *desk) put(name, content string) {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(d.Store.Dir(), "task_*", name))
	if err != nil || len(found) != 1 {
		d.t.Fatalf("%s: %v %v", name, found, err)
	}
	if err := os.WriteFile(found[0], []byte(content), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// waiting opens a case and asks; it returns case.json from before and the decision.
func (d *desk) waiting() (before, decision string) {
	d.t.Helper()
	d.must(d.Open(d.t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
	before = d.file("case.json")
	return before, d.ask()
}

func (d *desk) checkStatus(phase casefile.Phase, pending string, firstStep string) {
	d.t.Helper()
	st, err := d.Status(d.t.Context(), StatusInput{})
	d.must(st, err)
	got := ""
	if st.PendingDecision != nil {
		got = st.PendingDecision.ID
	}
	if st.Phase != string(phase) || got != pending || len(st.Steps) == 0 || st.Steps[0].Op != firstStep {
		d.t.Errorf("status: phase %s, pending %q, steps %+v; want %s, %q, first %s", st.Phase, got, st.Steps, phase, pending, firstStep)
	}
}

func TestADecisionThatWasWrittenWithoutItsPauseIsRecovered(t *testing.T) {
	t.Parallel()
	for name, recover := range map[string]func(*desk, string){
		"by resuming": func(d *desk, decision string) {
			d.must(d.ResumeDecision(d.t.Context(), ResumeDecisionInput{}))
			d.checkStatus(casefile.PhasePaused, decision, "decision answer")
			d.must(nil, d.answer(decision, "safe"))
		},
		"by asking again": func(d *desk, decision string) {
			if again := d.ask(); again != decision {
				d.t.Errorf("asked for %s, want the pending %s", again, decision)
			}
			d.checkStatus(casefile.PhasePaused, decision, "decision answer")
			d.must(nil, d.answer(decision, "safe"))
		},
		"by answering": func(d *desk, decision string) { d.must(nil, d.answer(decision, "safe")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			before, decision := d.waiting()
			d.put("case.json", before)
			d.checkStatus(casefile.PhaseInvestigating, decision, "decision answer")
			recover(d, decision)
			d.checkStatus(casefile.PhaseInvestigating, "", "investigate")
			if n := strings.Count(d.file("evidence.jsonl"), `"category":"decision"`); n != 1 {
				t.Errorf("%d records of the answer, want 1", n)
			}
		})
	}
}

func TestAnAnswerThatWasNotCarriedThroughIsFinished(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lost   bool // the evidence was not written either
		finish func(*desk, string) error
	}{
		"resumed": {false, func(d *desk, _ string) error {
			_, err := d.ResumeDecision(d.t.Context(), ResumeDecisionInput{})
			return err
		}},
		"resumed over MCP": {false, func(d *desk, _ string) error {
			_, err := d.AnswerDecision(d.t.Context(), AnswerDecisionInput{Resume: true})
			return err
		}},
		"answered again": {false, func(d *desk, decision string) error { return d.answer(decision, "safe") }},
		"resumed without a record": {true, func(d *desk, _ string) error {
			_, err := d.ResumeDecision(d.t.Context(), ResumeDecisionInput{})
			return err
		}},
		"answered without a record": {true, func(d *desk, decision string) error { return d.answer(decision, "safe") }},
		"otherwise, then what stood": {true, func(d *desk, decision string) error {
			if err := d.answer(decision, "fast"); !problem.Is(err, problem.DecisionAnswered) {
				d.t.Errorf("another answer: %v", err)
			}
			return d.answer(decision, "safe")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			_, decision := d.waiting()
			paused, ledger := d.file("case.json"), d.file("evidence.jsonl")
			d.must(nil, d.answer(decision, "safe"))
			d.put("case.json", paused)
			if row.lost {
				d.put("evidence.jsonl", ledger)
			}
			d.checkStatus(casefile.PhasePaused, "", "decision answer")
			if _, err := d.Investigate(t.Context(), InvestigateInput{Question: "q"}); !problem.Is(err, problem.WrongPhase) {
				t.Errorf("investigate while paused: %v", err)
			}
			d.must(nil, row.finish(d, decision))
			d.checkStatus(casefile.PhaseInvestigating, "", "investigate")
			if n := strings.Count(d.file("evidence.jsonl"), `"category":"decision"`); n != 1 {
				t.Errorf("%d records of the answer, want 1", n)
			}
		})
	}
}

func TestDecisionsAreOneTransactionEach(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	opened, err := d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}})
	d.must(opened, err)
	for _, verb := range []struct {
		name string
		run  func()
		most int64
	}{
		{"request", func() { d.ask() }, 8},
		{"request again", func() { d.ask() }, 0},
		{"answer", func() { d.must(nil, d.answer("", "safe")) }, 8},
		{"abort", func() { d.must(d.Abort(t.Context(), AbortInput{Reason: "r"})) }, 8},
		{"reopen", func() { d.must(d.Reopen(t.Context(), ReopenInput{TaskID: opened.TaskID, Reason: "r"})) }, 8},
		{"criterion", func() {
			d.must(d.AddCriterion(t.Context(), AddCriterionInput{Criterion: Criterion{ID: "k", Statement: "s"}}))
		}, 8},
		{"criterion again", func() {
			d.must(d.AddCriterion(t.Context(), AddCriterionInput{Criterion: Criterion{ID: "k", Statement: "s"}}))
		}, 0},
	} {
		d.syncs.Take()
		verb.run()
		if files, dirs := d.syncs.Take(); files+dirs > verb.most || verb.most > 0 && files == 0 {
			t.Errorf("%s: %d syncs of files and %d of directories, at most %d in all", verb.name, files, dirs, verb.most)
		}
	}
}

func TestTheSecondOfTwoAnswersLearnsWhoAnsweredWhat(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, decision := d.waiting()
	results := make(chan error, 2)
	for _, option := range []string{"safe", "fast"} {
		go func() { results <- d.answer(decision, option) }()
	}
	first, second := <-results, <-results
	if first == nil {
		first, second = second, first
	}
	if !problem.Is(first, problem.DecisionAnswered) || second != nil || !strings.Contains(first.Error(), "maria chose") {
		t.Errorf("got %v and %v, want one conflict that names the answer", first, second)
	}
	if n := strings.Count(d.file("evidence.jsonl"), `"category":"decision"`); n != 1 {
		t.Errorf("%d records of the answer, want 1", n)
	}
}

func TestALongListOfDecisionsIsReadInPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.waiting()
	for range 4 {
		d.must(nil, d.answer("", "safe"))
		d.ask()
	}
	whole, err := d.ListDecisions(t.Context(), ListDecisionsInput{})
	d.must(whole, err)
	if len(whole.Decisions) != 5 || whole.Total != 5 || whole.NextCursor != "" || len(whole.steps) != 1 {
		t.Fatalf("got %d of %d decisions, cursor %q, steps %v", len(whole.Decisions), whole.Total, whole.NextCursor, whole.steps)
	}
	var ids []string
	page := Page{Limit: 2}
	for range 4 {
		got, err := d.ListDecisions(t.Context(), ListDecisionsInput{Page: page})
		d.must(got, err)
		if len(got.Decisions) == 2 && len(ids) == 2 {
			got.Shrink(1) // as an answer that is too long
		}
		for i := len(got.Decisions) - 1; i >= 0; i-- {
			ids = append(ids, got.Decisions[i].ID)
		}
		if page.Cursor = got.NextCursor; page.Cursor == "" {
			break
		}
	}
	for i, id := range ids {
		if len(ids) != 5 || whole.Decisions[4-i].ID != id {
			t.Errorf("pages gave %v, want %v backwards", ids, whole.Decisions)
		}
	}
	if _, err := d.ListDecisions(t.Context(), ListDecisionsInput{Page: Page{Cursor: "dec_0"}}); !problem.Is(err, problem.InvalidInput) {
		t.Errorf("an unknown cursor: %v", err)
	}
}
