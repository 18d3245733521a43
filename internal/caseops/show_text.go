package caseops

import (
	"fmt"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/op"
)

// shownLines is how many of the newest records of a kind the text form lists; --json has up to 200.
const shownLines = 10

// Text is the case for people.
func (v Shown) Text(s op.Style) string {
	var b strings.Builder
	c := v.Case
	fmt.Fprintf(&b, "%s\n%s · %s · risk %s · revision %d · %s\n", s.Bold(c.Goal), c.ID, c.Status, c.Risk, c.Revision, c.Workspace.Root)
	fmt.Fprintf(&b, "proof: %s", outcomeWord(s, v.VerificationAssessment.Outcome))
	if len(v.StaleVerification) > 0 {
		b.WriteString(s.Warn(" (stale)"))
	}
	b.WriteByte('\n')
	for _, k := range c.AcceptanceCriteria {
		fmt.Fprintf(&b, "criterion %s: %s\n", k.ID, k.Statement)
	}
	if v.Plan != nil {
		fmt.Fprintf(&b, "%s\n  files: %s\n  verify: %s\n  uncertain: %s\n", s.Bold("plan"), strings.Join(v.Plan.ChangeBoundary.Files, ", "),
			strings.Join(v.Plan.VerificationRequired, ", "), v.Plan.Uncertainty)
	}
	for _, h := range v.Hypotheses {
		fmt.Fprintf(&b, "  %s [%s, %s] %s\n", s.Dim(h.ID), h.Status, h.Confidence, h.Statement)
	}
	v.records(&b, s)
	for _, w := range append(v.VerificationWarnings[:len(v.VerificationWarnings):len(v.VerificationWarnings)], v.ProjectionWarnings...) {
		fmt.Fprintf(&b, "%s %s\n", s.Warn("warning:"), w)
	}
	b.WriteString(op.Envelope{Actions: v.Actions}.Footer(s))
	return b.String()
}

// records lists the newest evidence and receipts.
func (v Shown) records(b *strings.Builder, s op.Style) {
	fmt.Fprintf(b, "%s\n", s.Bold(fmt.Sprintf("evidence (%d)", v.EvidenceTotal)))
	for _, e := range newest(v.Evidence, shownLines) {
		fmt.Fprintf(b, "  %s [%s, %s] %s\n", s.Dim(e.ID), e.Kind, e.Confidence, e.Claim)
	}
	fmt.Fprintf(b, "%s\n", s.Bold(fmt.Sprintf("receipts (%d)", v.ReceiptTotal)))
	for _, r := range newest(v.Receipts, shownLines) {
		line := fmt.Sprintf("  %s %s", statusWord(s, r.Status, r.Purpose == casefile.PurposeAttestation), r.Claim)
		if r.Binding == casefile.Unbound {
			line += s.Warn(" (unbound)")
		}
		if counts := casefile.CountsText(r); counts != "" {
			line += s.Dim(" — " + counts)
		}
		fmt.Fprintln(b, line)
	}
	if v.RefTotal == 0 {
		return
	}
	fmt.Fprintf(b, "%s\n", s.Bold(fmt.Sprintf("references to the outside (%d)", v.RefTotal)))
	for _, ref := range v.Refs[:min(len(v.Refs), shownLines)] {
		fmt.Fprintf(b, "  %s %s\n", ref.Reference, s.Dim(fmt.Sprintf("(%d record(s))", len(ref.Citing))))
	}
}
