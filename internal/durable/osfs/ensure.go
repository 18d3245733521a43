package osfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"cortex/internal/durable"
)

// Ensure opens the directory at path and makes it and its missing parents first, with mode 0700. The last component must
// not be a symbolic link; links above it are followed. Errors have the kind that durable.WriteError gives.
//
// Whoever makes a directory may die before its name is durable. So the names down to a directory whose lock nobody ever
// took are made durable by each call, as far as the directories above can be synced by this process.
func Ensure(path string) (*FS, error) { return ensure(path, syncNames) }

func ensure(path string, sync func(dir string) error) (*FS, error) {
	dir, err := Open(path)
	if err == nil {
		if _, err := dir.Size(durable.LockName); err == nil {
			return dir, nil
		}
		if err := syncAbove(path, sync); err != nil {
			return nil, errors.Join(err, dir.Close())
		}
		return dir, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := makeAll(filepath.Clean(path)); err != nil {
		return nil, fmt.Errorf("make %s: %w", path, durable.WriteError(err))
	}
	if err := syncAbove(path, sync); err != nil {
		return nil, fmt.Errorf("make %s: %w", path, durable.WriteError(err))
	}
	return Open(path)
}

// makeAll makes one directory after the other. One that another process makes meanwhile is taken as it is.
func makeAll(path string) error {
	parent := filepath.Dir(path)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) && parent != path {
		if err := makeAll(parent); err != nil {
			return err
		}
	}
	real, err := filepath.EvalSymlinks(parent)
	if err != nil {
		return err
	}
	above, err := Open(real)
	if err != nil {
		return err
	}
	err = above.Mkdir(filepath.Base(path))
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return errors.Join(err, above.Close())
}

// syncAbove syncs each directory above path, the nearest first. That one fails only when its disk does: a directory that
// this user cannot open, or whose file system syncs none, held the name before, and so do those above.
func syncAbove(path string, sync func(dir string) error) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for nearest := true; filepath.Dir(real) != real; nearest = false {
		real = filepath.Dir(real)
		err := sync(real)
		if err != nil && nearest && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	return nil
}

func syncNames(dir string) error {
	d, err := Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.SyncDir("."), d.Close())
}
