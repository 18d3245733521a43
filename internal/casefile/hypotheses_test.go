package casefile

import (
	"slices"
	"strings"
	"testing"

	"cortex/internal/problem"
)

func hypothesis() []Hypothesis {
	return []Hypothesis{{ID: "hyp_1", Statement: "add subtracts", Supports: []string{"ev_1"}, Confidence: ConfidenceMedium, Status: HypothesisActive}}
}

func resolve(in Resolution) ([]Hypothesis, Evidence, error) {
	return Resolve(changeCase(PhaseVerifying), hypothesis(), in, func(id string) bool { return id == "ev_1" || id == "ev_2" }, counter(), start())
}

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status     HypothesisStatus
		cited      []string
		confidence Confidence // of the hypothesis
		evidence   Confidence
		supports   string
	}{
		{HypothesisConfirmed, nil, ConfidenceHigh, ConfidenceHigh, "ev_1 ev_1new"},
		{HypothesisConfirmed, []string{"ev_2", "ev_1"}, ConfidenceHigh, ConfidenceHigh, "ev_1 ev_2"},
		{HypothesisRejected, []string{"ev_2"}, ConfidenceLow, ConfidenceLow, "ev_1"},
		{HypothesisChallenged, nil, ConfidenceMedium, ConfidenceMedium, "ev_1"},
	}
	for _, tt := range tests {
		got, ev, err := Resolve(changeCase(PhaseVerifying), hypothesis(), Resolution{"hyp_1", tt.status, " the test passes ", tt.cited, "agent-a"},
			func(string) bool { return true }, func(p string) string { return p + "_1new" }, start())
		if err != nil {
			t.Fatal(err)
		}
		h := got[0]
		if h.Status != tt.status || h.Confidence != tt.confidence || strings.Join(h.Supports, " ") != tt.supports {
			t.Errorf("%s citing %q: %+v, want %+v", tt.status, tt.cited, h, tt)
		}
		want := "hypothesis hyp_1 " + string(tt.status) + " (was active): the test passes"
		if ev.Claim != want || ev.Confidence != tt.evidence || ev.Kind != KindHumanReport || ev.Source.Tool != "human" || ev.Source.Actor != "agent-a" ||
			ev.RawRef != "case://task_06H2VPRM4KDG25WQ/evidence/ev_1new" || !slices.Equal(ev.DerivedFrom, tt.cited) {
			t.Errorf("%s: evidence %+v, want the claim %q", tt.status, ev, want)
		}
	}
}

func TestResolveRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   Resolution
		code problem.Code
	}{
		{"unknown hypothesis", Resolution{HypothesisID: "hyp_2", Status: HypothesisConfirmed, Reason: "x"}, problem.HypothesisNotFound},
		{"unknown status", Resolution{HypothesisID: "hyp_1", Status: "maybe", Reason: "x"}, problem.InvalidInput},
		{"back to active", Resolution{HypothesisID: "hyp_1", Status: HypothesisActive, Reason: "x"}, problem.InvalidInput},
		{"no reason", Resolution{HypothesisID: "hyp_1", Status: HypothesisConfirmed}, problem.InvalidInput},
		{"long reason", Resolution{HypothesisID: "hyp_1", Status: HypothesisConfirmed, Reason: strings.Repeat("x", MaxText+1)}, problem.TooLarge},
		{"unknown evidence", Resolution{HypothesisID: "hyp_1", Status: HypothesisConfirmed, Reason: "x", Evidence: []string{"ev_9"}}, problem.EvidenceNotFound},
		{"much evidence", Resolution{HypothesisID: "hyp_1", Status: HypothesisConfirmed, Reason: "x", Evidence: slices.Repeat([]string{"ev_1"}, 257)}, problem.TooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := resolve(tt.in)
			if p := refused(t, err, tt.code); p.Next[0].Op != "resolve" {
				t.Errorf("steps %+v, want resolve", p.Next)
			}
		})
	}
	again := hypothesis()
	again[0].Status = HypothesisRejected
	_, _, err := Resolve(changeCase(PhaseVerifying), again, Resolution{HypothesisID: "hyp_1", Status: HypothesisRejected, Reason: "x"}, nil, counter(), start())
	refused(t, err, problem.HypothesisUnchanged)
	_, _, err = Resolve(changeCase(PhaseComplete), hypothesis(), Resolution{}, nil, counter(), start())
	refused(t, err, problem.WrongPhase)
	_, _, err = Resolve(changeCase(PhaseInvestigating), nil, Resolution{HypothesisID: "hyp_1"}, nil, counter(), start())
	refused(t, err, problem.HypothesisNotFound)
}

func TestResolveDoesNotChangeItsInput(t *testing.T) {
	t.Parallel()
	in := hypothesis()
	in[0].Supports = append(make([]string, 0, 8), "ev_1")
	_, _, err := Resolve(changeCase(PhaseVerifying), in, Resolution{HypothesisID: "hyp_1", Status: HypothesisConfirmed, Reason: "x"}, nil, counter(), start())
	if err != nil || in[0].Status != HypothesisActive || in[0].Supports[:2][1] != "" {
		t.Errorf("input %+v, error %v", in, err)
	}
}

func TestSupportsAreBounded(t *testing.T) {
	t.Parallel()
	in := hypothesis()
	for i := range MaxSupports {
		in[0].Supports = append(in[0].Supports, strings.Repeat("x", i))
	}
	_, _, err := Resolve(changeCase(PhaseVerifying), in, Resolution{HypothesisID: "hyp_1", Status: HypothesisConfirmed, Reason: "x"}, nil, counter(), start())
	refused(t, err, problem.LimitReached)
}

func TestUnresolved(t *testing.T) {
	t.Parallel()
	got := Unresolved([]Hypothesis{{ID: "a", Status: HypothesisActive}, {ID: "b", Status: HypothesisConfirmed}, {ID: "c", Status: HypothesisChallenged}, {ID: "d", Status: HypothesisRejected}})
	if len(got) != 2 || got[0].ID != "a" || got[1].ID != "c" {
		t.Errorf("got %+v", got)
	}
}

func TestConfidence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, kind, resolution string
		errored                bool
		want                   Confidence
	}{
		{"vecgrep", KindCodeLocation, "", false, ConfidenceLow},
		{"git", KindCodeLocation, "grep", false, ConfidenceLow},
		{"git", KindCodeLocation, "", false, ConfidenceHigh},
		{"code", KindCodeLocation, "", false, ConfidenceLow},
		{"codemap", KindCodeGraph, "resolved", false, ConfidenceHigh},
		{"codemap", KindCodeGraph, "name", false, ConfidenceMedium},
		{"codemap", KindCodeGraph, "none", false, ConfidenceLow},
		{"codemap", KindCodeGraph, "", false, ConfidenceHigh},
		{"codemap", KindCodeLocation, "", false, ConfidenceMedium},
		{"codemap", "semantic_search", "", false, ConfidenceLow},
		{"command", KindUnitTest, "", false, ConfidenceHigh},
		{"command", KindUnitTest, "", true, ConfidenceMedium},
		{"glyphrun", "terminal_run", "", false, ConfidenceHigh},
		{"vecgrep", "tool_unavailable", "", false, ConfidenceUnknown},
	}
	for _, tt := range tests {
		if got := FactConfidence(tt.tool, tt.kind, tt.resolution, tt.errored); got != tt.want {
			t.Errorf("FactConfidence(%q, %q, %q, %v) = %s, want %s", tt.tool, tt.kind, tt.resolution, tt.errored, got, tt.want)
		}
	}
	for given, want := range map[Confidence]Confidence{"": ConfidenceMedium, ConfidenceLow: ConfidenceLow, ConfidenceMedium: ConfidenceMedium} {
		if got, err := NoteConfidence(given); got != want || err != nil {
			t.Errorf("NoteConfidence(%q) = %s, %v; want %s", given, got, err, want)
		}
	}
	_, err := NoteConfidence(ConfidenceHigh)
	refused(t, err, problem.InvalidInput)
}
