package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// refusal is a tool call that must be refused with a code.
type refusal struct {
	name, tool, code string
	args             map[string]any
}

// TestEveryRefusalOverMCPHasACodeAndAWayOn plays the faults of the command line against a server: of input, of phase, of
// who may do what. Each must leave the store as it was.
func TestEveryRefusalOverMCPHasACodeAndAWayOn(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve"))
	other, _ := a.call("cortex_open_task", map[string]any{"goal": "Other", "mode": "investigate", "idempotencyKey": "k"})
	changing := w.brought(a)
	served := servedTools(a)
	before := w.fingerprint()
	for _, row := range append(badInput(w), badMoment(w.task, other["taskId"].(string), changing)...) {
		t.Run(row.name, func(t *testing.T) {
			got, isError := a.call(row.tool, row.args)
			if !isError || got["ok"] != false || got["code"] != row.code {
				t.Errorf("error %t, code %v, want %s: %v", isError, got["code"], row.code, got["error"])
			}
			checkWayOn(t, got, served)
			if after := w.fingerprint(); after != before {
				t.Error("the refused call changed the store")
				before = after
			}
		})
	}
}

// brought opens a case, plans its change and takes the lease for agent-a.
func (w *workbench) brought(a *agent) string {
	w.t.Helper()
	opened := a.must("cortex_open_task", map[string]any{"goal": "Change Sum", "risk": "high"}, "ok", true)
	task := opened["taskId"].(string)
	a.must("cortex_plan", map[string]any{
		"taskId": task, "hypotheses": []any{map[string]any{"statement": "a", "disproveBy": "b"}}, "uncertainty": "none",
		"files": []any{"sum.go"}, "verification": []any{"command:unit"},
	}, "phase", "planned")
	a.must("cortex_begin_change", map[string]any{"taskId": task, "actor": "agent-a"}, "phase", "changing")
	return task
}

func servedTools(a *agent) map[string]bool {
	var list struct{ Tools []struct{ Name string } }
	a.request("tools/list", map[string]any{}, &list)
	served := map[string]bool{}
	for _, tool := range list.Tools {
		served[tool.Name] = true
	}
	return served
}

// checkWayOn checks that a refusal offers calls that this server has, or says why none can help.
func checkWayOn(t *testing.T, got map[string]any, served map[string]bool) {
	t.Helper()
	if next, _ := got["nextActions"].([]any); len(next) == 0 || next[0] == "" {
		t.Errorf("%v: says neither what would succeed nor that nothing can", got["code"])
	}
	actions, _ := got["actions"].([]any)
	for _, action := range actions {
		tool, named := action.(map[string]any)["tool"].(string)
		if named && !served[tool] {
			t.Errorf("%v: offers %s, which is not served", got["code"], tool)
		}
	}
}

func badInput(w *workbench) []refusal {
	long := strings.Repeat("x", 5000)
	plan := func(more map[string]any) map[string]any {
		args := map[string]any{
			"taskId": w.task, "hypotheses": []any{map[string]any{"statement": "x", "disproveBy": "y"}}, "uncertainty": "none", "files": []any{"sum.go"},
		}
		for name, value := range more {
			args[name] = value
		}
		return args
	}
	return []refusal{
		{"unknown enumeration", "cortex_open_task", "invalid_input", map[string]any{"goal": "g", "risk": "huge"}},
		{"unknown argument", "cortex_open_task", "invalid_input", map[string]any{"goal": "g", "nope": 1}},
		{"missing argument", "cortex_note", "invalid_input", map[string]any{"taskId": w.task}},
		{"wrong type", "cortex_note", "invalid_input", map[string]any{"taskId": w.task, "claim": 7}},
		{"unknown operation", "cortex_lease", "invalid_input", map[string]any{"operation": "steal", "actor": "a"}},
		{"oversized goal", "cortex_open_task", "too_large", map[string]any{"goal": long}},
		{"oversized note", "cortex_note", "too_large", map[string]any{"taskId": w.task, "claim": strings.Repeat(long, 4)}},
		{"oversized arguments", "cortex_note", "too_large", map[string]any{"taskId": w.task, "claim": strings.Repeat("x", 3<<20)}},
		{"secret as an actor", "cortex_begin_change", "secret_in_input", map[string]any{"taskId": w.task, "actor": "ghp_0123456789abcdefghijABCDEFGHIJ0123"}},
		{"secret as a key", "cortex_open_task", "secret_in_input", map[string]any{"goal": "g", "idempotencyKey": "AKIAABCDEFGHIJKLMNOP"}},
		{"path outside", "cortex_plan", "path_outside_workspace", plan(map[string]any{"files": []any{"/etc/passwd"}})},
		{"path above", "cortex_plan", "path_outside_workspace", plan(map[string]any{"files": []any{"sub/../../x"}})},
		{"whole workspace as a boundary", "cortex_plan", "invalid_input", plan(map[string]any{"files": []any{"."}})},
		{"no boundary", "cortex_plan", "missing_boundary", plan(map[string]any{"files": nil})},
		{"unknown check", "cortex_plan", "unknown_verifier", plan(map[string]any{"verification": []any{"command:nope"}})},
		{"unknown task", "cortex_note", "task_not_found", map[string]any{"taskId": "task_0000000000000000", "claim": "x"}},
		{"task of a bad form", "cortex_status", "invalid_input", map[string]any{"taskId": "task_../x"}},
		{"several tasks", "cortex_status", "ambiguous_task", map[string]any{}},
		{"unknown hypothesis", "cortex_resolve", "hypothesis_not_found", map[string]any{"taskId": w.task, "hypothesisId": "hyp_x", "status": "confirmed", "reason": "r"}},
		{"unknown evidence", "cortex_read_evidence", "evidence_not_found", map[string]any{"taskId": w.task, "evidenceId": "ev_x"}},
		{"bad duration", "cortex_begin_change", "invalid_input", map[string]any{"taskId": w.task, "actor": "a", "ttl": "soon"}},
		{"no such workspace", "cortex_status", "invalid_input", map[string]any{"workspace": filepath.Join(w.home, "nowhere")}},
		{"reference that climbs", "cortex_read_artifact", "invalid_input", map[string]any{"taskId": w.task, "ref": "case://" + w.task + "/raw/../case"}},
		{"reference that no record cites", "cortex_read_artifact", "artifact_not_found", map[string]any{"taskId": w.task, "ref": "file:///etc/passwd"}},
	}
}

func badMoment(task, other, changing string) []refusal {
	return []refusal{
		{"completion before proof", "cortex_remember", "wrong_phase", map[string]any{"taskId": task, "outcome": "done"}},
		{"change before a plan", "cortex_begin_change", "wrong_phase", map[string]any{"taskId": task, "actor": "a"}},
		{"key with other criteria", "cortex_open_task", "key_conflict", map[string]any{"goal": "Other", "mode": "investigate", "idempotencyKey": "k",
			"acceptanceCriteria": []any{map[string]any{"id": "new", "statement": "it is new"}}}},
		{"lease of another", "cortex_begin_change", "lease_conflict", map[string]any{"taskId": changing, "actor": "agent-b"}},
		{"renewal by another", "cortex_lease", "wrong_actor", map[string]any{"operation": "renew", "taskId": changing, "actor": "agent-b"}},
		{"verification by another", "cortex_verify", "wrong_actor", map[string]any{"taskId": changing, "actor": "agent-b", "noOpAcknowledged": true}},
		{"nothing changed", "cortex_verify", "no_change", map[string]any{"taskId": changing}},
		{"answer that nobody waits for", "cortex_answer_decision", "decision_not_found", map[string]any{"taskId": task, "answer": "a", "responder": "p"}},
		{"reopening an open case", "cortex_reopen", "wrong_phase", map[string]any{"taskId": task, "reason": "r"}},
		{"reference of another case", "cortex_read_artifact", "foreign_reference", map[string]any{"taskId": task, "ref": "case://" + other + "/evidence/ev_orientation_git"}},
	}
}

func TestRefusalsOfAWorktreeOverMCP(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve"))
	changing := w.brought(a)
	served := servedTools(a)
	write(t, filepath.Join(w.repo, "drift.go"), "package sum\n")
	refuse := func(tool, code, word string, args map[string]any) {
		t.Helper()
		args["taskId"] = changing
		got, isError := a.call(tool, args)
		if !isError || got["code"] != code || !strings.Contains(fmt.Sprint(got["error"], got["actions"], got["nextActions"]), word) {
			t.Errorf("%s: error %t, code %v, want %s and %q: %v %v", tool, isError, got["code"], code, word, got["error"], got["nextActions"])
		}
		checkWayOn(t, got, served)
	}
	refuse("cortex_verify", "drift_unacknowledged", "drift.go", map[string]any{})
	if err := os.Remove(filepath.Join(w.repo, "drift.go")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.repo, "sum.go"), "package sum\n")
	blocked := a.must("cortex_verify", map[string]any{"taskId": changing}, "verificationOutcome", "unverified")
	if !strings.Contains(fmt.Sprint(blocked["nextActions"]), "setup") {
		t.Errorf("a check without approval does not say how to get it: %v", blocked["nextActions"])
	}
	refuse("cortex_remember", "verification_missing", "verificationNotPossible", map[string]any{"outcome": "done"})
	a.must("cortex_abort_task", map[string]any{"taskId": changing, "reason": "enough"}, "phase", "abandoned")
	refuse("cortex_note", "wrong_phase", "", map[string]any{"claim": "x"})
}
