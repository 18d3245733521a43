package casefile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// verdictModel is a case whose checks run again and again on changing bytes, with what each run really said.
type verdictModel struct {
	c        *Case
	facts    VerifyFacts
	newID    func(string) string
	spec     map[string]string
	receipts []Receipt
	said     []CheckRun
	about    []string // bytes that each of said was about, "" when they changed meanwhile
	log      []string
}

func newVerdictModel(t *rapid.T) *verdictModel {
	m := &verdictModel{newID: counter(), spec: map[string]string{"a.yml": "1", "b.yml": "1"}}
	m.c, m.facts = flowCase()
	m.c.Surfaces = append(m.c.Surfaces, SurfaceBrowser, SurfaceArtifact)
	m.c.AcceptanceCriteria = []Criterion{{ID: "k1", Statement: "one"}, {ID: "k2", Statement: "two"}}[:rapid.IntRange(0, 2).Draw(t, "criteria")]
	m.c.VerificationRequired = rapid.SampledFrom([][]string{
		nil, {RequireTerminal}, {"command:unit"}, {"command:unit", RequireTerminal}, {RequireReview, RequireBrowser}, {RequireArtifact, "command:unit"},
	}).Draw(t, "required")
	m.facts.State.Flow = func(_, spec string) string { return "sha256:" + spec + m.spec[spec] }
	m.facts.State.Checks = map[string]string{"unit": "1"}
	return m
}

func (m *verdictModel) edit(t *rapid.T) {
	switch rapid.IntRange(0, 6).Draw(t, "event") {
	case 0:
		m.facts.State.Digest = rapid.SampledFrom([]string{"d1", "d2"}).Draw(t, "bytes")
	case 1:
		m.spec[rapid.SampledFrom([]string{"a.yml", "b.yml"}).Draw(t, "spec")] = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "text")
	case 2:
		m.facts.State.Checks["unit"] = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "configured")
	}
}

func drawVerify(t *rapid.T) VerifyInput {
	some := func(label string, list ...[]string) []string {
		return rapid.SampledFrom(append(list, nil, nil)).Draw(t, label)
	}
	in := VerifyInput{
		FromPlan: rapid.IntRange(0, 3).Draw(t, "from plan") == 0, Stale: rapid.IntRange(0, 3).Draw(t, "stale") == 0, NoAutoSpecs: rapid.Bool().Draw(t, "no auto"),
		TerminalSpecs: some("terminal", []string{"a.yml"}, []string{"b.yml"}, []string{"a.yml", "b.yml"}), BrowserSpecs: some("browser", []string{"a.yml"}),
		ArtifactRef: rapid.SampledFrom([]string{"", "fc_1"}).Draw(t, "artifact"), Only: some("only", []string{"unit"}, []string{RequireTerminal}, []string{RequireBrowser, "unit"}),
	}
	for _, claim := range []ClaimSpec{
		{ID: "c1", Statement: "it greets", Surface: SurfaceTerminal, Contract: rapid.SampledFrom([]string{"a.yml", "b.yml"}).Draw(t, "contract")},
		{ID: "k1", Statement: "one", Surface: SurfaceCode, Verifier: "command:unit", Contract: "unit"}, {ID: "k2", Statement: "two", Surface: SurfaceTerminal, Contract: "a.yml"},
	} {
		if rapid.IntRange(0, 2).Draw(t, claim.ID) == 0 {
			in.Claims = append(in.Claims, claim)
		}
	}
	return in
}

// verify plans, runs with drawn verdicts, and keeps receipts.
func (m *verdictModel) verify(t *rapid.T) {
	in := drawVerify(t)
	m.facts.Selected = map[string]Selection{}
	for _, tool := range SelectFlows(m.c, m.receipts, in, m.facts) {
		m.facts.Selected[tool] = Selection{Specs: rapid.SampledFrom([][]string{nil, {"a.yml"}, {"a.yml", "b.yml"}}).Draw(t, "chosen")}
	}
	plan, err := PlanVerification(m.c, m.receipts, in, m.facts)
	if err != nil || plan.UpToDate {
		return
	}
	verdict := func(check string) ReceiptStatus {
		return rapid.SampledFrom([]ReceiptStatus{StatusPassed, StatusPassed, StatusFailed, StatusInconclusive, StatusBlocked}).Draw(t, check)
	}
	var runs []CheckRun
	for _, check := range plan.Checks {
		runs = append(runs, CheckRun{Check: check, Status: verdict(check.Name), CheckDigest: m.facts.State.Checks[check.Name], At: start()})
	}
	for _, check := range plan.Tools {
		run := flowRun(check.Tool, check.Contract, verdict(check.Label()))
		run.Claim, run.CheckDigest = check.Label(), m.digest(check.Tool, check.Contract)
		runs = append(runs, run)
	}
	b := boundBatch()
	b.ID, b.NewID, b.Before, b.After = m.newID("vb"), m.newID, m.facts.State, m.facts.State
	about := m.facts.State.Digest
	if rapid.IntRange(0, 7).Draw(t, "edited meanwhile") == 0 {
		b.After.Digest, about = "dx", ""
	}
	for _, run := range runs {
		m.said, m.about = append(m.said, run), append(m.about, about)
		m.log = append(m.log, fmt.Sprintf("%s%s %s: %s (%q)", run.Requirement, run.Contract, run.CheckDigest, run.Status, about))
	}
	more, _ := Receipts(plan, runs, b)
	m.receipts = append(m.receipts, more...)
}

func (m *verdictModel) digest(tool, contract string) string {
	if s, _ := specialistOf(tool); s.flow() {
		return m.facts.State.Flow(tool, contract)
	}
	return ""
}

// last is the newest verdict that a run of the requirement, and of the contract unless it is "", reached about the present
// bytes, spec and configuration; "" when there is none.
func (m *verdictModel) last(requirement, contract string) ReceiptStatus {
	for i, run := range slices.Backward(m.said) {
		now := m.digest(run.Tool, run.Contract)
		if run.Name == "unit" {
			now = m.facts.State.Checks["unit"]
		}
		if run.Requirement == requirement && (contract == "" || run.Contract == contract) && m.about[i] == m.facts.State.Digest && run.CheckDigest == now &&
			(run.Status == StatusPassed || run.Status == StatusFailed) {
			return run.Status
		}
	}
	return ""
}

// TestVerifiedMeansThatTheLastVerdictsPassed draws calls, edits and verdicts: a verified case has a pass behind each
// requirement and each claim about the present bytes, and no check whose last verdict about them is a failure.
func TestVerifiedMeansThatTheLastVerdictsPassed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newVerdictModel(t)
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			m.edit(t)
			m.verify(t)
			if Judge(m.c, m.receipts, &m.facts.State).Outcome != OutcomeVerified {
				continue
			}
			for _, requirement := range m.c.VerificationRequired {
				if got := m.last(requirement, ""); got != StatusPassed {
					t.Fatalf("verified, and the last verdict of %s is %q:\n%s", requirement, got, strings.Join(m.log, "\n"))
				}
			}
			for _, r := range latest(m.receipts, PurposeClaim, claimKey) {
				requirement := r.Tool
				if s, ok := specialistOf(r.Tool); ok {
					requirement = s.requirement
				} else {
					r.Contract = "" // a command's is its name
				}
				if r.DirtyDigest == m.facts.State.Digest && r.Binding == Bound && m.last(requirement, r.Contract) != StatusPassed {
					t.Fatalf("verified, and the check of claim %s did not pass last:\n%s", r.ClaimID, strings.Join(m.log, "\n"))
				}
			}
			for _, run := range m.said {
				if run.Contract != "" && m.last(run.Requirement, run.Contract) == StatusFailed {
					t.Fatalf("verified, and %s failed last:\n%s", run.Contract, strings.Join(m.log, "\n"))
				}
			}
		}
	})
}

// TestAFailureIsReplacedByAVerdictOnly holds that neither a run that says nothing, nor one about unknown or other bytes, hides
// that a flow failed about the present ones.
func TestAFailureIsReplacedByAVerdictOnly(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status ReceiptStatus // of the run between the failure and the last call
		before string        // bytes of it
		after  string
		want   Outcome
	}{
		"blocked":             {StatusBlocked, "d1", "d1", OutcomeFailed},
		"without a verdict":   {StatusInconclusive, "d1", "d1", OutcomeFailed},
		"passed, but edited":  {StatusPassed, "d1", "d2", OutcomeFailed},
		"passed, other bytes": {StatusPassed, "d2", "d2", OutcomeFailed},
		"passed":              {StatusPassed, "d1", "d1", OutcomeVerified},
	} {
		c, facts := flowCase()
		c.AcceptanceCriteria, c.VerificationRequired = nil, []string{"command:unit"}
		var receipts []Receipt
		verify := func(in VerifyInput, flow ReceiptStatus, before, after string) {
			facts.State.Digest = before
			plan, err := PlanVerification(c, receipts, in, facts)
			if err != nil {
				t.Fatal(err)
			}
			runs := []CheckRun{unitRun(StatusPassed)}
			for _, check := range plan.Tools {
				runs = append(runs, flowRun(check.Tool, check.Contract, flow))
			}
			b := boundBatch()
			b.ID, b.Before.Digest, b.After.Digest = fmt.Sprint("vb_", len(receipts)), before, after
			more, _ := Receipts(plan, runs, b)
			receipts = append(receipts, more...)
		}
		named := VerifyInput{TerminalSpecs: []string{"a.yml"}}
		verify(named, StatusFailed, "d1", "d1")
		verify(named, tt.status, tt.before, tt.after)
		if got := Judge(c, receipts, &facts.State).Outcome; tt.before == "d1" && tt.after == "d1" && got != tt.want {
			t.Errorf("%s: %s after it, want %s", name, got, tt.want)
		}
		for range 3 {
			verify(VerifyInput{NoAutoSpecs: true}, "", "d1", "d1")
		}
		if got := Judge(c, receipts, &facts.State).Outcome; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if notes := receipts[len(receipts)-1].Notes; strings.Count(notes, noteCarried) > 1 {
			t.Errorf("%s: carried again and again: %q", name, notes)
		}
	}
}
