package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Head is where the worktree stands.
type Head struct {
	Commit string // full object id, empty before the first commit
	Branch string // empty when detached
}

// head asks for the commit and reads the branch, which rev-parse does not tell before the first commit.
func (r *Repo) head(ctx context.Context) (Head, error) {
	ids, err := r.revParse(ctx, "HEAD^{commit}")
	if err != nil {
		return Head{}, err
	}
	branch, err := r.branch(ctx)
	return Head{Commit: ids[0], Branch: branch}, err
}

// revParse resolves revisions and returns as many object ids, empty from the first that git does not know.
func (r *Repo) revParse(ctx context.Context, revs ...string) ([]string, error) {
	lines, err := r.revParseLines(ctx, revs...)
	ids := make([]string, len(revs))
	for i := range ids {
		if i >= len(lines) || !isFullID(lines[i]) {
			break
		}
		ids[i] = lines[i]
	}
	return ids, err
}

// revParseLines returns what git printed; an unknown revision ends the output and is no error.
func (r *Repo) revParseLines(ctx context.Context, revs ...string) ([]string, error) {
	out, _, err := r.output(ctx, "rev-parse", revs...)
	var failed *gitError
	if err != nil && (!errors.As(err, &failed) || failed.exit != 128) {
		return nil, fmt.Errorf("resolve revisions: %w", err)
	}
	return strings.Split(out, "\n"), nil
}

const branchPrefix = "ref: refs/heads/"

// branch reads the branch that HEAD names. The reftable format keeps a placeholder in the file: then git is asked.
func (r *Repo) branch(ctx context.Context) (string, error) {
	name, ok := strings.CutPrefix(strings.TrimRight(readSmall(filepath.Join(r.GitDir, "HEAD")), "\r\n"), branchPrefix)
	if !ok {
		return "", nil
	}
	if name != ".invalid" {
		return name, nil
	}
	out, _, err := r.output(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	var failed *gitError
	if errors.As(err, &failed) && failed.exit == 1 {
		return "", nil
	}
	return strings.TrimSuffix(out, "\n"), err
}

// baseline is what a worktree is compared with.
type baseline struct {
	head     Head
	against  string // commit to compare the index with; empty when there is none
	all      bool   // there was no commit: everything that exists counts as changed
	known    bool
	ancestor bool
	warnings []string
}

// baseline finds the commit to compare with: the merge base of base and HEAD. See Facts for the meaning of base.
func (r *Repo) baseline(ctx context.Context, base string) (baseline, error) {
	if base == "" || base == "HEAD" {
		head, err := r.head(ctx)
		return baseline{head: head, against: head.Commit, all: base == "" || head.Commit == "", known: true, ancestor: true}, err
	}
	var lines []string
	var err error
	if isHex(base) {
		lines, err = r.revParseLines(ctx, "HEAD^{commit}", base+"^{commit}", base+"...HEAD")
	} else {
		lines, err = r.revParseLines(ctx, "HEAD^{commit}")
	}
	if err != nil {
		return baseline{}, err
	}
	b := baseline{}
	if b.head.Branch, err = r.branch(ctx); err != nil {
		return baseline{}, err
	}
	if isFullID(lines[0]) {
		b.head.Commit = lines[0]
		lines = lines[1:]
	} else if isHex(base) { // before the first commit of this branch git stopped at HEAD
		if lines, err = r.revParseLines(ctx, base+"^{commit}"); err != nil {
			return baseline{}, err
		}
	}
	b.choose(base, lines)
	return b, nil
}

// choose takes the commit to compare with from what git printed after HEAD: the base and, marked with ^, the merge bases.
// A branch or tag that is named like an abbreviated commit must not stand in for it.
func (b *baseline) choose(base string, lines []string) {
	b.against = b.head.Commit
	if len(lines) == 0 || !isFullID(lines[0]) || !strings.HasPrefix(lines[0], base) {
		b.all = b.head.Commit == ""
		b.warnings = append(b.warnings, fmt.Sprintf(
			"the base commit %q is not known to this repository: changes are counted against HEAD", base))
		return
	}
	full := lines[0]
	b.known, b.against = true, full
	for _, line := range lines[1:] {
		if common, ok := strings.CutPrefix(line, "^"); ok && isFullID(common) {
			b.against, b.ancestor = common, common == full
			break
		}
	}
	if !b.ancestor {
		b.warnings = append(b.warnings, fmt.Sprintf(
			"the base commit %.12s is no longer an ancestor of HEAD: changes are counted from %.12s", full, b.against))
	}
}
