package codeops

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cortex/internal/code"
	"cortex/internal/gitrepo"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var review = op.Define(op.Spec{
	Name: "code review", Tool: "cortex_code", Operation: "review", Title: "Find what a change touches", Effect: op.Reads,
	Profiles: op.Agent, Idempotent: true,
	Help: `Lists the definitions that differ from a commit, who imports and names them, and their tests.

Added, changed and removed ones are listed, those of untracked files included, with the modules that import theirs, the call
sites that name them, and the tests beside or behind them.
analysis_complete is false when a changed file could not be read, and the warnings say which. It goes by names: what it
does not list may still be affected.`,
	Example: "cortex code review\ncortex code review --since main\ncortex code review --since HEAD~3 --json",
}, (*Service).Review)

// maxListed bounds each list of a review.
const maxListed = 200

// ReviewInput says what to compare with.
type ReviewInput struct {
	Since string `json:"since,omitempty" op:"flag=since" jsonschema:"commit, branch or tag; default HEAD"`
}

// ChangeReview is what a change touches.
type ChangeReview struct {
	Base             string        `json:"base,omitempty"` // commit that was compared with: where the worktree branched off
	ChangedFiles     []string      `json:"changedFiles"`
	ChangedSymbols   []code.Change `json:"changedSymbols"`
	Importers        []string      `json:"importers"`
	Callers          []code.Site   `json:"callers"`
	Tests            []string      `json:"tests"`
	AnalysisComplete bool          `json:"analysis_complete"`
	Truncated        bool          `json:"truncated,omitempty"`
	Warnings         []string      `json:"warnings,omitempty"`
}

// Warn adds warnings from outside the verb.
func (r *ChangeReview) Warn(warnings ...string) { r.Warnings = append(r.Warnings, warnings...) }

// Review refuses a commit that git does not know.
func (s *Service) Review(ctx context.Context, in ReviewInput) (ChangeReview, error) {
	if err := s.inRepository(); err != nil {
		return ChangeReview{}, err
	}
	c, done := s.spareCache(ctx)
	defer done()
	since := "HEAD"
	var err error
	if in.Since != "" && in.Since != "HEAD" {
		if since, err = s.Repo.Resolve(ctx, in.Since); errors.Is(err, gitrepo.ErrUnknownRevision) {
			return ChangeReview{}, problem.New(problem.RevisionNotFound, "git knows no commit %q.", in.Since).
				On("since", in.Since, "a commit, branch or tag of this repository").Without("name a commit that git log shows, or leave it out for HEAD")
		}
		if err != nil {
			return ChangeReview{}, err
		}
	}
	op.Progress(ctx, "%s", "reading the structure of the repository")
	found, err := code.ReadReview(ctx, s.Repo, c, since)
	if err != nil {
		return ChangeReview{}, err
	}
	return changeReview(found), nil
}

func changeReview(r code.Review) ChangeReview {
	out := ChangeReview{Base: r.Base, AnalysisComplete: len(r.Gaps) == 0}
	out.ChangedFiles = bounded(r.Files, &out.Truncated)
	out.ChangedSymbols = bounded(r.Changes, &out.Truncated)
	out.Importers = bounded(r.Importers, &out.Truncated)
	out.Callers = bounded(r.Callers, &out.Truncated)
	out.Tests = bounded(r.Tests, &out.Truncated)
	for _, gap := range r.Gaps[:min(len(r.Gaps), maxSkippedNamed)] {
		out.Warnings = append(out.Warnings, "not analysed: "+gap)
	}
	if rest := len(r.Gaps) - maxSkippedNamed; rest > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d more were not analysed", rest))
	}
	return out
}

// bounded is a list of at most maxListed, never nil.
func bounded[T any](list []T, cut *bool) []T {
	if len(list) > maxListed {
		*cut = true
		list = list[:maxListed]
	}
	return append([]T{}, list...)
}

// Text is the review for people.
func (r ChangeReview) Text(s op.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files changed, %d definitions\n", len(r.ChangedFiles), len(r.ChangedSymbols))
	for _, c := range r.ChangedSymbols {
		fmt.Fprintf(&b, "  %s %s %s:%d\n", s.Dim(c.Change), s.Bold(c.Symbol), op.Line(c.File), c.StartLine)
	}
	section(&b, "imported by", r.Importers)
	sites := make([]string, len(r.Callers))
	for i, c := range r.Callers {
		sites[i] = fmt.Sprintf("%s:%d %s (%s)", c.File, c.Line, c.Symbol, c.Tier)
	}
	section(&b, "call sites that name them", sites)
	section(&b, "tests", r.Tests)
	if !r.AnalysisComplete {
		fmt.Fprintf(&b, "%s\n", s.Warn("the analysis is not complete"))
	}
	return b.String() + warningLines(s, r.Warnings)
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "%s\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", op.Line(line))
	}
}
