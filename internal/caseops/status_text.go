package caseops

import (
	"fmt"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/op"
)

// Text is the status for people: where it stands, what is proven, what drifted, what is next.
func (v Status) Text(s op.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.Bold(v.TaskID+"  "+v.Phase))
	fmt.Fprintf(&b, "  %s\n", strings.TrimSuffix(strings.TrimPrefix(v.Summary, "task "+v.TaskID+" is "+v.Phase+" ("), ")"))
	outcome := outcomeWord(s, v.VerificationOutcome)
	if len(v.StaleVerification) > 0 {
		outcome += s.Warn(" (stale: the worktree is not what was verified)")
	}
	fmt.Fprintf(&b, "  proof     %s\n", outcome)
	if l := v.ChangeLease; l != nil && l.ReleasedAt == nil {
		fmt.Fprintf(&b, "  lease     %s until %s\n", l.Actor, l.ExpiresAt.Format("15:04:05 MST"))
	}
	if d := v.PendingDecision; d != nil {
		fmt.Fprintf(&b, "  decision  %s", strings.ReplaceAll(decisionText(s, *d), "\n  ", "\n            "))
	}
	for _, p := range v.ClaimProofs {
		word := statusWord(s, p.Status, p.Attested)
		if p.Stale {
			word += s.Warn(" (stale)")
		}
		fmt.Fprintf(&b, "  claim     %s %s: %s\n", word, p.ClaimID, p.Statement)
	}
	if len(v.MissingVerification) > 0 {
		fmt.Fprintf(&b, "  unproven  %s\n", strings.Join(v.MissingVerification, ", "))
	}
	if sc := v.Scope; sc != nil {
		fmt.Fprintf(&b, "  scope     %s, %d changed, risk %s\n", sc.Scope, max(len(sc.ChangedFiles), sc.ChangedTotal), sc.Risk)
		b.WriteString(outsideText(s, "            ", *sc))
		if len(sc.OutsideAllowed) > 0 {
			fmt.Fprintf(&b, "  %s   outside the allowed paths: %s\n", s.Bad("refused"), strings.Join(sc.OutsideAllowed, ", "))
		}
	}
	for _, h := range v.UnresolvedHypotheses {
		fmt.Fprintf(&b, "  open      %s %s\n", h.ID, h.Statement)
	}
	for _, t := range v.ToolHealth {
		if !t.Installed {
			continue
		}
		word := s.Good("ok")
		if !t.Available || t.Detail != "" {
			word = s.Warn("--")
		}
		fmt.Fprintf(&b, "  tool      %s %s\n", word, strings.Join(strings.Fields(t.Tool+" "+t.Version+" "+t.Index+" "+t.Detail), " "))
	}
	fmt.Fprintf(&b, "  ledger    %d evidence records, %d of %d rounds\n", v.EvidenceCount, v.InvestigationRounds, v.InvestigationBudget)
	b.WriteString(v.Footer(s))
	return b.String()
}

// Text is the verification for people: the verdict, each check with its counts, each claim.
func (r VerifyResult) Text(s op.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", outcomeWord(s, r.Outcome), s.Bold(strings.TrimPrefix(r.Summary, string(r.Outcome)+": ")))
	for _, x := range r.Receipts {
		line := fmt.Sprintf("  %s %s", statusWord(s, x.Status, x.Purpose == casefile.PurposeAttestation), x.Claim)
		if counts := casefile.CountsText(x); counts != "" {
			line += s.Dim(" — " + counts)
		}
		if x.Notes != "" && x.Status != casefile.StatusPassed {
			line += "\n      " + x.Notes
		}
		b.WriteString(line + "\n")
	}
	if r.Scope != nil {
		b.WriteString(outsideText(s, "  ", *r.Scope))
	}
	b.WriteString(r.Footer(s))
	return b.String()
}

// outsideText names the changed files that the plan's boundary does not cover.
func outsideText(s op.Style, indent string, scope casefile.Scope) string {
	var b strings.Builder
	for _, f := range scope.UnexpectedFiles {
		fmt.Fprintf(&b, "%s%s %s\n", indent, s.Warn("outside"), f)
	}
	if more := scope.UnexpectedTotal - len(scope.UnexpectedFiles); more > 0 {
		fmt.Fprintf(&b, "%s%s %d more\n", indent, s.Warn("outside"), more)
	}
	return b.String()
}

func outcomeWord(s op.Style, o casefile.Outcome) string {
	switch o {
	case casefile.OutcomeVerified:
		return s.Good(string(o))
	case casefile.OutcomeFailed:
		return s.Bad(string(o))
	}
	return s.Warn(string(o))
}

func statusWord(s op.Style, status casefile.ReceiptStatus, attested bool) string {
	switch status {
	case casefile.StatusPassed:
		if attested {
			return s.Warn("attested")
		}
		return s.Good(string(status))
	case casefile.StatusFailed:
		return s.Bad(string(status))
	}
	return s.Warn(string(status))
}
