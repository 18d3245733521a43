package casefile

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cortex/internal/problem"
)

// VerifyInput is what a verify call asks for.
type VerifyInput struct {
	Actor    string
	Claims   []ClaimSpec
	Legacy   []string      // claims of free text, which nothing can prove
	Attest   []Attestation // a call that has nothing else runs no check
	FromPlan bool          // derive the claims from the plan
	Only     []string      // run these checks alone; NAME or command:NAME
	Stale    bool          // run only what has no proof about the present bytes
	NoOp     bool          // acknowledges that nothing changed
	AckDrift bool          // acknowledges changes outside the boundary

	BrowserSpecs  []string // flows to run, relative to the workspace
	TerminalSpecs []string
	NoAutoSpecs   bool     // run no flow that is not named
	ArtifactRef   string   // a stash to look into
	SecretProject string   // a project that the vault must have
	Hints         []string // files that the caller says are changed; git decides
}

// VerifyFacts is what the rules need to know from outside before a verification.
type VerifyFacts struct {
	Changed   []string  // as Drift takes them
	State     WorkState // before the first check
	Now       time.Time
	Newest    time.Time // newest time in the ledgers
	Verifiers VerifierSet
	Cited     map[string]string    // kind of each record that attestations cite and the case has
	Refuses   func(string) bool    // may be nil
	Selected  map[string]Selection // by tool; see SelectFlows
}

// Check is one configured command to run.
type Check struct {
	Requirement string // command:NAME
	Name        string
	Kind        string   // kind of the evidence it gives; "" when it is planned and no longer configured
	Wanted      []string // tests that claims name: the run has to say how each ended
}

// VerificationPlan is what a verify call will do, decided before anything runs.
type VerificationPlan struct {
	Actor    string
	Checks   []Check
	Tools    []ToolCheck // after the commands, in this order
	Claims   []ClaimSpec
	Legacy   []string
	Attested []Attestation
	Carried  []Receipt // runs about the very same bytes that a partial batch takes over
	Failing  []Receipt // failed runs of specialist tools about the very same bytes, which only another verdict replaces
	Review   bool      // the structural review is required, or claimed, and is to be made
	Advisory bool      // it is neither, and a tool that is there may make it beside the planned unit test
	Scope    Scope
	Warnings []string
	UpToDate bool // asked for what is stale and nothing is: run and write nothing

	given    VerifyInput
	revision uint64
	lease    Lease
}

// PlanVerification decides what a verify call runs: the planned commands in the order of the plan, then those that
// claims name. It refuses, in this order: a wrong phase, a lease that is not the actor's, claims that cannot be judged,
// a change case without a change (no_change), a change outside the allowed paths (path_not_allowed), drift in a high-risk
// case (drift_unacknowledged), unknown names in Only.
func PlanVerification(c *Case, receipts []Receipt, in VerifyInput, facts VerifyFacts) (VerificationPlan, error) {
	if err := RequirePhase(c, "verify"); err != nil {
		return VerificationPlan{}, err
	}
	actor, err := RequireLease(c, in.Actor, Judged(c, facts.Now, facts.Newest))
	if err != nil {
		return VerificationPlan{}, err
	}
	if in, err = checkNamed(c, in, facts.Refuses); err != nil {
		return VerificationPlan{}, err
	}
	plan := VerificationPlan{Actor: actor, Scope: Drift(c, facts.Changed), given: in, revision: c.Revision}
	if c.ChangeLease != nil {
		plan.lease = *c.ChangeLease
	}
	if plan.Claims, err = verifyClaimList(c, receipts, in, facts); err != nil {
		return VerificationPlan{}, err
	}
	for _, text := range in.Legacy {
		text, err := CheckText("claims", text, MaxLegacyClaim)
		if err != nil {
			return VerificationPlan{}, err
		}
		plan.Legacy = append(plan.Legacy, text)
		plan.Warnings = append(plan.Warnings, LegacyWarning(c, text))
	}
	if plan.Attested, err = CheckAttestations(c, in.Attest, facts.Cited); err != nil {
		return VerificationPlan{}, err
	}
	if err := verifyGates(c, in, facts, plan); err != nil {
		return VerificationPlan{}, err
	}
	return chooseChecks(c, receipts, in, facts, plan)
}

func verifyClaimList(c *Case, receipts []Receipt, in VerifyInput, facts VerifyFacts) ([]ClaimSpec, error) {
	specs := slices.Clone(in.Claims)
	if in.FromPlan {
		derived, err := derivedClaims(c, receipts, in, facts)
		if err != nil {
			return nil, err
		}
		for _, d := range derived {
			if d.ID == "" || !slices.ContainsFunc(in.Claims, func(s ClaimSpec) bool { return s.ID == d.ID }) {
				specs = append(specs, d)
			}
		}
	}
	return CheckClaims(c, specs, receipts, facts.Verifiers, facts.Refuses)
}

// derivedClaims binds the criteria from the plan. One that was bound before stays so, and when all were, the plan is not
// asked again.
func derivedClaims(c *Case, receipts []Receipt, in VerifyInput, facts VerifyFacts) ([]ClaimSpec, error) {
	var bound []ClaimSpec
	criteria := c.provable()
	for _, k := range criteria {
		if earlier, ok := boundEarlier(receipts, k.ID); ok {
			bound = append(bound, earlier)
		}
	}
	if len(criteria) > 0 && len(bound) == len(criteria) {
		return bound, nil
	}
	derived, err := FromPlan(c, facts.Verifiers, planContracts(in, facts))
	if err != nil {
		return nil, err
	}
	for i, d := range derived {
		if earlier, ok := boundEarlier(receipts, d.ID); ok {
			derived[i] = earlier
		}
	}
	return derived, nil
}

// planContracts are the contracts by tool that a plan's requirements can stand for: what the call names, else what the tool
// chose.
func planContracts(in VerifyInput, facts VerifyFacts) map[string][]string {
	out := map[string][]string{}
	for _, s := range specialists() {
		if out[s.tool] = in.named(s.tool); len(out[s.tool]) == 0 {
			specs := facts.Selected[s.tool].Specs
			out[s.tool] = specs[:min(len(specs), MaxAutoSpecs)]
		}
	}
	return out
}

// boundEarlier returns the claim that the newest receipt of an id was about: a claim stays bound to its check.
func boundEarlier(receipts []Receipt, id string) (ClaimSpec, bool) {
	for _, r := range slices.Backward(receipts) {
		if id != "" && r.ClaimID == id && r.Contract != "" && purpose(r) == PurposeClaim {
			return specOf(r), true
		}
	}
	return ClaimSpec{}, false
}

func verifyGates(c *Case, in VerifyInput, facts VerifyFacts, plan VerificationPlan) error {
	step := problem.Step{Op: "verify", Args: verifyArgs(c, in, plan.Actor)}
	if c.Mode == ModeChange && len(facts.Changed) == 0 && !in.NoOp {
		step.Args["noOpAcknowledged"], step.Why = true, "only if changing nothing is intended"
		p := problem.New(problem.NoChange, "no change was found since the case's base commit: make the planned change, or acknowledge an intentional no-op").
			About(c.ID, string(c.Status))
		if holder, _ := LeaseHolder(c, facts.Now); holder == "" {
			p = p.With(beginStep(c, plan.Actor, "make the planned change"))
		}
		return p.With(step)
	}
	if outside := c.outsideAllowed(facts.Changed); len(outside) > 0 {
		return notAllowed(c, "files changed", outside).With(revertSteps(c, outside, step)...)
	}
	if c.Risk == RiskHigh && plan.Scope.Scope == ScopeDrift && !in.AckDrift {
		step.Args["driftAcknowledged"], step.Why = true, "only if the files outside the boundary are meant to change"
		return problem.New(problem.DriftUnacknowledged, "files outside the boundary changed in a high-risk case: %s; revert them, or acknowledge the drift",
			strings.Join(bounded(plan.Scope.UnexpectedFiles), ", ")).About(c.ID, string(c.Status)).With(step)
	}
	return nil
}

// verifyArgs repeats a verify call in a step.
func verifyArgs(c *Case, in VerifyInput, actor string) map[string]any {
	args := map[string]any{"taskId": c.ID}
	if actor != "" {
		args["actor"] = actor
	}
	if len(in.Claims) > 0 {
		args["claimSpecs"] = in.Claims
	}
	if len(in.Legacy) > 0 {
		args["claims"] = in.Legacy
	}
	if len(in.Attest) > 0 {
		args["attestations"] = in.Attest
	}
	if len(in.Only) > 0 {
		args["only"] = in.Only
	}
	for _, s := range specialists() {
		if given := in.named(s.tool); len(given) > 0 && s.flow() {
			args[s.field] = given
		} else if len(given) > 0 {
			args[s.field] = given[0]
		}
	}
	for name, set := range map[string]bool{
		"fromPlan": in.FromPlan, "stale": in.Stale, "noOpAcknowledged": in.NoOp, "driftAcknowledged": in.AckDrift, "noAutoSpecs": in.NoAutoSpecs,
	} {
		if set {
			args[name] = true
		}
	}
	return args
}

// chooseChecks fills in what to run, and what a partial batch carries over so that it does not mask proof about the
// same bytes.
func chooseChecks(c *Case, receipts []Receipt, in VerifyInput, facts VerifyFacts, plan VerificationPlan) (VerificationPlan, error) {
	reading := read(c, receipts, &facts.State)
	if in.Stale {
		plan.Claims = append(plan.Claims, reading.lapsedClaims(plan.Claims)...)
	}
	wanted := c.commandRequirements()
	for _, claim := range plan.Claims {
		if _, ok := CommandName(claim.Verifier); ok {
			wanted = append(wanted, claim.Verifier)
		}
	}
	wanted = dedupe(wanted)
	run, err := restrict(c, wanted, in, facts.Verifiers)
	if err != nil {
		return VerificationPlan{}, err
	}
	tests := wantedTests(plan.Claims)
	switch {
	case in.attestsOnly():
		run = nil
	case in.Stale:
		run = slices.DeleteFunc(run, func(r string) bool { return reading.satisfied(r) && reading.listsAll(r, tests[r]) })
	}
	for _, requirement := range run {
		name, _ := CommandName(requirement)
		plan.Checks = append(plan.Checks, Check{Requirement: requirement, Name: name, Kind: facts.Verifiers.Kind(requirement), Wanted: tests[requirement]})
	}
	required := slices.Contains(c.VerificationRequired, RequireReview) ||
		slices.ContainsFunc(plan.Claims, func(claim ClaimSpec) bool { return claim.Verifier == "codemap" })
	plan.Review = required && len(in.Only) == 0 && !in.attestsOnly() &&
		!(in.Stale && slices.ContainsFunc(reading.runs, reading.reviewed))
	tested := slices.ContainsFunc(c.VerificationRequired, func(r string) bool { return facts.Verifiers.Kind(r) == KindUnitTest })
	plan.Advisory = !required && tested && c.Mode == ModeChange && len(facts.Changed) > 0 && len(in.Only) == 0 && !in.attestsOnly() && !in.Stale
	var warnings []string
	plan.Tools, warnings = chooseTools(c, reading, in, facts, plan.Claims)
	plan.Warnings = append(append(plan.Warnings, warnings...), hintWarnings(c.Workspace.Root, in.Hints, facts.Changed)...)
	for _, r := range reading.runs {
		partial := in.Stale || len(in.Only) > 0 || in.attestsOnly()
		if reading.current(r) && !slices.Contains(run, r.Requirement) && r.Requirement != "" && !plan.checksAgain(r) && (partial || r.observed()) {
			plan.Carried = append(plan.Carried, r)
		}
	}
	for _, r := range reading.failing() {
		if !slices.ContainsFunc(plan.Carried, r.sameCheck) {
			plan.Failing = append(plan.Failing, r)
		}
	}
	plan.UpToDate = in.Stale && !plan.Review && len(plan.Checks)+len(plan.Tools)+len(plan.Claims)+len(plan.Legacy)+len(plan.Attested) == 0
	return plan, nil
}

// reviewed reports whether x is a structural review of the present bytes that would not end otherwise: a proven one, or that
// of the embedded structure, which proves nothing whatever it finds.
func (r reading) reviewed(x Receipt) bool {
	return x.Requirement == RequireReview && r.current(x) && (x.Status == StatusPassed || x.Tool != "codemap")
}

// checksAgain reports whether the plan repeats the check that r is about, which is no command.
func (p VerificationPlan) checksAgain(r Receipt) bool {
	return p.Review && r.Requirement == RequireReview ||
		slices.ContainsFunc(p.Tools, func(t ToolCheck) bool { return t.Tool == r.Tool && t.Contract == r.Contract })
}

// observed reports whether r is the verdict of a specialist tool. It stays with the bytes that it is about: a later call that
// does not name the check again neither loses what it proved nor hides that it failed.
func (r Receipt) observed() bool {
	_, ok := specialistOf(r.Tool)
	return ok && purpose(r) == PurposeRun && r.Contract != "" && (r.Status == StatusPassed || r.Status == StatusFailed)
}

// sameCheck reports whether two runs are of the same check of a specialist tool.
func (r Receipt) sameCheck(x Receipt) bool { return r.Tool == x.Tool && r.Contract == x.Contract }

// hintWarnings name the files that a caller says are changed and git does not.
func hintWarnings(root string, hints, changed []string) []string {
	var unseen []string
	for _, hint := range hints {
		file := path.Clean(filepath.ToSlash(hint))
		if below, ok := inside(filepath.ToSlash(root), file); ok {
			file = below
		}
		if !slices.Contains(changed, file) {
			unseen = append(unseen, clip(hint, MaxProofRef))
		}
	}
	if len(unseen) == 0 {
		return nil
	}
	return []string{"git sees no change in: " + strings.Join(bounded(unseen), ", ")}
}

// attestsOnly reports whether in asks for attestations and for nothing that a check could prove.
func (in VerifyInput) attestsOnly() bool {
	named := len(in.BrowserSpecs) + len(in.TerminalSpecs) + len(in.ArtifactRef) + len(in.SecretProject)
	return len(in.Attest) > 0 && len(in.Claims)+len(in.Legacy)+len(in.Only)+named == 0 && !in.FromPlan && !in.Stale
}

// restrict keeps the checks that Only names.
func restrict(c *Case, wanted []string, in VerifyInput, verifiers VerifierSet) ([]string, error) {
	if len(in.Only) == 0 {
		return slices.Clone(wanted), nil
	}
	var named []string
	for _, name := range in.Only {
		if s, ok := specialistOf(name); ok && s.requirement == name && (c.inScope(s) || len(in.named(s.tool)) > 0) {
			continue // chosen by chooseTools
		}
		requirement := CommandRequirement(strings.TrimPrefix(name, commandPrefix))
		if canonical, p := verifiers.Canonical(requirement); p == nil {
			requirement = canonical
		}
		if !slices.Contains(wanted, requirement) {
			args := verifyArgs(c, in, in.Actor)
			delete(args, "only")
			wanted = append(wanted, c.observedRequirements()...)
			return nil, problem.New(problem.UnknownVerifier, "check %q is neither planned nor named by a claim of this call.", clip(name, MaxIdentifier)).
				About(c.ID, string(c.Status)).On("only", clip(name, MaxIdentifier), strings.Join(bounded(wanted), ", ")).
				With(problem.Step{Op: "verify", Args: args, Inputs: []string{"only"}, Candidates: map[string][]string{"only": bounded(wanted)}, Why: "name a planned check"})
		}
		named = append(named, requirement)
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(r string) bool { return !slices.Contains(named, r) }), nil
}

// observedRequirements are what specialist tools could prove in the case.
func (c *Case) observedRequirements() []string {
	var out []string
	for _, s := range specialists() {
		if c.inScope(s) {
			out = append(out, s.requirement)
		}
	}
	return out
}

// ChangedDuringRun compares the case as it is now with the one that the verification was planned for. When its revision
// or its lease changed, nothing of the run may be written: revision_conflict.
func (p VerificationPlan) ChangedDuringRun(now *Case) error {
	var lease Lease
	if now.ChangeLease != nil {
		lease = *now.ChangeLease
	}
	if now.Revision == p.revision && lease.Actor == p.lease.Actor && lease.AcquiredAt.Equal(p.lease.AcquiredAt) {
		return nil
	}
	conflict := problem.New(problem.RevisionConflict, "case %s changed while its checks ran (revision %d became %d); the results were discarded, verify again", now.ID, p.revision, now.Revision).
		About(now.ID, string(now.Status))
	if !allowed(now.Status, "verify") {
		return conflict.Without(phaseHint(now.Status))
	}
	again := p.given
	again.Claims, again.Attest = p.Claims, p.Attested
	return conflict.With(problem.Step{Op: "verify", Args: verifyArgs(now, again, p.Actor), Why: "run the checks again on the case as it is now"})
}
