package code

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"cortex/internal/gitrepo"
)

// Bounds of what is indexed.
const (
	maxFileBytes   = maxParseBytes
	minifiedBytes  = 64 << 10 // a file of this size with lines of minifiedLine bytes on average is a bundle
	minifiedLine   = 1000
	deadShare      = 3 // documents for each live one, beyond which the index is made anew
	deadAllowance  = 5000
	refreshRetries = 3
)

// Index is the search index of one worktree: its own view of the repository's cache.
type Index struct {
	Cache    *Cache
	Repo     *gitrepo.Repo
	Progress func(text string) // told from time to time how far a long refresh is; nil for no one
	Tree     *gitrepo.Tree     // the worktree, listed up to TreeLimit just now; nil: a refresh lists it
}

// errEpoch says that another process emptied the index meanwhile: what is read of it then is not the worktree.
var errEpoch = errors.New("the index was made anew by another process")

// Refresh brings the index to what the worktree holds: tracked and untracked files, ignored ones not. Only contents that
// the cache has not seen are read. What is left out is in the warnings of a search. A canceled refresh keeps what was
// read, and the next goes on from there.
func (x *Index) Refresh(ctx context.Context) error {
	var tree gitrepo.Tree
	var err error
	if x.Tree != nil {
		tree = *x.Tree
	} else if tree, err = x.Repo.Tree(ctx, TreeLimit); err != nil {
		return fmt.Errorf("refresh index: %w", err)
	}
	for range refreshRetries {
		if err = x.refresh(ctx, tree); !errors.Is(err, errEpoch) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("refresh index: %w", err)
	}
	return nil
}

// refreshing is one refresh under way.
type refreshing struct {
	x       *Index
	epoch   int
	tree    gitrepo.Tree
	ids     map[fileKey]int64 // documents of the cache
	skipped map[fileKey]string
	stale   bool // some file changed while it was read
}

type fileKey struct{ path, blob string }

func (x *Index) refresh(ctx context.Context, tree gitrepo.Tree) error {
	r := refreshing{x: x, tree: tree, ids: map[fileKey]int64{}, skipped: map[fileKey]string{}}
	stamp := stampOf(tree)
	current, err := r.load(ctx, stamp)
	if err != nil || current {
		return err
	}
	var pending []gitrepo.TreeFile
	for _, f := range tree.Files {
		key := fileKey{f.Path, f.Blob}
		if _, known := r.ids[key]; known {
			continue
		}
		if why := x.unlistable(ctx, f); why != "" {
			r.skipped[key] = why
			continue
		}
		pending = append(pending, f)
	}
	if err := r.add(ctx, pending); err != nil {
		return err
	}
	if r.stale {
		stamp = []byte{}
	}
	return r.publish(ctx, stamp)
}

// unlistable says why a file of the worktree gets no row, "" when it gets one.
func (x *Index) unlistable(ctx context.Context, f gitrepo.TreeFile) string {
	switch {
	case f.Size > maxFileBytes:
		return fmt.Sprintf("larger than %d MiB", maxFileBytes>>20)
	case f.Blob == "":
		if _, err := x.Repo.ReadFile(ctx, f); err != nil {
			return failureOf(err)
		}
		return staleSkip
	case x.Cache.redact != nil && x.Cache.redact.Changed(f.Path):
		return "its path looks like a secret"
	}
	return ""
}

// stampOf identifies what a worktree holds, as far as the index depends on it.
func stampOf(tree gitrepo.Tree) []byte {
	h := sha256.New()
	var line []byte
	note := func(name, mark, value string) {
		line = append(append(append(append(line[:0], name...), mark...), value...), 0)
		h.Write(line)
	}
	for _, f := range tree.Files {
		note(f.Path, "\x00", f.Blob)
	}
	for _, s := range tree.Skipped {
		note(s.Path, "\x01", s.Reason)
	}
	return h.Sum(nil)
}

// load reads the documents of the cache, unless the worktree is as it was at its last refresh. A cache with many more
// documents than its worktrees have, or in too many pieces, is emptied first.
func (r *refreshing) load(ctx context.Context, stamp []byte) (current bool, err error) {
	var documents, pieces, alive int
	err = r.x.Cache.view(ctx, func(tx *sql.Tx) error {
		var was []byte
		err := tx.QueryRowContext(ctx, "SELECT stamp FROM live WHERE worktree = ?", r.x.Repo.Root).Scan(&was)
		if err == nil && bytes.Equal(was, stamp) {
			current = true
			return nil
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT number, (SELECT count(*) FROM doc), (SELECT count(*) - coalesce(sum(posts), 0) / ? FROM segment) FROM epoch",
			maxSegmentPosts).Scan(&r.epoch, &documents, &pieces); err != nil {
			return err
		}
		if alive, err = liveDocuments(ctx, tx); err != nil {
			return err
		}
		return r.loadDocuments(ctx, tx)
	})
	if err != nil || current {
		return current, err
	}
	if documents <= deadShare*max(alive, len(r.tree.Files))+deadAllowance && pieces <= maxSegments {
		return false, nil
	}
	clear(r.ids)
	clear(r.skipped)
	return false, r.x.Cache.update(ctx, func(tx *sql.Tx) error {
		if err := r.sameEpoch(ctx, tx); err != nil {
			return err
		}
		r.epoch++
		return emptyIndex(ctx, tx)
	})
}

// emptyIndex also ends the facts, most of which are of contents that nobody has by then.
func emptyIndex(ctx context.Context, tx *sql.Tx) error {
	return execAll(ctx, tx, "DELETE FROM facts", "DELETE FROM doc", "DELETE FROM post", "DELETE FROM segment", "DELETE FROM live",
		"UPDATE epoch SET number = number + 1")
}

// liveDocuments counts what any worktree has. One that is gone counts until the index is made anew.
func liveDocuments(ctx context.Context, tx *sql.Tx) (int, error) {
	rows, err := tx.QueryContext(ctx, "SELECT docs FROM live")
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong
	var all bitmap
	for rows.Next() {
		var docs bitmap
		if err := rows.Scan(&docs); err != nil {
			return 0, err
		}
		all = append(all, make(bitmap, max(0, len(docs)-len(all)))...)
		for i, octet := range docs {
			all[i] |= octet
		}
	}
	return all.size(), rows.Err()
}

func (r *refreshing) loadDocuments(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "SELECT id, path, blob, skip FROM doc")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong
	for rows.Next() {
		var d document
		if err := rows.Scan(&d.id, &d.path, &d.blob, &d.skip); err != nil {
			return err
		}
		r.note(d)
	}
	return rows.Err()
}

func (r *refreshing) note(d document) {
	key := fileKey{d.path, d.blob}
	r.ids[key] = d.id
	if d.skip != "" {
		r.skipped[key] = d.skip
	}
}

func (r *refreshing) sameEpoch(ctx context.Context, tx *sql.Tx) error {
	var number int
	err := tx.QueryRowContext(ctx, "SELECT number FROM epoch").Scan(&number)
	if err == nil && number != r.epoch {
		return errEpoch
	}
	return err
}

// add reads files on all processors and stores them, a segment at a time.
func (r *refreshing) add(ctx context.Context, files []gitrepo.TreeFile) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs, done := make(chan gitrepo.TreeFile), make(chan document, 64)
	var workers sync.WaitGroup
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		workers.Go(func() { r.x.work(ctx, jobs, done) })
	}
	go func() {
		defer close(jobs)
		for _, f := range files {
			select {
			case jobs <- f:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { workers.Wait(); close(done) }()
	err := r.store(ctx, done, len(files))
	cancel()
	for range done { // the workers end before this returns
	}
	return err
}

func (r *refreshing) store(ctx context.Context, done <-chan document, total int) error {
	var docs []document
	posts, seen := 0, 0
	for d := range done {
		if seen++; seen%2000 == 0 && r.x.Progress != nil {
			r.x.Progress(fmt.Sprintf("indexed %d of %d files", seen, total))
		}
		if d.skip == staleSkip {
			r.stale = true
			continue
		}
		docs, posts = append(docs, d), posts+len(d.weights)
		if posts >= maxSegmentPosts {
			if err := r.commit(ctx, docs, true); err != nil {
				return err
			}
			docs, posts = docs[:0], 0
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(docs) == 0 {
		return nil
	}
	return r.commit(ctx, docs, len(docs) > deltaDocuments)
}

// commit stores documents in one transaction. One that another process stored meanwhile is left to it.
func (r *refreshing) commit(ctx context.Context, docs []document, segment bool) error {
	return r.x.Cache.update(ctx, func(tx *sql.Tx) error {
		if err := r.sameEpoch(ctx, tx); err != nil {
			return err
		}
		fresh, err := r.insert(ctx, tx, docs, segment)
		if err != nil {
			return err
		}
		if segment {
			return writeSegment(ctx, tx, fresh)
		}
		return foldForward(ctx, tx)
	})
}

func (r *refreshing) insert(ctx context.Context, tx *sql.Tx, docs []document, segment bool) ([]document, error) {
	insert, err := tx.PrepareContext(ctx, "INSERT OR IGNORE INTO doc (path, blob, skip, fwd) VALUES (?, ?, ?, ?)")
	if err != nil {
		return nil, err
	}
	defer func() { _ = insert.Close() }() // the transaction closes it as well
	fresh := docs[:0]
	for _, d := range docs {
		var forward []byte
		if !segment && d.skip == "" {
			forward = encodeForward(d.weights)
		}
		row, err := insert.ExecContext(ctx, d.path, d.blob, d.skip, forward)
		if err != nil {
			return nil, err
		}
		n, err := row.RowsAffected()
		if err == nil && n == 1 {
			d.id, err = row.LastInsertId()
			fresh = append(fresh, d)
		} else if err == nil {
			err = tx.QueryRowContext(ctx, "SELECT id FROM doc WHERE path = ? AND blob = ?", d.path, d.blob).Scan(&d.id)
		}
		if err != nil {
			return nil, err
		}
		r.note(d)
	}
	return fresh, nil
}

// staleSkip marks a file that changed while it was read.
const staleSkip = "changed while it was read"

// work turns files into documents.
func (x *Index) work(ctx context.Context, jobs <-chan gitrepo.TreeFile, done chan<- document) {
	words, extract := newVocabulary(), extractor{}
	for f := range jobs {
		d := document{path: f.Path, blob: f.Blob}
		body, err := x.Repo.ReadFile(ctx, f)
		switch {
		case err != nil:
			d.skip = staleSkip
		default:
			d.skip = unreadable(body)
		}
		if d.skip == "" {
			facts := extract.extract(f.Path, body, false)
			d.weights = words.file(f.Path, x.Cache.searchable(body), namesOf(facts))
		}
		select {
		case done <- d:
		case <-ctx.Done():
			return
		}
	}
}

func namesOf(facts Facts) []string {
	names := make([]string, len(facts.Definitions))
	for i, d := range facts.Definitions {
		names[i] = d.Name
	}
	return names
}

// unreadable says why a content is not indexed, "" when it is.
func unreadable(body []byte) string {
	switch {
	case isBinary(body):
		return "binary"
	case len(body) > minifiedBytes && bytes.Count(body, []byte{'\n'}) < len(body)/minifiedLine:
		return "minified"
	}
	return ""
}
