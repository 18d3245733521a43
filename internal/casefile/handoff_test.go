package casefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

const secretMark = "XSENSITIVEX"

// rendered stands in for the actions that a front makes of steps.
func rendered(steps []problem.Step) any { return steps }

func indented(t interface{ Fatalf(string, ...any) }, v any) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatalf("encode: %v", err)
	}
	return buf.String()
}

// verifiedCase is a completed case with one check and one claim about the bytes d1.
func verifiedCase() HandoffInput {
	c := changeCase(PhaseComplete)
	c.CompletedOn = &Completed{Revision: "head1", DirtyDigest: "d1", DigestMethod: DigestMethod}
	run := runOf("b1", "unit", StatusPassed, "d1")
	run.Counts = &Counts{Executed: 3, Passed: 3}
	run.Argv, run.Evidence = []string{"go", "test", "./..."}, []string{"ev_run"}
	receipts := []Receipt{runOf("b0", "unit", StatusFailed, "d0"), run, claimOf("b1", "add-sums", "calc.sh 2 3 prints 5", StatusPassed, "d1")}
	return HandoffInput{
		Case: c, Receipts: receipts, Judgement: Judge(c, receipts, bytesNow("head1", "d1")), Now: start(), Render: rendered,
		Plan:       &Plan{ChangeBoundary: c.ChangeBoundary, VerificationRequired: c.VerificationRequired, Uncertainty: "shell portability"},
		Hypotheses: []Hypothesis{{ID: "hyp_1", Statement: "add subtracts", Status: HypothesisConfirmed, Confidence: ConfidenceHigh, DisproveBy: Disproof{Note: "run test.sh"}}},
		Evidence: []Evidence{
			{ID: "ev_orientation_git", Kind: KindCodeLocation, Confidence: ConfidenceHigh, Source: Source{Tool: "git"}, Claim: "workspace repo on main"},
			{ID: "ev_gone", Kind: "tool_unavailable", Confidence: ConfidenceUnknown, Claim: "vecgrep is unavailable"},
			{ID: "ev_run", Kind: KindUnitTest, Confidence: ConfidenceHigh, Source: Source{Tool: "command"}, Claim: "unit passed"},
			{ID: "ev_secret", Kind: KindHumanReport, Sensitivity: SensitivitySensitive, Claim: secretMark},
			{ID: "ev_note", Kind: KindHumanReport, Confidence: ConfidenceMedium, Source: Source{Origin: "human"}, Claim: "the shell is dash"},
		},
	}
}

func TestHandoffOfAVerifiedCaseHasItsWholeProof(t *testing.T) {
	t.Parallel()
	h := NewHandoff(verifiedCase())
	if h.Verification.Outcome != OutcomeVerified || len(h.Receipts) != 2 || h.Receipts[0].Argv == nil || h.Receipts[1].ClaimID != "add-sums" {
		t.Errorf("got %s with the receipts %+v, want the run and the claim of b1", h.Verification.Outcome, h.Receipts)
	}
	if ids := evidenceIDs(h.Evidence); !slices.Equal(ids, []string{"ev_orientation_git", "ev_run", "ev_note"}) {
		t.Errorf("got evidence %v, want no sensitive one and none about tools", ids)
	}
	if !slices.Contains(h.Warnings, "sensitive records omitted from handoff: 1 evidence, 0 receipts, 0 decisions") || slices.Contains(h.Warnings, HandoffBounded) {
		t.Errorf("warnings are %q", h.Warnings)
	}
}

func evidenceIDs(list []HandoffEvidence) []string {
	return lines(list, func(e HandoffEvidence) string { return e.ID })
}

func TestHandoffKeepsProofWholeOrLeavesItOut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pad      int // bytes of notes on each of 20 more runs of the batch
		goal     int
		receipts int
		plan     bool
		warning  string
	}{
		"fits":                      {1000, 10, 22, true, ""},
		"fits beside cut texts":     {1000, 4000, 22, true, HandoffBounded},
		"fits beside the identity":  {3950, 10, 22, false, HandoffBounded},
		"does not fit the identity": {4075, 10, 0, false, HandoffNoProof},
		"does not fit":              {8000, 10, 0, false, HandoffNoProof},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := verifiedCase()
			in.Case.Goal = strings.Repeat("界", test.goal/3)
			for i := range 40 { // 20 KiB that only the identity is without
				in.Hypotheses = append(in.Hypotheses, Hypothesis{ID: fmt.Sprint(i), Statement: strings.Repeat("s", 500)})
			}
			var runs []Receipt
			for i := range 20 {
				run := runOf("b1", fmt.Sprintf("check%d", i), StatusPassed, "d1")
				run.Notes = strings.Repeat("n", test.pad)
				runs = append(runs, run)
			}
			in.Receipts = slices.Insert(in.Receipts, 1, runs...)
			in.Judgement = Judge(in.Case, in.Receipts, bytesNow("head1", "d1"))
			h := NewHandoff(in)
			if got := len(indented(t, h)); got > MaxProofHandoff {
				t.Errorf("the packet has %d bytes, the limit is %d", got, MaxProofHandoff)
			}
			if len(h.Receipts) != test.receipts {
				t.Fatalf("got %d receipts, want %d", len(h.Receipts), test.receipts)
			}
			if (h.Plan != nil) != test.plan {
				t.Errorf("the packet has a plan: %v, want %v", h.Plan != nil, test.plan)
			}
			if test.receipts > 0 && len(h.Receipts[0].Notes) != test.pad {
				t.Errorf("a receipt of the proof was cut to %d bytes", len(h.Receipts[0].Notes))
			}
			if test.warning != "" && !slices.Contains(h.Warnings, test.warning) {
				t.Errorf("warnings are %q, want %q", h.Warnings, test.warning)
			}
			if steps, _ := h.Actions.([]problem.Step); test.receipts == 0 && (len(steps) != 1 || steps[0].Op != "status") {
				t.Errorf("actions are %+v, want status", h.Actions)
			}
		})
	}
}

func TestHandoffDropsAClaimWhoseRunMayNotBeShown(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*HandoffInput){
		"sensitive run": func(in *HandoffInput) { in.Receipts[1].Sensitive = true },
		"missing run":   func(in *HandoffInput) { in.Receipts[1].BatchID = "b0" },
	} {
		in := verifiedCase()
		spoil(&in)
		h := NewHandoff(in)
		if len(h.Receipts) != 0 || !strings.Contains(strings.Join(h.Warnings, "\n"), "proof of 1 claim left out") {
			t.Errorf("%s: got receipts %+v and warnings %q", name, h.Receipts, h.Warnings)
		}
	}
}

func TestHandoffOfAnOpenCaseLeavesStaleReceiptsOut(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case = changeCase(PhaseVerifying)
	in.Judgement = Judge(in.Case, in.Receipts, bytesNow("head1", "d2"))
	in.Steps = NextSteps(in.Case, in.Judgement, start())
	h := NewHandoff(in)
	if len(h.Receipts) != 0 || h.Verification.Outcome == OutcomeVerified || h.Actions == nil {
		t.Errorf("got %d receipts, outcome %s, actions %v", len(h.Receipts), h.Verification.Outcome, h.Actions)
	}
}

func TestHandoffOfASensitiveDecisionSaysOnlyThatItWaits(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case = changeCase(PhasePlanned)
	in.Decisions = []Decision{
		{ID: "dec_1", Question: secretMark, Sensitive: true, Status: "answered"},
		{ID: "dec_2", Question: secretMark, Options: []DecisionOption{{ID: secretMark}}, Requester: secretMark, RequestedAt: start(), Sensitive: true, Status: "pending"},
	}
	in.Steps = []problem.Step{{Op: "status", Candidates: map[string][]string{"answer": {secretMark}}}}
	h := NewHandoff(in)
	want := `[{"id":"dec_2","requestedAt":"2026-03-04T05:06:07Z","status":"pending"}]`
	if got, err := json.Marshal(h.Decisions); err != nil || string(got) != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	if text := indented(t, h) + HandoffMarkdown(in, h, nil) + HandoffCompact(in, ""); strings.Contains(text, secretMark) {
		t.Errorf("a sensitive record is in\n%s", text)
	}
}

func TestHandoffStepsStayRightWhenTheyAreBounded(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case = changeCase(PhaseVerifying)
	in.Steps = []problem.Step{{
		Op: "verify", Args: map[string]any{"taskId": "task_1", "claims": []string{strings.Repeat("c", 3000)}}, Inputs: []string{"actor"},
		Candidates: map[string][]string{"claimSpecs": {strings.Repeat("l", 3000), "short"}},
	}}
	steps := NewHandoff(in).Actions.([]problem.Step)
	s := steps[0]
	if s.Args["claims"] != nil || s.Args["taskId"] != "task_1" || !slices.Equal(s.Inputs, []string{"actor", "claims"}) || !slices.Equal(s.Candidates["claimSpecs"], []string{"short"}) {
		t.Errorf("got %+v", s)
	}
}

func TestTopClaims(t *testing.T) {
	t.Parallel()
	ev := func(id string, c Confidence) Evidence { return Evidence{ID: id, Confidence: c, Kind: KindCodeLocation} }
	evidence := []Evidence{
		ev("old-high", ConfidenceHigh), ev("low-proven", ConfidenceLow), ev("high-failed", ConfidenceHigh), ev("ev_orientation_git", ConfidenceHigh),
		{ID: "tool", Kind: "tool_unavailable", Confidence: ConfidenceHigh}, {ID: "secret", Confidence: ConfidenceHigh, Sensitivity: SensitivitySensitive},
		ev("medium", ConfidenceMedium), ev("odd", "sure"), ev("unknown", ConfidenceUnknown), ev("new-high", ConfidenceHigh), ev("low", ConfidenceLow),
	}
	receipt := func(status ReceiptStatus, binding Binding, refs ...string) Receipt {
		return Receipt{ID: "r_" + refs[0], Status: status, Binding: binding, Evidence: refs, DigestMethod: DigestMethod}
	}
	receipts := []Receipt{
		receipt(StatusPassed, Bound, "low-proven"), receipt(StatusFailed, Bound, "high-failed"), receipt(StatusPassed, Unbound, "low"), receipt(StatusPassed, Bound, "medium"),
	}
	got := lines(TopClaims(evidence, receipts, Judgement{Stale: []string{"r_medium"}}), func(e Evidence) string { return e.ID })
	want := []string{"low-proven", "new-high", "high-failed", "old-high", "medium"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// giant is a text of up to a few KiB with characters of every length.
func giant() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		word := rapid.SampledFrom([]string{"a", "é", "界", "🙂", "\x01", "\"", "<", "\n", "\xff", "`"}).Draw(t, "char")
		return strings.Repeat(word, rapid.IntRange(0, 3000).Draw(t, "length"))
	})
}

func TestHandoffIsAlwaysBoundedAndNeverSensitive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawHandoff(t)
		h := NewHandoff(in)
		text := indented(t, h)
		most := MaxHandoff
		if in.Case.Status == PhaseComplete && in.Judgement.Outcome == OutcomeVerified {
			most = MaxProofHandoff
		}
		if len(text) > most || !utf8.ValidString(text) || !json.Valid([]byte(text)) {
			t.Fatalf("%d bytes of %d, UTF-8 %v, JSON %v", len(text), most, utf8.ValidString(text), json.Valid([]byte(text)))
		}
		pr := PullRequest(PullRequestInput{HandoffInput: in, Seen: true, Changed: slices.Repeat([]string{in.Case.Goal}, 300)})
		for name, one := range map[string]struct {
			text string
			most int
		}{"packet": {text, most}, "markdown": {HandoffMarkdown(in, h, []string{in.Case.Goal}), MaxHandoff}, "compact": {HandoffCompact(in, in.Case.Goal), MaxHandoff}, "pr": {pr, MaxHandoffPR}} {
			if len(one.text) > one.most || !utf8.ValidString(one.text) || strings.Contains(one.text, secretMark) {
				t.Fatalf("%s: %d bytes of %d, UTF-8 %v, sensitive %v", name, len(one.text), one.most, utf8.ValidString(one.text), strings.Contains(one.text, secretMark))
			}
		}
	})
}

func drawHandoff(t *rapid.T) HandoffInput {
	text := func(label string) string { return giant().Draw(t, label) }
	many := func(label string, most int) int {
		return rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(most/2, most)).Draw(t, label)
	}
	in := verifiedCase()
	c := in.Case
	if rapid.Bool().Draw(t, "open") {
		c.Status = PhaseVerifying
	}
	c.Goal, c.Workspace.Root, c.ChangeBoundary.Reason, in.Plan.Uncertainty = text("goal"), text("root"), text("reason"), text("uncertainty")
	c.ChangeBoundary.Files, c.ChildTaskIDs = slices.Repeat([]string{text("file")}, many("files", 512)), slices.Repeat([]string{text("child")}, many("children", 100))
	in.Hypotheses = slices.Repeat([]Hypothesis{{ID: text("id"), Statement: text("statement"), Supports: slices.Repeat([]string{text("support")}, many("supports", 256))}}, many("hypotheses", 64))
	in.Plan.Hypotheses = in.Hypotheses
	in.Evidence = append(in.Evidence, slices.Repeat([]Evidence{{ID: "ev_2", Claim: text("claim"), Source: Source{Tool: text("tool")}}}, many("evidence", 40))...)
	var spoiled Receipt
	for i := range many("receipts", 60) {
		x := runOf("b1", fmt.Sprint(i), StatusPassed, "d1")
		x.Notes, x.Exclusions = text("notes"), slices.Repeat([]string{text("exclusion")}, many("exclusions", 60))
		in.Receipts = append(in.Receipts, x)
	}
	if rapid.Bool().Draw(t, "sensitive receipt") {
		spoiled = claimOf("b1", "", secretMark, StatusInconclusive, "d1")
		spoiled.Sensitive, spoiled.Notes = true, secretMark
		in.Receipts = append(in.Receipts, spoiled)
	}
	option := DecisionOption{ID: "o", Label: text("label"), Consequence: text("consequence")}
	in.Decisions = slices.Repeat([]Decision{{ID: "dec_1", Question: text("question"), Options: slices.Repeat([]DecisionOption{option}, 16)}}, many("decisions", 40))
	in.Decisions = append(in.Decisions, Decision{ID: "dec_2", Question: secretMark, Sensitive: true, Status: rapid.SampledFrom([]string{"pending", "answered"}).Draw(t, "status")})
	in.Warnings = slices.Repeat([]string{text("warning")}, many("warnings", 60))
	in.Judgement = Judge(c, in.Receipts, bytesNow("head1", "d1"))
	in.Steps = NextSteps(c, in.Judgement, start())
	return in
}

func TestHandoffCutsTextsAtACharacterAndSaysSo(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case.Goal = strings.Repeat("界", 1000)
	h := NewHandoff(in)
	if want := strings.Repeat("界", 682) + "…"; h.Goal != want || !slices.Contains(h.Warnings, HandoffBounded) {
		t.Errorf("the goal has %d bytes and ends in %q, want %d; warnings %q", len(h.Goal), h.Goal[len(h.Goal)-6:], len(want), h.Warnings)
	}
}
