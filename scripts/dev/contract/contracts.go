package main

import (
	"os"
	"path/filepath"
	"strings"
)

// contractCalls reconstructs the conformance scenarios that are calls. Not among them: unsupported_future_schema is about
// the wrapper of the scenarios themselves; bounded_handoff and proof_closure_overflow are illustrations of bounds that
// tests of the handoff's rules hold; the MCP ones are compared over MCP.
func contractCalls() []call {
	open := []string{"open", "repair callback contract", "--risk", "low", "--actor", "agent-a", "--idempotency-key", "k", "--criterion", "callback=the callback adds"}
	good := func(r *run) { r.write("calc.sh", "#!/bin/sh\n# add two numbers\necho $(($1 + $2))\n") }
	return []call{
		{name: "open_task", args: open, save: map[string]string{"TASK": "taskId"}},
		{name: "immutable_acceptance_mismatch", args: []string{"open", "x", "--idempotency-key", "k", "--criterion", "other=y"}},
		{name: "investigate", args: []string{"investigate", "$TASK", "numbers"}},
		{name: "tool_unavailable", args: []string{"investigate", "$TASK", "calc"}},
		{name: "plan_missing_boundary", args: plan("--hypothesis", "h :: d", "--uncertainty", "u")},
		{name: "plan_missing_disproof", args: plan("--hypothesis", "h", "--file", "calc.sh", "--uncertainty", "u")},
		{name: "plan", args: plan("--hypothesis", "h :: d", "--file", "calc.sh", "--verify", "command:unit", "--uncertainty", "u")},
		{name: "begin_change", args: []string{"begin-change", "$TASK", "--actor", "agent-a"}},
		{name: "begin_change_lease_conflict", args: []string{"begin-change", "$TASK", "--actor", "agent-b"}},
		{name: "verify_no_diff_without_ack", args: []string{"verify", "$TASK"}},
		{name: "verify_wrong_actor", args: []string{"verify", "$TASK", "--actor", "agent-b"}, edit: good},
		{name: "verify_missing_exact_contract", args: []string{"verify", "$TASK", "--claim-spec", "id=callback|surface=code|contract=command:unit|other words"}},
		{name: "blocked_command_verifier/verify", args: []string{"verify", "$TASK", "--from-plan"}},
		{name: "blocked_command_verifier/handoff", args: []string{"handoff", "$TASK"}},
		{name: "remember_unverified_without_ack", args: []string{"remember", "$TASK", "done"}},
		{args: []string{"setup", "--trust-commands", "--yes"}},
		{name: "verify", args: []string{"verify", "$TASK", "--from-plan"}},
		{name: "status", args: []string{"status", "$TASK"}},
		{name: "handoff", args: []string{"handoff", "$TASK"}},
		{name: "stale_receipt", args: []string{"status", "$TASK"}, edit: func(r *run) {
			r.write("calc.sh", "#!/bin/sh\n# add two numbers now\necho $(($1 + $2))\n")
		}},
		{args: []string{"verify", "$TASK", "--from-plan"}},
		{name: "remember", args: []string{"remember", "$TASK", "callback contract repaired"}},
		{args: []string{"open", "choose repair", "--mode", "investigate", "--risk", "low"}, save: map[string]string{"TWO": "taskId"}},
		{args: []string{"decision", "request", "$TWO", "--question", "q", "--option", "a=A|x", "--option", "b=B|y"}},
		{name: "pending_decision", args: []string{"status", "$TWO"}},
		{args: []string{"open", "unknown base", "--risk", "low", "--actor", "agent-a"}, save: map[string]string{"TASK": "taskId"}},
		{args: plan("--hypothesis", "h :: d", "--file", "calc.sh", "--verify", "command:unit", "--uncertainty", "u")},
		{args: []string{"begin-change", "$TASK", "--actor", "agent-a"}},
		{name: "scope_unknown", args: []string{"status", "$TASK"}, edit: unknownBase},
	}
}

// unknownBase makes the case one that was opened at a commit git has never seen.
func unknownBase(r *run) {
	path := filepath.Join(r.home, ".local", "state", "cortex", "sessions", "repo", r.saved["TASK"], "case.json")
	raw, err := os.ReadFile(path)
	must(err)
	at := strings.Index(string(raw), `"commitBefore": "`) + len(`"commitBefore": "`)
	copy(raw[at:], "dead")
	must(os.WriteFile(path, raw, 0o600))
}
