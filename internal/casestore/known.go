package casestore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"cortex/internal/durable"
	"cortex/internal/durable/osfs"
	"cortex/internal/problem"
)

const (
	knownFile     = "known-stores.json"
	maxSharedFile = 4 << 20 // some 20,000 entries of a list that all repositories share
)

// KnownStore is a store outside the central directory.
type KnownStore struct {
	Root string `json:"root"` // directory of its cases
	Slug string `json:"slug"` // readable name of its repository
}

// UpdateJSON replaces the file name in dir by what fn makes of its content, nil when it is not there, under the
// directory's lock, so that processes doing this at once lose nothing. An unchanged or nil result writes nothing. The
// directory is created when it is missing.
func UpdateJSON(ctx context.Context, dir, name string, fn func(old []byte) ([]byte, error)) error {
	fsys, err := osfs.Ensure(dir)
	if err != nil {
		return noDirectory(err, "", dir)
	}
	defer release(fsys)
	return explain(durable.New(fsys).Update(ctx, func(tx *durable.Tx) error {
		old, err := tx.ReadFile(name, maxSharedFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		next, err := fn(old)
		if err != nil || next == nil || bytes.Equal(old, next) {
			return err
		}
		return tx.Put(name, next)
	}), "", dir)
}

// RegisterKnown notes in stateDir that root holds cases of the repository slug. Entries of other programs keep what they
// hold.
func RegisterKnown(ctx context.Context, stateDir, root, slug string) error {
	root = filepath.Clean(root)
	known, err := KnownStores(ctx, stateDir)
	for _, k := range known {
		if err == nil && filepath.Clean(k.Root) == root && k.Slug == slug {
			return nil // the usual case needs no lock
		}
	}
	return UpdateJSON(ctx, stateDir, knownFile, func(old []byte) ([]byte, error) { return withKnown(old, root, slug) })
}

func withKnown(old []byte, root, slug string) ([]byte, error) {
	var entries []json.RawMessage
	if old != nil {
		if err := json.Unmarshal(old, &entries); err != nil {
			return nil, unreadableKnown(err)
		}
	}
	own, err := json.Marshal(KnownStore{Root: root, Slug: slug})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", knownFile, err)
	}
	for i, raw := range entries {
		var k KnownStore
		if json.Unmarshal(raw, &k) != nil || filepath.Clean(k.Root) != root {
			continue // another program's entry stays as it is
		}
		if k.Slug == slug {
			return old, nil
		}
		entries[i] = own
		return json.Marshal(entries)
	}
	return json.Marshal(append(entries, own))
}

// KnownStores lists the stores noted in stateDir; none when there is no list.
func KnownStores(ctx context.Context, stateDir string) ([]KnownStore, error) {
	fsys, err := osfs.Open(stateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err, "", stateDir)
	}
	defer release(fsys)
	var known []KnownStore
	err = durable.New(fsys).View(ctx, func(snap *durable.Snapshot) error {
		raw, err := snap.ReadFile(knownFile, maxSharedFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		known, err = decodeKnown(raw)
		return err
	})
	return known, explain(err, "", stateDir)
}

// decodeKnown passes over entries that are no stores.
func decodeKnown(raw []byte) ([]KnownStore, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, unreadableKnown(err)
	}
	var known []KnownStore
	for _, entry := range entries {
		var k KnownStore
		if json.Unmarshal(entry, &k) == nil && k.Root != "" {
			known = append(known, k)
		}
	}
	return known, nil
}

func unreadableKnown(err error) error {
	return problem.New(problem.InvalidConfig, "%s cannot be read: %v.", knownFile, err).
		Without("repair or move that file; it only lists where repository-local cases are").Because(err)
}
