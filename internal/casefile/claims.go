package casefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// ClaimSpec is a typed claim: a statement and the one check that can prove it. As text it is
// "id=…|surface=…|verifier=…|contract=…|statement"; id and verifier may be left out.
type ClaimSpec struct {
	ID        string  `json:"id,omitempty"`       // derived from surface and statement when empty
	Statement string  `json:"statement"`          // exactly the registered one when ID is that of a criterion
	Surface   Surface `json:"surface"`            // from which side it shows
	Verifier  string  `json:"verifier,omitempty"` // by surface when empty; "command:NAME" for a configured command
	Contract  string  `json:"contract"`           // NAME or NAME#TEST[,TEST] of the command, codemap_review, a flow's path, an artifact or project
}

// String returns the text form, which UnmarshalText reads.
func (s ClaimSpec) String() string {
	var b strings.Builder
	for _, field := range [][2]string{{"id", s.ID}, {"surface", string(s.Surface)}, {"verifier", s.Verifier}, {"contract", s.Contract}} {
		if field[1] != "" {
			fmt.Fprintf(&b, "%s=%s|", field[0], field[1])
		}
	}
	return b.String() + s.Statement
}

// MarshalText returns the text form, or an error when a field holds what would end it.
func (s ClaimSpec) MarshalText() ([]byte, error) {
	if strings.Contains(s.ID+string(s.Surface)+s.Verifier+s.Contract, "|") {
		return nil, errors.New("a field of the claim holds |")
	}
	return []byte(s.String()), nil
}

// MarshalJSON returns the object form.
func (s ClaimSpec) MarshalJSON() ([]byte, error) {
	type plain ClaimSpec // without methods
	return json.Marshal(plain(s))
}

// UnmarshalText reads the text form. The statement is all that follows the last field; it may hold "|".
func (s *ClaimSpec) UnmarshalText(text []byte) error {
	*s = ClaimSpec{}
	rest := string(text)
	for {
		head, tail, found := strings.Cut(rest, "|")
		name, value, named := strings.Cut(head, "=")
		target := s.field(strings.TrimSpace(name))
		if !named || target == nil {
			break
		}
		if *target != "" {
			return invalid("claimSpecs", nil, "each field once", "claim spec names %s twice.", strings.TrimSpace(name))
		}
		*target = strings.TrimSpace(value)
		if rest = tail; !found {
			break
		}
	}
	s.Statement = strings.TrimSpace(rest)
	return nil
}

func (s *ClaimSpec) field(name string) *string {
	switch name {
	case "id":
		return &s.ID
	case "surface":
		return (*string)(&s.Surface)
	case "verifier":
		return &s.Verifier
	case "contract":
		return &s.Contract
	}
	return nil
}

// UnmarshalJSON reads an object without unknown fields, or a string in the text form.
func (s *ClaimSpec) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return s.UnmarshalText([]byte(text))
	}
	type plain ClaimSpec // without methods
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	*s = ClaimSpec{}
	if err := dec.Decode((*plain)(s)); err != nil {
		return fmt.Errorf("read claim spec: %w", err)
	}
	return nil
}

// CheckClaims returns typed claims as they are to be judged: with identifier, verifier and contract in canonical form,
// repeated ones merged. It refuses claims that are incomplete, that name an unknown command, that differ from a
// registered criterion of the same id or are one of the process, or that change what an earlier receipt of their id stood for (claim_changed; as
// long as none passed or failed, verifier and contract may still change). refuses may be nil.
func CheckClaims(c *Case, specs []ClaimSpec, receipts []Receipt, verifiers VerifierSet, refuses func(string) bool) ([]ClaimSpec, error) {
	if len(specs) > MaxClaims {
		return nil, tooLarge("claimSpecs", len(specs), MaxClaims, "claims").About(c.ID, string(c.Status))
	}
	var out []ClaimSpec
	for _, given := range specs {
		spec, err := checkClaim(c, given, verifiers, refuses)
		if err != nil {
			return nil, err
		}
		if err := pinned(c, spec, receipts); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(out, func(o ClaimSpec) bool { return o.ID == spec.ID })
		switch {
		case i < 0:
			out = append(out, spec)
		case out[i] != spec:
			return nil, invalid("claimSpecs", spec.ID, "one claim for each id", "claim %q is given twice with different contents.", spec.ID).About(c.ID, string(c.Status))
		}
	}
	return out, nil
}

func checkClaim(c *Case, given ClaimSpec, verifiers VerifierSet, refuses func(string) bool) (ClaimSpec, error) {
	const field = "claimSpecs"
	statement, err := CheckText(field, given.Statement, MaxClaimStatement)
	if err != nil {
		return given, claimStep(c, err, given)
	}
	spec := ClaimSpec{ID: strings.TrimSpace(given.ID), Statement: statement, Surface: given.Surface}
	if !slices.Contains(spec.Surface.Values(), string(spec.Surface)) {
		return given, claimStep(c, invalid(field, string(spec.Surface), strings.Join(spec.Surface.Values(), ", "),
			"surface must be one of: %s (got %q)", strings.Join(spec.Surface.Values(), ", "), spec.Surface), given)
	}
	if spec.Verifier, spec.Contract, err = checkContract(c, given, verifiers, refuses); err != nil {
		return given, err
	}
	if spec.ID == "" {
		spec.ID = DerivedClaimID(spec.Surface, statement)
		return spec, nil
	}
	if spec.ID, err = checkCriterionID(field, spec.ID, refuses); err != nil {
		return given, claimStep(c, err, given)
	}
	registered := c.criterion(spec.ID)
	switch {
	case registered == nil:
	case registered.Kind == CriterionProcess:
		p := invalid(field, spec.ID, "a criterion that a check can prove", "criterion %q is about how the work is done, which no check can prove: attest it.", spec.ID)
		return given, attestStepOf(c, Attestation{ID: spec.ID}, p)
	case registered.Statement != statement:
		right := spec
		right.Statement = registered.Statement
		return given, problem.New(problem.ClaimChanged, "claim %q must have the exact statement of the registered criterion: %s", spec.ID, clip(registered.Statement, MaxProofRef)).
			About(c.ID, string(c.Status)).On(field, nil, clip(registered.Statement, MaxProofRef)).With(verifyClaims(c, right))
	}
	return spec, nil
}

// checkContract returns the verifier and contract of a claim in their canonical form.
func checkContract(c *Case, given ClaimSpec, verifiers VerifierSet, refuses func(string) bool) (verifier, contract string, err error) {
	contract, err = CheckOptional("claimSpecs", given.Contract, MaxContract)
	if err != nil {
		return "", "", claimStep(c, err, given)
	}
	if contract == "" {
		return "", "", claimStep(c, invalid("claimSpecs", nil, "contract=CHECK", "typed claim %q needs an exact verifier contract.", clip(given.Statement, MaxProofRef)), given)
	}
	if refuses != nil && refuses(contract) {
		return "", "", problem.New(problem.SecretInInput, "a claim's contract looks like a secret and is not accepted.").
			On("claimSpecs", nil, "the name of a check").Without("name the check and call again")
	}
	verifier = strings.TrimSpace(given.Verifier)
	if _, ok := CommandName(contract); ok && verifier == "" {
		verifier, _ = SplitContract(contract)
	}
	if verifier == "" {
		verifier = defaultVerifier(given.Surface)
	}
	if p := otherSurface(c, given, verifier); p != nil {
		return "", "", p
	}
	if _, ok := CommandName(verifier); ok {
		return commandContract(c, given, verifier, contract, verifiers)
	}
	if s, ok := specialistOf(verifier); ok && s.tool == verifier {
		if contract, err = CheckToolContract(c, verifier, "claimSpecs", contract, refuses); err != nil {
			return "", "", claimStep(c, err, given)
		}
		return verifier, contract, nil
	}
	if verifier != "codemap" {
		return "", "", claimStep(c, problem.New(problem.UnknownVerifier, "verifier %q is not known.", clip(verifier, MaxIdentifier)), given)
	}
	if contract != RequireReview {
		return "", "", claimStep(c, invalid("claimSpecs", contract, RequireReview, "the only contract of codemap is %s; the contract of a configured command needs verifier=command:NAME.", RequireReview), given)
	}
	return verifier, contract, nil
}

// otherSurface refuses a claim about a surface that its verifier does not observe.
func otherSurface(c *Case, given ClaimSpec, verifier string) error {
	observed := SurfaceCode
	s, special := specialistOf(verifier)
	_, command := CommandName(verifier)
	switch {
	case special:
		observed = s.surface
	case !command && verifier != "codemap":
		return nil // nobody knows it
	}
	if given.Surface == observed {
		return nil
	}
	right := given
	right.Surface, right.Verifier = observed, verifier
	return invalid("claimSpecs", string(given.Surface), string(observed), "the verifier %s proves claims about the surface %s only.", clip(verifier, MaxIdentifier), observed).
		About(c.ID, string(c.Status)).With(verifyClaims(c, right))
}

func commandContract(c *Case, given ClaimSpec, verifier, contract string, verifiers VerifierSet) (string, string, error) {
	canonical, p := verifiers.Canonical(verifier)
	if p != nil {
		return "", "", claimStep(c, p, given)
	}
	name, _ := CommandName(canonical)
	bare, _ := CommandName(contract)
	bare, tests := SplitContract(bare)
	if !strings.EqualFold(bare, name) {
		return "", "", claimStep(c, invalid("claimSpecs", contract, name, "the contract %q is not the check that verifier %s runs.", clip(contract, MaxIdentifier), canonical), given)
	}
	if len(tests) == 0 && strings.Contains(contract, "#") {
		return "", "", claimStep(c, invalid("claimSpecs", contract, name+"#TEST[,TEST]", "the contract %q names no test behind the #.", clip(contract, MaxIdentifier)), given)
	}
	return canonical, joinContract(name, tests), nil
}

// defaultVerifier is the specialist that observes a surface.
func defaultVerifier(surface Surface) string {
	for _, s := range specialists() {
		if s.surface == surface {
			return s.tool
		}
	}
	return "codemap"
}

// DerivedClaimID is the identifier of a claim that was given none.
func DerivedClaimID(surface Surface, statement string) string {
	sum := sha256.Sum256([]byte(string(surface) + "\x00" + statement))
	return "claim_" + hex.EncodeToString(sum[:8])
}

// pinned refuses a claim whose id stood for something else in an earlier receipt.
func pinned(c *Case, spec ClaimSpec, receipts []Receipt) error {
	for _, r := range receipts {
		if r.ClaimID != spec.ID || purpose(r) != PurposeClaim {
			continue
		}
		if r.Claim != spec.Statement {
			return claimChanged(c, spec, r, "another statement")
		}
		if (r.Status == StatusPassed || r.Status == StatusFailed) && specOf(r) != spec {
			return claimChanged(c, spec, r, "another surface, verifier or contract, and reached a verdict")
		}
	}
	return nil
}

func claimChanged(c *Case, spec ClaimSpec, earlier Receipt, how string) error {
	return problem.New(problem.ClaimChanged, "claim %q was used before with %s; keep it, or choose another id", spec.ID, how).
		About(c.ID, string(c.Status)).On("claimSpecs", spec.ID, clip(specOf(earlier).String(), MaxContract)).
		With(verifyClaims(c, specOf(earlier)))
}

// specOf is the claim that a named-claim receipt answers.
func specOf(r Receipt) ClaimSpec {
	contract := r.Contract
	if _, ok := CommandName(r.Tool); ok {
		contract = strings.TrimPrefix(contract, commandPrefix)
	}
	return ClaimSpec{ID: r.ClaimID, Statement: r.Claim, Surface: r.Surface, Verifier: r.Tool, Contract: contract}
}

func (c *Case) criterion(id string) *Criterion {
	for i := range c.AcceptanceCriteria {
		if c.AcceptanceCriteria[i].ID == id {
			return &c.AcceptanceCriteria[i]
		}
	}
	return nil
}

// claimStep attaches to err the verify step that needs a corrected claim.
func claimStep(c *Case, err error, given ClaimSpec) *problem.Problem {
	p := problem.From(err).About(c.ID, string(c.Status))
	p.NoStep = ""
	candidates := []string{}
	for _, name := range c.commandRequirements() {
		bare, _ := CommandName(name)
		candidates = append(candidates, ClaimSpec{ID: given.ID, Surface: SurfaceCode, Verifier: name, Contract: bare, Statement: clip(given.Statement, MaxProofRef)}.String())
	}
	step := problem.Step{Op: "verify", Args: map[string]any{"taskId": c.ID}, Inputs: []string{"claimSpecs"}, Why: "name the exact check that proves the claim"}
	if len(candidates) > 0 {
		step.Candidates = map[string][]string{"claimSpecs": bounded(candidates)}
	}
	return p.With(step)
}

func verifyClaims(c *Case, specs ...ClaimSpec) problem.Step {
	return problem.Step{Op: "verify", Args: map[string]any{"taskId": c.ID, "claimSpecs": specs}, Why: "prove the claim by its own check"}
}

// commandRequirements are the command verifiers of the plan, in its order.
func (c *Case) commandRequirements() []string {
	var out []string
	for _, r := range c.VerificationRequired {
		if _, ok := CommandName(r); ok {
			out = append(out, r)
		}
	}
	return out
}
