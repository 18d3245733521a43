package gitrepo

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
)

// TreeFile is one regular file of the worktree as it is now.
type TreeFile struct {
	Path    string // relative to the top level, slash-separated
	Blob    string // object id of the content; "" when it is over the limit or could not be read
	Size    int64
	Tracked bool
	Dirty   bool // untracked, or another content than the index has

	stat fileStat
}

// TreeSkip is a path of the worktree that is no file to be read, and why.
type TreeSkip struct{ Path, Reason string }

// Tree is what the worktree holds: tracked files and untracked ones that are not ignored, sorted by path. Links,
// submodules and nested repositories are among the skipped; Cortex's own state is nowhere.
type Tree struct {
	Files   []TreeFile
	Skipped []TreeSkip
}

// Tree lists the worktree and names every content by its blob, in one git process. A file that the index has as it is
// costs one lstat; others up to limit bytes are read and hashed.
func (r *Repo) Tree(ctx context.Context, limit int64) (Tree, error) {
	l, err := r.list(ctx)
	if err != nil {
		return Tree{}, fmt.Errorf("list worktree: %w", err)
	}
	return r.treeOf(ctx, l, limit)
}

// FactsAndTree answers Facts and Tree from the same listing, in three git processes.
func (r *Repo) FactsAndTree(ctx context.Context, base string, limit int64) (Facts, Tree, error) {
	f, l, err := r.facts(ctx, base)
	if err != nil {
		return Facts{}, Tree{}, err
	}
	t, err := r.treeOf(ctx, l, limit)
	return f, t, err
}

func (r *Repo) treeOf(ctx context.Context, l listing, limit int64) (Tree, error) {
	lookAll(r.Root, l.nodes, func(*node) bool { return true })
	format := ""
	for i := range l.nodes {
		if l.nodes[i].tracked {
			format = l.nodes[i].id
			break
		}
	}
	c := changes{repo: r, indexTime: l.indexTime}
	files := make([]TreeFile, len(l.nodes))
	parallel(len(l.nodes), func() func(int) {
		buf := make([]byte, readBufferBytes)
		return func(i int) {
			if n := &l.nodes[i]; n.found == found && n.stat.regular() && !n.nested {
				files[i] = c.treeFile(ctx, n, format, limit, buf)
			}
		}
	})
	var t Tree
	for i := range l.nodes {
		if files[i].Path != "" {
			t.Files = append(t.Files, files[i])
		} else if why := skipReason(&l.nodes[i]); why != "" {
			t.Skipped = append(t.Skipped, TreeSkip{l.nodes[i].path, why})
		}
	}
	for _, dir := range l.unreadable {
		t.Skipped = append(t.Skipped, TreeSkip{dir, "unreadable directory"})
	}
	return t, ctx.Err()
}

func skipReason(n *node) string {
	switch {
	case n.nested || n.gitlink():
		return "a repository of its own"
	case n.found == absent:
		return ""
	case n.found != found:
		return "unreadable"
	case n.stat.kind == kindLink:
		return "a symbolic link"
	}
	return "not a regular file"
}

// treeFile names the content of a regular file.
func (c *changes) treeFile(ctx context.Context, n *node, format string, limit int64, buf []byte) TreeFile {
	f := TreeFile{Path: n.path, Blob: n.id, Size: n.stat.size, Tracked: n.tracked, stat: n.stat}
	if n.tracked && !n.unmerged && !n.intent && n.mode != linkMode && c.sameStat(n) {
		return f
	}
	f.Blob, f.Dirty = "", true
	if n.stat.size > limit {
		return f
	}
	blob := blobHash(format, n.stat.size)
	if readStable(ctx, nativePath(c.repo.Root, n.path), n.stat, buf, blob) == nil {
		f.Blob = hex.EncodeToString(blob.Sum(nil))
		f.Dirty = !n.tracked || f.Blob != n.id
	}
	return f
}

// ErrChanged says that a file is no longer what it was when the worktree was listed.
var ErrChanged = errors.New("the file changed meanwhile")

// ReadFile returns the content of a file that Tree listed. A file that was edited, removed or replaced since is
// ErrChanged; no link is ever followed.
func (r *Repo) ReadFile(ctx context.Context, f TreeFile) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(int(f.Size))
	buf := make([]byte, min(f.Size+1, readBufferBytes))
	err := readStable(ctx, nativePath(r.Root, f.Path), f.stat, buf, &out)
	switch {
	case errors.Is(err, errMoved):
		return nil, fmt.Errorf("read %s: %w", f.Path, ErrChanged)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	return out.Bytes(), nil
}

// File looks up one regular file by its path below the top level, without its blob. What is no regular file, or lies
// behind a link, is ErrChanged.
func (r *Repo) File(path string) (TreeFile, error) {
	n := node{path: path}
	if validPath(path) && !isOwn(path) {
		newFinder(r.Root).look(&n)
	}
	if n.found != found || !n.stat.regular() {
		return TreeFile{}, fmt.Errorf("read %s: %w", path, ErrChanged)
	}
	return TreeFile{Path: path, Size: n.stat.size, stat: n.stat}, nil
}
