package osfs

import "golang.org/x/sys/unix"

// Sync leaves out the times, which a plain fsync would write as well; the length is included.
func (h *handle) Sync() error {
	return pathError("sync", h.Name(), retry(func() error { return unix.Fdatasync(int(h.Fd())) }))
}
