package casestore

import (
	"context"

	"cortex/internal/durable"
)

// Exclusive calls fn while no other Exclusive of the same store runs, in any process, so that what fn finds missing it
// can create. It locks no case. The store's directory is made when it is not there.
func (s *Store) Exclusive(ctx context.Context, fn func() error) error {
	fsys, err := s.opt.EnsureFS(s.dir)
	if err != nil {
		return noDirectory(err, "", s.dir)
	}
	defer release(fsys)
	var failed error
	err = durable.New(fsys).Update(ctx, func(*durable.Tx) error {
		failed = fn()
		return failed
	})
	if failed != nil {
		return failed
	}
	return explain(err, "", s.dir)
}
