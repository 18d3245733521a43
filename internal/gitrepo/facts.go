package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Facts are what changed in a worktree since a commit, and where it stands.
type Facts struct {
	Head
	Base         string   // commit that was compared with: the merge base of base and HEAD; empty when there was none
	BaseKnown    bool     // false when git does not know the base: HEAD was compared with
	BaseAncestor bool     // false when history was rewritten since
	Changed      []string // relative to the top level, sorted, unique
	Untracked    int      // of these, those that git does not track; a nested repository counts as one
	Dirty        bool     // worktree or index differ from HEAD; with a base other than HEAD, staged changes do not count
	Warnings     []string
}

// Facts lists everything that differs between a commit and the worktree: committed since, staged, unstaged, untracked, in
// the worktree only or in the index only, and the same within submodules. base is the full or abbreviated commit; "" means
// that there was no commit, so that everything counts as changed, and "HEAD" the current one. It costs at most three git
// processes, and three more for every submodule.
//
// Files are compared with the index by stat as git does, and by content where that leaves a doubt: raw, as a Git LFS
// pointer, or with the line ends that git converts (one more process when that is in doubt). Other filters are programs
// that a repository's configuration names and are not run, so a file that one of them rewrites shows as changed when it
// was touched after git last looked at it.
func (r *Repo) Facts(ctx context.Context, base string) (Facts, error) {
	f, _, err := r.facts(ctx, base)
	return f, err
}

// Survey answers Facts and State from the same listing, in three git processes.
func (r *Repo) Survey(ctx context.Context, base string) (Facts, State, error) {
	f, l, err := r.facts(ctx, base)
	if err != nil {
		return Facts{}, State{}, err
	}
	s, err := r.stateOf(ctx, f.Head, l, StateOptions{})
	return f, s, err
}

// staged is what differs between a commit and the index.
type staged struct {
	baseline
	diff []indexChange
}

func (r *Repo) facts(ctx context.Context, base string) (Facts, listing, error) {
	fromIndex := async(func() (staged, error) { return r.staged(ctx, base) })
	l, err := r.list(ctx)
	s, indexErr := fromIndex()
	if err = errors.Join(err, indexErr); err != nil {
		return Facts{}, listing{}, fmt.Errorf("find changes: %w", err)
	}
	c := changes{repo: r, all: s.all, indexTime: l.indexTime, submoduleBase: map[string]string{}}
	c.facts = Facts{Head: s.head, Base: s.against, BaseKnown: s.known, BaseAncestor: s.ancestor, Warnings: s.warnings}
	if s.all {
		c.facts.Base = ""
	}
	c.addStaged(s)
	lookAll(r.Root, l.nodes, func(n *node) bool { return n.tracked })
	if err := c.addWorktree(ctx, l.nodes); err != nil {
		return Facts{}, listing{}, fmt.Errorf("find changes: %w", err)
	}
	for _, dir := range l.unreadable {
		c.facts.Warnings = append(c.facts.Warnings, "unreadable directory "+dir)
	}
	slices.Sort(c.facts.Changed)
	c.facts.Changed = slices.Compact(c.facts.Changed)
	return c.facts, l, ctx.Err()
}

// staged finds the baseline and compares the index with it.
func (r *Repo) staged(ctx context.Context, base string) (staged, error) {
	b, err := r.baseline(ctx, base)
	if err != nil || b.against == "" {
		return staged{baseline: b}, err
	}
	out, _, err := r.output(ctx, "diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff",
		"--no-textconv", "--ignore-submodules=none", b.against, "--")
	if err != nil {
		return staged{}, fmt.Errorf("compare index: %w", err)
	}
	diff, err := parseDiffIndex(out)
	return staged{b, diff}, err
}

// indexChange is one path that differs between a commit and the index.
type indexChange struct {
	path             string
	oldMode, newMode string
	oldID            string
}

// parseDiffIndex reads records of ":oldmode newmode oldid newid STATUS NUL path NUL", as --no-renames leaves them.
func parseDiffIndex(out string) ([]indexChange, error) {
	var changes []indexChange
	for out != "" {
		head, rest, ok := strings.Cut(out, "\x00")
		path, rest, ok2 := strings.Cut(rest, "\x00")
		head, colon := strings.CutPrefix(head, ":")
		fields := strings.Split(head, " ")
		if !ok || !ok2 || !colon || len(fields) != 5 || !isFullID(fields[2]) || !validPath(path) {
			return nil, fmt.Errorf("compare index: %w", errListing)
		}
		out = rest
		changes = append(changes, indexChange{path: path, oldMode: fields[0], newMode: fields[1], oldID: fields[2]})
	}
	return changes, nil
}

// changes collects the changed paths of one repository.
type changes struct {
	repo          *Repo
	all           bool
	indexTime     int64
	submoduleBase map[string]string // commit of a submodule at the base, where the index has another
	facts         Facts
}

func (c *changes) addStaged(s staged) {
	for _, d := range s.diff {
		if isOwn(d.path) {
			continue
		}
		if s.against == s.head.Commit {
			c.facts.Dirty = true
		}
		c.facts.Changed = append(c.facts.Changed, d.path)
		if d.oldMode == gitlinkMode && d.newMode == gitlinkMode {
			c.submoduleBase[d.path] = d.oldID
		}
	}
}

// addWorktree compares the looked-up nodes with the index.
func (c *changes) addWorktree(ctx context.Context, nodes []node) error {
	verdicts := make([]verdict, len(nodes))
	parallel(len(nodes), func() func(int) {
		buf := make([]byte, readBufferBytes)
		return func(i int) {
			if n := &nodes[i]; n.tracked && !n.gitlink() {
				verdicts[i] = c.compare(ctx, n, buf)
			}
		}
	})
	if err := c.dropConverted(ctx, nodes, verdicts); err != nil {
		return err
	}
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.gitlink():
			if err := c.addSubmodule(ctx, n); err != nil {
				return err
			}
		case !n.tracked:
			c.facts.Untracked++
			c.dirty(n.path)
		case verdicts[i] != same:
			c.dirty(n.path)
		}
		if c.all {
			c.facts.Changed = append(c.facts.Changed, n.path)
		}
	}
	return nil
}

func (c *changes) dirty(path string) {
	c.facts.Dirty = true
	c.facts.Changed = append(c.facts.Changed, path)
}

// addSubmodule adds a submodule whose commit differs from the index, and what changed within it since its commit at the
// base. Settings that ask git to ignore submodules have no say.
func (c *changes) addSubmodule(ctx context.Context, n *node) error {
	if n.found != found {
		if !n.skip {
			c.dirty(n.path)
		}
		return nil
	}
	if n.unmerged || n.stat.kind != kindDir {
		c.dirty(n.path)
		return nil
	}
	dir := nativePath(c.repo.Root, n.path)
	sub, ok, err := c.repo.nested(ctx, dir)
	if err == nil && !ok {
		return c.addLoose(ctx, n.path, dir)
	}
	base := n.id
	if old, moved := c.submoduleBase[n.path]; moved {
		base = old
	}
	var f Facts
	if err == nil {
		f, err = sub.Facts(ctx, base)
	}
	if err != nil {
		c.dirty(n.path)
		c.facts.Warnings = append(c.facts.Warnings, "submodule "+n.path+" could not be read")
		return ctx.Err()
	}
	if f.Head.Commit != n.id {
		c.dirty(n.path)
	}
	c.facts.Untracked += f.Untracked
	c.facts.Dirty = c.facts.Dirty || f.Dirty
	for _, p := range f.Changed {
		c.facts.Changed = append(c.facts.Changed, n.path+"/"+p)
	}
	for _, w := range f.Warnings {
		c.facts.Warnings = append(c.facts.Warnings, "submodule "+n.path+": "+w)
	}
	return nil
}

// addLoose adds the files in the directory of a submodule that is not checked out.
func (c *changes) addLoose(ctx context.Context, path, dir string) error {
	nodes, err := walk(ctx, dir)
	if err != nil {
		c.dirty(path)
		c.facts.Warnings = append(c.facts.Warnings, "submodule "+path+" could not be read")
		return ctx.Err()
	}
	for _, n := range nodes {
		c.facts.Untracked++
		c.dirty(path + "/" + n.path)
	}
	return nil
}
