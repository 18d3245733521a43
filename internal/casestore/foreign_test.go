package casestore

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

const oldEvidence = `{"id":"ev_1","timestamp":"2026-11-30T19:07:41Z","kind":"k","source":{"tool":"git"},"claim":"a","confidence":"high"}` + "\n"

// interrupted is a case whose verify commit stopped: evidence, receipts and a blob are in place, case.json perhaps.
func interrupted(t *testing.T, s *Store, caseRevision, journalRevision int) {
	t.Helper()
	stage := fmt.Sprintf(".txn-%d", journalRevision)
	entry := func(name, old string) string {
		if old == "" {
			return fmt.Sprintf(`{"name":%q,"stage":%q,"existed":false}`, name, name+stage)
		}
		return fmt.Sprintf(`{"name":%q,"stage":%q,"old":%q,"existed":true}`, name, name+stage, base64.StdEncoding.EncodeToString([]byte(old)))
	}
	current := strings.Replace(minimalCase(testTask), `"revision":3`, fmt.Sprintf(`"revision":%d`, caseRevision), 1)
	plant(t, s, testTask, map[string]string{
		"case.json":         current,
		"case.json" + stage: strings.Replace(current, "investigating", "verifying", 1),
		"evidence.jsonl":    oldEvidence + strings.ReplaceAll(oldEvidence, "ev_1", "ev_2"),
		"verification.json": `[{"id":"vr_1","claim":"c","surface":"code","status":"passed","timestamp":"2026-11-30T19:07:41Z"}]`,
		"raw/raw_1.txt":     "new",
		".transaction.json": fmt.Sprintf(`{"revision":%d,"files":[%s]}`, journalRevision, strings.Join([]string{entry("raw/raw_1.txt", ""),
			entry("evidence.jsonl", oldEvidence), entry("verification.json", ""), entry("case.json", current)}, ",")),
	})
}

func TestUnfinishedForeignTransactionIsUndone(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	interrupted(t, s, 3, 4)
	check := func(when string, want string) {
		t.Helper()
		view(t, s, testTask, func(r *Reader) error {
			receipts, err := r.Receipts()
			if err != nil || len(receipts) != 0 {
				t.Errorf("%s: receipts = %v, %v; want none", when, receipts, err)
			}
			if _, err := r.Raw("raw_1"); !problem.Is(err, problem.EvidenceNotFound) {
				t.Errorf("%s: Raw = %v, want it gone", when, err)
			}
			return nil
		})
		if ids, _ := evidenceIDs(t, s, testTask); fmt.Sprint(ids) != want {
			t.Errorf("%s: evidence = %v, want %s", when, ids, want)
		}
	}
	check("before a write", "[ev_1]")
	update(t, s, testTask, func(e *Edit) error { return e.AddEvidence(anEvidence("ev_9")) })
	check("after a write", "[ev_1 ev_9]")
	for path := range tree(t, s.CaseDir(testTask)) {
		if strings.Contains(path, "txn") || strings.Contains(path, "transaction") || strings.Contains(path, "raw_1") {
			t.Errorf("%s is left over", path)
		}
	}
}

func TestFinishedForeignTransactionStays(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	interrupted(t, s, 4, 4)
	if ids, _ := evidenceIDs(t, s, testTask); fmt.Sprint(ids) != "[ev_1 ev_2]" {
		t.Errorf("evidence = %v, want the new state", ids)
	}
	update(t, s, testTask, func(e *Edit) error { return e.AddEvidence(anEvidence("ev_9")) })
	if ids, _ := evidenceIDs(t, s, testTask); fmt.Sprint(ids) != "[ev_1 ev_2 ev_9]" {
		t.Errorf("evidence after a write = %v, want the new state and one more", ids)
	}
	if _, err := os.Stat(filepath.Join(s.CaseDir(testTask), journalFile)); err == nil {
		t.Error("the journal is left over")
	}
}

func TestForeignTransactionThatLostCaseFileIsUndone(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	interrupted(t, s, 3, 4)
	if err := os.WriteFile(filepath.Join(s.CaseDir(testTask), "case.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	view(t, s, testTask, func(r *Reader) error {
		if r.Case().Revision != 3 {
			t.Errorf("revision = %d, want the 3 of the journal", r.Case().Revision)
		}
		return nil
	})
}

func TestUnusableJournalStopsWritersOnly(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"torn":            `{"revision":4,"files":[{"na`,
		"path outside":    `{"revision":4,"files":[{"name":"../x","stage":"../x.txn-4"}]}`,
		"other stage":     `{"revision":4,"files":[{"name":"case.json","stage":"evidence.jsonl"}]}`,
		"not its file":    `{"revision":4,"files":[{"name":"summary.md","stage":"summary.md.txn-4"}]}`,
		"hidden raw file": `{"revision":4,"files":[{"name":"raw/.txt","stage":"raw/.txt.txn-4"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStore(t)
			plant(t, s, testTask, map[string]string{"case.json": minimalCase(testTask), journalFile: text})
			view(t, s, testTask, func(r *Reader) error {
				mustContain(t, "warnings", strings.Join(r.Warnings(), "\n"), journalFile)
				return nil
			})
			if err := s.AppendCommands(ctx, testTask, casefile.CommandRecord{Tool: "git"}); !problem.Is(err, problem.CaseNeedsFsck) {
				t.Errorf("write = %v, want case_needs_fsck", err)
			}
			if got := onDisk(t, s, testTask, journalFile); got != text {
				t.Errorf("journal = %q, want it kept", got)
			}
		})
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"revision":4,"files":[{"name":"raw/raw_1.txt","stage":"raw/raw_1.txt.txn-4","existed":false}]}`))
	f.Add([]byte(`{"revision":4,"files":[{"name":"raw/","stage":"raw/.txn-4","old":"YQ==","existed":true}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		j, err := decodeJournal(raw)
		if err != nil {
			return
		}
		for name := range j.undo(0) {
			if !filepath.IsLocal(name) || strings.HasPrefix(filepath.Base(name), ".") {
				t.Fatalf("journal %q may change %q", raw, name)
			}
		}
	})
}

func TestLiveForeignLockMakesWritersBusy(t *testing.T) {
	t.Parallel()
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		body string
		age  time.Duration
		busy bool
	}{
		"live process":                  {fmt.Sprintf("pid=%d\ntoken=00\nheartbeat=0\n", os.Getpid()), 0, true},
		"ended process":                 {fmt.Sprintf("pid=%d\ntoken=00\n", ended.Process.Pid), 0, false},
		"reused number, no heartbeat":   {fmt.Sprintf("pid=%d\n", os.Getpid()), 3 * time.Minute, false},
		"unreadable":                    {"\x00\xff", 0, false},
		"number that is no process":     {"pid=-1\n", 0, false},
		"empty, about to be written to": {"", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStore(t)
			create(t, s, aCase())
			lock := filepath.Join(s.Dir(), "."+testTask+".lock")
			if err := os.WriteFile(lock, []byte(tc.body), 0o600); err != nil {
				t.Fatal(err)
			}
			beat := time.Now().Add(-tc.age)
			if err := os.Chtimes(lock, beat, beat); err != nil {
				t.Fatal(err)
			}
			started := time.Now()
			err := s.AppendCommands(ctx, testTask, casefile.CommandRecord{Tool: "git"})
			if problem.Is(err, problem.Busy) != tc.busy || !tc.busy && err != nil {
				t.Errorf("write beside lock %q = %v, want busy %v", tc.body, err, tc.busy)
			}
			if took := time.Since(started); took > time.Second {
				t.Errorf("it took %v, want less than a second", took)
			}
			view(t, s, testTask, func(r *Reader) error { return nil })
		})
	}
}
