package casefile

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// ToolCheck is one thing that a specialist tool is to prove: a flow of a surface, an artifact, or a project of the vault.
type ToolCheck struct {
	Tool        string
	Requirement string
	Surface     Surface
	Contract    string // path of the spec, fcheap://stash/ID, or the project
	Auto        bool   // the tool chose the spec
}

// Label names the check in receipts.
func (t ToolCheck) Label() string {
	s, _ := specialistOf(t.Tool)
	if t.Auto {
		return autoLabel + s.label + t.Contract
	}
	return s.label + t.Contract
}

// Flow reports whether the check runs a spec of the repository.
func (t ToolCheck) Flow() bool { return t.Surface == SurfaceBrowser || t.Surface == SurfaceTerminal }

const (
	autoLabel = "auto-selected "
	// MaxAutoSpecs bounds the specs of one surface that are run without being named.
	MaxAutoSpecs = 3
	// MaxSpecs bounds the specs of one surface that one call may name.
	MaxSpecs = 16
)

// specialist is a tool that observes one surface.
type specialist struct {
	tool        string
	requirement string
	surface     Surface
	label       string // begins the label of its checks
	field       string // argument that names what to check
	what        string
}

func specialists() []specialist {
	return []specialist{
		{"cairntrace", RequireBrowser, SurfaceBrowser, "browser flow ", "browserSpecs", "browser spec"},
		{"glyphrun", RequireTerminal, SurfaceTerminal, "terminal flow ", "terminalSpecs", "terminal spec"},
		{"fcheap", RequireArtifact, SurfaceArtifact, "artifact verification ", "artifactRef", "artifact"},
		{"tvault", RequireCapability, SurfaceSecret, "secret verification ", "secretProject", "project of the vault"},
	}
}

func (s specialist) flow() bool { return s.surface == SurfaceBrowser || s.surface == SurfaceTerminal }

// specialistOf returns the specialist that a requirement or a tool names.
func specialistOf(name string) (specialist, bool) {
	all := specialists()
	i := slices.IndexFunc(all, func(s specialist) bool { return s.tool == name || s.requirement == name })
	if i < 0 {
		return specialist{}, false
	}
	return all[i], true
}

// Selection is which specs a tool holds to be affected by the change.
type Selection struct {
	Specs []string // canonical
	Why   string   // why there is none
}

// named are the contracts that a call names for a tool.
func (in VerifyInput) named(tool string) []string {
	one := func(value string) []string {
		if value == "" {
			return nil
		}
		return []string{value}
	}
	switch tool {
	case "cairntrace":
		return in.BrowserSpecs
	case "glyphrun":
		return in.TerminalSpecs
	case "fcheap":
		return one(in.ArtifactRef)
	case "tvault":
		return one(in.SecretProject)
	}
	return nil
}

// SelectFlows names the tools whose own choice of specs a verification would use: those of a surface in scope for which
// the call names nothing, when something changed.
func SelectFlows(c *Case, receipts []Receipt, in VerifyInput, facts VerifyFacts) []string {
	if in.NoAutoSpecs || in.attestsOnly() || len(facts.Changed) == 0 || RequirePhase(c, "verify") != nil {
		return nil
	}
	reading := read(c, receipts, &facts.State)
	var out []string
	for _, s := range specialists() {
		switch {
		case !s.flow() || !c.inScope(s) || len(in.named(s.tool)) > 0:
		case slices.ContainsFunc(in.Claims, func(spec ClaimSpec) bool {
			return spec.Verifier == s.tool || spec.Verifier == "" && spec.Surface == s.surface
		}):
		case len(in.Only) > 0 && !slices.Contains(in.Only, s.requirement):
		case in.Stale && (reading.satisfied(s.requirement) || len(reading.lapsedChecks(s)) > 0):
		default:
			out = append(out, s.tool)
		}
	}
	return out
}

// inScope reports whether the case is about the surface of a specialist.
func (c *Case) inScope(s specialist) bool {
	return slices.Contains(c.Surfaces, s.surface) || slices.Contains(c.VerificationRequired, s.requirement)
}

// checkNamed returns in with what it names for tools in canonical form.
func checkNamed(c *Case, in VerifyInput, refuses func(string) bool) (VerifyInput, error) {
	for _, s := range specialists() {
		given := in.named(s.tool)
		if len(given) > MaxSpecs {
			return in, tooLarge(s.field, len(given), MaxSpecs, "specs").About(c.ID, string(c.Status))
		}
		var list []string
		for _, contract := range given {
			canonical, err := CheckToolContract(c, s.tool, s.field, contract, refuses)
			if err != nil {
				return in, namedStep(c, in, s, err)
			}
			list = append(list, canonical)
		}
		in.setNamed(s.tool, dedupe(list))
	}
	return in, nil
}

func (in *VerifyInput) setNamed(tool string, list []string) {
	switch {
	case tool == "cairntrace":
		in.BrowserSpecs = list
	case tool == "glyphrun":
		in.TerminalSpecs = list
	case tool == "fcheap" && len(list) > 0:
		in.ArtifactRef = list[0]
	case tool == "tvault" && len(list) > 0:
		in.SecretProject = list[0]
	}
}

// namedStep attaches to err the verify call that needs another value for what s observes.
func namedStep(c *Case, in VerifyInput, s specialist, err error) *problem.Problem {
	p := problem.From(err).About(c.ID, string(c.Status))
	p.NoStep = ""
	args := verifyArgs(c, in, in.Actor)
	delete(args, s.field)
	return p.With(problem.Step{Op: "verify", Args: args, Inputs: []string{s.field}, Why: "name another " + s.what})
}

// NamedBy returns the argument of a call that names the check, "" when none does.
func (t ToolCheck) NamedBy(c *Case, in VerifyInput) string {
	is := func(contract string) bool {
		canonical, err := CheckToolContract(c, t.Tool, "", contract, nil)
		return err == nil && canonical == t.Contract
	}
	s, _ := specialistOf(t.Tool)
	switch {
	case slices.ContainsFunc(in.named(t.Tool), is):
		return s.field
	case slices.ContainsFunc(in.Claims, func(spec ClaimSpec) bool {
		return (spec.Verifier == t.Tool || spec.Surface == t.Surface) && is(spec.Contract)
	}):
		return "claimSpecs"
	}
	return ""
}

// RefuseSpec is the refusal of a spec that is no file which may be run. field is the argument that named it.
func RefuseSpec(c *Case, in VerifyInput, tool, field, spec string) error {
	s, _ := specialistOf(tool)
	err := invalid(field, clip(spec, MaxProofRef), "a regular file in the workspace", "%s: the %s %q is no regular file in the workspace that can be read.", field, s.what, clip(spec, MaxProofRef))
	if field == "claimSpecs" {
		return claimStep(c, err, ClaimSpec{Surface: s.surface, Verifier: tool})
	}
	return namedStep(c, in, s, err)
}

// CheckToolContract returns what a tool is to check in canonical form: the path of a spec relative to the workspace, the
// reference of a stash, the name of a project. A path that leaves the workspace or could be taken for an option is refused.
func CheckToolContract(c *Case, tool, field, contract string, refuses func(string) bool) (string, error) {
	contract, err := CheckText(field, contract, MaxContract)
	if err != nil {
		return "", err
	}
	if refuses != nil && refuses(contract) {
		return "", problem.New(problem.SecretInInput, "%s looks like a secret and is not accepted.", field).
			On(field, nil, "a name that is no secret").Without("choose another name and call again")
	}
	switch tool {
	case "fcheap":
		if plainName(contract, "-_.") {
			contract = stashPrefix + contract
		}
		ref, err := ParseReference(contract)
		if err != nil || ref.Kind != RefStash {
			return "", invalid(field, clip(contract, MaxProofRef), stashPrefix+"ID", "%q is not the reference of a stash.", clip(contract, MaxProofRef))
		}
		return ref.Text, nil
	case "tvault":
		return CheckIdentifier(field, contract, refuses)
	}
	return checkSpecPath(c.Workspace.Root, field, contract)
}

func checkSpecPath(root, field, spec string) (string, error) {
	slashed := filepath.ToSlash(spec)
	if filepath.IsAbs(spec) || strings.HasPrefix(slashed, "/") {
		rest, ok := inside(filepath.ToSlash(root), path.Clean(slashed))
		if !ok {
			return "", badSpec(field, spec, "lies outside of the workspace")
		}
		slashed = rest
	}
	switch clean := path.Clean(slashed); {
	case slices.Contains(strings.Split(slashed, "/"), ".."):
		return "", badSpec(field, spec, `holds ".."`)
	case clean == "." || strings.HasSuffix(slashed, "/"):
		return "", badSpec(field, spec, "is a directory")
	case strings.HasPrefix(clean, "-"):
		return "", badSpec(field, spec, "could be taken for an option")
	case strings.ContainsFunc(clean, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", badSpec(field, spec, "holds control characters")
	default:
		return clean, nil
	}
}

func badSpec(field, spec, why string) error {
	return invalid(field, clip(spec, MaxProofRef), "the path of a file in the workspace, relative to it", "%s: the spec %q %s.", field, clip(spec, MaxProofRef), why)
}

// chooseTools decides what specialist tools check: what the call names, what its claims name, under Stale what once was
// checked and has no proof about the present bytes, else what a tool of a surface in scope chose itself.
func chooseTools(c *Case, r reading, in VerifyInput, facts VerifyFacts, claims []ClaimSpec) (checks []ToolCheck, warnings []string) {
	if in.attestsOnly() {
		return nil, nil
	}
	for _, s := range specialists() {
		found := r.toolChecks(s, in, facts, claims)
		if len(in.Only) > 0 && !slices.Contains(in.Only, s.requirement) {
			continue
		}
		checks = append(checks, found...)
		selected := facts.Selected[s.tool]
		switch {
		case len(found) > 0 && found[0].Auto && len(selected.Specs) > MaxAutoSpecs:
			warnings = append(warnings, fmt.Sprintf("%d of %d affected %ss are run: %s; name the others to run them",
				MaxAutoSpecs, len(selected.Specs), s.what, strings.Join(bounded(selected.Specs[:MaxAutoSpecs]), ", ")))
		case len(found) == 0 && c.inScope(s) && !r.judged(s.tool):
			warnings = append(warnings, unchecked(c, s, selected.Why))
		}
	}
	return checks, warnings
}

func (r reading) toolChecks(s specialist, in VerifyInput, facts VerifyFacts, claims []ClaimSpec) []ToolCheck {
	check := func(contract string, auto bool) ToolCheck {
		return ToolCheck{Tool: s.tool, Requirement: s.requirement, Surface: s.surface, Contract: contract, Auto: auto}
	}
	contracts := slices.Clone(in.named(s.tool))
	for _, claim := range claims {
		if claim.Verifier == s.tool {
			contracts = append(contracts, claim.Contract)
		}
	}
	var out []ToolCheck
	for _, contract := range dedupe(contracts) {
		if !in.Stale || !r.toolProven(s.tool, contract) {
			out = append(out, check(contract, false))
		}
	}
	if in.Stale {
		for _, lapsed := range r.lapsedChecks(s) {
			if !slices.Contains(contracts, lapsed.Contract) {
				out = append(out, lapsed)
			}
		}
	}
	if len(contracts) > 0 || len(out) > 0 {
		return out
	}
	specs := facts.Selected[s.tool].Specs
	for _, spec := range specs[:min(len(specs), MaxAutoSpecs)] {
		out = append(out, check(spec, true))
	}
	return out
}

// toolProven reports whether a tool proved a contract about the present bytes.
func (r reading) toolProven(tool, contract string) bool {
	return slices.ContainsFunc(r.runs, func(x Receipt) bool { return x.Tool == tool && x.Contract == contract && r.proven(x) })
}

// judged reports whether the last batch has a verdict of a tool about the present bytes, which the next one takes over.
func (r reading) judged(tool string) bool {
	return slices.ContainsFunc(r.runs, func(x Receipt) bool { return x.Tool == tool && x.observed() && r.current(x) })
}

// lapsedChecks are the checks of the last batch in which a tool checked anything, without those that it proved about the
// present bytes.
func (r reading) lapsedChecks(s specialist) []ToolCheck {
	var out []ToolCheck
	batch := ""
	for _, x := range slices.Backward(r.all) {
		if x.Tool != s.tool || purpose(x) != PurposeRun || x.Contract == "" || !x.ours() || batch != "" && x.BatchID != batch {
			continue
		}
		batch = x.BatchID
		known := slices.ContainsFunc(out, func(t ToolCheck) bool { return t.Contract == x.Contract })
		if !known && !r.toolProven(s.tool, x.Contract) {
			out = append(out, ToolCheck{Tool: s.tool, Requirement: s.requirement, Surface: s.surface, Contract: x.Contract, Auto: strings.HasPrefix(x.Claim, autoLabel)})
		}
	}
	slices.Reverse(out)
	return out
}

// unchecked says that a surface in scope is not looked at, and how it would be.
func unchecked(c *Case, s specialist, why string) string {
	text := fmt.Sprintf("surface %s was not checked (not_run): name the %s with --%s", s.surface, s.what, map[string]string{
		"browserSpecs": "browser-spec", "terminalSpecs": "terminal-spec", "artifactRef": "artifact-ref", "secretProject": "secret-project",
	}[s.field])
	if why != "" {
		text += "; " + why
	}
	if slices.Contains(c.VerificationRequired, s.requirement) {
		text = s.requirement + " is required; " + text
	}
	return text
}
