package casefile

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// HandoffMarkdown renders the packet of in for people, in at most MaxHandoff bytes. next are the command lines of its
// actions.
func HandoffMarkdown(in HandoffInput, h Handoff, next []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Cortex handoff: %s\n\n**Goal:** %s\n\n", h.TaskID, oneLine(h.Goal))
	fmt.Fprintf(&b, "**State:** %s\n\n", stateLine(h.Phase, h.Mode, h.Risk, h.Verification.Outcome))
	fmt.Fprintf(&b, "**Revision:** %d", h.Revision)
	if h.Actor != "" {
		fmt.Fprintf(&b, " · actor %s", codeSpan(h.Actor))
	}
	fmt.Fprintf(&b, "\n\n**Workspace:** %s", oneLine(h.Workspace.Repository))
	if h.Workspace.Branch != "" {
		fmt.Fprintf(&b, " on %s", codeSpan(h.Workspace.Branch))
	}
	fmt.Fprintf(&b, " in %s\n", codeSpan(h.Workspace.Root))
	section(&b, "## Coordination", coordinationLines(h))
	if h.Plan != nil {
		section(&b, "## Plan", planLines(h.Plan))
	}
	section(&b, "## Declared boundary", boundaryLines(h))
	section(&b, "## Acceptance criteria", criterionLines(in.Case.AcceptanceCriteria, in.Judgement.Assessment))
	section(&b, "## Hypotheses", lines(h.Hypotheses, hypothesisLine))
	section(&b, "## Evidence", lines(h.Evidence, evidenceLine))
	fmt.Fprintf(&b, "\n## Verification\n\nOutcome: **%s**\n", h.Verification.Outcome)
	section(&b, "### Open", assessmentLines(h.Verification))
	section(&b, "### Current receipts", lines(h.Receipts, receiptLine))
	section(&b, "## Decisions", lines(h.Decisions, decisionLine))
	section(&b, "## Next", lines(next, codeSpan))
	section(&b, "## Warnings", lines(h.Warnings, oneLine))
	return page(b.String(), MaxHandoff)
}

// page bounds a rendered text in bytes, cut at a character, and keeps it valid UTF-8.
func page(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	const cut = "\n\n_Cut at the limit of this text; cortex show has the whole case._\n"
	return clip(text, most-len(cut)) + cut
}

// section writes a list under a heading, or nothing.
func section(b *strings.Builder, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", heading)
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", item)
	}
}

func lines[T any](list []T, line func(T) string) []string {
	var out []string
	for _, v := range list {
		out = append(out, line(v))
	}
	return out
}

// codeSpan puts a text that may hold back-quotes between more of them.
func codeSpan(s string) string {
	s, fence := oneLine(s), "`"
	if !strings.Contains(s, fence) {
		return fence + s + fence
	}
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + " " + s + " " + fence
}

func stateLine(phase Phase, mode Mode, risk Risk, outcome Outcome) string {
	return fmt.Sprintf("%s · %s · risk %s · verification %s", phase, mode, risk, outcome)
}

func coordinationLines(h Handoff) []string {
	var out []string
	if l := h.ChangeLease; l != nil {
		line := fmt.Sprintf("Change lease: %s until %s", codeSpan(l.Actor), l.ExpiresAt.UTC().Format(time.RFC3339))
		if l.ReleasedAt != nil {
			line += fmt.Sprintf(" (released %s)", l.ReleasedAt.UTC().Format(time.RFC3339))
		}
		out = append(out, line)
	}
	if h.ParentTaskID != "" {
		out = append(out, "Parent: "+codeSpan(h.ParentTaskID))
	}
	for _, id := range h.ChildTaskIDs {
		out = append(out, "Child: "+codeSpan(id))
	}
	return out
}

func planLines(p *Plan) []string {
	out := []string{"Uncertain: " + oneLine(p.Uncertainty)}
	for _, r := range p.VerificationRequired {
		out = append(out, "Required verification: "+codeSpan(r))
	}
	return out
}

func boundaryLines(h Handoff) []string {
	out := lines(h.Boundary.Files, codeSpan)
	for _, s := range h.Boundary.Symbols {
		out = append(out, "symbol "+codeSpan(s))
	}
	if h.Boundary.Reason != "" {
		out = append(out, "because: "+oneLine(h.Boundary.Reason))
	}
	for _, p := range h.AllowedPaths {
		out = append(out, "allowed at all: "+codeSpan(p))
	}
	return out
}

// criterionLines says where each acceptance criterion stands.
func criterionLines(criteria []Criterion, a Assessment) []string {
	return lines(criteria, func(k Criterion) string {
		word := "open"
		switch {
		case slices.Contains(a.SatisfiedCriteria, k.ID):
			word = "proven"
		case slices.Contains(a.AttestedCriteria, k.ID):
			word = "attested"
		}
		return fmt.Sprintf("**%s** %s: %s", word, codeSpan(k.ID), oneLine(clip(k.Statement, 200)))
	})
}

func hypothesisLine(h Hypothesis) string {
	line := fmt.Sprintf("**%s** %s: %s", h.Status, codeSpan(h.ID), oneLine(h.Statement))
	if h.DisproveBy.Note != "" {
		line += " — disprove with: " + oneLine(h.DisproveBy.Note)
	}
	return line
}

func evidenceLine(e HandoffEvidence) string {
	return fmt.Sprintf("%s (%s, %s): %s", codeSpan(e.ID), e.Confidence, oneLine(e.Source), oneLine(e.Claim))
}

// assessmentLines lists what is not proven.
func assessmentLines(a Assessment) []string {
	var out []string
	for _, part := range []struct {
		word string
		list []string
	}{{"missing", a.MissingRequired}, {"criterion without proof", a.MissingCriteria}, {"failed", a.FailedClaims}} {
		for _, name := range part.list {
			out = append(out, part.word+": "+codeSpan(name))
		}
	}
	return out
}

func receiptLine(x Receipt) string {
	line := fmt.Sprintf("**%s** %s (%s): %s", x.Status, codeSpan(x.ID), x.Surface, oneLine(x.Claim))
	if x.Tool != "" { // an attestation has none
		line += " — verifier " + codeSpan(x.Tool)
	}
	if x.Requirement != "" {
		line += "; requirement " + codeSpan(x.Requirement)
	}
	if x.Contract != "" {
		line += "; contract " + codeSpan(x.Contract)
	}
	if counts := CountsText(x); counts != "" {
		line += "; " + counts
	}
	if purpose(x) == PurposeAttestation {
		line += "; attested, not verifier-proven"
	}
	if x.Binding != "" {
		line += "; " + string(x.Binding)
	}
	return line
}

func decisionLine(d HandoffDecision) string {
	line := fmt.Sprintf("**%s** %s", d.Status, codeSpan(d.ID))
	if d.Question == "" {
		return line + ": a sensitive question"
	}
	line += ": " + oneLine(d.Question)
	if d.Answer != "" {
		return line + " — answered " + codeSpan(d.Answer)
	}
	for i, o := range d.Options {
		sep := "; "
		if i == 0 {
			sep = " — "
		}
		line += sep + fmt.Sprintf("%s %s: %s", codeSpan(o.ID), oneLine(o.Label), oneLine(o.Consequence))
	}
	return line
}

// HandoffCompact renders the few lines that matter most: goal, state, top claims, open items, the next command line and
// at most three warnings. next is "" when the case offers no step.
func HandoffCompact(in HandoffInput, next string) string {
	const most, text = 5, 160 // open items, bytes of a line
	c, s := in.Case, share(in)
	var b strings.Builder
	fmt.Fprintf(&b, "# Cortex compact handoff: %s\n\n- **Goal:** %s\n", c.ID, oneLine(clip(c.Goal, 2048)))
	fmt.Fprintf(&b, "- **State:** %s\n- **Workspace:** %s", stateLine(c.Status, c.Mode, c.Risk, s.verification.Outcome), oneLine(c.Workspace.Repository))
	if c.Workspace.Branch != "" {
		b.WriteString(" " + codeSpan(c.Workspace.Branch))
	}
	if c.Workspace.CommitBefore != "" {
		b.WriteString(" @ " + codeSpan(c.Workspace.CommitBefore))
	}
	b.WriteByte('\n')
	if c.Actor != "" {
		fmt.Fprintf(&b, "- **Actor:** %s · revision %d\n", codeSpan(c.Actor), c.Revision)
	} else {
		fmt.Fprintf(&b, "- **Revision:** %d\n", c.Revision)
	}
	top := lines(TopClaims(in.Evidence, in.Receipts, in.Judgement), func(e Evidence) string {
		return fmt.Sprintf("[%s] %s", e.Confidence, oneLine(clip(e.Claim, text)))
	})
	section(&b, "## Top claims", orNone(top, "no claim is recorded"))
	open := lines(s.openItems(), func(item string) string { return oneLine(clip(item, text)) })
	if len(open) > most {
		open = append(open[:most], fmt.Sprintf("and %d more", len(open)-most))
	}
	section(&b, "## Open items", orNone(open, "none flagged"))
	if next == "" {
		next = "cortex status " + c.ID + " --detail full"
	}
	fmt.Fprintf(&b, "\n## Next\n\n%s\n", oneLine(clip(next, 2048)))
	warnings := s.warnings(&trimmer{text: 2 * text}, 2)
	section(&b, "## Warnings", lines(warnings[:min(len(warnings), 3)], oneLine))
	return page(b.String(), MaxHandoff)
}

func orNone(list []string, none string) []string {
	if len(list) == 0 {
		return []string{"_(" + none + ")_"}
	}
	return list
}

// openItems lists what somebody still has to do, the most pressing first.
func (s shared) openItems() []string {
	var out []string
	for _, d := range s.decisions {
		if d.Status == DecisionPending {
			out = append(out, "a person must decide "+d.ID+" "+d.Question)
		}
	}
	for _, name := range s.verification.FailedClaims {
		out = append(out, "failed: "+name)
	}
	if n := len(s.in.Judgement.Stale); n > 0 {
		out = append(out, fmt.Sprintf("%d receipts are stale: the worktree changed since", n))
	}
	for _, name := range s.verification.MissingCriteria {
		out = append(out, "criterion without proof: "+name)
	}
	for _, name := range s.verification.MissingRequired {
		out = append(out, "required verification missing: "+name)
	}
	for _, h := range Unresolved(s.in.Hypotheses) {
		out = append(out, fmt.Sprintf("%s hypothesis %s: %s", h.Status, h.ID, h.Statement))
	}
	return out
}
