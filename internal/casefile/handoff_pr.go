package casefile

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PullRequestInput is what a pull request is told about a case.
type PullRequestInput struct {
	HandoffInput
	Changed []string // relative to the workspace, as Drift takes them
	Seen    bool     // Changed is known
}

// PullRequest renders Markdown for the description of a pull request, in at most MaxHandoffPR bytes: what changed and
// where it stands against the boundary, every claim and check with its receipt and counts, what the proof does not
// cover, and how to check again. Sensitive records are left out and counted.
func PullRequest(in PullRequestInput) string {
	c, s := in.Case, share(in.HandoffInput)
	r := read(c, in.Receipts, nil)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s · %s\n", prose(clip(c.Goal, 2048)), codeSpan(c.ID), stateLine(c.Status, c.Mode, c.Risk, s.verification.Outcome))
	writeChanged(&b, in)
	section(&b, "## Claims", orNone(s.claimLines(r), "none is recorded"))
	section(&b, "## Checks", orNone(s.checkLines(r), "none has run"))
	section(&b, "## Not covered", s.uncoveredLines(in, r))
	writeCheckAgain(&b, c, r)
	return page(b.String(), MaxHandoffPR)
}

// prose is text in one line that cannot open HTML.
func prose(s string) string { return strings.ReplaceAll(oneLine(s), "<", `\<`) }

// shellLine writes a command as a person would type it.
func shellLine(argv []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%"
	out := make([]string, len(argv))
	for i, word := range argv {
		if out[i] = word; word == "" || strings.Trim(word, plain) != "" {
			out[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

func visible(receipts []Receipt) []Receipt {
	shown := shareable(receipts)
	return shown[:min(len(shown), SummaryReceipts)]
}

func shareable(receipts []Receipt) []Receipt {
	return slices.DeleteFunc(slices.Clone(receipts), func(x Receipt) bool { return x.Sensitive })
}

// leftOut says how many of the receipts visible leaves out beside the sensitive ones, and what of them does not hold.
func leftOut(receipts []Receipt, noun string) []string {
	rest := shareable(receipts)
	rest = rest[min(len(rest), SummaryReceipts):]
	if len(rest) == 0 {
		return nil
	}
	open := len(slices.DeleteFunc(slices.Clone(rest), func(x Receipt) bool { return x.Status == StatusPassed }))
	return []string{fmt.Sprintf("and %s more, %d of them not passed", counted(len(rest), noun), open)}
}

func writeChanged(b *strings.Builder, in PullRequestInput) {
	b.WriteString("\n## What changed\n\n")
	if !in.Seen {
		b.WriteString("The changed files could not be read from the worktree.\n")
		return
	}
	since := "the case was opened"
	if in.Case.Workspace.CommitBefore != "" {
		since = codeSpan(in.Case.Workspace.CommitBefore)
	}
	fmt.Fprintf(b, "%s since %s", counted(len(in.Changed), "file"), since)
	outside := 0
	bounded := len(in.Case.ChangeBoundary.Files) > 0
	for _, file := range in.Changed {
		if bounded && !in.Case.ChangeBoundary.Covers(file) {
			outside++
		}
	}
	switch {
	case !bounded:
		b.WriteString("; no boundary was declared.\n")
	case outside == 0:
		b.WriteString(", all inside the declared boundary.\n")
	default:
		fmt.Fprintf(b, ", %d outside the declared boundary.\n", outside)
	}
	if len(in.Changed) > 0 {
		b.WriteByte('\n')
	}
	for _, file := range in.Changed[:min(len(in.Changed), MaxScopeFiles)] {
		mark := ""
		if bounded && !in.Case.ChangeBoundary.Covers(file) {
			mark = " — **outside the boundary**"
		}
		fmt.Fprintf(b, "- %s%s\n", codeSpan(file), mark)
	}
	if more := len(in.Changed) - MaxScopeFiles; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// claimLines lists the acceptance criteria, a missing one too, and then the other named claims.
func (s shared) claimLines(r reading) []string {
	var out []string
	for _, k := range s.in.Case.AcceptanceCriteria {
		of := func(x Receipt) bool { return x.ClaimID == k.ID && x.Claim == k.Statement }
		if !slices.ContainsFunc(slices.Concat(r.named, r.attested), of) {
			out = append(out, fmt.Sprintf("**open** %s: %s — no receipt", codeSpan(k.ID), prose(clip(k.Statement, 400))))
		}
	}
	claims := slices.Concat(r.named, r.attested)
	for _, x := range visible(claims) {
		line := fmt.Sprintf("**%s** ", s.verdict(x))
		if x.ClaimID != "" {
			line += codeSpan(x.ClaimID) + ": "
		}
		line += prose(clip(x.Claim, 400)) + " — "
		if x.Tool != "" { // an attestation has none
			line += codeSpan(x.Tool) + ", "
		}
		line += "receipt " + codeSpan(x.ID)
		spec := specOf(x)
		for _, run := range r.all {
			if run.BatchID == x.BatchID && x.BatchID != "" && run.proves(spec.Verifier, spec.Contract) && CountsText(run) != "" {
				line += "; " + CountsText(run)
				break
			}
		}
		if purpose(x) == PurposeAttestation {
			line += "; attested, not verifier-proven"
		}
		out = append(out, line)
	}
	return append(out, leftOut(claims, "claim")...)
}

// verdict is the status of x with what takes its weight away.
func (s shared) verdict(x Receipt) string {
	switch {
	case slices.Contains(s.in.Judgement.Stale, x.ID):
		return string(x.Status) + " on earlier bytes"
	case slices.Contains(s.in.Judgement.NotComparable, x.ID):
		return string(x.Status) + ", recorded by another program"
	case x.Binding == Unbound:
		return string(x.Status) + ", unbound"
	}
	return string(x.Status)
}

func (s shared) checkLines(r reading) []string {
	return append(lines(visible(r.runs), s.checkLine), leftOut(r.runs, "check")...)
}

func (s shared) checkLine(x Receipt) string {
	what := prose(clip(x.Claim, 400))
	if len(x.Argv) > 0 {
		what = codeSpan(clip(shellLine(x.Argv), 400))
	}
	line := fmt.Sprintf("**%s** %s", s.verdict(x), what)
	if counts := CountsText(x); counts != "" {
		line += " — " + counts
	}
	if x.DurationMS > 0 {
		line += ", " + (time.Duration(x.DurationMS) * time.Millisecond).String()
	}
	line += ", receipt " + codeSpan(x.ID)
	if x.Status != StatusPassed && x.Notes != "" {
		line += ": " + prose(clip(x.Notes, 400))
	}
	return line
}

// uncoveredLines says what the proof does not speak about.
func (s shared) uncoveredLines(in PullRequestInput, r reading) []string {
	var out, exclusions []string
	for _, x := range visible(slices.Concat(r.runs, r.named)) {
		exclusions = append(exclusions, x.Exclusions...)
	}
	exclusions = dedupe(exclusions)
	for _, e := range exclusions[:min(len(exclusions), MaxScopeFiles)] {
		out = append(out, "not part of the digest: "+prose(clip(e, 400)))
	}
	for _, name := range s.verification.MissingRequired {
		out = append(out, "required and not passed: "+codeSpan(name))
	}
	for _, h := range Unresolved(in.Hypotheses) {
		out = append(out, fmt.Sprintf("%s hypothesis: %s", h.Status, prose(clip(h.Statement, 200))))
	}
	if in.Plan != nil && strings.TrimSpace(in.Plan.Uncertainty) != "" {
		out = append(out, "uncertain: "+prose(clip(in.Plan.Uncertainty, 1000)))
	}
	out = append(out, lines(s.in.Warnings, func(w string) string { return prose(clip(w, 400)) })...)
	if s.withheld != "" {
		out = append(out, s.withheld)
	}
	return out
}

// writeCheckAgain says about which bytes the receipts are, and the command lines that give them again.
func writeCheckAgain(b *strings.Builder, c *Case, r reading) {
	b.WriteString("\n## Check again\n\n")
	shown := visible(slices.Concat(r.runs, r.named))
	i := slices.IndexFunc(shown, func(x Receipt) bool { return x.DirtyDigest != "" })
	if i >= 0 {
		x := shown[i]
		at := ""
		if x.Revision != "" {
			at = " at commit " + codeSpan(x.Revision)
		}
		method := "a method of another program"
		if x.DigestMethod != "" {
			method = "method " + codeSpan(x.DigestMethod)
		}
		fmt.Fprintf(b, "The receipts are about the worktree with the digest %s (%s)%s.\n\n", codeSpan(x.DirtyDigest), method, at)
	}
	commands := []string{}
	for _, x := range visible(r.runs) {
		if len(x.Argv) > 0 {
			commands = append(commands, oneLine(clip(shellLine(x.Argv), 400)))
		}
	}
	for _, line := range append(dedupe(commands), "cortex status "+c.ID) {
		fmt.Fprintf(b, "    %s\n", line)
	}
}
