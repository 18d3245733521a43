package casefile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

func TestParseReference(t *testing.T) {
	t.Parallel()
	const task = "task_06H2VPRM4KDG25WQ"
	for text, want := range map[string]Reference{
		"case://" + task + "/raw/raw_1":         {Kind: RefRaw, TaskID: task, ID: "raw_1"},
		"case://" + task + "/evidence/ev_1":     {Kind: RefEvidence, TaskID: task, ID: "ev_1"},
		"case://" + task + "/verification/vr_1": {Kind: RefReceipt, TaskID: task, ID: "vr_1"},
		"case://" + task + "/decisions/dec_1":   {Kind: RefDecision, TaskID: task, ID: "dec_1"},
		"fcheap://stash/fc_019":                 {Kind: RefStash, ID: "fc_019"},
		"https://example.com/a?b":               {Kind: RefExternal},
	} {
		want.Text = text
		if got, err := ParseReference(" " + text + "\n"); err != nil || got != want {
			t.Errorf("ParseReference(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "raw_1", "/etc/passwd", "a.txt:12", "case://", "case://" + task, "case://" + task + "/raw", "case://" + task + "/raw/",
		"case://" + task + "/raw/..", "case://" + task + "/raw/a/b", "case://" + task + "/raw/a%2fb", "case://../raw/raw_1",
		"case://" + task + "/plan/x", "CASE://" + task + "/raw/raw_1", "fcheap://stash/", "fcheap://stash/-x", "fcheap://stash/../x",
		"fcheap://other/x", "case://" + task + "/raw/" + strings.Repeat("a", MaxIdentifier+1), "https://a b", "\xff",
		"https://" + strings.Repeat("a", MaxArtifactRef),
	} {
		got, err := ParseReference(text)
		if p := problem.From(err); err == nil || problem.Exit(p.Code) != problem.ExitInput {
			t.Errorf("ParseReference(%q) = %+v, %v; want a refusal of the input", text, got, err)
		}
	}
}

func FuzzParseReference(f *testing.F) {
	f.Add("case://task_1/raw/raw_1")
	f.Add("fcheap://stash/fc_1")
	f.Add("https://x")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseReference(text)
		if err == nil && got.Kind != RefExternal && (got.ID == "" || strings.ContainsAny(got.ID, "/\\") || got.ID[0] == '.' || got.ID[0] == '-') {
			t.Errorf("ParseReference(%q) gave the id %q", text, got.ID)
		}
	})
}

func TestReferenceOfAnotherCaseIsRefusedWithTheStepThatReadsIt(t *testing.T) {
	t.Parallel()
	ref := Reference{Kind: RefRaw, Text: "case://task_a/raw/raw_1", TaskID: "task_a", ID: "raw_1"}
	if err := ref.OwnedBy("task_a"); err != nil {
		t.Errorf("OwnedBy(its case) = %v", err)
	}
	for _, other := range []string{"task_b", "task_", "task_A", "task_a1"} {
		p := problem.From(ref.OwnedBy(other))
		if p == nil || p.Code != problem.ForeignReference || len(p.Next) != 1 || p.Next[0].Args["taskId"] != "task_a" {
			t.Errorf("OwnedBy(%s) = %+v, want foreign_reference and a step with task_a", other, p)
			continue
		}
		checkSteps(t, p.Next)
	}
}

func TestRecordsCiteWhatLiesOutsideTheCases(t *testing.T) {
	t.Parallel()
	e := Evidence{Source: Source{URI: "fcheap://stash/fc_1"}, RawRef: "case://task_a/raw/raw_1"}
	for _, tt := range []struct {
		got, want []string
	}{
		{e.Cites(), []string{"fcheap://stash/fc_1"}},
		{Evidence{Source: Source{URI: "a.txt:12"}, RawRef: "https://x/y"}.Cites(), []string{"https://x/y"}},
		{Evidence{Source: Source{URI: "see: https://x"}}.Cites(), nil},
		{Evidence{Source: Source{URI: "https://x"}, RawRef: "https://x"}.Cites(), []string{"https://x"}},
		{Receipt{Artifact: "document://r/1"}.Cites(), []string{"document://r/1"}},
		{Receipt{Artifact: "case://task_b/raw/raw_1"}.Cites(), nil},
		{Receipt{}.Cites(), nil},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("Cites (-want +got):\n%s", diff)
		}
	}
}

func TestRefKeepsTheNewestCitingRecords(t *testing.T) {
	t.Parallel()
	ref := NewRef("fcheap://stash/fc_1", time.Unix(1, 0))
	if ref.Kind != "fcheap" || ref.ID != RefID("fcheap://stash/fc_1") || ref.ID == RefID("fcheap://stash/fc_2") {
		t.Errorf("NewRef = %+v", ref)
	}
	for i := range MaxCiting + 1 {
		ref, _ = ref.CitedBy(fmt.Sprintf("ev_%d", i))
	}
	if got := len(ref.Citing); got != MaxCiting || ref.Citing[0] != "ev_1" {
		t.Errorf("%d records from %s on, want %d from ev_1 on", got, ref.Citing[0], MaxCiting)
	}
	if _, changed := ref.CitedBy("ev_7"); changed {
		t.Error("citing once more counts as a change")
	}
}
