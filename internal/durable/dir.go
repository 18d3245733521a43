package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"
)

const (
	// lockPatience is how long a caller without a deadline waits for the lock, as the public program does.
	lockPatience = 5 * time.Second
	// lockPoll is the longest sleep between two attempts; a writer holds the lock for about as long (a few syncs).
	lockPoll = 5 * time.Millisecond
)

// Dir is a crash-consistent directory. It is safe for concurrent use, within a process and between processes.
type Dir struct{ fsys FS }

// New returns the directory that fsys is rooted at. It reads and writes nothing. The caller keeps fsys and closes it
// when no call is running.
func New(fsys FS) *Dir { return &Dir{fsys: fsys} }

// Update changes the directory. It takes the exclusive lock (ErrBusy when that is not had before the deadline of ctx,
// or in 5 s), finishes what an interrupted writer left, runs fn, and commits what fn staged. The error of fn is returned
// as it is and nothing is changed. fn must not call Update or View of this directory, nor run anything slow.
func (d *Dir) Update(ctx context.Context, fn func(*Tx) error) error {
	unlock, err := d.lock(ctx, true)
	if err != nil {
		return WriteError(err)
	}
	defer unlock()
	s, err := openSlot(d.fsys, OpenWrite)
	if err != nil {
		return WriteError(err)
	}
	defer s.close()
	if err := s.settle(); err != nil {
		return fmt.Errorf("finish interrupted change: %w", WriteError(err))
	}
	tx := &Tx{Snapshot: &Snapshot{fsys: d.fsys}, slot: s}
	defer tx.release()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.commit()
}

// View reads the directory under the shared lock, and writes nothing. Where there is no lock file (read-only media, a
// directory that another program made) fn runs without lock, and runs again when a lock file has appeared meanwhile:
// only its last run counts. What fn sees may include a change whose writer died before it was acknowledged.
func (d *Dir) View(ctx context.Context, fn func(*Snapshot) error) error {
	unlock, err := d.lock(ctx, false)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.read(fn)
		if _, absent := d.fsys.Size(LockName); errors.Is(absent, fs.ErrNotExist) {
			return err
		}
		unlock, err = d.lock(ctx, false)
	}
	if err != nil {
		return err
	}
	defer unlock()
	return d.read(fn)
}

func (d *Dir) read(fn func(*Snapshot) error) error {
	s, err := openSlot(d.fsys, OpenRead)
	if err != nil {
		return err
	}
	s.close()
	return fn(&Snapshot{fsys: d.fsys, pending: s.pending})
}

// lock polls for the lock. The wait is random so that many waiters do not march in step.
func (d *Dir) lock(ctx context.Context, exclusive bool) (func(), error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lockPatience)
		defer cancel()
	}
	for {
		unlock, err := d.fsys.TryLock(exclusive)
		if err == nil || !errors.Is(err, ErrBusy) {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("%w: %w", err, ctx.Err())
		case <-time.After(time.Millisecond + rand.N(lockPoll)):
		}
	}
}
