package gitrepo

import (
	"errors"
	"io/fs"
	"syscall"
)

// openFlags keep an open from following a link or waiting for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC

// weakStat says that files have no executable bit, links may be checked out as files, and git records neither inode nor
// change time on this system.
const weakStat = false

func (s *fileStat) fromSystem(info fs.FileInfo) {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	s.dev, s.ino, s.ctime, s.whole = uint64(sys.Dev), sys.Ino, sys.Ctimespec.Nano(), true
}

// isAbsent reports whether err says that there is nothing at a path.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
