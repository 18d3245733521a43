package casefile

import (
	"fmt"
	"slices"
	"strings"
)

// Judgement is the one assessment of a case's receipts with how it stands against the present bytes.
//
// In an open case the outcome counts only receipts about exactly the bytes that are there now. In a completed case
// it counts those about the bytes it was completed on, and Stale says that the bytes are others by now.
type Judgement struct {
	Assessment
	Done          []string // what current receipts passed: labels of runs and statements of claims
	Stale         []string // ids of the receipts behind the outcome that are about other bytes than the present ones
	NotComparable []string // ids of those whose digest only another program can compare
	SameBytes     string   // HEAD now, when proven bytes were committed since: "same bytes, now commit X"
	NeedsGrant    []string // required or claimed checks of the current batch that wait for a person's approval
	Halted        bool     // a check about the present bytes could not run, or ran no test, for another reason than that
	Outdated      []string // checks that are configured otherwise than when they proved the present bytes
	Warnings      []string // the above as sentences
}

// Green reports whether the case is proven and nothing was edited since.
func (j Judgement) Green() bool { return j.Outcome == OutcomeVerified && len(j.Stale) == 0 }

// Judge reads the receipts of c. state is the worktree now; nil leaves freshness unjudged (for lists of many cases),
// one that is not Known or not Complete makes every receipt of an open case prove nothing.
func Judge(c *Case, receipts []Receipt, state *WorkState) Judgement {
	r := read(c, receipts, state)
	j := Judgement{Assessment: r.assess(c)}
	relevant := slices.Concat(r.runs, r.named, r.attested)
	for _, x := range relevant {
		switch {
		case purpose(x) == PurposeAttestation: // never done, and it waits for no check
		case r.proven(x):
			j.Done = append(j.Done, x.Claim)
		case x.Status == StatusBlocked && needsGrant(x):
			j.NeedsGrant = append(j.NeedsGrant, x.Requirement)
		case purpose(x) == PurposeRun && x.Requirement != "" && !r.stale(x) && (x.Status == StatusBlocked || x.Status == StatusNotRun):
			j.Halted = true
		}
		if r.outdated(x) && !r.stale(x) && x.bound() {
			name, ok := x.commandName()
			if !ok {
				name = x.Tool + " " + x.Contract
			}
			j.Outdated = append(j.Outdated, name)
		}
		switch {
		case !x.ours() && x.DirtyDigest != "":
			j.NotComparable = append(j.NotComparable, x.ID)
		case r.stale(x):
			j.Stale = append(j.Stale, x.ID)
		case r.current(x) && x.Status == StatusPassed && x.Revision != state.Head:
			j.SameBytes = state.Head
		}
	}
	j.Done, j.NeedsGrant, j.Outdated = dedupe(j.Done), dedupe(j.NeedsGrant), dedupe(j.Outdated)
	j.Warnings = j.warnings(r)
	return j
}

func (j Judgement) warnings(r reading) []string {
	var out []string
	if n := len(j.NotComparable); n > 0 && r.terminal {
		out = append(out, fmt.Sprintf("%d receipts are not comparable with the worktree: another program recorded them; the recorded outcome stands", n))
	} else if n > 0 {
		out = append(out, fmt.Sprintf("%d receipts are not comparable with the worktree: another program recorded them; they prove nothing here, verify again", n))
	}
	if n := len(j.Stale); n > 0 {
		out = append(out, fmt.Sprintf("the worktree changed since it was verified: %d receipts are stale", n))
	}
	if len(j.Outdated) > 0 {
		out = append(out, fmt.Sprintf("checks are configured otherwise than when they ran, so their receipts prove nothing: %s; verify again", strings.Join(bounded(j.Outdated), ", ")))
	}
	if j.SameBytes != "" {
		out = append(out, "same bytes, now commit "+clip(j.SameBytes, 12))
	}
	if r.state != nil && len(r.all) > 0 && !(r.state.Known && r.state.Complete) {
		out = append(out, "the state of the worktree could not be read completely; whether receipts are current is unknown")
	}
	return out
}

// assess computes the published assessment.
func (r reading) assess(c *Case) Assessment {
	var a Assessment
	passed, failed := false, false
	for _, x := range r.runs {
		passed = passed || r.proven(x)
		failed = failed || r.failed(x)
	}
	for _, x := range r.named {
		name := x.ClaimID
		if name == "" {
			name = x.Claim
		}
		switch {
		case r.proven(x):
			passed = true
		case r.failed(x):
			failed = true
			a.FailedClaims = append(a.FailedClaims, name)
		default:
			a.NonPassingClaims = append(a.NonPassingClaims, name)
		}
	}
	for _, requirement := range c.VerificationRequired {
		if r.satisfied(requirement) {
			a.SatisfiedRequired = append(a.SatisfiedRequired, requirement)
		} else {
			a.MissingRequired = append(a.MissingRequired, requirement)
		}
	}
	r.assessCriteria(c, &a)
	for _, list := range []*[]string{
		&a.SatisfiedRequired, &a.MissingRequired, &a.SatisfiedCriteria, &a.MissingCriteria, &a.NonPassingClaims, &a.FailedClaims, &a.AttestedCriteria,
	} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	switch {
	case failed:
		a.Outcome = OutcomeFailed
	case passed && len(a.MissingRequired)+len(a.NonPassingClaims) > 0:
		a.Outcome = OutcomePartial
	case passed:
		a.Outcome = OutcomeVerified
	default:
		a.Outcome = OutcomeUnverified
	}
	return a
}

// assessCriteria sorts the acceptance criteria into satisfied, attested and missing; a missing one is a claim that does
// not pass.
func (r reading) assessCriteria(c *Case, a *Assessment) {
	for _, k := range c.AcceptanceCriteria {
		of := func(x Receipt) bool { return x.ClaimID == k.ID && x.Claim == k.Statement }
		switch {
		case slices.ContainsFunc(r.named, func(x Receipt) bool { return of(x) && r.proven(x) }):
			a.SatisfiedCriteria = append(a.SatisfiedCriteria, k.ID)
		case k.Kind == CriterionProcess && slices.ContainsFunc(r.attested, func(x Receipt) bool {
			return of(x) && r.proven(x) && len(x.Evidence) > 0
		}):
			a.AttestedCriteria = append(a.AttestedCriteria, k.ID)
		default:
			a.MissingCriteria = append(a.MissingCriteria, k.ID)
			if !slices.Contains(a.FailedClaims, k.ID) {
				a.NonPassingClaims = append(a.NonPassingClaims, k.ID)
			}
		}
	}
}

func needsGrant(r Receipt) bool {
	return purpose(r) == PurposeRun && strings.HasPrefix(r.Notes, NoteNeedsGrant)
}
