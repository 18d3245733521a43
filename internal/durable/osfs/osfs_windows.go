package osfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/windows"

	"cortex/internal/durable"
)

// FS is one open directory. It implements durable.FS.
type FS struct{ root *os.Root }

// Open opens an existing directory. Its last component must not be a symbolic link; links above it are followed.
func Open(path string) (*FS, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: durable.ErrNotRegular}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = &fs.PathError{Op: "open", Path: path, Err: durable.ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &FS{root: root}, nil
}

// Close releases the directory. No call may be running.
func (f *FS) Close() error { return f.root.Close() }

// check refuses names that are too deep, and a directory component that is a link.
func (f *FS) check(op, name string) error {
	if !fs.ValidPath(name) || strings.Count(name, "/") > 1 {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	dir, _, nested := strings.Cut(name, "/")
	if !nested {
		return nil
	}
	info, err := f.root.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: op, Path: name, Err: durable.ErrNotRegular}
	}
	return err
}

// Open opens a regular file.
func (f *FS) Open(name string, mode durable.Mode) (durable.Handle, error) {
	switch mode {
	case durable.OpenWrite:
		return f.open(name, os.O_RDWR)
	case durable.OpenNew:
		return f.open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	}
	return f.open(name, os.O_RDONLY)
}

// open compares what was there with what was opened, since the system follows links below the root.
func (f *FS) open(name string, flags int) (*handle, error) {
	if err := f.check("open", name); err != nil {
		return nil, err
	}
	before, err := f.root.Lstat(name)
	if err == nil && !before.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: durable.ErrNotRegular}
	}
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return nil, err
	}
	file, err := f.root.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, err
	}
	after, err := file.Stat()
	if err == nil && (!after.Mode().IsRegular() || !absent && !os.SameFile(before, after)) {
		err = &fs.PathError{Op: "open", Path: name, Err: durable.ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &handle{file}, nil
}

// Size returns the length of a regular file.
func (f *FS) Size(name string) (int64, error) {
	if err := f.check("stat", name); err != nil {
		return 0, err
	}
	info, err := f.root.Lstat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, &fs.PathError{Op: "stat", Path: name, Err: durable.ErrNotRegular}
	}
	return info.Size(), nil
}

// ReadDir returns the names in a directory.
func (f *FS) ReadDir(dir string) ([]string, error) {
	if err := f.checkDir("list", dir); err != nil {
		return nil, err
	}
	d, err := f.root.Open(dir)
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	return names, errors.Join(err, d.Close())
}

func (f *FS) checkDir(op, dir string) error {
	if err := f.check(op, dir); err != nil {
		return err
	}
	info, err := f.root.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: op, Path: dir, Err: durable.ErrNotRegular}
	}
	return err
}

// Mkdir makes a directory.
func (f *FS) Mkdir(name string) error {
	if err := f.check("mkdir", name); err != nil {
		return err
	}
	return f.root.Mkdir(name, 0o700)
}

// Rename moves a file or directory.
func (f *FS) Rename(from, to string) error {
	if err := errors.Join(f.check("rename", from), f.check("rename", to)); err != nil {
		return err
	}
	return f.root.Rename(from, to)
}

// Remove removes a file or an empty directory.
func (f *FS) Remove(name string) error {
	if err := f.check("remove", name); err != nil {
		return err
	}
	return f.root.Remove(name)
}

// SyncDir only checks: the platform writes names through with the file system's own journal and offers no sync of a
// directory.
func (f *FS) SyncDir(dir string) error {
	if dir == ".." {
		return nil
	}
	return f.checkDir("sync", dir)
}

// Sub opens a directory below this one.
func (f *FS) Sub(dir string) (durable.FS, error) {
	if err := f.checkDir("open", dir); err != nil {
		return nil, err
	}
	root, err := f.root.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &FS{root: root}, nil
}

// TryLock takes the system's lock of an open file: it excludes other opens in this process as well, and is dropped when
// the process dies.
func (f *FS) TryLock(exclusive bool) (func(), error) {
	open, how := os.O_RDONLY, uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		open, how = os.O_RDWR|os.O_CREATE, how|windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	h, err := f.open(durable.LockName, open)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(h.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if err == nil {
		return func() { _ = h.Close() /* which drops the lock */ }, nil
	}
	_ = h.Close() // nothing is held
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return nil, durable.ErrBusy
	}
	return nil, fmt.Errorf("lock %s: %w", durable.LockName, err)
}

// handle is an open regular file.
type handle struct{ *os.File }

// Size returns the length in bytes.
func (h *handle) Size() (int64, error) {
	info, err := h.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
