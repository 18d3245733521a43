package main

// call is one recorded call; name "" is only to bring the state about.
type call struct {
	name string
	args []string
	save map[string]string // name to path in the answer
	edit func(*run)        // before the call
}

func calls() []call {
	return append(append(mainLifecycle(), proofAndReading()...), sideCases()...)
}

func plan(args ...string) []string { return append([]string{"plan", "$TASK"}, args...) }

func mainLifecycle() []call {
	open := []string{"open", "Fix add so it sums", "--risk", "low", "--actor", "agent-a", "--idempotency-key", "key-1", "--criterion", "add-sums=calc.sh 2 3 prints 5"}
	return []call{
		{name: "01_open", args: open, save: map[string]string{"TASK": "taskId"}},
		{name: "02_open_retry", args: open},
		{name: "03_open_key_conflict", args: []string{"open", "x", "--idempotency-key", "key-1", "--criterion", "other=y"}},
		{name: "04_open_badmode", args: []string{"open", "x", "--mode", "bogus"}},
		{name: "05_plan_too_early_nohyp", args: plan("--hypothesis", "add subtracts", "--file", "calc.sh", "--uncertainty", "u")},
		{name: "06_investigate", args: []string{"investigate", "$TASK", "where is add defined"}},
		{name: "07_investigate_floor", args: []string{"investigate", "$TASK", "How does calc add numbers"}, save: map[string]string{"EV": "facts.0.id"}},
		{name: "08_plan_noboundary", args: plan("--hypothesis", "add subtracts :: run test.sh", "--uncertainty", "u")},
		{name: "09_plan_badsupport", args: plan("--hypothesis", "add subtracts :: run test.sh", "--support", "1=ev_nope", "--file", "calc.sh", "--uncertainty", "u")},
		{name: "10_plan_ok", args: plan("--hypothesis", "add subtracts :: run test.sh", "--support", "1=$EV", "--confidence", "medium", "--file", "calc.sh", "--symbol", "add", "--verify", "command:unit", "--uncertainty", "shell portability"),
			save: map[string]string{"HYP": "hypotheses.0.id"}},
		{name: "11_verify_nodiff", args: []string{"verify", "$TASK"}},
		{name: "12_begin_change", args: []string{"begin-change", "$TASK", "--actor", "agent-a"}},
		{name: "13_begin_change_conflict", args: []string{"begin-change", "$TASK", "--actor", "agent-b"}},
		{name: "14_lease_renew", args: []string{"lease", "renew", "$TASK", "--actor", "agent-a", "--ttl", "30m"}},
		{name: "15_verify_blocked", args: []string{"verify", "$TASK", "--from-plan"}, edit: func(r *run) {
			r.write("calc.sh", "#!/bin/sh\n# add two numbers\necho $(($1 + $2))\n")
		}},
		{name: "16_remember_refused", args: []string{"remember", "$TASK", "done"}},
		{name: "17_setup_trust", args: []string{"setup", "--trust-commands", "--yes"}},
		{name: "18_verify_wrongactor", args: []string{"verify", "$TASK", "--actor", "agent-b"}},
	}
}

func proofAndReading() []call {
	return []call{
		{name: "19_verify_ok", args: []string{"verify", "$TASK", "--from-plan"}},
		{name: "20_status", args: []string{"status", "$TASK"}},
		{name: "21_status_full", args: []string{"status", "$TASK", "--detail", "full"}},
		{name: "22_show", args: []string{"show", "$TASK"}},
		{name: "23_handoff_active", args: []string{"handoff", "$TASK"}},
		{name: "24_resolve", args: []string{"resolve", "$TASK", "$HYP", "--status", "confirmed", "--reason", "unit passes after fix"}},
		{name: "25_note", args: []string{"note", "$TASK", "reviewed with token=abcdefghijkl1234", "--kind", "constraint", "--origin", "reviewer", "--actor", "rev"}},
		{name: "26_verify_again", args: []string{"verify", "$TASK", "--from-plan"}},
		{args: []string{"show", "$TASK"}, save: map[string]string{"RAW": "evidence.8.rawRef"}},
		{name: "27_remember", args: []string{"remember", "$TASK", "add now sums; unit passes"}},
		{name: "31_handoff_complete", args: []string{"handoff", "$TASK"}},
		{name: "34_list", args: []string{"list"}},
		{name: "35_config", args: []string{"config"}},
		{name: "36_doctor", args: []string{"doctor"}},
		{name: "37_setup", args: []string{"setup"}},
		{name: "40_read_evidence", args: []string{"read-evidence", "$TASK", "$EV"}},
		{args: []string{"show", "$TASK"}, save: map[string]string{"RAW": "receipts.0.evidence.0"}},
		{args: []string{"read-evidence", "$TASK", "$EV"}, save: map[string]string{"SELF": "rawRef"}},
		{args: []string{"show", "$TASK"}, save: map[string]string{"RUN": "receipts.2.evidence.0"}},
		{args: []string{"read-evidence", "$TASK", "$RUN"}, save: map[string]string{"RAW": "rawRef"}},
		{name: "41_read_artifact", args: []string{"read-artifact", "$TASK", "$RAW"}},
		{name: "42_read_artifact_selfref", args: []string{"read-artifact", "$TASK", "case://$TASK/evidence/$EV"}},
	}
}

func sideCases() []call {
	return []call{
		{name: "50_open2", args: []string{"open", "Choose storage", "--mode", "investigate", "--actor", "agent-b", "--surface", "code", "--surface", "terminal"}, save: map[string]string{"TWO": "taskId"}},
		{name: "51_decision_bad", args: []string{"decision", "request", "$TWO", "--question", "Which?", "--option", "a=A|x"}},
		{name: "52_decision_request", args: []string{"decision", "request", "$TWO", "--question", "Which migration?", "--option", "safe=Safe|slow", "--option", "fast=Fast|risky", "--requester", "agent-b"}, save: map[string]string{"DEC": "artifacts.0.id"}},
		{name: "53_status_paused", args: []string{"status", "$TWO"}},
		{name: "54_investigate_paused", args: []string{"investigate", "$TWO", "q"}},
		{name: "55_decision_answer_bad", args: []string{"decision", "answer", "$TWO", "$DEC", "--answer", "nope"}},
		{name: "56_decision_answer", args: []string{"decision", "answer", "$TWO", "$DEC", "--answer", "safe", "--responder", "human-h"}},
		{name: "57_decision_answer_again", args: []string{"decision", "answer", "$TWO", "$DEC", "--answer", "safe", "--responder", "human-h"}},
		{name: "58_decision_resume", args: []string{"decision", "resume", "$TWO"}},
		{name: "59_open_child", args: []string{"open", "Child work", "--mode", "investigate", "--actor", "agent-c", "--parent", "$TWO"}, save: map[string]string{"CHILD": "taskId"}},
		{name: "60_status_parent", args: []string{"status", "$TWO"}},
		{name: "61_plan2", args: []string{"plan", "$TWO", "--hypothesis", "files suffice :: load test", "--verify", "codemap_review", "--uncertainty", "scale"}},
		{name: "62_verify2", args: []string{"verify", "$TWO"}},
		{name: "63_remember2_children", args: []string{"remember", "$TWO", "investigated only"}},
		{name: "64_abort_child", args: []string{"abort", "$CHILD", "not needed"}},
		{name: "65_remember2_partial", args: []string{"remember", "$TWO", "investigated only"}},
		{name: "66_remember2_unverified", args: []string{"remember", "$TWO", "investigated only", "--unverified"}},
		{name: "72_status_missing", args: []string{"status", "task_nope"}},
		{name: "73_status_invalid", args: []string{"status", "../x"}},
		{name: "74_show_missing", args: []string{"show", "task_nope"}},
		{name: "75_open_review", args: []string{"open", "Review stuff", "--mode", "review", "--risk", "high"}, save: map[string]string{"REV": "taskId"}},
		{name: "77_note_bad", args: []string{"note", "$TWO", "late"}},
		{name: "78_init", args: []string{"init"}},
		{name: "79_status_future_schema", args: []string{"status", "$REV"}, edit: futureSchema},
		{name: "80_abort_future_schema", args: []string{"abort", "$REV", "bye"}},
	}
}
