package caseops

import (
	"context"
	"slices"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/problem"
)

// checkParent refuses a parent that is not an open case of this store and workspace. "" is no parent.
func (s *Service) checkParent(ctx context.Context, id string) error {
	if id == "" {
		return nil
	}
	return s.Store.View(ctx, id, func(r *casestore.Reader) error {
		parent := r.Case()
		if parent.Workspace.Root != s.Workspace {
			return problem.New(problem.InvalidInput, "parent %s belongs to the workspace %s, not to %s.", id, parent.Workspace.Root, s.Workspace).
				On("parentTaskId", id, "a case of the same workspace").
				With(problem.Step{Op: "list", Why: "see the cases of this repository"})
		}
		if parent.Status.Terminal() {
			return problem.New(problem.WrongPhase, "parent %s is in phase %q and takes no further children.", id, parent.Status).
				About(id, string(parent.Status)).
				With(problem.Step{Op: "open", Args: map[string]any{}, Inputs: []string{"goal"}, Why: "open the case without a parent"})
		}
		return nil
	})
}

// linkParent adds c to its parent's children, once.
func (s *Service) linkParent(ctx context.Context, c *casefile.Case) error {
	if c.ParentTaskID == "" {
		return nil
	}
	linked := false
	err := s.Store.View(ctx, c.ParentTaskID, func(r *casestore.Reader) error {
		linked = slices.Contains(r.Case().ChildTaskIDs, c.ID)
		return nil
	})
	if err != nil || linked {
		return err
	}
	return s.Store.Update(ctx, c.ParentTaskID, func(e *casestore.Edit) error {
		parent := e.Case()
		if slices.Contains(parent.ChildTaskIDs, c.ID) {
			return nil
		}
		parent.ChildTaskIDs = append(parent.ChildTaskIDs, c.ID)
		return e.PutCase(parent)
	})
}

// openChildren lists the children of c that have not ended; a child that is not there any more is a warning and does
// not count.
func (s *Service) openChildren(ctx context.Context, c *casefile.Case) (open []string, warnings []string, err error) {
	for _, id := range c.ChildTaskIDs {
		err := s.Store.View(ctx, id, func(r *casestore.Reader) error {
			if r.Case().Status.Active() {
				open = append(open, id)
			}
			return nil
		})
		switch {
		case problem.Is(err, problem.TaskNotFound):
			warnings = append(warnings, "child case "+id+" is not in this store any more")
		case err != nil:
			return nil, nil, err
		}
	}
	return open, warnings, nil
}
