package casefile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cortex/internal/problem"
)

func twoOptions() []DecisionOption {
	return []DecisionOption{{ID: "safe", Label: "Safe", Consequence: "slow"}, {ID: "fast", Label: "Fast", Consequence: "risky"}}
}

func pending() Decision {
	return Decision{ID: "dec_1", Question: "Which?", Options: twoOptions(), Requester: "agent-a", RequestedAt: start(), Status: DecisionPending}
}

func answered(d Decision, answer, responder string) Decision {
	at := start().Add(time.Minute)
	d.Status, d.Answer, d.Responder, d.AnsweredAt, d.EvidenceID = DecisionAnswered, answer, responder, &at, "ev_known"
	return d
}

// pausedCase is a change case that waits in planned, as the store gives it out.
func pausedCase(all ...Decision) *Case {
	c := changeCase(PhasePaused)
	c.PausedFrom, c.Awaited = PhasePlanned, Pending(all)
	return c
}

func TestWhatADecisionMustSay(t *testing.T) {
	t.Parallel()
	many := make([]DecisionOption, MaxOptions+1)
	for i := range many {
		many[i] = DecisionOption{ID: fmt.Sprint("o", i), Label: "l", Consequence: "c"}
	}
	with := func(change func(*DecisionOption)) []DecisionOption {
		out := twoOptions()
		change(&out[1])
		return out
	}
	long := strings.Repeat("x", MaxText+1)
	tests := []struct {
		name     string
		question string
		options  []DecisionOption
		person   string
		want     problem.Code
		field    string
	}{
		{"good", "Which?", twoOptions(), "agent-a", "", ""},
		{"the most options", "Which?", many[:MaxOptions], "agent-a", "", ""},
		{"no question", " ", twoOptions(), "agent-a", problem.InvalidInput, "question"},
		{"long question", long, twoOptions(), "agent-a", problem.TooLarge, "question"},
		{"no options", "Which?", nil, "agent-a", problem.InvalidInput, "options"},
		{"one option", "Which?", twoOptions()[:1], "agent-a", problem.InvalidInput, "options"},
		{"too many options", "Which?", many, "agent-a", problem.TooLarge, "options"},
		{"no id", "Which?", with(func(o *DecisionOption) { o.ID = "" }), "agent-a", problem.InvalidInput, "options[1].id"},
		{"same id", "Which?", with(func(o *DecisionOption) { o.ID = " safe " }), "agent-a", problem.InvalidInput, "options"},
		{"secret id", "Which?", with(func(o *DecisionOption) { o.ID = "hush" }), "agent-a", problem.SecretInInput, "options[1].id"},
		{"no label", "Which?", with(func(o *DecisionOption) { o.Label = "\t" }), "agent-a", problem.InvalidInput, "options[1].label"},
		{"no consequence", "Which?", with(func(o *DecisionOption) { o.Consequence = "" }), "agent-a", problem.InvalidInput, "options[1].consequence"},
		{"long consequence", "Which?", with(func(o *DecisionOption) { o.Consequence = long }), "agent-a", problem.TooLarge, "options[1].consequence"},
		{"no requester", "Which?", twoOptions(), "", problem.InvalidInput, "requester"},
		{"odd requester", "Which?", twoOptions(), "a b", problem.InvalidInput, "requester"},
	}
	for _, tt := range tests {
		_, err := CheckDecision(DecisionRequest{Question: tt.question, Options: tt.options, Requester: tt.person}, func(s string) bool { return s == "hush" })
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: refused: %v", tt.name, err)
			}
			continue
		}
		if p := refused(t, err, tt.want); p.Field != tt.field || strings.Contains(p.Message, "actor") {
			t.Errorf("%s: field %q, message %q; want field %q", tt.name, p.Field, p.Message, tt.field)
		}
	}
}

func TestOptionsAreReadFromOneWord(t *testing.T) {
	t.Parallel()
	tests := map[string]DecisionOption{
		"safe=Safe|slow":               {"safe", "Safe", "slow"},
		" a = b c | d | e ":            {"a", "b c", "d | e"},
		"a=b=c|d":                      {"a", "b=c", "d"},
		"a=|":                          {"a", "", ""},
		"safe":                         {},
		"safe=Safe":                    {},
		"Safe|slow":                    {},
		"":                             {},
		strings.Repeat("x", MaxGoal*2): {},
	}
	for text, want := range tests {
		got, err := ParseDecisionOption(text)
		if got != want || (err == nil) != (want != DecisionOption{}) {
			t.Errorf("%.40q: got %+v, error %v; want %+v", text, got, err, want)
		}
	}
}

func TestAQuestionPausesAndAnAnswerResumesTheExactPhase(t *testing.T) {
	t.Parallel()
	for _, from := range []Phase{PhaseNew, PhaseOrienting, PhaseInvestigating, PhasePlanned, PhaseChanging, PhaseVerifying, PhasePersisting} {
		c := changeCase(from)
		in := DecisionRequest{Question: "Which?", Options: twoOptions(), Requester: "agent-a"}
		asked, err := RequestDecision(c, nil, in, "dec_1", start())
		if err != nil || c.Status != PhasePaused || c.PausedFrom != from || c.Awaited == nil || len(asked.All) != 1 || len(asked.Events) != 1 || asked.Known {
			t.Fatalf("ask in %s: case %+v, change %+v, error %v", from, c, asked, err)
		}
		again, err := RequestDecision(c, asked.All, DecisionRequest{Question: "Other?", Options: twoOptions()}, "dec_2", start())
		if err != nil || !again.Known || again.Decision.ID != "dec_1" || len(again.All) != 1 || len(again.Events) != 0 {
			t.Fatalf("ask twice in %s: change %+v, error %v", from, again, err)
		}
		done, err := AnswerDecision(c, asked.All, DecisionAnswer{DecisionID: "dec_1", Answer: "safe", Responder: "maria"}, counter(), start().Add(time.Hour))
		if err != nil || c.Status != from || c.PausedFrom != "" || c.Awaited != nil || done.Known || len(done.Events) != 1 {
			t.Fatalf("answer in %s: case %+v, change %+v, error %v", from, c, done, err)
		}
		ev := done.Evidence
		if d := done.All[0]; d.Status != DecisionAnswered || d.Answer != "safe" || d.EvidenceID != ev.ID || asked.All[0].Status != DecisionPending {
			t.Errorf("decision %+v, evidence %+v, before %+v", d, ev, asked.All[0])
		}
		if ev.Kind != KindHumanReport || ev.Category != "decision" || ev.Confidence != ConfidenceMedium || ev.Source.Origin != "human" ||
			ev.Source.Actor != "maria" || ev.Source.URI != "case://"+c.ID+"/decisions/dec_1" || ev.RawRef != "case://"+c.ID+"/evidence/"+ev.ID {
			t.Errorf("evidence %+v", ev)
		}
	}
}

func TestAnsweringADecision(t *testing.T) {
	t.Parallel()
	open, safe := []Decision{pending()}, []Decision{answered(pending(), "safe", "maria")}
	waiting := func() *Case { return pausedCase(open...) }
	tests := []struct {
		name   string
		c      *Case
		all    []Decision
		in     DecisionAnswer
		want   problem.Code
		words  string // in the message
		phase  Phase  // afterwards
		events int
	}{
		{"pending", waiting(), open, DecisionAnswer{"dec_1", "fast", "otto"}, "", "", PhasePlanned, 1},
		{"not named", waiting(), open, DecisionAnswer{"", "fast", "otto"}, "", "", PhasePlanned, 1},
		{"no answer", waiting(), open, DecisionAnswer{"dec_1", "", "otto"}, problem.InvalidInput, "safe, fast", PhasePaused, 0},
		{"unknown option", waiting(), open, DecisionAnswer{"dec_1", "nope", "otto"}, problem.InvalidInput, `"nope"`, PhasePaused, 0},
		{"unknown decision", waiting(), open, DecisionAnswer{"dec_2", "safe", "otto"}, problem.DecisionNotFound, `"dec_2"`, PhasePaused, 0},
		{"nothing asked", changeCase(PhasePlanned), nil, DecisionAnswer{"dec_1", "safe", "otto"}, problem.DecisionNotFound, "no decisions", PhasePlanned, 0},
		{"not named, same again", changeCase(PhasePlanned), safe, DecisionAnswer{"", "safe", "otto"}, "", "", PhasePlanned, 0},
		{"not named, otherwise", changeCase(PhasePlanned), safe, DecisionAnswer{"", "fast", "otto"}, problem.DecisionAnswered, "maria", PhasePlanned, 0},
		{"same again", changeCase(PhaseVerifying), safe, DecisionAnswer{"dec_1", "safe", "maria"}, "", "", PhaseVerifying, 0},
		{"same by another", changeCase(PhaseVerifying), safe, DecisionAnswer{"dec_1", "safe", "otto"}, "", "", PhaseVerifying, 0},
		{"otherwise", changeCase(PhaseVerifying), safe, DecisionAnswer{"dec_1", "fast", "otto"}, problem.DecisionAnswered, `maria chose "safe" at 2026`, PhaseVerifying, 0},
		{"otherwise, ended", changeCase(PhaseComplete), safe, DecisionAnswer{"dec_1", "fast", "otto"}, problem.DecisionAnswered, "maria", PhaseComplete, 0},
		{"pending, ended", changeCase(PhaseAbandoned), open, DecisionAnswer{"dec_1", "fast", "otto"}, problem.WrongPhase, "abandoned", PhaseAbandoned, 0},
		{"pending, never paused", changeCase(PhasePlanned), open, DecisionAnswer{"dec_1", "fast", "otto"}, "", "", PhasePlanned, 0},
		{"answered, still paused", pausedCase(safe...), safe, DecisionAnswer{"dec_1", "safe", "maria"}, "", "", PhasePlanned, 1},
		{"another one pending", pausedCase(open...), []Decision{answered(Decision{ID: "dec_0", Options: twoOptions()}, "safe", "maria"), pending()},
			DecisionAnswer{"dec_0", "safe", "maria"}, "", "", PhasePaused, 0},
	}
	for _, tt := range tests {
		got, err := AnswerDecision(tt.c, tt.all, tt.in, counter(), start().Add(time.Hour))
		if tt.c.Status != tt.phase || len(got.Events) != tt.events {
			t.Errorf("%s: phase %s, %d events; want %s, %d", tt.name, tt.c.Status, len(got.Events), tt.phase, tt.events)
		}
		if tt.want == "" {
			if err != nil || got.Evidence == nil || got.Known != (tt.all[0].Status == DecisionAnswered) {
				t.Errorf("%s: change %+v, error %v", tt.name, got, err)
			}
			continue
		}
		if p := refused(t, err, tt.want); !strings.Contains(p.Message, tt.words) {
			t.Errorf("%s: message %q, want %q in it", tt.name, p.Message, tt.words)
		}
	}
}

func TestAnUnknownOptionIsToldTheOptions(t *testing.T) {
	t.Parallel()
	_, err := AnswerDecision(pausedCase(pending()), []Decision{pending()}, DecisionAnswer{"dec_1", "nope", "otto"}, counter(), start())
	step := refused(t, err, problem.InvalidInput).Next[0]
	if got := strings.Join(step.Candidates["answer"], " "); got != "safe fast" || step.Args["decisionId"] != "dec_1" || len(step.Inputs) != 1 || step.Inputs[0] != "answer" {
		t.Errorf("step %+v", step)
	}
}

func TestWhatACrashOfAnotherProgramLeftIsFinished(t *testing.T) {
	t.Parallel()
	safe := answered(pending(), "safe", "maria")
	later := safe
	at := safe.AnsweredAt.Add(time.Hour)
	later.ID, later.AnsweredAt, later.EvidenceID = "dec_2", &at, ""
	tests := []struct {
		name     string
		c        *Case
		all      []Decision
		want     problem.Code
		phase    Phase
		evidence string
	}{
		{"answered, still paused", pausedCase(safe), []Decision{safe}, "", PhasePlanned, "ev_known"},
		{"the newest answer, without its record", pausedCase(later, safe), []Decision{later, safe}, "", PhasePlanned, "ev_1"},
		{"paused without a decision", pausedCase(), nil, "", PhasePlanned, ""},
		{"pending, never paused", changeCase(PhaseChanging), []Decision{pending()}, "", PhasePaused, ""},
		{"still waiting", pausedCase(pending()), []Decision{pending()}, problem.WrongPhase, PhasePaused, ""},
		{"nothing to do", changeCase(PhaseChanging), []Decision{safe}, problem.WrongPhase, PhaseChanging, ""},
		{"pending, ended", changeCase(PhaseAbandoned), []Decision{pending()}, problem.WrongPhase, PhaseAbandoned, ""},
	}
	for _, tt := range tests {
		got, err := ResumeDecision(tt.c, tt.all, counter(), start())
		if tt.c.Status != tt.phase {
			t.Errorf("%s: phase %s, want %s", tt.name, tt.c.Status, tt.phase)
		}
		if tt.want != "" {
			refused(t, err, tt.want)
			continue
		}
		id := ""
		if got.Evidence != nil {
			id = got.Evidence.ID
		}
		if err != nil || len(got.Events) != 1 || id != tt.evidence {
			t.Errorf("%s: change %+v, evidence %q, error %v; want %q", tt.name, got, id, err, tt.evidence)
		}
	}
}

func TestAnAnswerNotCarriedThroughIsFinishedBeforeTheNextQuestion(t *testing.T) {
	t.Parallel()
	safe := answered(pending(), "safe", "maria")
	_, err := RequestDecision(pausedCase(safe), []Decision{safe}, DecisionRequest{Question: "Next?", Options: twoOptions()}, "dec_2", start())
	if step := refused(t, err, problem.WrongPhase).Next[0]; step.Args["resume"] != true {
		t.Errorf("step %+v does not resume", step)
	}
}

func TestTheRecordOfASensitiveDecisionIsSensitive(t *testing.T) {
	t.Parallel()
	d := pending()
	d.Sensitive = true
	got, err := AnswerDecision(pausedCase(d), []Decision{d}, DecisionAnswer{"dec_1", "safe", "maria"}, counter(), start())
	if err != nil || got.Evidence.Sensitivity != SensitivitySensitive {
		t.Errorf("evidence %+v, error %v", got.Evidence, err)
	}
}

func TestEveryVerbRefusedWhilePausedLeadsToTheDecision(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"investigate", "plan", "begin-change", "verify", "remember", "resolve"} {
		p := refused(t, RequirePhase(pausedCase(pending()), verb), problem.WrongPhase)
		if s := p.Next[0]; s.Op != "decision answer" || s.Args["decisionId"] != "dec_1" || s.BlockedBy[0] != "pending human decision" {
			t.Errorf("%s: step %+v", verb, s)
		}
	}
}
