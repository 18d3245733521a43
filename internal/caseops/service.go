package caseops

import (
	"context"
	"path/filepath"
	"time"

	"cortex/internal/casestore"
	"cortex/internal/config"
	"cortex/internal/gitrepo"
	"cortex/internal/ids"
	"cortex/internal/redact"
	"cortex/internal/verifier"
)

// Service runs the verbs for one workspace. It is built for each call and holds no state of its own; it is safe for
// concurrent use.
type Service struct {
	Config    config.Config
	Workspace string        // canonical absolute path
	Repo      *gitrepo.Repo // nil when the workspace is not inside a git repository
	Store     *casestore.Store
	IDs       ids.Source
	Redact    *redact.Redactor
	Grants    []config.Grant
	Environ   []string // what a check is given, NAME=value
	Warnings  []string // what went wrong while the service was built and does not stop reads

	// Execute runs one check; verifier.Execute outside tests.
	Execute func(context.Context, verifier.Check) verifier.Run
	// Claim makes the repository's directory of cases its own before the first case is created in it.
	Claim func(ctx context.Context) (*casestore.Store, error)
	// At builds the service of another workspace, for a case that was opened there.
	At func(ctx context.Context, workspace string) (*Service, error)
}

// WorkspacePath is the workspace that next steps name.
func (s *Service) WorkspacePath() string { return s.Workspace }

func (s *Service) now() time.Time { return s.IDs.Now() }

// relative turns a path from the repository's root into one from the workspace; a file above the workspace gets "../".
func (s *Service) relative(fromRoot string) string {
	rel, err := filepath.Rel(s.Workspace, filepath.Join(s.Repo.Root, filepath.FromSlash(fromRoot)))
	if err != nil {
		return fromRoot // both are absolute, so Rel fails only across volumes
	}
	return filepath.ToSlash(rel)
}

func (s *Service) relativeAll(fromRoot []string) []string {
	out := make([]string, len(fromRoot))
	for i, p := range fromRoot {
		out[i] = s.relative(p)
	}
	return out
}
