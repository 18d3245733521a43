package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxSpecBytes = 4 << 20
	maxSelected  = 1000 // specs of one selection that are looked at
)

// ErrNoSpec says that a path is not that of a regular file in the workspace, links resolved.
var ErrNoSpec = errors.New("no regular file in the workspace")

// SpecDigest is the sha256 of a spec's bytes, in hex. The path is relative to the workspace, with slashes; a link that
// leads out of the workspace is ErrNoSpec, as is what is no regular file or has more than 4 MiB. What is not there at all
// is fs.ErrNotExist besides.
func (r Runner) SpecDigest(spec string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(spec)) {
		return "", ErrNoSpec
	}
	root, err := os.OpenRoot(r.Workspace)
	if err != nil {
		return "", fmt.Errorf("open the workspace: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(spec))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %w", ErrNoSpec, fs.ErrNotExist)
	case err != nil || !info.Mode().IsRegular():
		return "", ErrNoSpec
	}
	f, err := root.Open(filepath.FromSlash(spec))
	if err != nil {
		return "", fmt.Errorf("open %s: %w", spec, err)
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxSpecBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", spec, err)
	case n > maxSpecBytes:
		return "", ErrNoSpec
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Selection is which specs a tool holds to be affected by a change.
type Selection struct {
	Specs   []string // relative to the workspace, with slashes, in the tool's order
	Dropped int      // paths of the answer that are not in the workspace
}

type selected struct {
	Path string `json:"path"`
}

// selection reads the list that is the named member of an answer.
func (r Runner) selection(a *Answer, member string) Selection {
	var s Selection
	var members map[string]json.RawMessage
	var version flowVersion
	var list []selected
	if !a.decode(&members, member) {
		return s
	}
	if json.Unmarshal(a.Stdout, &version) != nil || !version.first() {
		a.partly("its answer has %s, which is not understood", version.words())
		return s
	}
	if err := json.Unmarshal(members[member], &list); err != nil {
		a.partly("its %q is not the list that it documents", member)
		return s
	}
	for _, one := range list[:min(len(list), maxSelected)] {
		if name, ok := localPath(r.Workspace, one.Path); ok && !strings.HasPrefix(name, "-") {
			s.Specs = append(s.Specs, name)
		} else {
			s.Dropped++
		}
	}
	return s
}
