package crashfs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"

	"cortex/internal/durable"
)

// FS returns the root directory as a process sees it.
func (d *Disk) FS() durable.FS { return &dirFS{disk: d, dir: d.root} }

type dirFS struct {
	disk  *Disk
	dir   *node
	above *node // nil at the root
}

func failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// parent resolves the directory of a name and its last component. The caller holds the disk's mutex.
func (f *dirFS) parent(name string) (*node, string, error) {
	if err := f.disk.alive(); err != nil {
		return nil, "", err
	}
	if !fs.ValidPath(name) || strings.Count(name, "/") > 1 {
		return nil, "", fs.ErrInvalid
	}
	dir, base, nested := strings.Cut(name, "/")
	if !nested {
		return f.dir, name, nil
	}
	sub, err := f.subdir(dir)
	return sub, base, err
}

func (f *dirFS) subdir(dir string) (*node, error) {
	if dir == "." {
		return f.dir, f.disk.alive()
	}
	sub, ok := f.dir.names[dir]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if !sub.isDir {
		return nil, durable.ErrNotRegular
	}
	return sub, f.disk.alive()
}

// file finds a regular file.
func (f *dirFS) file(name string) (*node, error) {
	parent, base, err := f.parent(name)
	if err != nil {
		return nil, err
	}
	n, ok := parent.names[base]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if n.isDir {
		return nil, durable.ErrNotRegular
	}
	return n, nil
}

func (f *dirFS) Open(name string, mode durable.Mode) (durable.Handle, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if mode != durable.OpenNew {
		n, err := f.file(name)
		if err != nil {
			return nil, failed("open", name, err)
		}
		return &handle{disk: f.disk, file: n, name: name, readOnly: mode == durable.OpenRead}, nil
	}
	n := &node{}
	if err := f.link(name, n); err != nil {
		return nil, failed("create", name, err)
	}
	return &handle{disk: f.disk, file: n, name: name}, nil
}

// link gives a new node its name.
func (f *dirFS) link(name string, n *node) error {
	parent, base, err := f.parent(name)
	if err != nil {
		return err
	}
	if _, taken := parent.names[base]; taken {
		return fs.ErrExist
	}
	if err := f.disk.step(); err != nil {
		return err
	}
	if f.disk.take(1) < 1 {
		return syscall.ENOSPC
	}
	f.disk.pend(parent, change{kind: changeLink, name: base, child: n})
	return nil
}

// take uses up to n bytes of the space and returns how many there were.
func (d *Disk) take(n int64) int64 {
	if d.space < 0 {
		return n
	}
	n = min(n, d.space)
	d.space -= n
	return n
}

func (f *dirFS) Size(name string) (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n, err := f.file(name)
	if err != nil {
		return 0, failed("stat", name, err)
	}
	return int64(len(n.data)), nil
}

func (f *dirFS) ReadDir(dir string) ([]string, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n, err := f.subdir(dir)
	if err != nil {
		return nil, failed("list", dir, err)
	}
	return slices.Collect(maps.Keys(n.names)), nil
}

func (f *dirFS) Mkdir(name string) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return failed("mkdir", name, f.link(name, newDir()))
}

func (f *dirFS) Rename(from, to string) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return failed("rename", from, f.rename(from, to))
}

func (f *dirFS) rename(from, to string) error {
	source, fromBase, err := f.parent(from)
	if err != nil {
		return err
	}
	target, toBase, err := f.parent(to)
	if err != nil {
		return err
	}
	n, ok := source.names[fromBase]
	if !ok {
		return fs.ErrNotExist
	}
	if old, taken := target.names[toBase]; taken && (old.isDir || n.isDir) {
		return fs.ErrExist
	}
	if err := f.disk.step(); err != nil {
		return err
	}
	if source == target {
		f.disk.pend(target, change{kind: changeLink, name: toBase, from: fromBase, child: n})
		return nil
	}
	f.disk.pend(target, change{kind: changeLink, name: toBase, child: n})
	f.disk.pend(source, change{kind: changeUnlink, name: fromBase})
	return nil
}

func (f *dirFS) Remove(name string) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	parent, base, err := f.parent(name)
	if err != nil {
		return failed("remove", name, err)
	}
	n, ok := parent.names[base]
	if !ok {
		return failed("remove", name, fs.ErrNotExist)
	}
	if len(n.names) > 0 {
		return failed("remove", name, fs.ErrExist)
	}
	if err := f.disk.step(); err != nil {
		return failed("remove", name, err)
	}
	f.disk.pend(parent, change{kind: changeUnlink, name: base})
	return nil
}

func (f *dirFS) SyncDir(dir string) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n, err := f.above, f.disk.alive()
	if dir != ".." {
		n, err = f.subdir(dir)
	}
	if err == nil {
		err = f.disk.step()
	}
	if err != nil {
		return failed("sync", dir, err)
	}
	if !f.disk.SkipDirSync {
		n.settle(int64(f.disk.BlockSize))
	}
	return nil
}

func (f *dirFS) Sub(dir string) (durable.FS, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n, err := f.subdir(dir)
	if err != nil {
		return nil, failed("open", dir, err)
	}
	return &dirFS{disk: f.disk, dir: n, above: f.dir}, nil
}

func (f *dirFS) Close() error { return nil }

// exclusiveLock is the count of a directory whose exclusive lock is held; shared locks count up from 1.
const exclusiveLock = -1

func (f *dirFS) TryLock(exclusive bool) (func(), error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.alive(); err != nil {
		return nil, failed("lock", durable.LockName, err)
	}
	if _, ok := f.dir.names[durable.LockName]; !ok {
		if !exclusive {
			return nil, failed("lock", durable.LockName, fs.ErrNotExist)
		}
		if err := f.link(durable.LockName, &node{}); err != nil {
			return nil, failed("lock", durable.LockName, err)
		}
	}
	held := f.disk.locks[f.dir]
	if held == exclusiveLock || exclusive && held > 0 {
		return nil, failed("lock", durable.LockName, durable.ErrBusy)
	}
	if exclusive {
		f.disk.locks[f.dir] = exclusiveLock
	} else {
		f.disk.locks[f.dir]++
	}
	return f.unlock, nil
}

func (f *dirFS) unlock() {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.locks[f.dir] == exclusiveLock {
		f.disk.locks[f.dir] = 0
		return
	}
	f.disk.locks[f.dir]--
}

// handle is an open file of one process.
type handle struct {
	disk     *Disk
	file     *node
	name     string
	readOnly bool
}

func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.alive(); err != nil {
		return 0, failed("read", h.name, err)
	}
	if off >= int64(len(h.file.data)) {
		return 0, io.EOF
	}
	n := copy(p, h.file.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *handle) WriteAt(p []byte, off int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.writable(); err != nil {
		return 0, failed("write", h.name, err)
	}
	n := h.disk.take(int64(len(p)))
	h.write(p[:n], off)
	if n < int64(len(p)) {
		return int(n), failed("write", h.name, syscall.ENOSPC)
	}
	return len(p), nil
}

// write makes one change per block that it touches, and one of the length, which may reach the disk without the bytes.
func (h *handle) write(p []byte, off int64) {
	if end := off + int64(len(p)); len(p) > 0 && end > int64(len(h.file.data)) {
		h.disk.pend(h.file, change{kind: changeSize, off: end})
	}
	size := int64(h.disk.BlockSize)
	for len(p) > 0 {
		n := min(int64(len(p)), size-off%size)
		h.writeBlock(p[:n], off)
		p, off = p[n:], off+n
	}
}

// writeBlock changes a part of one block; of a lost one the whole goes to the disk once more.
func (h *handle) writeBlock(p []byte, off int64) {
	size := int64(h.disk.BlockSize)
	start := off - off%size
	bytes := slices.Clone(p)
	if h.file.lost[start] {
		delete(h.file.lost, start)
		bytes = slices.Clone(h.file.data[start:min(start+size, int64(len(h.file.data)))])
		copy(bytes[off-start:], p)
		off = start
	}
	h.disk.pend(h.file, change{kind: changeWrite, off: off, bytes: bytes})
}

func (h *handle) writable() error {
	if h.readOnly {
		return fs.ErrPermission
	}
	return h.disk.step()
}

func (h *handle) Truncate(size int64) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.writable(); err != nil {
		return failed("truncate", h.name, err)
	}
	if size != int64(len(h.file.data)) {
		h.disk.pend(h.file, change{kind: changeSize, off: size})
	}
	return nil
}

func (h *handle) Sync() error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.step(); err != nil {
		if !errors.Is(err, ErrStopped) {
			h.file.lose(int64(h.disk.BlockSize))
		}
		return failed("sync", h.name, err)
	}
	if !h.disk.SkipFileSync {
		h.file.settle(int64(h.disk.BlockSize))
	}
	return nil
}

func (h *handle) Size() (int64, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	return int64(len(h.file.data)), failed("stat", h.name, h.disk.alive())
}

func (h *handle) Close() error { return nil }
