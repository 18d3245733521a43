package caseops

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/testkit"
)

func TestVerbsKeepTheirBudgetOfSyncsAndProcesses(t *testing.T) {
	t.Parallel()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "git.log")
	dir := testkit.FakeTool(t, "git", `echo x >> "`+log+`"; exec "`+real+`" "$@"`)
	d := newDesk(t, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx := t.Context()
	for _, verb := range []struct {
		name      string
		syncs     int64 // of a store that is there already
		processes int
		run       func()
	}{
		{"first open", 20, 4, func() {
			d.must(d.Open(ctx, OpenInput{Terms: Terms{Goal: "first", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
			d.must(d.Abort(ctx, AbortInput{Reason: "only the first case of a store makes its directories"}))
		}},
		{"open", 8, 4, func() {
			d.must(d.Open(ctx, OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeChange, Risk: casefile.RiskLow}}))
		}},
		{"investigate", 8, 4, func() { d.must(d.Investigate(ctx, InvestigateInput{Question: "where is one"})) }},
		{"plan", 8, 3, func() { d.must(d.Plan(ctx, onePlan())) }},
		{"begin-change", 8, 3, func() { d.must(d.BeginChange(ctx, BeginChangeInput{Actor: "a"})) }},
		{"note", 2, 3, func() { d.must(d.Note(ctx, NoteInput{Claim: "c", Confidence: "medium"})) }},
		{"note that cites", 8, 3, func() { d.must(d.Note(ctx, NoteInput{Claim: "c", Confidence: "medium", URI: "https://example.com/a"})) }},
		{"verify", 8, 8, func() { d.repo.Write("a.txt", "two\n"); d.must(d.Verify(ctx, VerifyInput{})) }},
		{"verify again", 8, 8, func() { d.must(d.Verify(ctx, VerifyInput{})) }},
		{"note on a judged case", 2, 3, func() { d.must(d.Note(ctx, NoteInput{Claim: "c", Confidence: "medium"})) }},
		{"status", 0, 3, func() { d.must(d.Status(ctx, StatusInput{})) }},
		{"status after a commit", 0, 3, func() { d.repo.Commit("second"); resetLog(t, log); d.must(d.Status(ctx, StatusInput{})) }},
		{"show", 0, 3, func() { d.must(d.Show(ctx, ShowInput{})) }},
		{"handoff", 0, 3, func() { d.must(d.Handoff(ctx, HandoffInput{})) }},
		{"handoff for a pull request", 0, 3, func() { d.must(d.Handoff(ctx, HandoffInput{PR: true})) }},
		{"remember", 8, 4, func() { d.must(d.Remember(ctx, RememberInput{Outcome: "done"})) }},
	} {
		d.syncs.Take()
		resetLog(t, log)
		verb.run()
		files, dirs := d.syncs.Take()
		if verb.syncs > 0 && files == 0 {
			t.Errorf("%s: nothing was synced before it answered", verb.name)
		}
		if files+dirs > verb.syncs {
			t.Errorf("%s: %d syncs of files and %d of directories, at most %d in all", verb.name, files, dirs, verb.syncs)
		}
		if got := countLog(t, log); got > verb.processes {
			t.Errorf("%s: %d git processes, at most %d", verb.name, got, verb.processes)
		}
	}
}

func resetLog(t *testing.T, log string) {
	t.Helper()
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func countLog(t *testing.T, log string) int {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(data), "x")
}
