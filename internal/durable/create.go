package durable

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Create makes the directory name (mode 0700) below parent with files in it, all at once: after any crash it is there
// with all of them or not at all, and after nil it is there for good. fs.ErrExist when the name is taken, also by a call
// that ran beside this one. A crash may leave a hidden directory ".new-…" below parent, which nobody reads and Sweep removes.
func Create(ctx context.Context, parent FS, name string, files map[string][]byte) error {
	if err := checkNewDir(name, files); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if taken, err := exists(parent, name); err != nil || taken {
		return errors.Join(err, takenError(name, taken))
	}
	temp := newName + rand.Text()
	if err := parent.Mkdir(temp); err != nil {
		return fmt.Errorf("create %s: %w", name, WriteError(err))
	}
	err := fill(parent, temp, files)
	if err == nil {
		err = parent.Rename(temp, name)
	}
	if err != nil {
		discard(parent, temp)
		if taken, probe := exists(parent, name); probe == nil && taken {
			return takenError(name, true)
		}
		return fmt.Errorf("create %s: %w", name, WriteError(err))
	}
	if err := parent.SyncDir(rootName); err != nil {
		return fmt.Errorf("create %s: %w", name, WriteError(err))
	}
	confirm(parent, name)
	return nil
}

// confirm takes away the mark of a directory whose own name may not be durable. Until then the first Update sees to it,
// for the case that this process died before its sync. An Update that runs already has done so, and what it has put in
// the slot is not to be touched.
func confirm(parent FS, name string) {
	sub, err := parent.Sub(name)
	if err != nil {
		return // a mark that stays costs the first Update a needless sync
	}
	defer func() { _ = sub.Close() }() // see above
	unlock, err := sub.TryLock(true)
	if err != nil {
		return // see above
	}
	defer unlock()
	if s, err := openSlot(sub, OpenWrite); err == nil {
		if s.state == slotNew {
			s.unmark()
		}
		s.close()
	}
}

func checkNewDir(name string, files map[string][]byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if dirOf(name) != rootName {
		return fmt.Errorf("%w: directory %q is not directly below its parent", ErrInvalid, name)
	}
	for file := range files {
		if err := checkName(file); err != nil {
			return err
		}
	}
	return nil
}

func takenError(name string, taken bool) error {
	if !taken {
		return nil
	}
	return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
}

// exists reports whether a name is taken, by whatever it may be.
func exists(fsys FS, name string) (bool, error) {
	_, err := fsys.Size(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil || errors.Is(err, ErrNotRegular) {
		return true, nil
	}
	return false, err
}

// fill writes the files of a new directory, and those of the layer, and makes them durable.
func fill(parent FS, temp string, files map[string][]byte) error {
	sub, err := parent.Sub(temp)
	if err != nil {
		return err
	}
	c := change{fsys: sub}
	c.touch(rootName)
	for name, data := range files {
		if err = c.makeDir(dirOf(name)); err != nil {
			break
		}
		c.touch(dirOf(name))
		if err = writeNew(sub, name, data, true); err != nil {
			break
		}
	}
	if err == nil {
		// Neither needs its bytes to be durable: an empty slot only costs the first Update a sync.
		err = errors.Join(writeNew(sub, LockName, nil, false), writeNew(sub, slotName, []byte(newMark), false))
	}
	if err == nil {
		err = c.syncDirs()
	}
	return errors.Join(err, sub.Close())
}

// Sweep removes, as far as the disk allows, what calls of Create that died left below parent. The caller sees to it that
// none is running.
func Sweep(parent FS) {
	names, err := parent.ReadDir(rootName)
	if err != nil {
		return // it stays hidden
	}
	for _, name := range names {
		if strings.HasPrefix(name, newName) {
			discard(parent, name)
		}
	}
}

// discard removes a directory that was not finished, as far as the disk allows: what stays is hidden.
func discard(parent FS, temp string) {
	sub, err := parent.Sub(temp)
	if err != nil {
		return
	}
	empty(sub, rootName)
	_ = sub.Close()         // nothing was written through it
	_ = parent.Remove(temp) // see above
}

func empty(fsys FS, dir string) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return
	}
	for _, name := range names {
		if dir == rootName && fsys.Remove(name) != nil {
			empty(fsys, name)
			_ = fsys.Remove(name) // what stays is hidden
		}
		if dir != rootName {
			_ = fsys.Remove(dir + "/" + name) // what stays is hidden
		}
	}
}
