package durable

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
)

// WriteCache replaces a file that can be computed again: readers see the old or the new content, but nothing is synced,
// so a power loss may leave anything. The content must carry a checksum of its own.
func WriteCache(path string, data []byte) error {
	temp := filepath.Join(filepath.Dir(path), tempName+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return WriteError(err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // the first failure is the one to report
	}
	return WriteError(err)
}
