package caseops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/code"
	"cortex/internal/discovery"
	"cortex/internal/op"
	"cortex/internal/redact"
)

// indexShare is how much of a round the index may take. What is left is enough for git grep to answer instead.
const indexShare = 0.7

// ask asks the repository. A cache that cannot be used costs the ranking, not the round.
func (s *Service) ask(ctx context.Context, question string, depth Depth, facts int) (discovery.Result, error) {
	limit, _ := depth.bounds(0)
	req := discovery.Request{
		Question: strings.ReplaceAll(question, redact.Mask, " "), Under: s.under(), Limit: facts, Deep: depth == "deep",
		Within: time.Duration(indexShare * float64(limit)),
	}
	cache, err := s.cache(ctx)
	if err == nil {
		defer func() { _ = cache.Close() }() // what it holds can be computed again
		req.Index = &code.Index{Cache: cache, Repo: s.Repo, Redact: s.Redact, Progress: func(text string) { op.Progress(ctx, "%s", text) }}
	}
	found, askErr := discovery.Round(ctx, s.Repo, req)
	if err != nil {
		found.Degraded = true
		found.Warnings = append(found.Warnings, fmt.Sprintf("git grep answered, for the index could not be opened: %v", err))
	}
	return found, askErr
}

func (s *Service) cache(ctx context.Context) (*code.Cache, error) {
	if s.Config.CacheDir == "" {
		return nil, errors.New("there is no directory for caches")
	}
	return code.OpenCache(ctx, s.Config.CacheDir, s.Repo.CommonDir)
}

// candidate is a place that a round found, as evidence.
func (s *Service) candidate(f discovery.Fact, raw string) casefile.Evidence {
	file := s.relative(f.File)
	e := casefile.Evidence{
		ID: s.IDs.New("ev"), Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: f.Tool}, Confidence: casefile.ConfidenceLow,
		Claim:    fmt.Sprintf("%s:%d matches %q — %s", file, f.Line, f.Term, f.Text),
		Location: &casefile.Location{File: file, StartLine: f.Line, EndLine: f.Line}, RawRef: raw,
	}
	if f.Start > 0 {
		e.Location.StartLine, e.Location.EndLine = f.Start, f.End
		within := ""
		if f.Symbol != "" {
			within = " in " + f.Symbol
		}
		e.Claim = fmt.Sprintf("%s:%d%s holds %.0f %% of the question — %s", file, f.Line, within, 100*f.Coverage, f.Text)
	}
	return e
}

// via names what answered a round.
func via(found discovery.Result) string {
	if found.Tool() == "code" {
		return "code search"
	}
	return "git grep"
}
