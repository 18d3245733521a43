package code

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"cortex/internal/gitrepo"
)

// Change is a definition that a review found to be another than it was.
type Change struct {
	Symbol    string `json:"symbol"`
	Kind      string `json:"kind"`
	Parent    string `json:"parent,omitempty"`
	File      string `json:"file"`
	StartLine int    `json:"startLine"` // where it is; of a removed one, where it was
	EndLine   int    `json:"endLine"`
	Change    string `json:"change"` // added, changed, removed
}

// Review is what a change touches.
type Review struct {
	Base      string   `json:"base"` // commit that was compared with, "" before the first
	Files     []string `json:"changedFiles"`
	Changes   []Change `json:"changedSymbols"` // by file and line
	Importers []string `json:"importers"`      // modules with a file, not a test, that imports a changed module
	Callers   []Site   `json:"callers"`        // resolved and likely, outside of tests
	Tests     []string `json:"tests"`          // test files that name a changed symbol, or stand beside or import a changed module
	Gaps      []string `json:"gaps,omitempty"` // what keeps the analysis from being complete
}

// maxReviewed bounds the symbols whose callers are looked for.
const maxReviewed = 500

// ReadReview compares the worktree with where it branched off since, a commit's full id or "HEAD": definitions whose own
// lines differ, with those of untracked and of removed files, and then who imports and names them.
func ReadReview(ctx context.Context, repo *gitrepo.Repo, cache *Cache, since string) (Review, error) {
	facts, err := repo.Facts(ctx, since)
	if err != nil {
		return Review{}, fmt.Errorf("review: %w", err)
	}
	s, err := ReadStructure(ctx, repo, cache)
	if err != nil {
		return Review{}, err
	}
	r := Review{Base: facts.Base, Files: facts.Changed, Gaps: slices.Clone(facts.Warnings)}
	var source []string
	for _, name := range facts.Changed {
		switch {
		case languageOf(name) != nil:
			source = append(source, name)
		case ClassOf(name) == CodeFile || ClassOf(name) == TestFile:
			r.Gaps = append(r.Gaps, name+": its language is not read")
		}
	}
	before, err := repo.Contents(ctx, facts.Base, source, maxParseBytes)
	if err != nil {
		return Review{}, fmt.Errorf("review: %w", err)
	}
	c := comparison{s: s, review: &r, before: before}
	for _, name := range source {
		c.file(ctx, name)
	}
	slices.SortStableFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.StartLine, b.StartLine))
	})
	if len(c.gone) > 0 { // what imported a removed file is told by a graph that still has it
		s.Graph = NewGraph(append(slices.Clone(s.Sources), c.gone...), s.settings)
	}
	c.reach(source)
	return r, c.callers(ctx)
}

// comparison is a review under way.
type comparison struct {
	s      *Structure
	review *Review
	before map[string][]byte
	gone   []Source
}

// file compares one changed file with what it was.
func (c *comparison) file(ctx context.Context, name string) {
	old, existed := c.before[name]
	was := Extract(name, old)
	listed, exists := c.s.files[name]
	var body []byte
	if exists {
		var err error
		if body, err = c.s.repo.ReadFile(ctx, listed); err != nil {
			c.gap(name, failureOf(err))
			return
		}
	}
	is := Extract(name, body)
	for _, f := range []Facts{was, is} {
		if f.Partial != "" {
			c.gap(name, f.Partial)
			return
		}
	}
	switch {
	case !exists && !existed:
		c.gap(name, "it could not be read")
	case !exists:
		c.gone = append(c.gone, Source{Path: name, Facts: was})
	}
	oldTexts := ownTexts(was, old)
	newTexts := ownTexts(is, body)
	c.differing(name, is, newTexts, oldTexts, "added")
	c.differing(name, was, oldTexts, newTexts, "removed")
}

func (c *comparison) gap(name, reason string) {
	c.review.Gaps = append(c.review.Gaps, name+": "+reason)
}

// definitionKey is what a definition is known by on both sides of a change.
type definitionKey struct{ kind, parent, name string }

func keyOf(d Definition) definitionKey { return definitionKey{d.Kind, d.Parent, d.Name} }

// ownTexts are the lines of each definition without those of the definitions inside it, in the order of the facts.
func ownTexts(f Facts, src []byte) map[definitionKey][]string {
	lines := bytes.SplitAfter(src, []byte{'\n'})
	owner := make([]int, len(lines)+1)
	for i := range owner {
		owner[i] = -1
	}
	texts := make([]strings.Builder, len(f.Definitions))
	for i, d := range f.Definitions { // by start line: an inner one comes later and takes its lines
		for line := d.StartLine; line <= min(d.EndLine, len(lines)); line++ {
			owner[line] = i
		}
	}
	for line, i := range owner {
		if i >= 0 && line > 0 {
			texts[i].Write(bytes.TrimRight(lines[line-1], "\r\n")) // git may have converted the line end
			texts[i].WriteByte('\n')
		}
	}
	out := map[definitionKey][]string{}
	for i, d := range f.Definitions {
		out[keyOf(d)] = append(out[keyOf(d)], texts[i].String())
	}
	return out
}

// differing adds the definitions of one side whose text the other does not have. A definition that the other side has
// with another text is told once, as changed, from the side that is now.
func (c *comparison) differing(name string, f Facts, texts, others map[definitionKey][]string, lone string) {
	next := map[definitionKey]int{}
	for _, d := range f.Definitions {
		key := keyOf(d)
		text := texts[key][next[key]]
		next[key]++
		if slices.Contains(others[key], text) {
			continue
		}
		what := lone
		if len(others[key]) > 0 {
			if lone == "removed" {
				continue
			}
			what = "changed"
		}
		c.review.Changes = append(c.review.Changes, Change{
			Symbol: d.Name, Kind: d.Kind, Parent: d.Parent, File: name, StartLine: d.StartLine, EndLine: d.EndLine, Change: what,
		})
	}
}

// reach finds the modules and tests that stand beside or import what changed.
func (c *comparison) reach(source []string) {
	dirs := map[string]bool{}
	for _, name := range source {
		dirs[path.Dir(name)] = true
	}
	importers, tests := map[string]bool{}, map[string]bool{}
	for i := range c.s.Sources {
		s := &c.s.Sources[i]
		if _, present := c.s.files[s.Path]; !present {
			continue
		}
		touches := s.Test && dirs[path.Dir(s.Path)]
		for dir := range c.s.importedDirs(i) {
			touches = touches || dirs[dir]
			if !s.Test && !s.Aside && dirs[dir] {
				importers[path.Dir(s.Path)] = true
			}
		}
		if s.Test && touches {
			tests[s.Path] = true
		}
	}
	c.review.Importers, c.review.Tests = sortedKeys(importers), sortedKeys(tests)
}

func sortedKeys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for key := range set {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// callers finds who names the changed definitions.
func (c *comparison) callers(ctx context.Context) error {
	wanted := map[string][]Place{}
	for n, change := range c.review.Changes {
		if n == maxReviewed {
			c.review.Gaps = append(c.review.Gaps, fmt.Sprintf("callers of the first %d symbols only", maxReviewed))
			break
		}
		wanted[change.Symbol] = append(wanted[change.Symbol], Place{
			File: change.File, StartLine: change.StartLine, EndLine: change.EndLine, Kind: change.Kind, Parent: change.Parent,
		})
	}
	questions := map[string]*siteQuestion{}
	for name, places := range wanted {
		questions[name] = c.s.ask(name, name, places)
	}
	sites, err := c.s.sites(ctx, questions, false)
	if err != nil {
		return err
	}
	for _, site := range sites {
		if !site.Test {
			c.review.Callers = append(c.review.Callers, site)
		} else if !slices.Contains(c.review.Tests, site.File) {
			c.review.Tests = append(c.review.Tests, site.File)
		}
	}
	slices.Sort(c.review.Tests)
	return nil
}
