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
	"cortex/internal/tool"
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

// asked is what the embedded search and vecgrep found.
type asked struct {
	discovery.Result
	graph func() (*code.Structure, error) // waits for it; nil where none is read
}

// ask asks the repository. A cache that cannot be used costs the ranking, not the round. What is asked of the graph is
// asked before done, which ends its reading.
func (r *round) ask(ctx context.Context, graphToo bool) (found asked, done func(), err error) {
	s, done := r.s, func() {}
	limit, candidates := r.depth.bounds(s.Config.Budget.MaxCandidateFilesReturned)
	req := discovery.Request{
		Question: r.words(), Under: s.under(), Limit: r.room, Mask: s.Redact.Text, Deep: r.depth == "deep",
		Within: time.Duration(indexShare * float64(limit)), Hits: candidates, Parallel: s.Config.Budget.MaxParallelCalls,
	}
	review := r.c.Mode == casefile.ModeReview // by words, and only where there is time for it: the change is what matters
	if r.tools.Installed(tool.Vecgrep) && (!review || req.Deep) {
		req.Vecgrep, req.ByWords = r.tools.VecgrepSearch, review
	}
	cache, err := s.cache(ctx)
	if err != nil {
		found.Result, err = r.withoutCache(ctx, req, err)
		return found, done, err
	}
	req.Index = &code.Index{Cache: cache, Repo: s.Repo, Tree: &r.tree, Progress: func(text string) { op.Progress(ctx, "%s", text) }}
	stop := func() {}
	if graphToo {
		found.graph, stop = r.graphAside(ctx, cache)
	}
	found.Result, err = discovery.Round(ctx, s.Repo, req)
	return found, func() {
		stop()
		_ = cache.Close() // what it holds can be computed again
	}, err
}

// words are the question as tools get it: without what had to be masked.
func (r *round) words() string {
	return strings.TrimSpace(strings.ReplaceAll(r.question, redact.Mask, " "))
}

func (r *round) withoutCache(ctx context.Context, req discovery.Request, cause error) (discovery.Result, error) {
	found, err := discovery.Round(ctx, r.s.Repo, req)
	found.Degraded, found.Short = true, true
	found.Warnings = append(found.Warnings, fmt.Sprintf("git grep answered, for the index could not be opened: %v", cause))
	return found, err
}

// graphAside begins to read the module graph while the index is asked. graph waits for it; stop ends the reading, and
// returns when it has ended.
func (r *round) graphAside(ctx context.Context, cache *code.Cache) (graph func() (*code.Structure, error), stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var structure *code.Structure
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		structure, err = code.StructureOf(ctx, r.s.Repo, cache, r.tree)
	}()
	return func() (*code.Structure, error) { <-done; return structure, err }, func() { cancel(); <-done }
}

func (s *Service) cache(ctx context.Context) (*code.Cache, error) {
	if s.Config.CacheDir == "" {
		return nil, errors.New("there is no directory for caches")
	}
	return code.OpenCache(ctx, s.Config.CacheDir, s.Repo.CommonDir, s.Redact)
}
