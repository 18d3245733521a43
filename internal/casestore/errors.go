package casestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/problem"
)

// RevisionError says that a case is not at the revision that its writer had read. Nothing was written.
type RevisionError struct {
	TaskID          string
	Expected, Found uint64
}

// Error names both revisions.
func (e *RevisionError) Error() string {
	return fmt.Sprintf("case %s revision conflict: expected %d, found %d", e.TaskID, e.Expected, e.Found)
}

// Unwrap gives the problem that a reader sees.
func (e *RevisionError) Unwrap() error {
	return problem.New(problem.RevisionConflict, "%s.", e.Error()).About(e.TaskID, "").
		With(problem.Step{Op: "status", Args: taskArg(e.TaskID), Why: "see what changed, then call again"})
}

const taskPrefix = "task_"

func onlyIDCharacters(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// clip bounds what is echoed of a wrong argument.
func clip(s string) string {
	if len(s) > 80 {
		return fmt.Sprintf("%q…", s[:80])
	}
	return s
}

func taskArg(id string) map[string]any { return map[string]any{"taskId": id} }

func notFound(id string) error {
	return problem.New(problem.TaskNotFound, "case %s: not found", id).About(id, "").On("taskId", id, "the id of a case").
		With(problem.Step{Op: "list", Why: "see the ids of this repository's cases"}).Because(fs.ErrNotExist)
}

func broken(id, file string, err error) error {
	return problem.New(problem.CaseBroken, "case %s: %s cannot be read: %v.", id, file, err).About(id, "").
		With(fsckStep(id)).Because(err)
}

func fsckStep(id string) problem.Step {
	return problem.Step{Op: "fsck", Args: taskArg(id), Why: "see what is wrong and how to repair it"}
}

func tooNew(id string, version int) error {
	return problem.New(problem.StoreTooNew,
		"case %s has schema version %d and this program writes %d; it can be read here and not changed.",
		id, version, casefile.SchemaVersion).About(id, "").Without("update Cortex to change this case")
}

func busy(id, holder string, err error) error {
	return problem.New(problem.Busy, "case %s is busy: %s is writing it; try again.", id, holder).About(id, "").
		With(problem.Step{Op: "status", Args: taskArg(id), Why: "see the case, then call again"}).Because(err)
}

// explain gives the errors of the layer below their meaning for a reader. Id may be "" when no single case is concerned;
// dir is what could not be read or written.
func explain(err error, id, dir string) error {
	var seen *problem.Problem
	var pending *durable.PendingError
	var large *durable.TooLargeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pending):
		return unfinished(err, id, dir)
	case errors.As(err, &seen):
		return err
	case errors.Is(err, durable.ErrBusy):
		return busy(id, "another process", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return problem.New(problem.Canceled, "The call was canceled before anything was written.").About(id, "").
			Without("call again when there is time").Because(err)
	case errors.Is(err, durable.ErrNoSpace):
		return problem.New(problem.DiskFull, "The disk is full: %s cannot be written. Nothing was half-written.", dir).
			About(id, "").Without("free space on that disk, then call again").Because(err)
	case errors.Is(err, durable.ErrReadOnly):
		return notUsable(id, dir, "written", err)
	case errors.Is(err, fs.ErrPermission):
		return notUsable(id, dir, "used: permission is denied", err)
	case errors.Is(err, durable.ErrTooNew):
		return problem.New(problem.StoreTooNew, "A newer Cortex was interrupted in %s: %v.", filepath.Base(dir), err).
			About(id, "").Without("update Cortex; it finishes that change").Because(err)
	case errors.Is(err, durable.ErrNeedsFsck):
		return problem.New(problem.CaseNeedsFsck, "The files of %s contradict each other: %v.", filepath.Base(dir), err).
			About(id, "").With(fsckStep(id)).Because(err)
	case errors.As(err, &large):
		return problem.New(problem.TooLarge, "%v.", err).About(id, "").With(fsckStep(id)).Because(err)
	}
	return fmt.Errorf("case store %s: %w", dir, err)
}

// unfinished is the one failure behind which the change stands: readers see it and the next writer completes it.
func unfinished(err error, id, dir string) error {
	code, cause := problem.Internal, "its files could not be completed"
	if errors.Is(err, durable.ErrNoSpace) {
		code, cause = problem.DiskFull, "the disk is full"
	}
	p := problem.New(code, "The change in %s is recorded, but %s; the next command completes it. Do not repeat the call.",
		dir, cause).About(id, "").Because(err)
	if id == "" {
		return p.Without("free space on the disk or repair it; nothing is lost")
	}
	return p.With(problem.Step{Op: "status", Args: taskArg(id), Why: "see the case with the change"})
}

// noDirectory explains why a directory of the store could not be made. Whatever the reason, another place helps.
func noDirectory(err error, id, dir string) error {
	if errors.Is(err, durable.ErrNoSpace) || errors.Is(err, syscall.ENOSPC) {
		return explain(durable.ErrNoSpace, id, dir)
	}
	return notUsable(id, dir, "made or opened", err)
}

func notUsable(id, dir, what string, err error) error {
	return problem.New(problem.StateNotWritable,
		"%s cannot be %s; set CORTEX_STATE_DIR to a directory that can be written, or keep the cases in the repository "+
			"with cases_dir: .cortex/cases.", dir, what).About(id, "").Because(err).With(
		problem.Step{Command: "export CORTEX_STATE_DIR=DIRECTORY", Why: "keep the state where this process may write"},
		problem.Step{Command: "export CORTEX_CASES_DIR=.cortex/cases", Why: "keep the cases inside the repository"})
}
