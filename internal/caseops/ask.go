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

// expansions is how many modules a round tells of.
func (d Depth) expansions() int {
	switch d {
	case "quick":
		return 0
	case "deep":
		return 6
	}
	return 3
}

// asked is what a round found, and the modules that it lies in.
type asked struct {
	discovery.Result
	modules []discovery.ModuleFact
}

// ask asks the repository. A cache that cannot be used costs the ranking, not the round.
func (s *Service) ask(ctx context.Context, question string, depth Depth, facts int) (asked, error) {
	limit, _ := depth.bounds(0)
	req := discovery.Request{
		Question: strings.ReplaceAll(question, redact.Mask, " "), Under: s.under(), Limit: facts, Deep: depth == "deep",
		Within: time.Duration(indexShare * float64(limit)),
	}
	cache, err := s.cache(ctx)
	if err != nil {
		found, askErr := discovery.Round(ctx, s.Repo, req)
		found.Degraded = true
		found.Warnings = append(found.Warnings, fmt.Sprintf("git grep answered, for the index could not be opened: %v", err))
		return asked{Result: found}, askErr
	}
	defer func() { _ = cache.Close() }() // what it holds can be computed again
	req.Index = &code.Index{Cache: cache, Repo: s.Repo, Redact: s.Redact, Progress: func(text string) { op.Progress(ctx, "%s", text) }}
	graph, stop := s.graphAside(ctx, cache, depth)
	defer stop()
	found, err := discovery.Round(ctx, s.Repo, req)
	out := asked{Result: found}
	if err == nil && found.Strong && depth.expansions() > 0 {
		out.expand(graph, depth, facts)
	}
	return out, err
}

// graphAside begins to read the module graph while the index is asked. graph waits for it; stop ends the reading, and
// returns when it has ended.
func (s *Service) graphAside(ctx context.Context, cache *code.Cache, depth Depth) (graph func() (*code.Structure, error), stop func()) {
	if depth.expansions() == 0 {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var structure *code.Structure
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		structure, err = code.ReadStructure(ctx, s.Repo, cache)
	}()
	return func() (*code.Structure, error) { <-done; return structure, err }, func() { cancel(); <-done }
}

// expand adds what the module graph says, in place of the last facts where there are as many as the round may keep. A graph that is not ready in time costs that and nothing else.
func (a *asked) expand(graph func() (*code.Structure, error), depth Depth, facts int) {
	structure, err := graph()
	if err != nil {
		a.Degraded = true
		a.Warnings = append(a.Warnings, fmt.Sprintf("the module graph could not be read: %v", err))
		return
	}
	reserved := min(depth.expansions(), max(2, facts/4))
	a.modules = discovery.Modules(a.Facts[:min(len(a.Facts), max(1, facts-reserved))], structure.Graph, reserved)
	a.Facts = a.Facts[:min(len(a.Facts), max(1, facts-len(a.modules)))]
}

// dependants is what the graph says of a module, as evidence derived from the candidates in it.
func (s *Service) dependants(m discovery.ModuleFact, candidates []casefile.Evidence, raw string) casefile.Evidence {
	e := casefile.Evidence{
		ID: s.IDs.New("ev"), Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: "code"}, Claim: m.Claim,
		Confidence: casefile.ConfidenceMedium, RawRef: raw,
	}
	if m.Tier != code.TierHigh {
		e.Confidence = casefile.ConfidenceLow
	}
	for _, i := range m.From {
		e.DerivedFrom = append(e.DerivedFrom, candidates[i].ID)
	}
	return e
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
