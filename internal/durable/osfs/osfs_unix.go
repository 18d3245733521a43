//go:build unix

package osfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"cortex/internal/durable"
)

// Flags of every open: no link in the last component, no wait for the other end of a FIFO, nothing for children.
const openFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// FS is one open directory. It implements durable.FS.
type FS struct {
	fd   int
	path string // for messages
}

// Open opens an existing directory. Its last component must not be a symbolic link; links above it are followed.
func Open(path string) (*FS, error) {
	path = strings.TrimRight(path, "/")
	if path == "" {
		path = "/"
	}
	fd, err := openAt(unix.AT_FDCWD, path, dirFlags)
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return &FS{fd: fd, path: path}, nil
}

// Close releases the directory. No call may be running.
func (f *FS) Close() error { return unix.Close(f.fd) }

// at runs fn with the directory that holds the last component of name, and that component.
func (f *FS) at(op, name string, fn func(fd int, base string) error) error {
	if !fs.ValidPath(name) || strings.Count(name, "/") > 1 {
		return pathError(op, f.path+"/"+name, fs.ErrInvalid)
	}
	dir, base, nested := strings.Cut(name, "/")
	if !nested {
		return pathError(op, f.path+"/"+name, fn(f.fd, name))
	}
	fd, err := openAt(f.fd, dir, dirFlags)
	if err != nil {
		return pathError(op, f.path+"/"+name, err)
	}
	defer func() { _ = unix.Close(fd) }() // nothing is written through it
	return pathError(op, f.path+"/"+name, fn(fd, base))
}

// Open opens a regular file.
func (f *FS) Open(name string, mode durable.Mode) (durable.Handle, error) {
	flags := unix.O_RDONLY
	switch mode {
	case durable.OpenWrite:
		flags = unix.O_RDWR
	case durable.OpenNew:
		flags = unix.O_RDWR | unix.O_CREAT | unix.O_EXCL
	}
	var h *handle
	err := f.at("open", name, func(fd int, base string) (err error) {
		h, err = openFile(fd, base, flags, f.path+"/"+name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func openFile(dir int, base string, flags int, path string) (*handle, error) {
	fd, err := openAt(dir, base, flags|openFlags)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, errors.Join(durable.ErrNotRegular, unix.Close(fd))
	}
	return &handle{os.NewFile(uintptr(fd), path)}, nil
}

// Size returns the length of a regular file.
func (f *FS) Size(name string) (size int64, err error) {
	err = f.at("stat", name, func(fd int, base string) error {
		var st unix.Stat_t
		if err := unix.Fstatat(fd, base, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFREG {
			return durable.ErrNotRegular
		}
		size = st.Size
		return nil
	})
	return size, err
}

// ReadDir returns the names in a directory.
func (f *FS) ReadDir(dir string) (names []string, err error) {
	err = f.at("list", dir, func(fd int, base string) error {
		opened, err := openAt(fd, base, dirFlags)
		if err != nil {
			return err
		}
		d := os.NewFile(uintptr(opened), dir)
		names, err = d.Readdirnames(-1)
		return errors.Join(err, d.Close())
	})
	return names, err
}

// Mkdir makes a directory.
func (f *FS) Mkdir(name string) error {
	return f.at("mkdir", name, func(fd int, base string) error { return unix.Mkdirat(fd, base, 0o700) })
}

// Rename moves a file or directory.
func (f *FS) Rename(from, to string) error {
	return f.at("rename", from, func(fromFD int, fromBase string) error {
		return f.at("rename", to, func(toFD int, toBase string) error {
			return unix.Renameat(fromFD, fromBase, toFD, toBase)
		})
	})
}

// Remove removes a file or an empty directory.
func (f *FS) Remove(name string) error {
	return f.at("remove", name, func(fd int, base string) error {
		err := unix.Unlinkat(fd, base, 0)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return err
		}
		if dirErr := unix.Unlinkat(fd, base, unix.AT_REMOVEDIR); !errors.Is(dirErr, unix.ENOTDIR) {
			return dirErr
		}
		return err
	})
}

// SyncDir makes changed names durable.
func (f *FS) SyncDir(dir string) error {
	if dir == ".." {
		return pathError("sync", f.path+"/..", syncDir(f.fd, dir))
	}
	return f.at("sync", dir, syncDir)
}

func syncDir(fd int, base string) error {
	opened, err := openAt(fd, base, dirFlags)
	if err != nil {
		return err
	}
	d := os.NewFile(uintptr(opened), base)
	return errors.Join(d.Sync(), d.Close())
}

// Sub opens a directory below this one.
func (f *FS) Sub(dir string) (durable.FS, error) {
	var sub *FS
	err := f.at("open", dir, func(fd int, base string) error {
		opened, err := openAt(fd, base, dirFlags)
		sub = &FS{fd: opened, path: f.path + "/" + dir}
		return err
	})
	if err != nil {
		return nil, err
	}
	return sub, nil
}

// TryLock takes an flock, which belongs to the open file: it excludes other opens in this process as well, and the
// kernel drops it when the process dies.
func (f *FS) TryLock(exclusive bool) (func(), error) {
	flags, how := unix.O_RDONLY, unix.LOCK_SH
	if exclusive {
		flags, how = unix.O_RDWR|unix.O_CREAT, unix.LOCK_EX
	}
	var h *handle
	err := f.at("lock", durable.LockName, func(fd int, base string) (err error) {
		if h, err = openFile(fd, base, flags, durable.LockName); err != nil {
			return err
		}
		if err = retry(func() error { return unix.Flock(int(h.Fd()), how|unix.LOCK_NB) }); err != nil {
			_ = h.Close() // nothing is held
		}
		if errors.Is(err, unix.EWOULDBLOCK) {
			return durable.ErrBusy
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = h.Close() /* which drops the lock */ }, nil
}

// openAt opens below a directory. A link, or a file in place of a directory, is named as what it is not.
func openAt(dir int, path string, flags int) (fd int, err error) {
	err = retry(func() error {
		fd, err = unix.Openat(dir, path, flags, 0o600)
		return err
	})
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENOTDIR) {
		return -1, fmt.Errorf("%w: %w", durable.ErrNotRegular, err)
	}
	return fd, err
}

func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
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
