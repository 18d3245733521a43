package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// futureSchema makes a case one of a later program.
func futureSchema(r *run) {
	path := filepath.Join(r.home, ".local", "state", "cortex", "sessions", "repo", r.saved["REV"], "case.json")
	raw, err := os.ReadFile(path)
	must(err)
	must(os.WriteFile(path, []byte(strings.Replace(string(raw), `"schemaVersion": 1`, `"schemaVersion": 99`, 1)), 0o600))
}

// deviation is a difference that is meant.
type deviation struct {
	call       string // regular expression on the name of the recorded answer
	difference string // regular expression on the difference
	reason     string
}

func deviations() []deviation {
	return []deviation{
		{".", `^added (code|nextActions|actions.*|phase)$`, "refusals carry a code, the phase, and steps that would succeed"},
		{".", `actions\[\]\.(candidates|blockedBy|inputs|arguments).*$`, "steps name what they know and lack, and candidates where there are some"},
		{".", `^missing (warnings|degraded)$`, "a missing specialist tool is no warning of every call"},
		{".", `^added warnings$`, "warnings about the plan, the worktree or open hypotheses"},
		{"verify", `^added (receipts|scope|verification|written|taskId|facts\[\]\.actor)`, "verify answers with the receipts of the batch and the one assessment"},
		{"15_|62_|blocked_command_verifier/verify", `^exit status 6`, "a verification that is not green exits with 6"},
		{"62_", `^added facts`, "the embedded review answers codemap_review, inconclusive at best"},
		{"15_", `^missing facts`, "a missing tool is no evidence"},
		{"06_|07_|01_|50_|59_|75_|agent_0[28]", `^added facts`, "facts name where they come from"},
		{".", `^missing case.notes`, "the health of specialist tools is no note of a case"},
		{"21_", `^added facts`, "status --detail full shows the newest evidence"},
		{"23_|31_|handoff", `^added (evidence\[\]\.(actor|category)|receipts\[\]\.)`, "records say more: who, and what was run with which counts"},
		{"^[a-z]", `^(added|missing) (actor|changeLease.*|parentTaskId|(verification\.)?(satisfiedCriteria|missingCriteria|nonPassingClaims|satisfiedRequired|missingRequired)|claimProofs.*|missingVerification|unresolvedHypotheses.*|verificationDone|verificationRequired|idempotencyKey|scope.*|hypotheses.*|decisions.*|facts.*)$`,
			"the reconstructed case has its own actor, lease, criterion or plan"},
		{"24_", `^added facts\[\]\.(actor|category)`, "facts say who and what"},
		{"scope_unknown", `baseRef`, "the recorded case was a review with a base reference; ours was opened at an unknown commit"},
		{"40_|agent_16", `^added commit`, "evidence names the commit it was recorded at"},
		{"22_", `^added (refTotal|evidence\[\]\.commit|receipts\[\]\.|refs|timeline\[\]|plan|evidence\[\]\.source|evidence\[\]\.location)`, "records say more: the commit, what was run, and its counts"},
		{".", `^added (rawAvailable)$`, "fixed key of every envelope"},
		{"17_", `^added (hasConfig|isRepo|tools|verifierCount|workspace)$`, "setup answers with the same keys whatever it was asked"},
		{"37_", `tools\[\]|untrusted`, "no index is recommended for a tool that is not there; checks that wait for an approval are named"},
		{"72_|73_|agent_12", `^missing (revision|mode|risk|workspace|surfaces|verificationOutcome|claimProofTotal|evidenceCount|investigation)`, "a refusal holds no empty status"},
		{"74_", `^added`, "refusals of reading verbs are envelopes too"},
		{"42_", `^exit status 0|^added`, "a reference to a record answers with the record"},
		{"80_", `exit status|^ok|^missing phase|^added`, "a case of a newer schema is not written"},
	}
}

func reasonFor(name, difference string) (string, bool) {
	for _, d := range slices.Concat(toolDeviations(), verifyDeviations(), healthDeviations(), deviations()) {
		if regexp.MustCompile(d.call).MatchString(name) && regexp.MustCompile(d.difference).MatchString(difference) {
			return d.reason, true
		}
	}
	return "", false
}
