//go:build !linux && !darwin

package gitrepo

import (
	"errors"
	"io/fs"
)

// openFlags is empty: this system has neither flag, and the file is compared with what was looked up before it is read.
const openFlags = 0

// weakStat says that files have no executable bit, links may be checked out as files, and git records neither inode nor
// change time on this system.
const weakStat = true

// fromSystem adds nothing: without a change time an edit can leave the stat as it was, so nothing is cached.
func (s *fileStat) fromSystem(fs.FileInfo) {}

// isAbsent reports whether err says that there is nothing at a path.
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
