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
	"syscall"

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/durable/osfs"
)

// readClaim returns whose the store in dir is; nil when it is unclaimed or not there.
func readClaim(dir string) (*claim, error) {
	raw, err := readSmall(filepath.Join(dir, claimFile))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read whose store %s is: %w", dir, err)
	}
	return decodeClaim(raw, dir)
}

// writeClaim notes that dir is repo's, or fails with errClaimed when another one came first. The directory's lock makes
// the first one win; the file is hidden, so it is not one of the durable layer's.
func writeClaim(ctx context.Context, dir string, repo Identity) error {
	raw, err := json.Marshal(claim{Root: repo.Root, CommonDir: repo.CommonDir})
	if err != nil {
		return fmt.Errorf("encode %s: %w", claimFile, err)
	}
	fsys, err := osfs.Ensure(dir)
	if err != nil {
		return noDirectory(err, "", dir)
	}
	defer release(fsys)
	return explain(durable.New(fsys).Update(ctx, func(*durable.Tx) error {
		held, err := readClaim(dir)
		switch {
		case err != nil:
			return err
		case held != nil && !held.of(repo):
			return errClaimed
		case held != nil:
			return nil
		}
		return durable.WriteFile(filepath.Join(dir, claimFile), raw, 0o600)
	}), "", dir)
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
