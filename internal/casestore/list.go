package casestore

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

// listWorkers read cases at once: reading is system calls, of which a few overlap well on small machines.
const listWorkers = 4

// Listed is one directory of a store that is named like a case.
type Listed struct {
	ID       string
	Dir      string
	Case     *casefile.Case // nil when Err is set
	Warnings []string
	Err      error // why the case cannot be read; the others are not concerned
}

// List reads case.json of every case, in order of id, which is that of creation. It fails only when the store itself
// cannot be read; a store that is not there is empty.
func (s *Store) List(ctx context.Context) ([]Listed, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	all := make([]Listed, len(names))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(listWorkers, len(names)) {
		workers.Go(func() {
			for i := range next {
				all[i] = s.look(ctx, names[i])
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	workers.Wait()
	return all, ctx.Err()
}

func (s *Store) look(ctx context.Context, id string) Listed {
	l := Listed{ID: id, Dir: s.CaseDir(id)}
	l.Err = s.View(ctx, id, func(r *Reader) error {
		l.Case, l.Warnings = r.Case(), r.Warnings()
		return nil
	})
	return l
}

// names lists the directories that are named like cases, sorted.
func (s *Store) names() ([]string, error) {
	entries, err := entriesOf(s.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && casefile.CheckTaskID(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Find returns the case whose id is prefix or, alone, begins with it; "task_" in front may be left out. When several do,
// the error is ambiguous_task and candidates lists them.
func (s *Store) Find(ctx context.Context, prefix string) (id string, candidates []string, err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, explain(err, "", s.dir)
	}
	prefix, err = completePrefix(prefix)
	if err != nil {
		return "", nil, err
	}
	names, err := s.names()
	if err != nil {
		return "", nil, err
	}
	for _, name := range names {
		if name == prefix {
			return name, nil, nil
		}
		if strings.HasPrefix(name, prefix) {
			candidates = append(candidates, name)
		}
	}
	return only(prefix, candidates)
}

// completePrefix puts "task_" in front of what could only follow it and refuses what begins no id.
func completePrefix(prefix string) (string, error) {
	if prefix != "" && onlyIDCharacters(prefix) && !strings.Contains(prefix, "_") {
		prefix = taskPrefix + prefix
	}
	return prefix, casefile.CheckTaskID(prefix)
}

func only(prefix string, candidates []string) (string, []string, error) {
	switch len(candidates) {
	case 0:
		return "", nil, notFound(prefix)
	case 1:
		return candidates[0], nil, nil
	}
	shown := candidates[:min(len(candidates), casefile.MaxCandidates)]
	return "", candidates, problem.New(problem.AmbiguousTask, "%d cases begin with %s: %s.", len(candidates), prefix,
		strings.Join(shown, ", ")).On("taskId", prefix, "the id of one case").
		With(problem.Step{Op: "status", Inputs: []string{"taskId"}, Why: "name one case",
			Candidates: map[string][]string{"taskId": shown}})
}

// FindAnywhere looks for a case, by id or unique prefix, in every store below sessionsRoot and in the known ones, and
// returns its store and id. Stores that cannot be read are passed over.
func FindAnywhere(ctx context.Context, sessionsRoot string, known []KnownStore, prefix string,
	opt Options) (*Store, string, error) {
	prefix, err := completePrefix(prefix)
	if err != nil {
		return nil, "", err
	}
	found := map[string]string{} // case to the directory of its store
	var candidates []string
	for _, dir := range StoreDirs(sessionsRoot, known) {
		id, some, err := Open(dir, opt).Find(ctx, prefix)
		if err == nil {
			some = []string{id}
		}
		for _, id := range some {
			if _, twice := found[id]; !twice {
				candidates = append(candidates, id)
				found[id] = dir
			}
		}
		if id == prefix {
			candidates = some
			break
		}
	}
	id, _, err := only(prefix, candidates)
	if err != nil {
		return nil, "", err
	}
	return Open(found[id], opt), id, nil
}

// StoreDirs lists the directories of all stores, once each: those below sessionsRoot, and the known ones.
func StoreDirs(sessionsRoot string, known []KnownStore) []string {
	var dirs []string
	entries, _ := entriesOf(sessionsRoot) // the known stores are searched also when the central ones cannot be read
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(sessionsRoot, e.Name()))
		}
	}
	for _, k := range known {
		if filepath.IsAbs(k.Root) && !slices.Contains(dirs, filepath.Clean(k.Root)) {
			dirs = append(dirs, filepath.Clean(k.Root))
		}
	}
	return dirs
}
