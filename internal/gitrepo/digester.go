package gitrepo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxNesting bounds how deep repositories within repositories are followed.
const maxNesting = 16

// maxExclusions bounds the phrases of a State.
const maxExclusions = 20

// digester hashes one worktree. Its methods are called by many goroutines.
type digester struct {
	opt   StateOptions
	began time.Time  // nothing was looked up before
	cache *statCache // nil when there is none

	mu       sync.Mutex
	own      bool
	late     int // files that the budget did not reach
	problems []string
	records  []cacheRecord
	missed   bool // something was hashed that the cache did not know
}

// newDigester starts the budget; the caller releases it with the returned function.
func newDigester(ctx context.Context, r *Repo, opt StateOptions) (*digester, context.Context, context.CancelFunc) {
	if opt.MaxFileBytes <= 0 {
		opt.MaxFileBytes = defaultMaxFileBytes
	}
	if opt.Budget <= 0 {
		opt.Budget = defaultBudget
	}
	budget, cancel := context.WithTimeout(ctx, opt.Budget)
	end, _ := budget.Deadline() // the only clock that is needed
	return &digester{opt: opt, began: end.Add(-opt.Budget), cache: loadCache(r)}, budget, cancel
}

// repository makes the entries of one repository, whose paths lie below prefix for the reader.
func (d *digester) repository(ctx context.Context, r *Repo, prefix string, l listing, depth int) []entry {
	for _, dir := range l.unreadable {
		d.problem("unreadable directory " + prefix + dir)
	}
	d.mu.Lock()
	d.own = d.own || l.own
	d.mu.Unlock()
	return d.nodes(ctx, r, r.Root, prefix, l.nodes, depth)
}

// nodes makes the entries of nodes below root: files on all processors, then directories one after the other.
func (d *digester) nodes(ctx context.Context, r *Repo, root, prefix string, nodes []node, depth int) []entry {
	lookAll(root, nodes, func(*node) bool { return true })
	entries := make([]entry, len(nodes))
	parallel(len(nodes), func() func(int) {
		w := &hashWorker{digester: d, root: root, prefix: prefix, buf: make([]byte, readBufferBytes), hash: sha256.New()}
		return func(i int) { entries[i] = w.entry(ctx, nodes[i]) }
	})
	for i := range entries {
		if entries[i].kind == kindDir {
			d.directory(ctx, r, nativePath(root, entries[i].path), prefix, &entries[i], depth+1)
		}
	}
	return slices.DeleteFunc(entries, func(e entry) bool { return e.kind == 0 })
}

// directory fills in the entry of a submodule or nested repository at dir.
func (d *digester) directory(ctx context.Context, parent *Repo, dir, prefix string, e *entry, depth int) {
	name := prefix + e.path
	if depth > maxNesting {
		d.problem("repository " + name + " is nested too deeply to be read")
		return
	}
	sub, ok, err := parent.nested(ctx, dir)
	if err == nil && ok {
		var l listing
		if l, err = sub.list(ctx); err == nil {
			e.kind = kindRepo
			e.children = d.repository(ctx, sub, name+"/", l, depth)
		}
	} else if err == nil {
		var nodes []node
		if nodes, err = walk(ctx, dir); err == nil {
			e.children = d.nodes(ctx, parent, dir, name+"/", nodes, depth)
		}
	}
	if err != nil {
		d.problem("nested repository " + name + " not read")
	}
	e.sum = digestOf(e.children)
}

// nested opens the repository whose top level is dir; ok is false when there is none.
func (r *Repo) nested(ctx context.Context, dir string) (sub *Repo, ok bool, err error) {
	gitDir, ok := gitDirOf(dir)
	if !ok {
		return nil, false, nil
	}
	sub, err = openAt(ctx, dir, gitDir, Options{Environ: r.environ})
	return sub, err == nil && sub.Root == dir, err
}

// walk lists everything below a directory that git does not list: that of a submodule which is not checked out.
func walk(ctx context.Context, dir string) ([]node, error) {
	var nodes []node
	err := filepath.WalkDir(dir, func(path string, item fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || path == dir {
			return err
		}
		name := filepath.ToSlash(path[len(dir)+1:])
		switch {
		case item.Name() == ".git" || isOwn(name):
			return skip(item)
		case !item.IsDir():
			nodes = append(nodes, node{path: name})
		case isRepository(path):
			nodes = append(nodes, node{path: name, nested: true})
			return fs.SkipDir
		}
		return nil
	})
	slices.SortFunc(nodes, func(a, b node) int { return strings.Compare(a.path, b.path) })
	return nodes, err
}

func isRepository(dir string) bool {
	_, ok := gitDirOf(dir)
	return ok
}

func skip(item fs.DirEntry) error {
	if item.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func (d *digester) problem(phrase string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.problems = append(d.problems, phrase)
}

// exclusions words what the digest does not cover, and whether that leaves it complete.
func (d *digester) exclusions() (phrases []string, complete bool) {
	phrases = []string{"ignored files"}
	if d.own {
		phrases = append(phrases, ownExclusion)
	}
	slices.Sort(d.problems)
	if over := len(d.problems) - maxExclusions; over > 0 {
		d.problems = append(d.problems[:maxExclusions], fmt.Sprintf("%d more paths not hashed", over))
	}
	if d.late > 0 {
		d.problems = append(d.problems, fmt.Sprintf("%d files not hashed within %s", d.late, d.opt.Budget))
	}
	return append(phrases, d.problems...), len(d.problems) == 0
}

// hashWorker makes entries one after the other.
type hashWorker struct {
	*digester
	root, prefix string
	buf          []byte
	hash         hash.Hash
}

// maxAttempts bounds how often a file is read that changes while it is read.
const maxAttempts = 3

// entry makes the entry of one node. A directory gets kindDir and no digest yet; kind 0 means nothing to cover.
func (w *hashWorker) entry(ctx context.Context, n node) entry {
	for range maxAttempts {
		e, err := w.attempt(ctx, &n)
		switch {
		case err == nil:
			return e
		case ctx.Err() != nil:
			w.mu.Lock()
			defer w.mu.Unlock()
			w.late++
			return entry{}
		case !errors.Is(err, errMoved):
			w.problem("unreadable file " + w.prefix + n.path)
			return entry{}
		}
		newFinder(w.root).look(&n)
	}
	w.problem("file " + w.prefix + n.path + " kept changing while it was read")
	return entry{}
}

func (w *hashWorker) attempt(ctx context.Context, n *node) (entry, error) {
	e := entry{path: n.path, kind: n.stat.kind, stat: n.stat}
	switch {
	case n.found == absent:
		return entry{}, nil
	case n.found == unreadable:
		return entry{}, fs.ErrPermission
	case n.stat.kind == kindDir && !n.gitlink() && !n.nested:
		return entry{}, nil // a tracked file became a directory; its files are listed by themselves
	case n.stat.kind == kindLink:
		target, err := os.Readlink(nativePath(w.root, n.path))
		if err != nil {
			return entry{}, errMoved
		}
		e.sum = sha256.Sum256([]byte(target))
		return e, nil
	case n.stat.regular():
		return w.file(ctx, n, e)
	}
	return e, nil
}

// file hashes a regular file, or finds its hash in the cache.
func (w *hashWorker) file(ctx context.Context, n *node, e entry) (entry, error) {
	if n.stat.size > w.opt.MaxFileBytes {
		w.problem(sizeText(n.stat.size) + " file " + w.prefix + n.path + " not hashed")
		return entry{}, nil
	}
	cached := w.cache != nil || w.opt.SaveCache
	var key cacheKey
	if cached {
		key = cacheKeyOf(w.prefix + n.path)
	}
	sum, hit := w.cache.find(key, n.stat)
	if !hit {
		if err := ctx.Err(); err != nil {
			return entry{}, err
		}
		w.hash.Reset()
		if err := readStable(ctx, nativePath(w.root, n.path), n.stat, w.buf, w.hash); err != nil {
			return entry{}, err
		}
		w.hash.Sum(sum[:0])
	}
	if w.opt.SaveCache {
		w.remember(cacheRecord{key: key, stat: n.stat, sum: sum}, hit)
	}
	e.sum = sum
	return e, nil
}

// sizeText words a size in decimal units with one digit after the point.
func sizeText(bytes int64) string {
	size, unit := float64(bytes), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if size < 1000 {
			break
		}
		size, unit = size/1000, next
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
