package codeops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cortex/internal/code"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var search = op.Define(op.Spec{
	Name: "code search", Tool: "cortex_code", Operation: "search", Title: "Find code by a question", Effect: op.Reads,
	Profiles: op.Agent, Idempotent: true, OwnDeadline: true,
	Help: `Finds the passages of the worktree that hold most of a question's words.

Untracked files are searched, ignored ones are not. "Quoted text" is found as it stands, sym:Name by its definition.
A hit is a place to read, not an answer; strong is false when no file holds more than a small part of the question. The
first search of a repository reads every file; later ones read what changed.`,
	Example: "cortex code search \"where are redirects followed\"\ncortex code search sym:Repo.Open --module internal -n 5\ncortex code search '\"no such task\"' --json",
}, (*Service).Search)

// firstIndex bounds a search that has to read everything: 11,000 files take about ten seconds.
const firstIndex = 3 * time.Minute

// SearchInput is one question.
type SearchInput struct {
	Question  string `json:"question" op:"args,required" jsonschema:"words, \"quoted text\" or sym:Name"`
	Module    string `json:"module,omitempty" op:"flag=module" jsonschema:"only files below this directory"`
	Limit     int    `json:"limit,omitempty" op:"short=n" jsonschema:"hits at most; default 10"`
	NoRefresh bool   `json:"noRefresh,omitempty" op:"flag=no-refresh,hide=mcp" jsonschema:"answer from the index as it is"`
}

// SearchAnswer lists passages, best first.
type SearchAnswer struct {
	Hits     []code.Hit `json:"hits"`
	Strong   bool       `json:"strong"`
	Warnings []string   `json:"warnings,omitempty"`
}

// Warn adds warnings from outside the verb.
func (a *SearchAnswer) Warn(warnings ...string) { a.Warnings = append(a.Warnings, warnings...) }

// Search asks the index, which it builds or refreshes first.
func (s *Service) Search(ctx context.Context, in SearchInput) (SearchAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, firstIndex)
	defer cancel()
	if in.Limit < 0 {
		return SearchAnswer{}, problem.New(problem.InvalidInput, "%d is no number of hits.", in.Limit).
			On("limit", in.Limit, "a number from 1 to 100").Without("give a number from 1 to 100, or leave it out")
	}
	req := code.SearchRequest{Question: in.Question, Module: in.Module, Limit: in.Limit, Stale: in.NoRefresh}
	found, err := s.find(ctx, req)
	if errors.Is(err, code.ErrDamaged) {
		found, err = s.find(ctx, req)
	}
	if err != nil {
		return SearchAnswer{}, err
	}
	return SearchAnswer{Hits: found.Hits, Strong: found.Strong, Warnings: append(found.Warnings, found.Skipped...)}, nil
}

func (s *Service) find(ctx context.Context, req code.SearchRequest) (code.SearchResult, error) {
	if err := s.inRepository(); err != nil {
		return code.SearchResult{}, err
	}
	c, err := s.cache(ctx)
	if err != nil {
		return code.SearchResult{}, err
	}
	defer func() { _ = c.Close() }() // what it holds can be computed again
	x := &code.Index{Cache: c, Repo: s.Repo, Progress: func(text string) { op.Progress(ctx, "%s", text) }}
	found, err := x.Search(ctx, req)
	if code.IsUnusable(err) {
		err = s.unusable(err)
	}
	return found, err
}

// Text lists the hits for people.
func (a SearchAnswer) Text(s op.Style) string {
	var b strings.Builder
	for _, h := range a.Hits {
		fmt.Fprintf(&b, "%s:%d-%d %s %s\n", op.Line(h.File), h.StartLine, h.EndLine, s.Bold(h.Symbol), s.Dim(fmt.Sprintf("[%.1f, holds %.0f %%]", h.Score, 100*h.Coverage)))
	}
	return b.String() + warningLines(s, a.Warnings)
}
