package casefile

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// CheckRun is what running one check gave.
type CheckRun struct {
	Check
	Status           ReceiptStatus
	Reason           string // one plain sentence
	NeedsGrant       bool   // blocked because nobody approved the command yet
	Tool             string // "command" when empty
	Claim            string // label; derived from the name when empty
	Surface          Surface
	Contract         string // of a flow or artifact; a command's is its name
	Version          string
	Runner           string
	CheckDigest      string // see Receipt
	Argv             []string
	EffectiveArgv    []string
	Counts           *Counts
	Tests            map[string]ReceiptStatus // how the wanted tests ended
	ExitStatus       *int
	Duration         time.Duration
	Evidence         []string
	Artifact         string
	Sensitive        bool
	Environment      []string
	Written          []string // files that the check changed in the worktree
	BuildFailedFiles []string // files that did not build, as printed
	At               time.Time
}

// Batch is what the receipts of one verify call have in common.
type Batch struct {
	ID         string
	NewID      func(prefix string) string
	Before     WorkState // when the checks were planned
	After      WorkState // when the last one had ended
	Touched    []string  // files that were written in between although their bytes are the same at both ends
	Exclusions []string
	Changed    []string // as Drift takes them
	LeaseEnded bool     // the actor's lease was no longer active at the end
	Now        time.Time
}

const noRunnableVerifier = "verification batch had no runnable verifier"

const noteCarried = "carried over from batch "

// NoteNeedsGrant begins the note of a receipt whose command nobody approved yet.
const NoteNeedsGrant = "needs approval: cortex setup --trust-commands"

// Receipts builds the receipts of one batch, with warnings. They are bound only when HEAD and every byte of the
// worktree are known and were the same before and after, and the lease still held; else what passed or failed becomes
// inconclusive, says why, and masks older proof. A named claim gets the worst verdict of the runs of exactly its
// verifier and contract, not_run when there was none; one whose contract names tests gets the worst of theirs.
func Receipts(plan VerificationPlan, runs []CheckRun, b Batch) ([]Receipt, []string) {
	var out []Receipt
	warnings := slices.Clone(plan.Warnings)
	for _, r := range plan.Carried {
		out = append(out, b.carry(r))
	}
	for _, run := range runs {
		r, warning := runReceipt(plan, run, b)
		out = append(out, r)
		warnings = append(warnings, warning...)
	}
	for _, r := range plan.Failing {
		if !slices.ContainsFunc(out, func(x Receipt) bool { return x.observed() && x.sameCheck(r) }) {
			out = append(out, b.carry(r))
		}
	}
	done := slices.Clone(out)
	for _, claim := range plan.Claims {
		r := claimReceipt(plan, claim, done, b)
		if r.Status == StatusNotRun {
			warnings = append(warnings, strings.TrimSuffix(fmt.Sprintf("claim %q was not run: %s", r.ClaimID, r.Notes), ": "))
		}
		out = append(out, r)
	}
	for _, text := range plan.Legacy {
		out = append(out, b.stamp(Receipt{ID: b.NewID("vr"), Claim: text, Surface: SurfaceCode, Purpose: PurposeClaim, Actor: plan.Actor, Status: StatusNotRun, Notes: "the claim names no check"}))
	}
	for _, a := range plan.Attested {
		out = append(out, attestReceipt(plan, a, b))
	}
	if len(out) == 0 {
		out = append(out, b.stamp(Receipt{ID: b.NewID("vr"), Claim: noRunnableVerifier, Surface: SurfaceCode, Purpose: PurposeRun, Actor: plan.Actor, Status: StatusNotRun, Notes: "nothing that this call asked for could run"}))
	}
	if why := b.unbound(); why != "" {
		warnings = append(warnings, "nothing was proven: "+why)
		for i := range out {
			unbind(&out[i], why)
		}
	}
	return out, warnings
}

// carry takes a run of an earlier batch about the same bytes over. Its notes name the batch in which it ran.
func (b Batch) carry(r Receipt) Receipt {
	if !strings.Contains(r.Notes, noteCarried) {
		r.Notes = joinNotes(r.Notes, noteCarried+r.BatchID+": same bytes")
	}
	r.ID, r.BatchID = b.NewID("vr"), b.ID
	return r
}

// unbound says why the batch is about no certain bytes, "" when it is bound.
func (b Batch) unbound() string {
	switch {
	case !b.Before.Known || !b.After.Known:
		return "the state of the worktree could not be read"
	case !b.Before.Complete || !b.After.Complete:
		return "not every file could be hashed: " + strings.Join(b.Exclusions, ", ")
	case b.Before.Head != b.After.Head:
		return "HEAD changed while the checks ran"
	case b.Before.Digest != b.After.Digest:
		return "the worktree changed while the checks ran"
	case len(b.Touched) > 0:
		return fmt.Sprintf("files were written while the checks ran and hold their earlier bytes again, so it is not known which bytes were checked: %s", strings.Join(bounded(b.Touched), ", "))
	case b.LeaseEnded:
		return "the change lease ended while the checks ran"
	}
	return ""
}

func unbind(r *Receipt, why string) {
	r.Binding = Unbound
	if r.Status == StatusPassed || r.Status == StatusFailed {
		r.Notes = joinNotes(r.Notes, string(r.Status)+", but "+why)
		r.Status = StatusInconclusive
	}
}

// stamp fills in what all receipts of the batch share.
func (b Batch) stamp(r Receipt) Receipt {
	r.BatchID, r.Revision, r.DirtyDigest, r.DigestMethod, r.Binding = b.ID, b.Before.Head, b.Before.Digest, DigestMethod, Bound
	r.Exclusions = b.Exclusions
	if r.Timestamp.IsZero() {
		r.Timestamp = b.Now
	}
	return r
}

func runReceipt(plan VerificationPlan, run CheckRun, b Batch) (Receipt, []string) {
	r := b.stamp(Receipt{
		ID: b.NewID("vr"), Claim: run.Claim, Surface: run.Surface, Purpose: PurposeRun, Requirement: run.Requirement,
		Actor: plan.Actor, Contract: run.Contract, Tool: run.Tool, VerifierVersion: run.Version, Status: run.Status,
		Evidence: run.Evidence, Artifact: run.Artifact, Sensitive: run.Sensitive, Notes: run.Reason, Timestamp: run.At,
		Argv: run.Argv, CheckDigest: run.CheckDigest, EffectiveArgv: run.EffectiveArgv, Runner: run.Runner, Counts: run.Counts, Tests: run.Tests, ExitStatus: run.ExitStatus,
		DurationMS: run.Duration.Milliseconds(), Environment: run.Environment, Written: run.Written[:min(len(run.Written), MaxWrittenPaths)],
	})
	if r.Tool == "" {
		r.Tool = "command"
	}
	if r.Claim == "" {
		r.Claim = commandLabel + run.Name
	}
	if r.Surface == "" {
		r.Surface = SurfaceCode
	}
	var warnings []string
	if run.NeedsGrant {
		r.Status = StatusBlocked
		r.Notes = joinNotes(NoteNeedsGrant, r.Notes)
		warnings = append(warnings, fmt.Sprintf("check %s is blocked until a person approves it: cortex setup --trust-commands (or CORTEX_APPROVE_COMMANDS=1)", run.Name))
	}
	if len(run.BuildFailedFiles) > 0 && r.Status == StatusInconclusive && namesChanged(run.BuildFailedFiles, b.Changed) {
		r.Status = StatusFailed
		r.Notes = joinNotes(r.Notes, "the build failed in a changed file")
	}
	if r.Counts == nil && r.Tool == "command" && (r.Status == StatusPassed || r.Status == StatusFailed) && !strings.Contains(r.Notes, UnknownCounts) {
		r.Notes = joinNotes(r.Notes, UnknownCounts)
	}
	if len(run.Written) > 0 {
		warnings = append(warnings, fmt.Sprintf("check %s wrote %d files into the worktree: %s", run.Name, len(run.Written), strings.Join(r.Written, ", ")))
	}
	return r, warnings
}

// namesChanged reports whether a printed path is one of the changed files, or ends one at a directory.
func namesChanged(printed, changed []string) bool {
	for _, p := range printed {
		p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
		if slices.ContainsFunc(changed, func(c string) bool {
			return c == p || strings.HasSuffix(c, "/"+p) || path.IsAbs(p) && strings.HasSuffix(p, "/"+c)
		}) {
			return true
		}
	}
	return false
}

func claimReceipt(plan VerificationPlan, claim ClaimSpec, runs []Receipt, b Batch) Receipt {
	r := b.stamp(Receipt{
		ID: b.NewID("vr"), ClaimID: claim.ID, Claim: claim.Statement, Surface: claim.Surface, Purpose: PurposeClaim,
		Actor: plan.Actor, Contract: claim.Contract, Tool: claim.Verifier,
	})
	for _, run := range runs {
		if run.proves(claim.Verifier, claim.Contract) {
			r.Evidence = dedupe(append(r.Evidence, run.Evidence...))
			r.Sensitive, r.CheckDigest = r.Sensitive || run.Sensitive, run.CheckDigest
			status, note := run.verdictOn(claim.Contract)
			r.Status, r.Notes = worse(r.Status, status), joinNotes(r.Notes, note)
		}
	}
	if r.Status == "" {
		r.Status, r.Notes = StatusNotRun, fmt.Sprintf("no check of %s with the contract %q ran", claim.Verifier, claim.Contract)
	}
	return r
}

// proves reports whether r is a run of exactly that verifier and contract.
func (r Receipt) proves(verifier, contract string) bool {
	if purpose(r) != PurposeRun {
		return false
	}
	if name, ok := commandOf(r); ok {
		wanted, _ := SplitContract(contract)
		return verifier == CommandRequirement(name) && wanted == name
	}
	if r.Requirement == RequireReview {
		return verifier == "codemap" && contract == RequireReview
	}
	return r.Tool == verifier && r.Contract == contract && contract != ""
}

// worse returns the worse of two verdicts: passed, blocked, inconclusive, any other, failed. "" is no verdict yet.
func worse(a, b ReceiptStatus) ReceiptStatus {
	if a == "" || severity(b) > severity(a) {
		return b
	}
	return a
}

func severity(s ReceiptStatus) int {
	switch s {
	case StatusPassed:
		return 0
	case StatusBlocked:
		return 1
	case StatusInconclusive:
		return 2
	case StatusFailed:
		return 4
	}
	return 3
}

func joinNotes(notes ...string) string {
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	return strings.Join(notes, "; ")
}
