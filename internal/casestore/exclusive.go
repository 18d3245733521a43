package casestore

import (
	"context"

	"cortex/internal/durable"
)

// Exclusive calls fn while no other Exclusive of the same store runs, in any process, so that what fn finds missing it
// can create. It locks no case. The store's directory is made when it is not there. A case whose creator died before its
// name was durable has a durable name before fn can find it, and what others left half made is removed: cases are to be
// created inside fn only.
func (s *Store) Exclusive(ctx context.Context, fn func() error) error {
	fsys, err := s.opt.EnsureFS(s.dir)
	if err != nil {
		return noDirectory(err, "", s.dir)
	}
	defer release(fsys)
	var failed error
	err = durable.New(fsys).Update(ctx, func(tx *durable.Tx) error {
		if err := tx.Guard(); err != nil {
			return err
		}
		durable.Sweep(fsys)
		failed = fn()
		return failed
	})
	if failed != nil {
		return failed
	}
	return explain(err, "", s.dir)
}
