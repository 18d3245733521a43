package casestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/casefile"
	"cortex/internal/problem"
	"cortex/internal/redact"
)

const secret = "ghp_abcdefghijABCDEFGHIJ0123456789abcdef"

func TestRefusedChangeWritesNothing(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for name, tc := range map[string]struct {
		fn   func(*Edit) error
		want problem.Code
	}{
		"the caller's error": {func(e *Edit) error { e.PutSummary("x"); return boom }, ""},
		"other criteria": {func(e *Edit) error {
			c := e.Case()
			c.AcceptanceCriteria = append(c.AcceptanceCriteria, casefile.Criterion{ID: "more", Statement: "s"})
			return e.PutCase(c)
		}, problem.CriteriaImmutable},
		"other allowed paths": {func(e *Edit) error {
			c := e.Case()
			c.AllowedPaths = []string{"src"}
			return e.PutCase(c)
		}, problem.CriteriaImmutable},
		"an error that the caller did not look at": {func(e *Edit) error {
			e.AddEvidence(casefile.Evidence{ID: "ev_big", Claim: strings.Repeat("x", casefile.MaxLedgerRecord)})
			return nil
		}, problem.TooLarge},
		"a large blob":    {func(e *Edit) error { return e.AddRaw("raw_1", strings.Repeat("x", casefile.MaxRawBlob+1)) }, problem.TooLarge},
		"a large summary": {func(e *Edit) error { return e.PutSummary(strings.Repeat("x", casefile.MaxSummaryFile+1)) }, problem.TooLarge},
		"text that is not UTF-8": {func(e *Edit) error {
			c := e.Case()
			c.Goal = "caf\xe9"
			return e.PutCase(c)
		}, problem.InvalidInput},
		"nested text that is not UTF-8": {func(e *Edit) error {
			return e.AddEvidence(casefile.Evidence{ID: "ev_1", Location: &casefile.Location{File: "\xff"}})
		}, problem.InvalidInput},
		"a blob outside": {func(e *Edit) error { return e.AddRaw("../x", "t") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStore(t)
			create(t, s, aCase(), anEvidence("ev_0"))
			update(t, s, testTask, func(e *Edit) error { return nil }) // makes the lock file
			before := tree(t, s.Dir())
			err := s.Update(ctx, testTask, tc.fn)
			if err == nil || tc.want != "" && !problem.Is(err, tc.want) {
				t.Errorf("Update = %v, want code %q", err, tc.want)
			}
			if p := problem.From(err); tc.want != "" && len(p.Next) == 0 && p.NoStep == "" {
				t.Errorf("%v offers no way on", err)
			}
			if diff := cmp.Diff(before, tree(t, s.Dir())); diff != "" {
				t.Errorf("store changed:\n%s", diff)
			}
		})
	}
}

func TestLostRaceWritesNothing(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	update(t, s, testTask, func(e *Edit) error { return e.PutCase(e.Case()) })
	before := tree(t, s.Dir())
	err := s.UpdateAt(ctx, testTask, 1, func(e *Edit) error { t.Error("the function ran"); return nil })
	var lost *RevisionError
	if !errors.As(err, &lost) || lost.Expected != 1 || lost.Found != 2 || !problem.Is(err, problem.RevisionConflict) {
		t.Errorf("UpdateAt revision 1 = %v, want a conflict with revision 2", err)
	}
	mustContain(t, "message", problem.From(err).Message, "case "+testTask+" revision conflict: expected 1, found 2")
	if diff := cmp.Diff(before, tree(t, s.Dir())); diff != "" {
		t.Errorf("store changed:\n%s", diff)
	}
	if err := s.UpdateAt(ctx, testTask, 2, func(e *Edit) error { return e.PutCase(e.Case()) }); err != nil {
		t.Errorf("UpdateAt the revision there is: %v", err)
	}
}

func TestIDsAreWrittenOnce(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase(), anEvidence("ev_orientation_git"))
	other := anEvidence("ev_orientation_git")
	other.Claim = "something else"
	for name, tc := range map[string]struct {
		fn   func(*Edit) error
		want bool
	}{
		"same record":    {func(e *Edit) error { return e.AddEvidence(anEvidence("ev_orientation_git")) }, true},
		"other record":   {func(e *Edit) error { return e.AddEvidence(other) }, false},
		"twice at once":  {func(e *Edit) error { return e.AddEvidence(anEvidence("ev_2"), anEvidence("ev_2")) }, false},
		"blob":           {func(e *Edit) error { e.AddRaw("raw_1", "a"); return e.AddRaw("raw_1", "a") }, true},
		"other blob":     {func(e *Edit) error { return e.AddRaw("raw_1", "b") }, false},
		"other blob now": {func(e *Edit) error { e.AddRaw("raw_2", "a"); return e.AddRaw("raw_2", "b") }, false},
	} {
		if name == "other blob" {
			update(t, s, testTask, func(e *Edit) error { return e.AddRaw("raw_1", "a") })
		}
		if err := s.Update(ctx, testTask, tc.fn); (err == nil) != tc.want {
			t.Errorf("%s: Update = %v, want success %v", name, err, tc.want)
		}
	}
	if ids, _ := evidenceIDs(t, s, testTask); fmt.Sprint(ids) != "[ev_orientation_git]" {
		t.Errorf("evidence = %v, want the first record alone", ids)
	}
}

func TestUnknownFieldsAndValuesOutliveARewrite(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	plant(t, s, testTask, map[string]string{
		"case.json": `{"id":"` + testTask + `","goal":"g","mode":"survey","status":"investigating","x-top":{"n":12345678901234567890},` +
			`"workspace":{"root":"/r","x-ws":1.50},"changeLease":{"actor":"a","acquiredAt":"2026-11-30T19:07:41Z","renewedAt":"2026-11-30T19:07:41Z","expiresAt":"2026-11-30T19:07:41Z","x-lease":true},` +
			`"changeBoundary":{"x-b":[]},"acceptanceCriteria":[{"id":"c","statement":"s","x-c":"<"}]}`,
		"verification.json": `[{"id":"vr_1","claim":"c","surface":"holodeck","status":"passed","timestamp":"2026-11-30T19:07:41Z","x-r":null}]`,
	})
	update(t, s, testTask, func(e *Edit) error {
		receipts, err := e.Receipts()
		if err != nil {
			return err
		}
		e.PutReceipts(append(receipts, casefile.Receipt{ID: "vr_2"}))
		return e.PutCase(e.Case())
	})
	mustContain(t, "case.json", onDisk(t, s, testTask, "case.json"), `"mode": "survey"`, `"n": 12345678901234567890`, `"x-ws": 1.50`,
		`"x-lease": true`, `"x-b": []`, `"x-c": "<"`, `"schemaVersion": 1`, `"revision": 2`)
	mustContain(t, "verification.json", onDisk(t, s, testTask, "verification.json"), `"surface": "holodeck"`, `"x-r": null`, "vr_2")
}

func TestNewerSchemaIsReadAndNeverWritten(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	plant(t, s, testTask, map[string]string{"case.json": strings.Replace(minimalCase(testTask), `"schemaVersion":1`, `"schemaVersion":99`, 1)})
	before := tree(t, s.Dir())
	for name, err := range map[string]error{
		"Update":         s.Update(ctx, testTask, func(e *Edit) error { return e.PutCase(e.Case()) }),
		"AppendCommands": s.AppendCommands(ctx, testTask, casefile.CommandRecord{Tool: "git"}),
	} {
		if !problem.Is(err, problem.StoreTooNew) {
			t.Errorf("%s = %v, want store_too_new", name, err)
		}
	}
	view(t, s, testTask, func(r *Reader) error {
		if r.Case().Goal != "g" {
			t.Errorf("goal = %q, want it read", r.Case().Goal)
		}
		mustContain(t, "warnings", strings.Join(r.Warnings(), "\n"), "schema version 99")
		return nil
	})
	if diff := cmp.Diff(before, tree(t, s.Dir())); diff != "" {
		t.Errorf("store changed, the lock file included:\n%s", diff)
	}
}

func TestSecretsReachNoFile(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	c := aCase()
	c.Goal, c.Workspace.Branch, c.Notes = "use "+secret, "b/"+secret, []string{secret}
	c.AcceptanceCriteria[0].Statement = "prints " + secret
	evidence := anEvidence("ev_1")
	evidence.Claim = "found " + secret
	inPath := anEvidence("ev_2")
	inPath.Location.File = secret + ".txt"
	create(t, s, c, evidence, inPath, anEvidence("ev_3"))
	update(t, s, testTask, func(e *Edit) error {
		e.PutHypotheses([]casefile.Hypothesis{{ID: "hyp_1", Statement: secret}})
		e.PutReceipts([]casefile.Receipt{{ID: "vr_1", Claim: secret, Argv: []string{"x", secret}}})
		e.PutDecisions([]casefile.Decision{{ID: "dec_1", Question: secret}})
		e.AddCommands(casefile.CommandRecord{Note: strings.Repeat("y", 110) + " " + secret})
		e.AddRaw("raw_1", "out "+secret)
		e.PutSummary("# " + secret)
		return e.PutCase(c) // with the words that were masked on disk
	})
	for path, text := range tree(t, s.Dir()) {
		if strings.Contains(text, secret) || strings.Contains(text, secret[:12]) {
			t.Errorf("%s holds the secret: %s", path, text)
		}
	}
	mustContain(t, "raw", onDisk(t, s, testTask, "raw/raw_1.txt"), redact.Mask)
	view(t, s, testTask, func(r *Reader) error {
		records, _, err := r.EvidenceTail(3)
		if err != nil || records[0].Sensitivity != casefile.SensitivitySensitive ||
			records[1].Sensitivity != casefile.SensitivitySensitive || records[2].Sensitivity != casefile.SensitivityNormal {
			t.Errorf("sensitivities of %+v, %v; want sensitive, sensitive, normal", records, err)
		}
		receipts, err := r.Receipts()
		if err != nil || !receipts[0].Sensitive {
			t.Errorf("receipts = %+v, %v; want a sensitive one", receipts, err)
		}
		return nil
	})
}

func TestAbsentAndBrokenCasesAreNamed(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	plant(t, s, "task_broken", map[string]string{"case.json": `{"id":`})
	plant(t, s, "task_other", map[string]string{"case.json": minimalCase(testTask)})
	plant(t, s, "task_plan", map[string]string{"case.json": minimalCase("task_plan"), "plan.json": "[1"})
	if err := os.MkdirAll(filepath.Join(s.Dir(), "task_empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		id, message string
		code        problem.Code
	}{
		{"task_nope", "case task_nope: not found", problem.TaskNotFound},
		{"../x", "invalid task id: must start with task_", problem.InvalidInput},
		{"task_../../x", "invalid task id", problem.InvalidInput},
		{"task_" + strings.Repeat("x", 300), "invalid task id", problem.InvalidInput},
		{"task_broken", "case.json cannot be read", problem.CaseBroken},
		{"task_empty", "case.json cannot be read: it is missing", problem.CaseBroken},
		{"task_other", "it belongs to the case", problem.CaseBroken},
		{"task_plan", "plan.json cannot be read", problem.CaseBroken},
	} {
		read := s.View(ctx, tc.id, func(r *Reader) error { _, err := r.Plan(); return err })
		write := s.Update(ctx, tc.id, func(e *Edit) error { return e.PutPlan(&casefile.Plan{}) })
		for verb, err := range map[string]error{"View": read, "Update": write} {
			p := problem.From(err)
			if !problem.Is(err, tc.code) || len(p.Next) == 0 {
				t.Errorf("%s %.20s = %v (%d steps), want %s with a step", verb, tc.id, err, len(p.Next), tc.code)
				continue
			}
			mustContain(t, verb, p.Message, tc.message)
		}
	}
	if got := onDisk(t, s, "task_plan", "plan.json"); got != "[1" {
		t.Errorf("a broken plan was replaced by %q", got)
	}
}
