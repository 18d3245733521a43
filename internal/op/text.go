package op

import (
	"fmt"
	"strings"
)

// Text is the envelope for people: the summary with a mark, facts, hypotheses, artifacts, warnings, next steps.
func (e Envelope) Text(s Style) string {
	var b strings.Builder
	mark := s.Good("✓")
	if !e.OK {
		mark = s.Bad("✗")
	}
	fmt.Fprintf(&b, "%s %s\n", mark, s.Bold(indented(e.Summary)))
	for _, f := range e.Facts {
		fmt.Fprintf(&b, "  %s %s %s\n", s.Dim(f.ID), indented(f.Claim), s.Dim("["+f.Confidence+", "+f.Source+"]"))
	}
	for _, h := range e.Hypotheses {
		fmt.Fprintf(&b, "  %s %s %s\n", s.Dim(h.ID), indented(h.Statement), s.Dim("["+h.Status+", "+h.Confidence+"]"))
	}
	for _, a := range e.Artifacts {
		fmt.Fprintf(&b, "  %s %s\n", s.Dim(a.ID), strings.TrimSpace(indented(a.Summary)+" "+s.Dim(a.URI)))
	}
	b.WriteString(e.Footer(s))
	return b.String()
}

// Footer is the end of an envelope's text, for results with a text of their own: warnings and next steps.
func (e Envelope) Footer(s Style) string {
	var b strings.Builder
	for _, w := range e.Warnings {
		fmt.Fprintf(&b, "%s %s\n", s.Warn("warning:"), indented(w))
	}
	for _, a := range e.Actions {
		line := s.Dim("next:") + " " + a.Usage
		if a.Reason != "" {
			line += s.Dim(" — " + a.Reason)
		}
		for _, condition := range a.BlockedBy {
			line += s.Warn(" (waits for: " + condition + ")")
		}
		b.WriteString(line + "\n")
	}
	for _, hint := range e.NextActions[min(len(e.Actions), len(e.NextActions)):] {
		fmt.Fprintf(&b, "%s %s\n", s.Dim("next:"), hint)
	}
	return b.String()
}

// indented keeps further lines of a text from looking like lines of the envelope.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }
