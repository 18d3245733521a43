package codeops

import (
	"context"

	"cortex/internal/code"
	"cortex/internal/gitrepo"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/redact"
)

// Service runs the verbs for one workspace. It is built for each call and is safe for concurrent use.
type Service struct {
	Workspace string        // canonical absolute path
	Repo      *gitrepo.Repo // nil when the workspace is not inside a git repository
	CacheDir  string
	Redact    *redact.Redactor
}

// WorkspacePath is the workspace that next steps name.
func (s *Service) WorkspacePath() string { return s.Workspace }

// Ops lists the verbs.
func Ops() []*op.Def { return []*op.Def{codeMap, callers, review, search} }

// inRepository refuses a workspace outside of any repository.
func (s *Service) inRepository() error {
	if s.Repo == nil {
		return problem.New(problem.NotARepository, "%s is not inside a git repository.", s.Workspace).
			Without("run the verb in a git worktree, or name one with -C (workspace over MCP); git init makes one")
	}
	return nil
}

// spareCache is the cache for what can do without one and then only takes longer: nil when it cannot be used.
func (s *Service) spareCache(ctx context.Context) (c *code.Cache, done func()) {
	c, err := s.cache(ctx)
	if err != nil {
		return nil, func() {}
	}
	return c, func() { _ = c.Close() } // what it holds can be computed again
}

// cache opens the repository's cache. The caller closes it.
func (s *Service) cache(ctx context.Context) (*code.Cache, error) {
	c, err := code.OpenCache(ctx, s.CacheDir, s.Repo.CommonDir, s.Redact)
	if err != nil {
		return nil, s.unusable(err)
	}
	return c, nil
}

func (s *Service) unusable(err error) error {
	return problem.New(problem.StateNotWritable, "the cache below %s cannot be used: %v.", s.CacheDir, err).Because(err).
		Without("name a directory that can be written to, with room, in CORTEX_CACHE_DIR")
}
