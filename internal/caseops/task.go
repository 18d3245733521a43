package caseops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/problem"
)

// task finds the case that a verb is about and returns the service to work on it with: one for the workspace where the
// case was opened, which need not be the caller's. given is an id or a unique prefix; empty means the only active case
// of this repository.
func (s *Service) task(ctx context.Context, given string) (*Service, string, error) {
	if given == "" {
		c, err := s.onlyActive(ctx)
		if err != nil {
			return s, "", err
		}
		there, err := s.in(ctx, s.Store, c.Workspace.Root)
		return there, c.ID, err
	}
	store, id, err := s.find(ctx, given)
	if err != nil {
		return s, "", err
	}
	root := ""
	err = store.View(ctx, id, func(r *casestore.Reader) error {
		root = r.Case().Workspace.Root
		return nil
	})
	if err != nil {
		return s, "", err
	}
	there, err := s.in(ctx, store, root)
	return there, id, err
}

// find looks in this repository's store first and then in every store that is known.
func (s *Service) find(ctx context.Context, given string) (*casestore.Store, string, error) {
	id, _, err := s.Store.Find(ctx, given)
	if err == nil || !problem.Is(err, problem.TaskNotFound) {
		return s.Store, id, err
	}
	known, _ := casestore.KnownStores(ctx, s.Config.StateDir) // without the list the central stores are still searched
	store, id, elsewhere := casestore.FindAnywhere(ctx, filepath.Join(s.Config.StateDir, "sessions"), known, given, s.storeOptions())
	if problem.Is(elsewhere, problem.TaskNotFound) {
		return s.Store, "", err
	}
	return store, id, elsewhere
}

func (s *Service) storeOptions() casestore.Options {
	return casestore.Options{Redact: s.Redact, IDs: s.IDs}
}

// in returns the service for a case of the given store and workspace. A workspace that is not there any more leaves
// one without a repository, and a warning: records can still be read.
func (s *Service) in(ctx context.Context, store *casestore.Store, root string) (*Service, error) {
	if root == s.Workspace {
		there := *s
		there.Store = store
		return &there, nil
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		there := *s
		there.Store, there.Workspace, there.Repo = store, root, nil
		there.Warnings = append([]string{fmt.Sprintf("workspace %s is not there: what the case says about it cannot be checked", root)}, s.Warnings...)
		return &there, nil
	}
	there, err := s.At(ctx, root)
	if err != nil {
		return s, err
	}
	there.Store = store
	return there, nil
}

// onlyActive returns the one active case of the repository, or says which there are.
func (s *Service) onlyActive(ctx context.Context) (*casefile.Case, error) {
	listed, err := s.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	var active []*casefile.Case
	for _, l := range listed {
		if l.Err == nil && l.Case.Status.Active() {
			active = append(active, l.Case)
		}
	}
	switch len(active) {
	case 0:
		return nil, problem.New(problem.TaskNotFound, "no task was named and this repository has no active case.").
			On("taskId", nil, "the id of a case").
			With(problem.Step{Op: "open", Inputs: []string{"goal"}, Why: "open a case"}, problem.Step{Op: "list", Why: "see the finished ones"})
	case 1:
		return active[0], nil
	}
	return nil, ambiguous(active)
}

func ambiguous(active []*casefile.Case) error {
	var ids []string
	text := ""
	for _, c := range active[:min(len(active), casefile.MaxCandidates)] {
		ids = append(ids, c.ID)
		text += fmt.Sprintf("\n  %s  %s  %s", c.ID, c.Status, c.Goal)
	}
	return problem.New(problem.AmbiguousTask, "no task was named and this repository has %d active cases; name one:%s", len(active), text).
		On("taskId", nil, "the id of one case").
		With(problem.Step{Op: "status", Inputs: []string{"taskId"}, Candidates: map[string][]string{"taskId": ids}, Why: "name one of the active cases"})
}
