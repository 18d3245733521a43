package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// Attestation is somebody's word, with evidence, that a process criterion was kept. It is never proof. As text it is
// "id=ev_…[,ev_…][|note]".
type Attestation struct {
	ID        string   `json:"id"`                  // of a process criterion
	Statement string   `json:"statement,omitempty"` // exactly the registered one, when given
	Evidence  []string `json:"evidence"`            // records of the same case
	Note      string   `json:"note,omitempty"`
}

// UnmarshalText reads the text form.
func (a *Attestation) UnmarshalText(text []byte) error {
	rest, note, _ := strings.Cut(string(text), "|")
	id, evidence, ok := strings.Cut(rest, "=")
	if !ok {
		return invalid("attestations", clip(string(text), MaxProofRef), "id=ev_…[,ev_…][|note]", "attestation %q is not of the form id=ev_…[,ev_…][|note].", clip(string(text), MaxProofRef))
	}
	*a = Attestation{ID: strings.TrimSpace(id), Note: strings.TrimSpace(note)}
	for ev := range strings.SplitSeq(evidence, ",") {
		if ev = strings.TrimSpace(ev); ev != "" {
			a.Evidence = append(a.Evidence, ev)
		}
	}
	return nil
}

// MarshalText returns the text form, or an error when that would not be the whole.
func (a Attestation) MarshalText() ([]byte, error) {
	list := strings.Join(a.Evidence, ",")
	if a.Statement != "" || strings.ContainsAny(a.ID+list, "|") || strings.Contains(a.ID, "=") {
		return nil, errors.New("the attestation has no form as text")
	}
	text := a.ID + "=" + list
	if a.Note != "" {
		text += "|" + a.Note
	}
	return []byte(text), nil
}

// MarshalJSON returns the object form.
func (a Attestation) MarshalJSON() ([]byte, error) {
	type plain Attestation // without methods
	return json.Marshal(plain(a))
}

// UnmarshalJSON reads the object form without unknown fields.
func (a *Attestation) UnmarshalJSON(data []byte) error {
	type plain Attestation // without methods
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	*a = Attestation{}
	if err := dec.Decode((*plain)(a)); err != nil {
		return fmt.Errorf("read attestation: %w", err)
	}
	return nil
}

// CheckAttestations returns attestations as they are to be recorded, with the registered statements. It refuses one that
// is not for a process criterion of c, that comes twice, that has other words than the criterion, and that cites no
// evidence, evidence of another case, or a record that only says that a tool was missing. cited has the kind of each
// cited record that the case has.
func CheckAttestations(c *Case, given []Attestation, cited map[string]string) ([]Attestation, error) {
	if len(given) > MaxClaims {
		return nil, tooLarge("attestations", len(given), MaxClaims, "attestations").About(c.ID, string(c.Status))
	}
	var out []Attestation
	for _, a := range given {
		checked, err := checkAttestation(c, a, cited)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o Attestation) bool { return o.ID == checked.ID }) {
			return nil, attestFault(c, a, "", "criterion %q is attested twice in one call.", checked.ID)
		}
		out = append(out, checked)
	}
	return out, nil
}

func checkAttestation(c *Case, a Attestation, cited map[string]string) (Attestation, error) {
	id := strings.TrimSpace(a.ID)
	registered := c.criterion(id)
	switch {
	case registered == nil:
		return a, attestFault(c, a, "the id of a process criterion", "%q is not a registered acceptance criterion of case %s.", clip(id, MaxCriterionID), c.ID)
	case registered.Kind != CriterionProcess:
		return a, notProcess(c, *registered)
	}
	statement, err := CheckOptional("attestations", a.Statement, MaxClaimStatement)
	if err != nil {
		return a, attestStepOf(c, a, err)
	}
	if statement != "" && statement != registered.Statement {
		return a, attestFault(c, a, clip(registered.Statement, MaxProofRef), "an attestation of %q must have its registered statement, or none: %s", id, clip(registered.Statement, MaxProofRef))
	}
	note, err := CheckOptional("attestations", a.Note, MaxText)
	if err != nil {
		return a, attestStepOf(c, a, err)
	}
	evidence := dedupe(a.Evidence)
	switch {
	case len(evidence) == 0:
		return a, attestFault(c, a, "ids of evidence", "the attestation of %q cites no evidence; record what shows it, and cite that.", id)
	case len(evidence) > MaxSupports:
		return a, attestStepOf(c, a, tooLarge("attestations", len(evidence), MaxSupports, "pieces of evidence"))
	}
	for _, ev := range evidence {
		kind, ok := cited[ev]
		if !ok {
			return a, attestFault(c, a, "ids of evidence of this case", "%q is not evidence in task %s.", clip(ev, MaxIdentifier), c.ID)
		}
		if kind == KindToolUnavailable {
			return a, attestFault(c, a, "evidence that says something", "evidence %q says only that a tool was missing, which attests nothing.", ev)
		}
	}
	return Attestation{ID: id, Statement: registered.Statement, Evidence: evidence, Note: note}, nil
}

func attestFault(c *Case, a Attestation, expected, format string, args ...any) error {
	return attestStepOf(c, a, invalid("attestations", clip(a.ID, MaxCriterionID), expected, format, args...))
}

// attestStepOf attaches to err the steps that lead to an attestation which would be taken.
func attestStepOf(c *Case, a Attestation, err error) error {
	p := problem.From(err).About(c.ID, string(c.Status))
	if !slices.ContainsFunc(c.AcceptanceCriteria, func(k Criterion) bool { return k.Kind == CriterionProcess }) {
		return p.Without("the case has no process criterion, and no other can be attested; prove its criteria with claim specs")
	}
	p.NoStep = ""
	ids := []string{strings.TrimSpace(a.ID)}
	if k := c.criterion(ids[0]); k == nil || k.Kind != CriterionProcess {
		ids = c.processCriteria()
	}
	return p.With(attestStep(c, ids))
}

func notProcess(c *Case, k Criterion) error {
	p := invalid("attestations", k.ID, "the id of a process criterion", "criterion %q is not a process criterion: only a check can prove it.", k.ID)
	return claimStep(c, p, ClaimSpec{ID: k.ID, Statement: k.Statement})
}

// attestStep asks for an attestation of each of the criteria.
func attestStep(c *Case, ids []string) problem.Step {
	step := problem.Step{
		Op: "verify", Args: taskArgs(c), Inputs: []string{"attestations"},
		Why: "attest, citing evidence, how the work was done; no check can prove that, and it never counts as proven",
	}
	if actor := c.leaseActor(); actor != "" && c.ChangeLease != nil {
		step.Args["actor"] = actor
	}
	var forms []string
	for _, id := range bounded(ids) {
		forms = append(forms, id+"=ev_…")
	}
	step.Candidates = map[string][]string{"attestations": forms}
	return step
}

// processCriteria are the ids of the criteria that can only be attested.
func (c *Case) processCriteria() []string {
	var out []string
	for _, k := range c.AcceptanceCriteria {
		if k.Kind == CriterionProcess {
			out = append(out, k.ID)
		}
	}
	return out
}

// unattested are the process criteria that j misses.
func (c *Case) unattested(j Judgement) []string {
	return slices.DeleteFunc(c.processCriteria(), func(id string) bool { return !slices.Contains(j.MissingCriteria, id) })
}

func attestReceipt(plan VerificationPlan, a Attestation, b Batch) Receipt {
	return b.stamp(Receipt{
		ID: b.NewID("vr"), ClaimID: a.ID, Claim: a.Statement, Surface: SurfaceCode, Purpose: PurposeAttestation,
		Actor: plan.Actor, Status: StatusPassed, Evidence: a.Evidence, Notes: joinNotes("attested, not verifier-proven", a.Note),
	})
}
