package casefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares a rendered text with testdata/handoff/NAME.md.
func golden(t *testing.T, name, got string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", "handoff", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s.md (-want +got):\n%s\nwhole text:\n%s", name, diff, got)
	}
}

func TestHandoffMarkdown(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case.ParentTaskID, in.Case.ChildTaskIDs = "task_parent", []string{"task_child"}
	in.Case.ChangeBoundary.Reason = "the fault is there"
	leased(in.Case, "agent-a")
	in.Decisions = []Decision{
		{ID: "dec_1", Question: "which `shell`", Status: "pending", Options: []DecisionOption{{"dash", "Dash", "small"}, {"bash", "Bash", "large"}}},
		{ID: "dec_2", Question: "# really?", Status: "answered", Answer: "yes"},
	}
	golden(t, "packet", HandoffMarkdown(in, NewHandoff(in), []string{"cortex status task_1"}))
}

func TestHandoffCompact(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case = changeCase(PhaseVerifying)
	in.Judgement = Judge(in.Case, in.Receipts, bytesNow("head1", "d2"))
	in.Hypotheses[0].Status = HypothesisActive
	for range 3 {
		in.Hypotheses = append(in.Hypotheses, in.Hypotheses[0])
	}
	in.Warnings = append(in.Judgement.Warnings, "second", "third")
	golden(t, "compact", HandoffCompact(in, "cortex verify task_1"))
}

func TestPullRequest(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case.AcceptanceCriteria = append(in.Case.AcceptanceCriteria, Criterion{ID: "docs", Statement: "the page <!-- says so"})
	lint := runOf("b1", "lint", StatusPassed, "d1")
	lint.Argv, lint.Exclusions, lint.DurationMS = []string{"lint", "-run", "a b", "it's `all`", ""}, []string{"ignored files"}, 1500
	secret := runOf("b1", "secret", StatusPassed, "d1")
	secret.Sensitive, secret.Claim = true, secretMark
	in.Receipts = append(in.Receipts, lint, secret)
	in.Judgement = Judge(in.Case, in.Receipts, bytesNow("head1", "d1"))
	golden(t, "pr", PullRequest(PullRequestInput{HandoffInput: in, Changed: []string{"calc.sh", "../other.sh"}, Seen: true}))
}

func TestPullRequestSaysWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case = changeCase(PhaseVerifying)
	in.Case.ChangeBoundary = Boundary{}
	in.Judgement = Judge(in.Case, in.Receipts, bytesNow("head1", "d2"))
	got := PullRequest(PullRequestInput{HandoffInput: in})
	if !strings.Contains(got, "could not be read") || !strings.Contains(got, "passed on earlier bytes") {
		t.Errorf("got\n%s", got)
	}
	in.Case.AcceptanceCriteria, in.Receipts = nil, nil
	if got = PullRequest(PullRequestInput{HandoffInput: in, Seen: true}); !strings.Contains(got, "0 files since `44b93b5`; no boundary was declared.") || !strings.Contains(got, "none has run") {
		t.Errorf("got\n%s", got)
	}
}

func TestPullRequestCountsTheClaimsThatItHasNoRoomFor(t *testing.T) {
	t.Parallel()
	in := verifiedCase()
	in.Case = changeCase(PhaseVerifying)
	for i := range SummaryReceipts + 1 {
		status := StatusPassed
		if i == SummaryReceipts {
			status = StatusFailed
		}
		in.Receipts = append(in.Receipts, claimOf("b1", fmt.Sprintf("c%03d", i), "it holds", status, "d1"))
	}
	in.Judgement = Judge(in.Case, in.Receipts, bytesNow("head1", "d1"))
	if got := PullRequest(PullRequestInput{HandoffInput: in}); !strings.Contains(got, "- and 2 claims more, 1 of them not passed\n") {
		t.Errorf("got\n%s", got)
	}
}
