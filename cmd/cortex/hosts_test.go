package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sleeper is a change whose one check starts a grandchild, writes down that it runs, and sleeps.
func sleeper(t *testing.T) (w *workbench, marker string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the check is a Unix shell script")
	}
	w = newWorkbench(t)
	marker = filepath.Join(w.home, "pids")
	script := fmt.Sprintf("sleep 300 & echo $! $$ > %s; wait", marker)
	write(t, filepath.Join(w.repo, "cortex.yaml"), fmt.Sprintf("verifiers:\n  unit:\n    argv: [sh, -c, %q]\n    timeout: 200s\n", script))
	w.environ = append(w.environ, "CORTEX_APPROVE_COMMANDS=1")
	for _, args := range [][]string{
		{"plan", w.task, "--hypothesis", "x :: y", "--uncertainty", "none", "--file", "sum.go", "--verify", "command:unit"},
		{"begin-change", w.task, "--actor", "a"},
	} {
		if answer, exit := w.cortex(args...); exit != 0 {
			t.Fatalf("%v: %v", args, answer)
		}
	}
	write(t, filepath.Join(w.repo, "sum.go"), "package sum\n")
	return w, marker
}

// loaded is what a bound on time is stretched by: the machine may be busy with other tests.
const loaded = 2 * time.Second

// message is one line of the server.
type message struct {
	ID     any
	Method string
	Params struct {
		ProgressToken string
		Progress      float64
		Message       string
	}
	Result struct {
		IsError           bool
		StructuredContent map[string]any
	}
}

func (a *agent) next() message {
	a.t.Helper()
	line, err := a.out.ReadBytes('\n')
	var m message
	if err != nil || json.Unmarshal(line, &m) != nil {
		a.t.Fatalf("%v: %q", err, line)
	}
	return m
}

// started waits until the check has written its process numbers, and returns them.
func started(t *testing.T, marker string) []string {
	t.Helper()
	for range 400 {
		if raw, err := os.ReadFile(marker); err == nil && strings.HasSuffix(string(raw), "\n") {
			return strings.Fields(string(raw))
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("the check did not start")
	return nil
}

// gone fails when one of the processes is alive. A zombie, which waits for its parent, is not.
func gone(t *testing.T, pids []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	for _, pid := range pids {
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(stat), ") Z ") {
			t.Errorf("process %s of the check is still there: %.60s", pid, stat)
		}
	}
}

func TestCanceledVerifyEndsItsCheckAndKeepsOnlyTheAudit(t *testing.T) {
	t.Parallel()
	w, marker := sleeper(t)
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve", "--profile", "all"))
	a.send(map[string]any{"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": map[string]any{
		"name": "cortex_verify", "arguments": map[string]any{"taskId": w.task, "fromPlan": true}, "_meta": map[string]any{"progressToken": "tok"},
	}})
	pids := started(t, marker)
	heard, before := time.Now(), 0.0
	for range 3 {
		m := a.next()
		if p := m.Params; m.Method != "notifications/progress" || p.ProgressToken != "tok" || p.Progress <= before || !strings.Contains(p.Message, "check unit (1 of 1)") {
			t.Errorf("got %+v, want progress over %v that names the check", m, before)
		}
		before = m.Params.Progress
		if silence := time.Since(heard); silence > 2*time.Second+loaded {
			t.Errorf("nothing was heard for %s", silence)
		}
		heard = time.Now()
	}
	began := time.Now()
	a.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": "slow"}})
	m := a.next()
	for m.Method != "" {
		m = a.next()
	}
	if took := time.Since(began); took > time.Second+loaded || m.ID != "slow" || m.Result.StructuredContent["code"] != "canceled" {
		t.Errorf("after %s: %+v; want the call canceled within a second", took, m)
	}
	gone(t, pids)
	shown := a.must("cortex_show", map[string]any{"taskId": w.task}, "receiptTotal", 0.0)
	if timeline, _ := json.Marshal(shown["timeline"]); !strings.Contains(string(timeline), "command.unit") {
		t.Errorf("the audit does not name the check that was canceled: %s", timeline)
	}
	a.must("cortex_status", map[string]any{"taskId": w.task}, "phase", "changing")
}

func TestEndOfInputEndsARunningCheck(t *testing.T) {
	t.Parallel()
	w, marker := sleeper(t)
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve"))
	a.send(map[string]any{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": map[string]any{
		"name": "cortex_verify", "arguments": map[string]any{"taskId": w.task, "fromPlan": true},
	}})
	pids := started(t, marker)
	if err := a.in.Close(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = a.cmd.Wait() // its exit status is no part of this
	if took := time.Since(began); took > time.Second+loaded {
		t.Errorf("the server was there for %s more", took)
	}
	gone(t, pids)
}

// A plan with as many hypotheses as long as they may be is a mebibyte.
func TestMebibyteOfArgumentsIsFine(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve"))
	plan := func(texts int) map[string]any {
		var hypotheses []any
		for i := range texts {
			statement := fmt.Sprintf("%04d %s", i, strings.Repeat("x", 16<<10-5))
			hypotheses = append(hypotheses, map[string]any{"statement": statement, "disproveBy": "d"})
		}
		return map[string]any{"taskId": w.task, "hypotheses": hypotheses, "uncertainty": "none", "files": []any{"sum.go"}, "verification": []any{"command:unit"}}
	}
	if got, isError := a.call("cortex_plan", plan(150)); !isError || got["code"] != "too_large" {
		t.Errorf("2.4 MB of arguments: %v, %.300v; want too_large", got["code"], got["error"])
	}
	if got, isError := a.call("cortex_plan", plan(64)); isError || got["phase"] != "planned" {
		t.Errorf("1 MiB of arguments: %v %.300v", got["code"], got["error"])
	}
	a.bounded("cortex_status", map[string]any{"taskId": w.task})
}

func TestVerifyOfManyLongClaimsStaysWithinItsBound(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	write(t, filepath.Join(w.repo, "cortex.yaml"), "verifiers:\n  unit:\n    argv: [go, version]\n")
	w.environ = append(w.environ, "CORTEX_APPROVE_COMMANDS=1")
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve"))
	task := w.brought(a)
	write(t, filepath.Join(w.repo, "sum.go"), "package sum\n")
	var claims []any
	for i := range 64 {
		claims = append(claims, map[string]any{
			"id": fmt.Sprintf("claim%d", i), "statement": fmt.Sprintf("%d %s", i, strings.Repeat("it holds ", 440)), "surface": "code", "contract": "command:unit",
		})
	}
	answer := a.bounded("cortex_verify", map[string]any{"taskId": task, "claimSpecs": claims, "driftAcknowledged": true})
	if answer["verificationOutcome"] != "verified" || !strings.Contains(fmt.Sprint(answer["warnings"]), "not listed") {
		t.Errorf("outcome %v, warnings %v; want verified, and to be told that receipts are left out", answer["verificationOutcome"], answer["warnings"])
	}
	a.bounded("cortex_status", map[string]any{"taskId": task, "detail": "full"})
	a.bounded("cortex_handoff", map[string]any{"taskId": task})
}
