package main

import (
	"os"
	"path/filepath"
)

// fakeVerifiers are the programs behind the recorded verification. The flow fails; what it leaves behind is where the
// program says.
func fakeVerifiers() map[string]string {
	return map[string]string{
		"glyph": `case "$*" in
--version) echo "glyph 0.0.0" ;;
affected-specs*) echo '{"specs":[{"path":"specs/a.yml"}]}' ;;
run*) mkdir -p "$(dirname "$LOG")/rundir"; echo '{"status":"failed","runDir":"'"$(dirname "$LOG")"'/rundir","outcomes":[{"id":"o1","status":"failed","message":"boom"}]}'; exit 1 ;;
*) exit 1 ;;
esac`,
		"fcheap": `case "$*" in
--version) echo "fcheap 0.0.0" ;;
save*) echo '{"id":"fc_1"}' ;;
info*) echo '{"id":"fc_1","files":[{"path":"log.txt","size":6}]}' ;;
restore*) echo hello >"$4/log.txt"; echo '{"ok":true}' ;;
search*) echo '[]' ;;
*) exit 1 ;;
esac`,
		"tvault": `case "$*" in
"doctor --json") echo '{"checks":[{"name":"vault","status":"ok"}]}' ;;
projects*) echo '["proj"]' ;;
*) exit 1 ;;
esac`,
	}
}

// verifyCalls are the recorded calls from the plan to the end of a case whose flow fails.
func verifyCalls() []call {
	return []call{
		{name: "92_plan_fake", args: plan("--hypothesis", "h :: d", "--file", "calc.sh", "--symbol", "add", "--uncertainty", "u",
			"--verify", "glyphrun_flow", "--verify", "fcheap_artifact", "--verify", "tvault_capability", "--verify", "command:unit")},
		{name: "93_begin", args: []string{"begin-change", "$TASK", "--actor", "z"}},
		{args: []string{"setup", "--trust-commands", "--yes"}},
		{name: "94_verify_fake", args: []string{"verify", "$TASK", "--artifact-ref", "fcheap://stash/fc_1", "--secret-project", "proj", "--ack-drift"}, edit: func(r *run) {
			must(os.MkdirAll(filepath.Join(r.repo, "specs"), 0o755))
			r.write(filepath.Join("specs", "a.yml"), "name: a\n")
			r.write("calc.sh", "#!/bin/sh\n# add two numbers\necho $(($1 + $2))\n")
		}},
		{name: "95_status_full_fake", args: []string{"status", "$TASK", "--detail", "full"}},
		{name: "96_read_artifact_fcheap", args: []string{"read-artifact", "$TASK", "fcheap://stash/fc_1"}},
		{name: "97_remember_failed", args: []string{"remember", "$TASK", "broken"}},
		{name: "98_remember_accept_failed", args: []string{"remember", "$TASK", "broken", "--accept-failed"}},
	}
}

// verifyDeviations are the differences that are meant where flows, stashes and the vault are looked at.
func verifyDeviations() []deviation {
	return []deviation{
		{"94_", `call of glyph run`, "glyph is given a directory outside of the repository for what it records"},
		{"94_", `call of glyph affected-specs`, "commits are named whole"},
		{"94_", `added call of fcheap restore`, "a stash is proven by its files"},
		{"94_", `missing call of tvault --version`, "the name of a project needs no version"},
		{"94_", `^exit status 6`, "a verification that is not green exits with 6"},
		{"94_", `^added facts\[\]\.derivedFrom`, "outcomes name the run that they are of"},
		{"98_", `call of vecgrep memory remember`, "the same stash is named once"},
	}
}
