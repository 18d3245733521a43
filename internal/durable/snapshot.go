package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Snapshot reads one consistent state of the directory. It is valid inside the function it was given to.
type Snapshot struct {
	fsys    FS
	pending []entry // of a record that is not finished
}

// File is an open file of a snapshot. The caller closes it inside the function that the snapshot was given to.
type File interface {
	io.Reader
	io.ReaderAt
	io.Closer
	// Size is the length in bytes.
	Size() int64
}

// Open opens a file to stream it or to read parts of it. An absent file matches fs.ErrNotExist.
func (s *Snapshot) Open(name string) (File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	e := s.entry(name)
	if e != nil && e.kind == kindRemove {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if e != nil && e.kind == kindPut {
		return bytesFile{bytes.NewReader(e.data)}, nil
	}
	h, err := s.fsys.Open(name, OpenRead)
	if e != nil && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", name, errLedgerGone)
	}
	if err != nil {
		return nil, err
	}
	f, err := newFile(h, e)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", name, err), h.Close())
	}
	return f, nil
}

func (s *Snapshot) entry(name string) *entry {
	i := slices.IndexFunc(s.pending, func(e entry) bool { return e.name == name })
	if i < 0 {
		return nil
	}
	return &s.pending[i]
}

// ReadFile reads a whole file of at most limit bytes; a larger one is a *TooLargeError.
func (s *Snapshot) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := s.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := readFile(f, name, limit)
	return data, errors.Join(err, f.Close())
}

func readFile(f File, name string, limit int64) ([]byte, error) {
	if f.Size() > limit {
		return nil, &TooLargeError{Name: name, Size: f.Size(), Max: limit}
	}
	data := make([]byte, f.Size())
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

// Size returns the length of a file in bytes. An absent file matches fs.ErrNotExist.
func (s *Snapshot) Size(name string) (int64, error) {
	if err := checkName(name); err != nil {
		return 0, err
	}
	if s.entry(name) == nil {
		return s.fsys.Size(name)
	}
	f, err := s.Open(name)
	if err != nil {
		return 0, err
	}
	return f.Size(), f.Close()
}

// ReadDir returns the names in a directory ("." or one below it), sorted, without those that start with a dot. An absent
// directory matches fs.ErrNotExist.
func (s *Snapshot) ReadDir(dir string) ([]string, error) {
	if dir != rootName {
		if err := checkName(dir); err != nil {
			return nil, err
		}
	}
	names, err := s.fsys.ReadDir(dir)
	there := map[string]bool{}
	for _, name := range names {
		there[name] = !strings.HasPrefix(name, ".")
	}
	for _, e := range s.pending {
		parent, base := dirOf(e.name), e.name[strings.IndexByte(e.name, '/')+1:]
		switch {
		case dir == parent:
			there[base] = e.kind != kindRemove
		case dir == rootName && e.kind != kindRemove:
			there[parent] = true
		}
		if dir == parent && e.kind != kindRemove && errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	out := []string{}
	for name, visible := range there {
		if visible {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// bytesFile is a file that stands in the record as a whole.
type bytesFile struct{ *bytes.Reader }

func (bytesFile) Close() error { return nil }

// diskFile is a file on disk, and what an unfinished append adds to it.
type diskFile struct {
	*io.SectionReader
	h Handle
}

func (f diskFile) Close() error { return f.h.Close() }

func newFile(h Handle, e *entry) (File, error) {
	size, err := h.Size()
	if err != nil {
		return nil, err
	}
	if e == nil {
		return diskFile{io.NewSectionReader(h, 0, size), h}, nil
	}
	keep, tail, err := e.splice(h, size)
	if err != nil {
		return nil, err
	}
	joined := spliced{h: h, keep: keep, tail: tail}
	return diskFile{io.NewSectionReader(joined, 0, keep+int64(len(tail))), h}, nil
}

// spliced reads the first keep bytes of a file and then tail.
type spliced struct {
	h    io.ReaderAt
	keep int64
	tail []byte
}

func (s spliced) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	if off < s.keep {
		var err error
		n, err = s.h.ReadAt(p[:min(int64(len(p)), s.keep-off)], off)
		if n == len(p) || off+int64(n) < s.keep {
			return n, err
		}
	}
	if at := off + int64(n) - s.keep; at < int64(len(s.tail)) {
		n += copy(p[n:], s.tail[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
