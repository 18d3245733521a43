package durable

import "io"

// Mode says how a file is opened.
type Mode int

// The three ways to open a file.
const (
	OpenRead  Mode = iota // an existing file, to read
	OpenWrite             // an existing file, to read and write
	OpenNew               // a new file of mode 0600, to read and write; fs.ErrExist when the name is taken
)

// Files of the layer itself. Names that start with a dot are not available to callers.
const (
	// LockName is the file that carries the kernel's lock. It is empty and never removed.
	LockName = ".lock"
	slotName = ".intent"
	tempName = ".tmp-" // + random text: a file before its rename, below the root only
	newName  = ".new-" // + random text: a directory that Create has not finished
	rootName = "."
	// aboveName is the directory that this one stands in, for SyncDir only.
	aboveName = ".."
)

// FS is one directory of a file system. Names are slash-separated and at most one directory deep; "." is the directory
// itself. Implementations refuse symbolic links at every component and open regular files only (ErrNotRegular). Absent
// names match fs.ErrNotExist. An FS is safe for concurrent use.
//
// Without Sync nothing is certain after a power loss: every written byte and every changed name may or may not have
// reached the disk, each by itself.
type FS interface {
	Open(name string, mode Mode) (Handle, error)
	// Size returns the length of a regular file in bytes.
	Size(name string) (int64, error)
	// ReadDir returns the names in a directory, in no order.
	ReadDir(dir string) ([]string, error)
	// Mkdir makes a directory of mode 0700; fs.ErrExist when the name is taken.
	Mkdir(name string) error
	// Rename moves a file or directory and replaces a file of the new name.
	Rename(from, to string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// SyncDir makes every change of names in dir durable. Its dir may be ".." as well, the directory above.
	SyncDir(dir string) error
	// Sub opens a directory below this one. The caller closes it.
	Sub(dir string) (FS, error)
	// TryLock takes the lock of the directory, which dies with the process, or fails with ErrBusy at once. The
	// exclusive lock creates the lock file; the shared one fails with fs.ErrNotExist where there is none. Two locks
	// of one process exclude each other as those of two processes do.
	TryLock(exclusive bool) (unlock func(), err error)
	io.Closer
}

// Handle is an open file. Sync makes its bytes and its length durable, not its name.
type Handle interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	Sync() error
}
