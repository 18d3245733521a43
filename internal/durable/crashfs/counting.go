package crashfs

import (
	"sync/atomic"

	"cortex/internal/durable"
)

// Counter counts the syncs of all file systems that it wraps.
type Counter struct{ files, dirs atomic.Int64 }

// Counting wraps a file system so that c counts its syncs, and those of its subdirectories.
func Counting(fsys durable.FS, c *Counter) durable.FS { return counting{fsys, c} }

// Take returns how many syncs of files and of directories there were since the last call.
func (c *Counter) Take() (files, dirs int64) { return c.files.Swap(0), c.dirs.Swap(0) }

type counting struct {
	durable.FS
	counter *Counter
}

func (f counting) Open(name string, mode durable.Mode) (durable.Handle, error) {
	h, err := f.FS.Open(name, mode)
	if err != nil {
		return nil, err
	}
	return countingHandle{h, f.counter}, nil
}

func (f counting) Sub(dir string) (durable.FS, error) {
	sub, err := f.FS.Sub(dir)
	if err != nil {
		return nil, err
	}
	return counting{sub, f.counter}, nil
}

func (f counting) SyncDir(dir string) error {
	f.counter.dirs.Add(1)
	return f.FS.SyncDir(dir)
}

type countingHandle struct {
	durable.Handle
	counter *Counter
}

func (h countingHandle) Sync() error {
	h.counter.files.Add(1)
	return h.Handle.Sync()
}
