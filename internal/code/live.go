package code

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// shownSkips is how many files a warning names before it counts the rest.
const shownSkips = 5

// bitmap is a set of document ids.
type bitmap []byte

func (b bitmap) has(id int64) bool {
	return id >= 0 && id>>3 < int64(len(b)) && b[id>>3]&(1<<(id&7)) != 0
}

func (b *bitmap) add(id int64) {
	for int64(len(*b)) <= id>>3 {
		*b = append(*b, 0)
	}
	(*b)[id>>3] |= 1 << (id & 7)
}

func (b bitmap) size() int {
	n := 0
	for _, octet := range b {
		n += bits.OnesCount8(octet)
	}
	return n
}

// publish stores which documents the worktree has. Its row in live holds the stamp of the worktree, empty when the row is
// not complete, the set of documents, and what is to be said of the files that are in none.
func (r *refreshing) publish(ctx context.Context, stamp []byte) error {
	var docs bitmap
	for _, f := range r.tree.Files {
		key := fileKey{f.Path, f.Blob}
		if id, known := r.ids[key]; known && r.skipped[key] == "" {
			docs.add(id)
		}
	}
	warnings, err := json.Marshal(r.skipWarnings())
	if err != nil {
		return err
	}
	if docs == nil {
		docs = bitmap{}
	}
	return r.x.Cache.update(ctx, func(tx *sql.Tx) error {
		if err := r.sameEpoch(ctx, tx); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO live (worktree, stamp, docs, warnings) VALUES (?, ?, ?, ?)",
			r.x.Repo.Root, stamp, []byte(docs), string(warnings))
		return err
	})
}

// skipWarnings names what is not searched, one sentence for each reason.
func (r *refreshing) skipWarnings() []string {
	byReason := map[string][]string{}
	for _, s := range r.tree.Skipped {
		if s.Reason != "a symbolic link" { // its target is searched where it lies
			byReason[s.Reason] = append(byReason[s.Reason], s.Path)
		}
	}
	for _, f := range r.tree.Files {
		key := fileKey{f.Path, f.Blob}
		why := r.skipped[key]
		if _, known := r.ids[key]; !known && why == "" {
			why = staleSkip
		}
		if why != "" {
			byReason[why] = append(byReason[why], f.Path)
		}
	}
	out := []string{}
	for why, paths := range byReason {
		slices.Sort(paths)
		more := ""
		if n := len(paths) - shownSkips; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		shown := r.x.Cache.masked(strings.Join(paths[:min(len(paths), shownSkips)], ", "))
		out = append(out, fmt.Sprintf("not searched, %s: %s%s", why, shown, more))
	}
	slices.Sort(out)
	return out
}

// liveView is what a worktree has of the index.
type liveView struct {
	docs     bitmap
	count    int
	warnings []string
}

// live reads the worktree's row; false when there is none.
func (x *Index) live(ctx context.Context, tx *sql.Tx) (liveView, bool, error) {
	var v liveView
	var warnings string
	err := tx.QueryRowContext(ctx, "SELECT docs, warnings FROM live WHERE worktree = ?", x.Repo.Root).Scan(&v.docs, &warnings)
	if errors.Is(err, sql.ErrNoRows) {
		return v, false, nil
	}
	if err == nil && json.Unmarshal([]byte(warnings), &v.warnings) != nil {
		err = errBlock
	}
	v.count = v.docs.size()
	return v, err == nil, err
}
