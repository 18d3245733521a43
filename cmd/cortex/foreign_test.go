package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// These tests lay into a store what the published program leaves behind there, and use it through the command line.

func (w *workbench) read(name string) string {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.dir(), name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

// mustDo runs a command that has to succeed.
func (w *workbench) mustDo(args ...string) map[string]any {
	w.t.Helper()
	answer, exit := w.cortex(args...)
	if exit != 0 {
		w.t.Fatalf("%v: exit status %d: %v", args, exit, answer)
	}
	return answer
}

func (w *workbench) sound() {
	w.t.Helper()
	if report, exit := w.cortex("fsck"); exit != 0 {
		w.t.Errorf("fsck: exit status %d: %v", exit, report)
	}
}

// interrupt leaves the case as a writer of the published program does that dies while it adds the evidence "half": its
// journal, and the new files in place, case.json only when the last step was taken.
func (w *workbench) interrupt(lastStep bool) {
	w.t.Helper()
	evidence, current := w.read("evidence.jsonl"), w.read("case.json")
	var c map[string]any
	if err := json.Unmarshal([]byte(current), &c); err != nil {
		w.t.Fatal(err)
	}
	revision := int(c["revision"].(float64)) + 1
	var files []map[string]any
	for _, file := range [][2]string{{"evidence.jsonl", evidence}, {"case.json", current}} {
		files = append(files, map[string]any{
			"name": file[0], "stage": fmt.Sprintf("%s.txn-%d", file[0], revision), "existed": true,
			"old": base64.StdEncoding.EncodeToString([]byte(file[1])),
		})
	}
	journal, err := json.Marshal(map[string]any{"revision": revision, "files": files})
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(".transaction.json", string(journal))
	half := `{"id":"ev_half","timestamp":"2026-11-30T19:07:41Z","kind":"note","source":{"tool":""},"claim":"half","confidence":"low"}`
	w.put("evidence.jsonl", evidence+half+"\n")
	c["revision"] = revision
	raw, err := json.Marshal(c)
	if err != nil {
		w.t.Fatal(err)
	}
	if lastStep {
		w.put("case.json", string(raw))
		return
	}
	w.put(fmt.Sprintf("case.json.txn-%d", revision), string(raw))
}

func TestInterruptedTransactionOfThePublishedProgram(t *testing.T) {
	t.Parallel()
	for name, lastStep := range map[string]bool{"before its last step it is undone": false, "after its last step it stays": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkbench(t)
			w.interrupt(lastStep)
			want := 1.0
			if lastStep {
				want = 2
			}
			if st := w.mustDo("status", w.task); st["evidenceCount"] != want {
				t.Errorf("status counts %v records, want %v", st["evidenceCount"], want)
			}
			if _, err := os.Stat(filepath.Join(w.dir(), ".transaction.json")); err != nil {
				t.Errorf("a read took the journal away: %v", err)
			}
			w.mustDo("note", w.task, "one more")
			if ledger := w.read("evidence.jsonl"); strings.Contains(ledger, "ev_half") != lastStep || !strings.Contains(ledger, "one more") {
				t.Errorf("the ledger is now %s", ledger)
			}
			left, _ := filepath.Glob(filepath.Join(w.dir(), "*.txn-*"))
			if _, err := os.Stat(filepath.Join(w.dir(), ".transaction.json")); err == nil || len(left) > 0 {
				t.Errorf("the journal or %v is left over", left)
			}
			w.sound()
		})
	}
}

func TestJournalThatCannotBeReadStopsWritersAndIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	w.put(".transaction.json", `{"revision":4,"fi`)
	before := w.fingerprint()
	if st := w.mustDo("status", w.task); !strings.Contains(fmt.Sprint(st["warnings"]), ".transaction.json") {
		t.Errorf("status does not name the journal: %v", st["warnings"])
	}
	answer, exit := w.cortex("note", w.task, "x")
	w.refused(answer, exit, "case_needs_fsck", 5, before)
	if report, exit := w.cortex("fsck"); exit != 6 || !strings.Contains(fmt.Sprint(report["findings"]), ".transaction.json") {
		t.Errorf("fsck: exit status %d, %v; want 6 and the file named", exit, report["findings"])
	}
}

func TestLockOfThePublishedProgram(t *testing.T) {
	t.Parallel()
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ pid, exit int }{"of a living process": {os.Getpid(), 4}, "of a dead process": {ended.Process.Pid, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkbench(t)
			write(t, filepath.Join(filepath.Dir(w.dir()), "."+w.task+".lock"), fmt.Sprintf("pid=%d\ntoken=00\nheartbeat=0\n", row.pid))
			began := time.Now()
			answer, exit := w.cortex("note", w.task, "x")
			if took := time.Since(began); exit != row.exit || took > 4*time.Second {
				t.Errorf("note: exit status %d after %s, want %d at once: %v", exit, took, row.exit, answer)
			}
			if next, _ := answer["nextActions"].([]any); exit == 4 && (answer["code"] != "busy" || len(next) == 0) {
				t.Errorf("got %v, want busy and what to do", answer)
			}
			w.mustDo("status", w.task)
		})
	}
}

func TestReceiptsOfAnotherDigestAreNotComparable(t *testing.T) {
	t.Parallel()
	receipt := `[{"id":"vr_1","batchId":"vb_1","claim":"command:unit","surface":"code","purpose":"verifier_run","requirement":"command:unit",
		"status":"passed","revision":"0000000000000000000000000000000000000000","dirtyDigest":"sha256:` + strings.Repeat("0", 64) + `","binding":"bound",
		"timestamp":"2026-11-30T19:07:41Z"}]`
	for _, row := range []struct{ status, outcome, warning string }{
		{"verifying", "unverified", ""},
		{"complete", "verified", "not comparable"},
	} {
		t.Run(row.status, func(t *testing.T) {
			t.Parallel()
			w := newWorkbench(t)
			w.put("verification.json", receipt)
			w.edit(func(c map[string]any) { c["status"], c["verificationRequired"] = row.status, []string{"command:unit"} })
			st := w.mustDo("status", w.task)
			if st["verificationOutcome"] != row.outcome || !strings.Contains(fmt.Sprint(st["warnings"]), row.warning) {
				t.Errorf("outcome %v, warnings %v; want %s and %q", st["verificationOutcome"], st["warnings"], row.outcome, row.warning)
			}
			w.sound()
		})
	}
}

func TestCaseOfANewerVersionIsReadAndNotWritten(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	w.edit(func(c map[string]any) { c["schemaVersion"], c["hologram"] = 9, "keep me" })
	before := w.fingerprint()
	if st := w.mustDo("status", w.task); !strings.Contains(fmt.Sprint(st["warnings"]), "newer") {
		t.Errorf("status does not say that the case is newer: %v", st["warnings"])
	}
	w.mustDo("show", w.task)
	w.mustDo("handoff", w.task)
	for _, args := range [][]string{{"note", w.task, "x"}, {"abort", w.task, "x"}, {"investigate", w.task, "where is Sum"}} {
		answer, exit := w.cortex(args...)
		w.refused(answer, exit, "store_too_new", 5, before)
	}
	w.edit(func(c map[string]any) { c["schemaVersion"] = 1 })
	w.mustDo("abort", w.task, "enough")
	if !strings.Contains(w.read("case.json"), "keep me") {
		t.Error("an unknown field was lost in a rewrite")
	}
}
