package gitrepo

import (
	"context"
	"fmt"
	"time"
)

// State is what a receipt binds to: the bytes of the whole worktree at one moment.
type State struct {
	Head       string   // full commit, empty before the first one
	Digest     string   // "sha256:" and hex, method worktree.1
	Exclusions []string // what the digest does not cover, as plain phrases; "ignored files" is always the first
	Complete   bool     // false when something could not be hashed: then nothing may be bound to it

	entries []entry
}

// StateOptions bound the work of State. Zero values mean the defaults.
type StateOptions struct {
	SaveCache    bool          // keep the hashes for the next call; for verify only, reads write nothing
	MaxFileBytes int64         // a larger file is not hashed but named; default 2 GiB
	Budget       time.Duration // what is not hashed by then is named; default 60 s
}

// Defaults of StateOptions. Two GiB are about four seconds of hashing on one processor.
const (
	defaultMaxFileBytes = 2 << 30
	defaultBudget       = 60 * time.Second
)

// State hashes the whole worktree: every tracked path and every untracked one that is not ignored, submodules and nested
// repositories included. The digest does not depend on the index or on commits. It costs two git processes and two more
// for every submodule. The error says that git could not answer; what could not be hashed is in the State.
func (r *Repo) State(ctx context.Context, opt StateOptions) (State, error) {
	head := async(func() (Head, error) { return r.head(ctx) })
	l, err := r.list(ctx)
	h, headErr := head()
	if err != nil {
		return State{}, fmt.Errorf("digest worktree: %w", err)
	}
	if headErr != nil {
		return State{}, fmt.Errorf("digest worktree: %w", headErr)
	}
	return r.stateOf(ctx, h, l, opt)
}

func (r *Repo) stateOf(ctx context.Context, head Head, l listing, opt StateOptions) (State, error) {
	d, budget, cancel := newDigester(ctx, r, opt)
	defer cancel()
	entries := d.repository(budget, r, "", l, 0)
	if err := ctx.Err(); err != nil {
		return State{}, fmt.Errorf("digest worktree: %w", err)
	}
	s := State{Head: head.Commit, Digest: digestText(digestOf(entries)), entries: entries}
	s.Exclusions, s.Complete = d.exclusions()
	if opt.SaveCache {
		d.save(r)
	}
	return s, nil
}

// ChangedSince lists the paths whose kind, executable bit or content differ from those of b, sorted: between the states
// before and after a check, what the check wrote.
func (a State) ChangedSince(b State) []string {
	return changedEntries(nil, "", a.entries, b.entries)
}

// TouchedSince lists the files and links that are as they were in b and were written, replaced or renamed in between,
// sorted: their inode or times differ. What has another system time of change was not the same all the time, whatever its
// modification time was set to. A moved directory is not seen by this.
func (a State) TouchedSince(b State) []string { return touchedEntries(nil, "", a.entries, b.entries) }

// async starts f and returns a function that waits for its result.
func async[T any](f func() (T, error)) func() (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	return func() (T, error) {
		got := <-done
		return got.value, got.err
	}
}
