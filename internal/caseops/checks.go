package caseops

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/config"
	"cortex/internal/op"
	"cortex/internal/verifier"
)

// runChecks runs the planned checks one after the other, in the order of the plan. What they said is in b; nothing is
// written. A canceled context ends it after the check that was running.
func (s *Service) runChecks(ctx context.Context, b *batch) {
	for n, check := range b.plan.Checks {
		if ctx.Err() != nil {
			return
		}
		op.Progress(ctx, "running check %s (%d of %d)", check.Name, n+1, len(b.plan.Checks))
		i := slices.IndexFunc(s.Config.Verifiers, func(v config.Verifier) bool { return v.Name == check.Name })
		switch {
		case i < 0:
			b.runs = append(b.runs, casefile.CheckRun{
				Check: check, Status: casefile.StatusBlocked, At: s.now(),
				Reason: fmt.Sprintf("verifier %s is planned and no longer configured", check.Name),
			})
		case !s.granted(s.Config.Verifiers[i]):
			b.refuseRun(check, s.Config.Verifiers[i], s.now())
		default:
			s.runCheck(ctx, b, check, s.Config.Verifiers[i])
		}
	}
}

// granted reports whether a person approved exactly this command for this workspace, or all of them by the environment
// of this process. Nothing in the repository can.
func (s *Service) granted(v config.Verifier) bool {
	return s.Config.ApproveCommands || config.Granted(s.Grants, s.Workspace, v.Name, v.TrustArgv())
}

func (b *batch) refuseRun(check casefile.Check, v config.Verifier, now time.Time) {
	b.runs = append(b.runs, casefile.CheckRun{
		Check: check, Status: casefile.StatusBlocked, NeedsGrant: true, Argv: v.Argv, Surface: casefile.Surface(v.Surface), At: now,
	})
	b.audit = append(b.audit, casefile.CommandRecord{
		Timestamp: now, Actor: b.plan.Actor, Tool: "command", Operation: v.Name, ActionClass: casefile.ConfiguredExecution,
		Status: "blocked", Note: "requires explicit approval",
	})
}

func (s *Service) runCheck(ctx context.Context, b *batch, check casefile.Check, v config.Verifier) {
	environ, names := checkEnvironment(s.Environ, v.Env)
	began := s.now()
	run := s.Execute(ctx, verifier.Check{
		Name: v.Name, Argv: v.Argv, Dir: s.Workspace, Timeout: timeoutOf(b.k.c, v), Environ: environ, Report: v.Report, Tests: check.Wanted,
	})
	raw := casestore.Raw{ID: s.IDs.New("raw"), Text: string(run.Output)}
	record := casefile.Evidence{
		ID: s.IDs.New("ev"), Timestamp: s.now(), Kind: check.Kind, Source: casefile.Source{Tool: "command", Actor: b.plan.Actor},
		Claim:      fmt.Sprintf("configured %s verifier %q %s: %s%s", check.Kind, v.Name, run.Status, strings.Join(run.Argv, " "), countWords(run)),
		Confidence: confidenceOf(run.Status), Sensitivity: casefile.SensitivityNormal,
		RawRef: "case://" + b.k.c.ID + "/raw/" + raw.ID, Commit: b.k.state.Head,
	}
	b.raws, b.evidence = append(b.raws, raw), append(b.evidence, record)
	b.audit = append(b.audit, casefile.CommandRecord{
		Timestamp: began, Actor: b.plan.Actor, Tool: "command", Operation: v.Name, ActionClass: casefile.ConfiguredExecution,
		Status: auditStatus(run.Status), DurationMS: run.Duration.Milliseconds(),
		Note: clipRunes(s.Redact.Text(fmt.Sprintf("%s: %s", run.Status, run.Reason)), casefile.MaxAuditNoteRunes),
	})
	out := casefile.CheckRun{
		Check: check, Status: casefile.ReceiptStatus(run.Status), Reason: run.Reason, Version: run.RunnerVersion, Runner: run.Runner,
		Surface: casefile.Surface(v.Surface), CheckDigest: checkDigest(v), Argv: run.Argv, EffectiveArgv: run.EffectiveArgv, ExitStatus: run.Exit,
		Duration: run.Duration, Evidence: []string{record.ID}, Environment: mergeNames(names, run.Variables), BuildFailedFiles: run.BuildFailedFiles, At: s.now(),
	}
	if run.Counts != nil {
		counts := casefile.Counts(*run.Counts)
		out.Counts = &counts
	}
	for id, status := range run.Tests {
		if out.Tests == nil {
			out.Tests = map[string]casefile.ReceiptStatus{}
		}
		out.Tests[id] = casefile.ReceiptStatus(status)
	}
	if run.Install != "" {
		out.Reason += " (install: " + run.Install + ")"
	}
	b.runs = append(b.runs, out)
}

// checkDigest identifies what a check runs and how it is judged: argv, variables and kind of report. A value of a variable
// is in it only as part of the digest.
func checkDigest(v config.Verifier) string {
	return digestOf(append([]string{v.Report}, v.TrustArgv()...)...)
}

func digestOf(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// checkDigests are the digests of all configured checks by name.
func (s *Service) checkDigests() map[string]string {
	out := map[string]string{}
	for _, v := range s.Config.Verifiers {
		out[v.Name] = checkDigest(v)
	}
	return out
}

// timeoutOf is the time limit of a check: the plan's for commands, else the configured one.
func timeoutOf(c *casefile.Case, v config.Verifier) time.Duration {
	if d, err := time.ParseDuration(c.TimeoutOverrides["command"]); err == nil && d > 0 {
		return d
	}
	return v.Timeout
}

// timeLimit is how long the checks of a batch may take, one after the other.
func (s *Service) timeLimit(b *batch) time.Duration {
	var sum time.Duration
	for _, check := range b.plan.Checks {
		for _, v := range s.Config.Verifiers {
			if v.Name == check.Name {
				sum += cmp.Or(max(0, timeoutOf(b.k.c, v)), verifier.DefaultTimeout)
			}
		}
	}
	return sum
}

// countWords says what a run counted, for one line.
func countWords(run verifier.Run) string {
	if run.Counts == nil {
		return ""
	}
	return fmt.Sprintf(" (%d passed, %d failed, %d skipped)", run.Counts.Passed, run.Counts.Failed, run.Counts.Skipped)
}

// claimWords counts the claims of a batch that are proven, and the attestations beside them.
func claimWords(receipts []casefile.Receipt) string {
	passed, claims, attested := 0, 0, 0
	for _, r := range receipts {
		held := r.Status == casefile.StatusPassed && r.Binding != casefile.Unbound
		switch {
		case r.Purpose == casefile.PurposeClaim && held:
			passed++
			claims++
		case r.Purpose == casefile.PurposeClaim:
			claims++
		case r.Purpose == casefile.PurposeAttestation && held:
			attested++
		}
	}
	words := fmt.Sprintf("%d/%d claims verified", passed, claims)
	if attested > 0 {
		words += fmt.Sprintf(", %d attested and not verifier-proven", attested)
	}
	return words
}

// runWords sums the verifier runs of a batch up: "unit passed (12 tests)".
func runWords(receipts []casefile.Receipt) string {
	var words []string
	for _, r := range receipts {
		if r.Purpose != casefile.PurposeRun {
			continue
		}
		name := strings.TrimPrefix(r.Requirement, "command:")
		if r.Contract != "" && r.Contract != r.Requirement {
			name += " " + r.Contract
		}
		switch {
		case r.Counts != nil:
			words = append(words, fmt.Sprintf("%s %s (%d executed, %d failed, %d skipped)", name, r.Status, r.Counts.Executed, r.Counts.Failed, r.Counts.Skipped))
		case r.Tool == "command" && (r.Status == casefile.StatusPassed || r.Status == casefile.StatusFailed):
			words = append(words, fmt.Sprintf("%s %s (%s)", name, r.Status, casefile.UnknownCounts))
		default:
			words = append(words, strings.TrimSpace(name+" "+string(r.Status)))
		}
	}
	if len(words) == 0 {
		return "no check was run"
	}
	return strings.Join(words, ", ")
}

// confidenceOf is how far a run's record can be trusted: one that ended without a verdict says little.
func confidenceOf(status verifier.Status) casefile.Confidence {
	if status == verifier.Passed || status == verifier.Failed {
		return casefile.ConfidenceHigh
	}
	return casefile.ConfidenceMedium
}

// auditStatus is the class of a run's result in the words of the audit.
func auditStatus(status verifier.Status) string {
	switch status {
	case verifier.Passed, verifier.Failed, verifier.NotRun:
		return "authoritative"
	case verifier.Blocked:
		return "blocked"
	}
	return "partial"
}
