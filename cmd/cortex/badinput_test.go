package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// workbench is an open case in a repository of its own.
type workbench struct {
	t       *testing.T
	environ []string
	home    string
	repo    string
	task    string
}

func newWorkbench(t *testing.T) *workbench {
	t.Helper()
	environ, home := isolated(t)
	w := &workbench{t: t, environ: environ, home: home, repo: sumRepository(t, environ)}
	answer, exit := w.cortex("open", "Fix Sum", "--risk", "low")
	if exit != 0 {
		t.Fatalf("open: %v", answer)
	}
	w.task, _ = answer["taskId"].(string)
	return w
}

func (w *workbench) state() string { return filepath.Join(w.home, ".local", "state", "cortex") }
func (w *workbench) dir() string   { return filepath.Join(w.state(), "sessions", "sum", w.task) }

// cortex runs a command with --json and returns its one JSON value and exit status.
func (w *workbench) cortex(args ...string) (map[string]any, int) {
	w.t.Helper()
	return w.finish(cortexCommand(w.t, w.environ, w.repo, append([]string{"--json"}, args...)...))
}

func (w *workbench) finish(cmd *exec.Cmd) (map[string]any, int) {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		w.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		w.t.Fatalf("%v: standard output is no JSON object: %v\n%s\n%s", cmd.Args, err, out.String(), errs.String())
	}
	return answer, cmd.ProcessState.ExitCode()
}

// refused checks the kind of a refusal, that it says how to go on, and that it left no trace.
func (w *workbench) refused(answer map[string]any, exit int, code string, wantExit int, before string) {
	w.t.Helper()
	if answer["code"] != code || exit != wantExit || answer["ok"] != false {
		w.t.Errorf("code %v, exit status %d, ok %v; want %s, %d, false\n%v", answer["code"], exit, answer["ok"], code, wantExit, answer["error"])
	}
	if next, _ := answer["nextActions"].([]any); len(next) == 0 {
		w.t.Errorf("%s: says neither what would succeed nor that nothing can", code)
	}
	if after := w.fingerprint(); after != before {
		w.t.Errorf("%s: the refused call changed the store", code)
	}
}

// fingerprint is a digest over every file of the store, but for the lock and the slot of the durable layer, which hold
// no records.
func (w *workbench) fingerprint() string {
	h := sha256.New()
	err := filepath.WalkDir(w.state(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" || d.Name() == ".intent" {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(data), data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestBadInputIsRefusedWithoutATrace(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	before := w.fingerprint()
	long := strings.Repeat("x", 5000)
	for _, row := range []struct {
		name string
		code string
		exit int
		args []string
	}{
		{"unknown enumeration", "invalid_input", 2, []string{"open", "g", "--risk", "huge"}},
		{"unknown flag", "invalid_input", 2, []string{"open", "g", "--nope"}},
		{"unknown command", "invalid_input", 2, []string{"nope"}},
		{"missing argument", "invalid_input", 2, []string{"note"}},
		{"missing flag", "invalid_input", 2, []string{"resolve", "hyp_1", "--status", "confirmed"}},
		{"oversized goal", "too_large", 2, []string{"open", long}},
		{"oversized note", "too_large", 2, []string{"note", strings.Repeat(long, 4)}},
		{"oversized criterion", "too_large", 2, []string{"open", "g", "--criterion", "a=" + long}},
		{"not UTF-8", "invalid_input", 2, []string{"note", "a\xffb"}},
		{"secret as an actor", "secret_in_input", 2, []string{"begin-change", "--actor", "ghp_0123456789abcdefghijABCDEFGHIJ0123"}},
		{"secret as a key", "secret_in_input", 2, []string{"open", "g", "--idempotency-key", "AKIAABCDEFGHIJKLMNOP"}},
		{"path outside", "path_outside_workspace", 2, []string{"plan", "--hypothesis", "x :: y", "--uncertainty", "n", "--file", "/etc/passwd"}},
		{"path above", "path_outside_workspace", 2, []string{"plan", "--hypothesis", "x :: y", "--uncertainty", "n", "--file", "sub/../../x"}},
		{"whole workspace as a boundary", "invalid_input", 2, []string{"plan", "--hypothesis", "x :: y", "--uncertainty", "n", "--file", "."}},
		{"unknown task", "task_not_found", 3, []string{"note", "task_0000000000000000", "x"}},
		{"task of a bad form", "invalid_input", 2, []string{"status", "task_../x"}},
		{"unknown hypothesis", "hypothesis_not_found", 3, []string{"resolve", "hyp_x", "--status", "confirmed", "--reason", "r"}},
		{"wrong phase", "wrong_phase", 5, []string{"remember", "done"}},
		{"bad duration", "invalid_input", 2, []string{"begin-change", "--actor", "a", "--ttl", "soon"}},
		{"bad JSON input", "invalid_input", 2, []string{"plan", "--input", filepath.Join(w.repo, "sum.go")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := *w
			w.t = t
			answer, exit := w.cortex(row.args...)
			w.refused(answer, exit, row.code, row.exit, before)
		})
	}
}

func TestFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("file size limits are set by a Unix shell")
	}
	w := newWorkbench(t)
	for range 12 { // grow the ledger past the limit below
		if answer, exit := w.cortex("note", strings.Repeat("word ", 200)); exit != 0 {
			t.Fatal(answer)
		}
	}
	before := w.fingerprint()
	cmd := cortexCommand(t, w.environ, w.repo)
	shell := exec.Command("sh", "-c", `ulimit -f 8; exec "$0" "$@"`, cmd.Path, "--json", "note", "one more")
	shell.Env, shell.Dir = w.environ, w.repo
	link := filepath.Join(w.home, "cortex")
	if err := os.Symlink(cmd.Path, link); err != nil {
		t.Fatal(err)
	}
	shell.Args[3] = link // the test binary is cortex under that name
	answer, exit := w.finish(shell)
	w.refused(answer, exit, "disk_full", 1, before)
	if text, _ := answer["error"].(string); !strings.Contains(text, "full") {
		t.Errorf("the refusal does not say that the disk is full: %s", text)
	}
	if answer, exit := w.cortex("note", "there is room again"); exit != 0 {
		t.Errorf("after space returned: %v", answer)
	}
}

func TestBrokenCaseDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	other, _ := w.cortex("start", "Other work")
	write(t, filepath.Join(w.dir(), "case.json"), `{"id": "task_`)
	cmd := cortexCommand(t, w.environ, w.repo, "list", "--json")
	listed := string(run(t, cmd))
	if id, _ := other["taskId"].(string); !strings.Contains(listed, id) || !strings.Contains(listed, "case.json") {
		t.Errorf("list must show %s and name the broken file:\n%s", id, listed)
	}
	answer, exit := w.cortex("status", w.task)
	if answer["code"] != "case_broken" || exit != 1 || !strings.Contains(fmt.Sprint(answer["error"]), "case.json") {
		t.Errorf("status of the broken case: %v (exit status %d)", answer, exit)
	}
	report, exit := w.cortex("fsck")
	if exit != 6 || report["sound"] != false {
		t.Errorf("fsck: %v (exit status %d)", report, exit)
	}
}

func TestTornLedgerIsMendedByTheNextWriter(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	ledger := filepath.Join(w.dir(), "evidence.jsonl")
	whole, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	write(t, ledger, string(whole)+`{"id":"ev_torn","cla`)
	answer, exit := w.cortex("status", w.task)
	if exit != 0 || !strings.Contains(fmt.Sprint(answer["warnings"]), "evidence.jsonl") || answer["evidenceCount"] != 1.0 {
		t.Errorf("status over a torn ledger: %v (exit status %d)", answer, exit)
	}
	if answer, exit := w.cortex("note", "after the tear"); exit != 0 {
		t.Fatalf("note: %v", answer)
	}
	now, err := os.ReadFile(ledger)
	if err != nil || !bytes.HasPrefix(now, whole) || bytes.Count(now, []byte("\n")) != 2 || bytes.Contains(now, []byte("ev_torn")) {
		t.Errorf("the ledger is now %q (%v)", now, err)
	}
	kept, _ := filepath.Glob(filepath.Join(w.dir(), "raw", "torn_*"))
	if len(kept) != 1 {
		t.Errorf("the torn bytes are kept in %v, want one file", kept)
	}
}

func TestKilledWriterDoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	for range 5 {
		cmd := cortexCommand(t, w.environ, w.repo, "note", "killed")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Millisecond)
		_ = cmd.Process.Kill() // may have ended by itself
		_ = cmd.Wait()
	}
	began := time.Now()
	if answer, exit := w.cortex("note", "the next"); exit != 0 {
		t.Fatalf("after kills: %v", answer)
	}
	if took := time.Since(began); took > 4*time.Second { // a stale lock would be waited for 5 s
		t.Errorf("the next command took %s", took)
	}
}

func TestParallelNotesAreAllRecorded(t *testing.T) {
	t.Parallel()
	const writers = 16
	w := newWorkbench(t)
	failed := make(chan error, writers)
	for i := range writers {
		cmd := cortexCommand(t, w.environ, w.repo, "note", w.task, fmt.Sprintf("note number %d", i))
		go func() { failed <- cmd.Run() }()
	}
	for range writers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	answer, _ := w.cortex("status", w.task)
	if answer["evidenceCount"] != float64(writers+1) {
		t.Errorf("%v records, want %d", answer["evidenceCount"], writers+1)
	}
}

func TestStateThatCannotBeWrittenIsNamedWithAWayOut(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	file := filepath.Join(w.home, "file")
	write(t, file, "")
	environ := append(w.environ, "CORTEX_STATE_DIR="+filepath.Join(file, "state"))
	answer, exit := w.finish(cortexCommand(t, environ, w.repo, "--json", "open", "g"))
	if answer["code"] != "state_not_writable" || exit != 1 || !strings.Contains(fmt.Sprint(answer["error"], answer["nextActions"]), "CORTEX_STATE_DIR") {
		t.Errorf("%v (exit status %d)", answer, exit)
	}
}
