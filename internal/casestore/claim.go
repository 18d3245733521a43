package casestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"cortex/internal/casefile"
)

// readClaim returns whose the store in dir is; nil when it is unclaimed or not there.
func readClaim(dir string) (*claim, error) {
	raw, err := readSmall(filepath.Join(dir, claimFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read whose store %s is: %w", dir, err)
	}
	return decodeClaim(raw, dir)
}

// writeClaim notes that dir is repo's, or fails with errClaimed when another one came first.
func writeClaim(ctx context.Context, dir string, repo Identity) error {
	return UpdateJSON(ctx, dir, claimFile, func(old []byte) ([]byte, error) {
		if old == nil {
			return json.Marshal(claim{Root: repo.Root, CommonDir: repo.CommonDir})
		}
		held, err := decodeClaim(old, dir)
		if err == nil && !held.of(repo) {
			err = errClaimed
		}
		return nil, err
	})
}

// readSmall reads a regular file of at most casefile.MaxSnapshotFile bytes.
func readSmall(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > casefile.MaxSnapshotFile {
		return nil, fmt.Errorf("%s is no usable file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	return io.ReadAll(io.LimitReader(f, casefile.MaxSnapshotFile))
}
