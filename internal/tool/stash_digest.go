package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
)

// Digested is a regular file of a Stash whose bytes were read.
type Digested struct {
	File
	SHA256 string // hex
}

// Digests hashes the files that Files lists, in its order, as long as they have at most limit bytes together. whole says that
// no file was left out.
func (s *Stash) Digests(limit int64) (files []Digested, whole bool, err error) {
	listed, more := s.Files()
	for _, f := range listed {
		if limit -= f.Size; limit < 0 {
			return files, false, nil
		}
		sum, n, err := s.digest(f.Path, f.Size)
		if err != nil {
			return files, false, fmt.Errorf("read %s: %w", f.Path, err)
		}
		f.Size = n
		files = append(files, Digested{File: f, SHA256: sum})
	}
	return files, !more, nil
}

func (s *Stash) digest(name string, size int64) (string, int64, error) {
	if err := s.regular(name); err != nil {
		return "", 0, err
	}
	f, err := s.root.Open(filepath.FromSlash(name))
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, size+1))
	return hex.EncodeToString(h.Sum(nil)), n, err
}
