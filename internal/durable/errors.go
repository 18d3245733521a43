package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Kinds of failure, to be matched with errors.Is. The cause is kept beside the kind.
var (
	// ErrBusy says that the lock was not had in time.
	ErrBusy = errors.New("directory is busy")
	// ErrReadOnly says that the place cannot be written: a read-only file system or missing permission.
	ErrReadOnly = errors.New("directory cannot be written")
	// ErrNoSpace says that the disk is full, a quota is used up, or a file would pass the limit of its file system.
	ErrNoSpace = errors.New("no space left")
	// ErrNeedsFsck says that an unfinished change cannot be finished without losing what another program wrote.
	ErrNeedsFsck = errors.New("an interrupted change cannot be finished")
	// ErrTooNew says that a later version of this program left an unfinished change.
	ErrTooNew = errors.New("an interrupted change is of a later version")
	// ErrNotRegular says that a name is a symbolic link, a directory, or another thing that is not a regular file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTornTail says that a ledger does not end with a whole line, so that an append would fuse two records.
	ErrTornTail = errors.New("ledger ends in an incomplete line")
	// ErrInvalid says that a name or data cannot be staged.
	ErrInvalid = errors.New("cannot be stored")
)

// errLedgerGone is the failure of an append whose ledger somebody took away.
var errLedgerGone = fmt.Errorf("%w: the ledger that it adds to is gone", ErrNeedsFsck)

// TooLargeError says that a file, or a change, is over its bound in bytes.
type TooLargeError struct {
	Name      string
	Size, Max int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, more than the %d allowed", e.Name, e.Size, e.Max)
}

// PendingError says that the change passed its commit point and could not be finished: readers see it, the next Update
// finishes it, and it must not be repeated. Only when the disk failed at the commit point itself, and refused to take
// the record back as well, a power loss may still undo it, as a whole.
type PendingError struct{ Err error }

func (e *PendingError) Error() string {
	return "the change is recorded but not finished: " + e.Err.Error()
}

// Unwrap returns what kept the change from being finished.
func (e *PendingError) Unwrap() error { return e.Err }

// WriteError gives the failure of a write its kind, ErrNoSpace or ErrReadOnly, where it has one. Update, Create and
// WriteFile have done so with theirs.
func WriteError(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrNoSpace), errors.Is(err, ErrReadOnly):
		return err
	case isFull(err):
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	case errors.Is(err, fs.ErrPermission), isProtected(err):
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return err
}

func isAny(err error, errnos ...syscall.Errno) bool {
	for _, errno := range errnos {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
