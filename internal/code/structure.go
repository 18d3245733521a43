package code

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"cortex/internal/gitrepo"
)

// Structure is the module graph of a worktree and what was left out of it.
type Structure struct {
	*Graph
	Skipped []gitrepo.TreeSkip // source that was not read or not read whole, and why; sorted by path

	repo     *gitrepo.Repo
	files    map[string]gitrepo.TreeFile
	settings map[string][]byte // manifests by path
}

// ReadStructure reads the worktree as it is: tracked and untracked files, ignored ones not. Contents that the cache has
// seen are not read again; a nil cache, or one that fails, costs time only. Unreadable files are skipped and named.
func ReadStructure(ctx context.Context, repo *gitrepo.Repo, cache *Cache) (*Structure, error) {
	tree, err := repo.Tree(ctx, TreeLimit)
	if err != nil {
		return nil, fmt.Errorf("read structure: %w", err)
	}
	return StructureOf(ctx, repo, cache, tree)
}

// TreeLimit is up to which size files are named by their content for structure and search.
const TreeLimit = maxParseBytes

// StructureOf is ReadStructure of a worktree that was listed up to TreeLimit.
func StructureOf(ctx context.Context, repo *gitrepo.Repo, cache *Cache, tree gitrepo.Tree) (*Structure, error) {
	s := &Structure{repo: repo, files: make(map[string]gitrepo.TreeFile, len(tree.Files))}
	for _, skip := range tree.Skipped {
		if languageOf(skip.Path) != nil || path.Ext(skip.Path) == "" {
			s.Skipped = append(s.Skipped, skip)
		}
	}
	var source []gitrepo.TreeFile
	var paths []string
	for _, f := range tree.Files {
		s.files[f.Path] = f
		paths = append(paths, f.Path)
	}
	packages := pythonPackages(paths)
	for _, f := range tree.Files {
		if row := languageOf(f.Path); row != nil && !isForeign(f.Path, row.name, packages) {
			source = append(source, f)
		}
	}
	sources, err := s.facts(ctx, cache, source)
	if err != nil {
		return nil, fmt.Errorf("read structure: %w", err)
	}
	s.settings = s.manifests(ctx, paths)
	s.Graph = NewGraph(sources, s.settings)
	slices.SortFunc(s.Skipped, func(a, b gitrepo.TreeSkip) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

// facts takes what the cache has and reads the rest.
func (s *Structure) facts(ctx context.Context, cache *Cache, files []gitrepo.TreeFile) ([]Source, error) {
	known := map[string]Facts{}
	keys := make([]string, len(files))
	for i, f := range files {
		keys[i] = FactsKey(f.Path, f.Blob)
	}
	if cache != nil {
		cached, err := cache.Facts(ctx, keys)
		if err == nil {
			known = cached
		}
	}
	sources := make([]Source, len(files))
	var missing []int
	for i, f := range files {
		sources[i].Path = f.Path
		if facts, ok := known[keys[i]]; ok && f.Blob != "" {
			sources[i].Facts = facts
		} else {
			missing = append(missing, i)
		}
	}
	failures := s.read(ctx, files, missing, sources)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fresh := make(map[string]Facts, len(missing))
	for n, i := range missing {
		if failures[n] == "" && files[i].Blob != "" {
			fresh[keys[i]] = sources[i].Facts
		}
	}
	if cache != nil && len(fresh) > 0 {
		_ = cache.SaveFacts(ctx, fresh) // without them the next reading only takes longer
	}
	kept := sources[:0]
	for n, i := range missing {
		if failures[n] != "" {
			s.Skipped = append(s.Skipped, gitrepo.TreeSkip{Path: files[i].Path, Reason: failures[n]})
			sources[i].Path = ""
		}
	}
	for _, source := range sources {
		if source.Path == "" {
			continue
		}
		if source.Facts.Partial != "" {
			s.Skipped = append(s.Skipped, gitrepo.TreeSkip{Path: source.Path, Reason: source.Facts.Partial})
		}
		kept = append(kept, source)
	}
	return kept, nil
}

// read extracts the facts of the missing files on every core, and says for each why it could not be read.
func (s *Structure) read(ctx context.Context, files []gitrepo.TreeFile, missing []int, sources []Source) []string {
	failures := make([]string, len(missing))
	spread(len(missing), func(e *extractor, n int) {
		if ctx.Err() != nil {
			return
		}
		i := missing[n]
		body, err := s.repo.ReadFile(ctx, files[i])
		if err != nil {
			failures[n] = failureOf(err)
			return
		}
		sources[i].Facts = e.extract(files[i].Path, body, false)
	})
	return failures
}

func failureOf(err error) string {
	if errors.Is(err, gitrepo.ErrChanged) {
		return staleSkip
	}
	return "unreadable"
}

// maxManifestBytes bounds a manifest that is read; lock files are none.
const maxManifestBytes = 1 << 20

func (s *Structure) manifests(ctx context.Context, paths []string) map[string][]byte {
	out := map[string][]byte{}
	for _, name := range paths {
		if !IsManifest(name) || s.files[name].Size > maxManifestBytes {
			continue
		}
		body, err := s.repo.ReadFile(ctx, s.files[name])
		if err != nil {
			s.Skipped = append(s.Skipped, gitrepo.TreeSkip{Path: name, Reason: failureOf(err)})
			continue
		}
		out[name] = body
	}
	return out
}
