package casefile

import (
	"slices"
	"strings"
)

const commandLabel = "configured command verifier "

// reading is what the receipts of a case come down to: the latest run of each check in the current batch, and the
// latest receipt of each claim about the same bytes.
type reading struct {
	terminal bool
	ended    *Completed // the bytes that a case was completed on; nil when they are not recorded
	state    *WorkState // nil: freshness is not judged
	all      []Receipt
	runs     []Receipt
	named    []Receipt
	attested []Receipt
}

func read(c *Case, receipts []Receipt, state *WorkState) reading {
	r := reading{terminal: c.Status.Terminal(), state: state, all: receipts}
	if c.Status == PhaseComplete {
		r.ended = c.CompletedOn
	}
	if len(receipts) == 0 {
		return r
	}
	current := currentBatch(receipts)
	last := current[len(current)-1]
	claims := current
	if last.Binding != Unbound && last.DirtyDigest != "" { // an unbound batch masks older proof
		claims = slices.DeleteFunc(slices.Clone(receipts), func(x Receipt) bool {
			return !sameBytes(x, last) || x.unbindable() && x.BatchID != last.BatchID
		})
	}
	r.runs = latest(current, PurposeRun, func(x Receipt) string { return string(x.Surface) + "\x00" + x.Tool + "\x00" + x.Claim })
	r.named = latest(claims, PurposeClaim, claimKey)
	r.attested = latest(claims, PurposeAttestation, claimKey)
	return r
}

// currentBatch returns the receipts of the newest batch in file order. Receipts without one are from before batches
// existed: those about the state of the last of them, or all when none names a state.
func currentBatch(receipts []Receipt) []Receipt {
	last := receipts[len(receipts)-1]
	keep := func(r Receipt) bool { return r.BatchID == last.BatchID }
	if last.BatchID == "" {
		for _, r := range slices.Backward(receipts) {
			if r.Revision != "" || r.DirtyDigest != "" {
				keep = func(x Receipt) bool { return x.Revision == r.Revision && x.DirtyDigest == r.DirtyDigest }
				break
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(receipts), func(r Receipt) bool { return !keep(r) })
}

// latest keeps the last receipt of each key among those of a purpose, in file order.
func latest(receipts []Receipt, want Purpose, key func(Receipt) string) []Receipt {
	var out []Receipt
	seen := map[string]bool{}
	for _, r := range slices.Backward(receipts) {
		if purpose(r) == want && !seen[key(r)] {
			seen[key(r)] = true
			out = append(out, r)
		}
	}
	slices.Reverse(out)
	return out
}

func claimKey(r Receipt) string {
	if r.ClaimID != "" {
		return "id\x00" + r.ClaimID
	}
	return string(r.Surface) + "\x00" + r.Claim
}

// sameBytes reports whether two receipts are about the same worktree. Our digest covers every byte whatever HEAD is;
// that of another program means something only together with the commit.
func sameBytes(a, b Receipt) bool {
	return a.DirtyDigest == b.DirtyDigest && (a.ours() && b.ours() || a.Revision == b.Revision)
}

// unbindable reports whether r is one of our receipts for a claim that names no check. It says only that its own batch
// left something open.
func (r Receipt) unbindable() bool { return r.ours() && purpose(r) == PurposeClaim && r.ClaimID == "" }

// bound reports whether r is about certain bytes. Our receipts say so in one word; earlier ones of the public program may
// say nothing.
func (r Receipt) bound() bool { return r.Binding == Bound || !r.ours() && r.Binding != Unbound }

// ours reports whether the digest of r can be compared with a WorkState.
func (r Receipt) ours() bool { return r.DigestMethod == DigestMethod }

// current reports whether x is about exactly the bytes that are there now.
func (r reading) current(x Receipt) bool {
	return x.bound() && x.ours() && r.state != nil && r.state.Known && r.state.Complete && x.DirtyDigest == r.state.Digest && !r.outdated(x)
}

// stale reports whether x is about other bytes than those that are there now.
func (r reading) stale(x Receipt) bool {
	return x.bound() && x.ours() && x.DirtyDigest != "" && r.state != nil && r.state.Known && r.state.Complete && x.DirtyDigest != r.state.Digest
}

// counts reports whether x says anything: in an ended case about the bytes that it was completed on, in an open one only
// about the bytes that are there now.
func (r reading) counts(x Receipt) bool {
	switch {
	case !x.bound():
		return false
	case r.ended != nil:
		return x.ours() && x.DigestMethod == r.ended.DigestMethod && x.DirtyDigest != "" && x.DirtyDigest == r.ended.DirtyDigest
	case r.terminal:
		return true
	case r.state == nil:
		return x.ours()
	}
	return r.current(x)
}

// outdated reports whether the check behind x is configured otherwise by now, or not at all, or a flow has another spec: its
// verdict is then one of another check. An ended case is not asked.
func (r reading) outdated(x Receipt) bool {
	if r.terminal || r.state == nil || x.CheckDigest == "" {
		return false
	}
	if s, ok := specialistOf(x.Tool); ok {
		return s.flow() && r.state.Flow != nil && r.state.Flow(s.tool, x.Contract) != x.CheckDigest
	}
	name, ok := x.commandName()
	return ok && r.state.Checks != nil && r.state.Checks[name] != x.CheckDigest
}

// commandName is the configured command behind a run or a claim.
func (r Receipt) commandName() (string, bool) {
	if purpose(r) == PurposeClaim {
		return CommandName(r.Tool)
	}
	return commandOf(r)
}

func (r reading) proven(x Receipt) bool { return x.Status == StatusPassed && r.counts(x) }
func (r reading) failed(x Receipt) bool { return x.Status == StatusFailed && r.counts(x) }

// satisfied reports whether the requirement has a run and every run of it is proven.
func (r reading) satisfied(requirement string) bool {
	found := false
	for _, x := range r.runs {
		if !x.addresses(requirement) {
			continue
		}
		if found = true; !r.proven(x) {
			return false
		}
	}
	return found
}

// addresses reports whether r is a run for a planned requirement: the one it names, else the one of its tool.
func (r Receipt) addresses(requirement string) bool {
	if r.Requirement != "" {
		return r.Requirement == requirement
	}
	if name, ok := commandOf(r); ok {
		return requirement == CommandRequirement(name)
	}
	switch requirement {
	case RequireReview:
		return r.Tool == "codemap"
	case RequireBrowser:
		return r.Tool == "cairntrace"
	case RequireTerminal:
		return r.Tool == "glyphrun"
	case RequireArtifact:
		return r.Tool == "fcheap"
	case RequireCapability:
		return r.Tool == "tvault"
	}
	return false
}

// commandOf returns the configured command whose run r is.
func commandOf(r Receipt) (name string, ok bool) {
	if name, ok = CommandName(r.Requirement); ok {
		return name, true
	}
	if r.Requirement == "" && r.Tool == "command" {
		return strings.CutPrefix(r.Claim, commandLabel)
	}
	return "", false
}

// purpose is what r is. Receipts from before purposes were recorded are told by their label or by what only a run has.
func purpose(r Receipt) Purpose {
	if r.Purpose != "" {
		return r.Purpose
	}
	if r.Claim == "" || r.Claim == noRunnableVerifier || len(r.Evidence) > 0 || r.Artifact != "" || r.VerifierVersion != "" {
		return PurposeRun
	}
	for _, label := range []string{
		"structural review of the diff", commandLabel, "browser flow ", "terminal flow ", "auto-selected ",
		"artifact verification ", "secret verification ",
	} {
		if strings.HasPrefix(r.Claim, label) {
			return PurposeRun
		}
	}
	return PurposeClaim
}

// failing are the failed verdicts of specialist tools about the present bytes that no later verdict about them replaced,
// whatever was verified in between.
func (r reading) failing() []Receipt {
	var newest []Receipt
	for _, x := range slices.Backward(r.all) {
		if x.observed() && r.current(x) && !slices.ContainsFunc(newest, x.sameCheck) {
			newest = append(newest, x)
		}
	}
	slices.Reverse(newest)
	return slices.DeleteFunc(newest, func(x Receipt) bool { return x.Status != StatusFailed })
}

// lapsedClaims are the claims that were once bound to a check and have no proof about the present bytes, except those
// that are asked for anyway.
func (r reading) lapsedClaims(asked []ClaimSpec) []ClaimSpec {
	var out []ClaimSpec
	for _, x := range latest(r.all, PurposeClaim, claimKey) {
		if x.ClaimID == "" || x.Contract == "" || slices.ContainsFunc(asked, func(s ClaimSpec) bool { return s.ID == x.ClaimID }) {
			continue
		}
		if !slices.ContainsFunc(r.named, func(n Receipt) bool { return n.ClaimID == x.ClaimID && r.proven(n) }) {
			out = append(out, specOf(x))
		}
	}
	return out[:min(len(out), MaxClaims)]
}
