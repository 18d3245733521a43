package casestore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

func TestSoundStoreHasNoFindings(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	ev := anEvidence("ev_1")
	ev.RawRef = "case://" + testTask + "/raw/raw_1"
	create(t, s, aCase(), anEvidence("ev_0"))
	update(t, s, testTask, func(e *Edit) error {
		e.AddRaw("raw_1", "text")
		e.AddEvidence(ev)
		e.AddCommands(casefile.CommandRecord{Tool: "git"})
		return e.PutSummary("# s\n")
	})
	if found, err := s.Check(ctx); err != nil || len(found) != 0 {
		t.Errorf("Check = %+v, %v; want nothing", found, err)
	}
}

func TestCheckNamesWhatIsWrongAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	good := `{"id":"ev_1","claim":"a","rawRef":"case://task_a/raw/raw_lost"}` + "\n"
	plant(t, s, "task_a", map[string]string{
		"case.json": minimalCase("task_a"), "plan.json": "[", "verification.json": "{}", "summary.md": "\xff",
		"evidence.jsonl": good + "garbage\n" + `{"id":"ev_2","claim":7}` + "\n" + good + `{"id":"ev_3"`,
		"phases.jsonl":   "\x00\x00\n",
		"raw/raw_2.txt":  "orphan", "raw/torn_evidence_9.txt": "{", ".transaction.json": "{",
	})
	plant(t, s, "task_b", map[string]string{"case.json": "{"})
	plant(t, s, "task_c", map[string]string{"case.json": minimalCase("task_c")})
	before := tree(t, s.Dir())
	found, err := s.Check(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		if f.Problem == "" || f.Remedy == "" {
			t.Errorf("finding %+v lacks a problem or a remedy", f)
		}
		got = append(got, fmt.Sprintf("%s %s:%d %s", f.TaskID, f.File, f.Line, f.Severity))
	}
	slices.Sort(got)
	want := []string{
		"task_a .transaction.json:0 damage", "task_a evidence.jsonl:2 damage", "task_a evidence.jsonl:3 damage",
		"task_a evidence.jsonl:4 damage", "task_a evidence.jsonl:5 damage", "task_a phases.jsonl:1 damage", "task_a plan.json:0 damage",
		"task_a raw/raw_2.txt:0 notice", "task_a raw/raw_lost.txt:0 damage", "task_a raw/torn_evidence_9.txt:0 notice",
		"task_a summary.md:0 damage", "task_a verification.json:0 damage", "task_b case.json:0 damage",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, tree(t, s.Dir())); diff != "" {
		t.Errorf("Check wrote:\n%s", diff)
	}
}

func TestCheckExplainsForeignLeftovers(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	interrupted(t, s, 3, 4)
	plant(t, s, "", map[string]string{"." + testTask + ".lock": "pid=0\n"})
	found := s.CheckCase(ctx, testTask)
	text := fmt.Sprintf("%+v", found)
	mustContain(t, "findings", text, journalFile, "interrupted", ".lock", "left its lock")
	if strings.Contains(text, string(Damage)) {
		t.Errorf("findings = %s, want notices only", text)
	}
}

func TestChangeOfALaterVersionIsNamedAsThat(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	plant(t, s, "task_a", map[string]string{"case.json": minimalCase("task_a"), ".intent": "PCX\x09" + strings.Repeat("\x00", 60)})
	before := tree(t, s.Dir())
	found, err := s.Check(ctx)
	if err != nil || len(found) != 1 || found[0].File != ".intent" || found[0].Severity != Damage || !strings.Contains(found[0].Remedy, "update Cortex") {
		t.Errorf("Check = %+v, %v; want one finding that names .intent and says to update", found, err)
	}
	err = s.Update(ctx, "task_a", func(*Edit) error { return nil })
	if !problem.Is(err, problem.StoreTooNew) {
		t.Errorf("Update = %v, want store_too_new", err)
	}
	if after := tree(t, s.Dir()); !cmp.Equal(before, after) {
		t.Errorf("the store changed: %s", cmp.Diff(before, after))
	}
}
