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

// cache opens the repository's cache. The caller closes it.
func (s *Service) cache(ctx context.Context) (*code.Cache, error) {
	if s.Repo == nil {
		return nil, problem.New(problem.NotARepository, "%s is not inside a git repository.", s.Workspace).
			Without("run the verb in a git worktree, or name one with -C (workspace over MCP); git init makes one")
	}
	c, err := code.OpenCache(ctx, s.CacheDir, s.Repo.CommonDir)
	if err != nil {
		return nil, problem.New(problem.StateNotWritable, "the cache below %s cannot be used: %v.", s.CacheDir, err).Because(err).
			Without("name a directory that can be written to in CORTEX_CACHE_DIR")
	}
	return c, nil
}
