package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what is looked at in a restored stash. They keep a stash of any size from holding up a call.
const (
	maxWalkedEntries = 512
	maxListedFiles   = 100
	maxListedPath    = 1024 // bytes
)

// ErrNoFile says that a path is not that of a regular file that is reached without a link.
var ErrNoFile = errors.New("no regular file")

// Stash is a directory of files from somewhere else. It is not safe for concurrent use.
type Stash struct {
	dir  string
	root *os.Root // opened before anything was put there
}

// File is a regular file in a Stash.
type File struct {
	Path string // relative, with slashes
	Size int64  // bytes
}

func newStash() (*Stash, error) {
	dir, err := os.MkdirTemp("", "cortex-artifact-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the stash: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the directory for the stash: %w", err), os.RemoveAll(dir))
	}
	return &Stash{dir: dir, root: root}, nil
}

// Close removes the directory.
func (s *Stash) Close() error {
	return errors.Join(s.root.Close(), discard(s.dir))
}

// Files lists regular files by path. It looks at 512 entries and lists 100 files at most, passes over links, special
// files and what cannot be read, and reports whether there may be files that are not listed.
func (s *Stash) Files() (files []File, more bool) {
	w := walk{root: s.root}
	w.dir(".")
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return w.files, w.more
}

type walk struct {
	root  *os.Root
	seen  int
	files []File
	more  bool
}

func (w *walk) dir(name string) {
	for _, e := range w.entries(name) {
		if w.seen == maxWalkedEntries {
			w.more = true
			return
		}
		w.seen++
		below := path.Join(name, e.Name())
		switch {
		case len(below) > maxListedPath || !utf8.ValidString(below):
			w.more = true
		case e.IsDir():
			w.dir(below)
		case e.Type().IsRegular():
			w.list(below, e)
		}
	}
}

// entries reads no more of a directory than may still be looked at, and one to know that there are more.
func (w *walk) entries(name string) []fs.DirEntry {
	d, err := w.root.Open(name)
	if err != nil {
		w.more = true
		return nil
	}
	defer d.Close()
	found, err := d.ReadDir(maxWalkedEntries - w.seen + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		w.more = true
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return found
}

func (w *walk) list(name string, e fs.DirEntry) {
	info, err := e.Info()
	if err != nil || len(w.files) == maxListedFiles {
		w.more = true
		return
	}
	w.files = append(w.files, File{Path: name, Size: info.Size()})
}

// Read returns the first limit bytes of a file and whether there are more. A path that leaves the stash, passes through
// a link, or names no regular file is ErrNoFile; nothing is opened then.
func (s *Stash) Read(name string, limit int64) (data []byte, more bool, err error) {
	if err := s.regular(name); err != nil {
		return nil, false, err
	}
	f, err := s.root.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("open %s: %w", name, err)
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return data[:limit], true, nil
	}
	return data, false, nil
}

// regular looks at each part of a path without following it.
func (s *Stash) regular(name string) error {
	if !fs.ValidPath(name) {
		return ErrNoFile
	}
	for end := 0; end < len(name); end++ {
		next := strings.IndexByte(name[end:], '/')
		if next < 0 {
			break
		}
		end += next
		if info, err := s.root.Lstat(name[:end]); err != nil || !info.IsDir() {
			return ErrNoFile
		}
	}
	if info, err := s.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return ErrNoFile
	}
	return nil
}
