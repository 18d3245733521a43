package osfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"cortex/internal/durable"
)

// Ensure opens the directory at path and makes it and its missing parents first, with mode 0700, each made durable in
// its own parent. The last component must not be a symbolic link; links above it are followed. Errors have the kind that
// durable.WriteError gives. When a process dies between the two, the next call takes the directory as it is: only a power
// loss in the seconds after that could still take it away.
func Ensure(path string) (*FS, error) {
	dir, err := Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	parent := filepath.Dir(filepath.Clean(path))
	if parent == filepath.Clean(path) {
		return nil, err
	}
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		made, err := Ensure(parent)
		if err != nil {
			return nil, err
		}
		if err := made.Close(); err != nil {
			return nil, err
		}
	}
	if err := makeDurable(parent, filepath.Base(path)); err != nil {
		return nil, fmt.Errorf("make %s: %w", path, err)
	}
	return Open(path)
}

// makeDurable makes one directory and syncs its parent, which may be reached through links.
func makeDurable(parent, name string) error {
	real, err := filepath.EvalSymlinks(parent)
	if err != nil {
		return err
	}
	above, err := Open(real)
	if err != nil {
		return err
	}
	err = above.Mkdir(name)
	if err == nil {
		err = above.SyncDir(".")
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil // made by another process meanwhile
	}
	return errors.Join(durable.WriteError(err), above.Close())
}
