package caseops

import (
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/verifier"
)

const cleanReview = `{"schema_version":1,"project":"p","mode":"working","depth":3,"is_repo":true,"indexed":true,` +
	`"changed_files":[{"path":"add.go","status":"M","symbols":0}],"changed_symbols":[],"blast_radius":[],"covering_tests":[],"untested_symbols":[],"stale":false}`

func TestCodemapReviewsWhereItSeesTheSameChange(t *testing.T) {
	t.Parallel()
	swap := func(old, new string) string { return says(strings.Replace(cleanReview, old, new, 1), 0) }
	for name, tt := range map[string]struct {
		body string
		tool string
		want casefile.ReceiptStatus
		note string
	}{
		"clean":                  {says(cleanReview, 0), "codemap", casefile.StatusPassed, ""},
		"low risk":               {swap(`"stale":false`, `"stale":false,"risk":{"level":"low","score":0.1}`), "codemap", casefile.StatusPassed, ""},
		"high risk":              {swap(`"stale":false`, `"stale":false,"risk":{"level":"high","score":0.9}`), "codemap", casefile.StatusInconclusive, "diff risk: high"},
		"a risk of another kind": {swap(`"stale":false`, `"stale":false,"risk":{"level":"none","score":0}`), "codemap", casefile.StatusInconclusive, "none"},
		"stale":                  {swap(`"stale":false`, `"stale":true`), "codemap", casefile.StatusInconclusive, "stale"},
		"not indexed":            {swap(`"indexed":true`, `"indexed":false`), "codemap", casefile.StatusInconclusive, "index"},
		"a later schema":         {swap(`"schema_version":1`, `"schema_version":2`), "codemap", casefile.StatusInconclusive, "schema"},
		"a renamed member":       {swap(`"changed_files"`, `"files"`), "codemap", casefile.StatusInconclusive, "changed_files"},
		"it sees another file":   {swap(`add.go`, `other.go`), "codemap", casefile.StatusInconclusive, "does not list what git says changed: add.go"},
		"it sees no change":      {swap(`{"path":"add.go","status":"M","symbols":0}`, ""), "codemap", casefile.StatusInconclusive, "add.go"},
		"no index at all":        {says(`{"ok":false,"code":"index_missing","error":"no index"}`, 3), "code", casefile.StatusInconclusive, "names alone"},
		"broken":                 {"echo oops >&2; exit 1", "code", casefile.StatusInconclusive, "names alone"},
		"not there":              {"", "code", casefile.StatusInconclusive, "names alone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := map[string]string{"codemap": tt.body}
			if tt.body == "" {
				tools = nil
			}
			o := newObserved(t, tools, casefile.RequireReview)
			o.repo.Write("add.go", "package b\n")
			out := o.verify(VerifyInput{})
			r := out.Receipts[0]
			if r.Tool != tt.tool || r.Status != tt.want || !strings.Contains(r.Notes, tt.note) || r.Requirement != casefile.RequireReview {
				t.Errorf("receipt %+v, want %s by %s and %q", r, tt.want, tt.tool, tt.note)
			}
			if !strings.Contains(out.Summary, "; codemap_review "+string(tt.want)+";") {
				t.Errorf("summary %q", out.Summary)
			}
			if verified := out.Outcome == casefile.OutcomeVerified; verified != (tt.want == casefile.StatusPassed) {
				t.Errorf("%s", out.Outcome)
			}
			if warned := strings.Contains(strings.Join(out.Warnings, "\n"), "codemap could not review"); warned != (tt.tool == "code" && tt.body != "") {
				t.Errorf("warnings %q", out.Warnings)
			}
		})
	}
}

func TestCodemapIsAskedSinceTheBaseWhenSomethingWasCommitted(t *testing.T) {
	t.Parallel()
	o := newObserved(t, map[string]string{"codemap": says(strings.Replace(cleanReview, "working", "since", 1), 0)}, casefile.RequireReview)
	base := o.repo.Git("rev-parse", "HEAD")
	o.repo.Write("add.go", "package b\n")
	o.repo.Commit("second")
	out := o.verify(VerifyInput{})
	if got := o.asked(); got != "codemap review --json --since "+strings.TrimSpace(base) || out.Outcome != casefile.OutcomeVerified {
		t.Errorf("%s, asked %q", out.Outcome, got)
	}
	if claim := out.Facts[0].Claim; claim != "diff touches 1 file and 0 symbols; 0 covering tests to run" {
		t.Errorf("claim %q", claim)
	}
}

func TestAReviewThatListsNothingOfTheChangeProvesNothing(t *testing.T) {
	t.Parallel()
	for listed, want := range map[string]casefile.ReceiptStatus{
		"": casefile.StatusInconclusive, `{"path":"b.txt","status":"M","symbols":0}`: casefile.StatusInconclusive, `{"path":"a.txt","status":"M","symbols":0}`: casefile.StatusPassed,
	} {
		o := newObserved(t, map[string]string{"codemap": says(strings.Replace(cleanReview, `{"path":"add.go","status":"M","symbols":0}`, listed, 1), 0)}, casefile.RequireReview)
		if r := o.verify(VerifyInput{}).Receipts[0]; r.Status != want || strings.Contains(r.Notes, "git says changed: a.txt") != (want == casefile.StatusInconclusive) {
			t.Errorf("lists %q: %s (%s), want %s", listed, r.Status, r.Notes, want)
		}
	}
}

func TestAnAdvisoryReviewIsCodemapsOrNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body     string
		receipts int
	}{
		"clean":   {says(strings.Replace(cleanReview, "add.go", "a.txt", 1), 0), 2},
		"partial": {says(strings.Replace(cleanReview, `"stale":false`, `"stale":true`, 1), 0), 2},
		"broken":  {"exit 1", 1},
		"none":    {"", 1},
	} {
		tools := map[string]string{"codemap": tt.body}
		if tt.body == "" {
			tools = nil
		}
		o := newObserved(t, tools, "command:unit")
		out := o.verify(VerifyInput{})
		if out.Outcome != casefile.OutcomeVerified || len(out.Receipts) != tt.receipts {
			t.Errorf("%s: %s, receipts %+v", name, out.Outcome, out.Receipts)
		}
		o.check = func(c verifier.Check) verifier.Run {
			one := 1
			return verifier.Run{Argv: c.Argv, Status: verifier.Failed, Counts: &verifier.Counts{Executed: 1, Failed: 1}, Exit: &one}
		}
		if out := o.verify(VerifyInput{}); out.Outcome != casefile.OutcomeFailed {
			t.Errorf("%s: %s although the test failed", name, out.Outcome)
		}
		if out := o.verify(VerifyInput{Only: []string{"unit"}}); strings.Contains(out.Summary, "codemap_review") && tt.receipts == 1 {
			t.Errorf("%s: %s", name, out.Summary)
		}
	}
}
