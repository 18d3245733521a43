package gitrepo

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Relation converts between slash-separated paths relative to a workspace and to the top level that holds it. It does not
// look at the disk.
type Relation struct {
	Prefix string // workspace relative to the top level; "" when it is the top level
}

// RelativeTo relates a workspace directory to the repository. The directory must exist and lie in the worktree.
func (r *Repo) RelativeTo(workspace string) (Relation, error) {
	abs, err := filepath.Abs(workspace)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return Relation{}, fmt.Errorf("relate workspace: %w", err)
	}
	rel, err := filepath.Rel(r.Root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return Relation{}, fmt.Errorf("relate workspace: %s lies outside %s", workspace, r.Root)
	}
	if rel == "." {
		return Relation{}, nil
	}
	return Relation{Prefix: filepath.ToSlash(rel)}, nil
}

// ToRepo converts a path relative to the workspace; ok is false when it leads out of the repository.
func (rel Relation) ToRepo(p string) (repoPath string, ok bool) {
	joined := path.Join(rel.Prefix, p)
	if path.IsAbs(p) || joined == ".." || strings.HasPrefix(joined, "../") {
		return "", false
	}
	return joined, true
}

// ToWorkspace converts a path relative to the top level; what lies outside the workspace begins with "../".
func (rel Relation) ToWorkspace(p string) string {
	if rel.Prefix == "" {
		return p
	}
	if p == rel.Prefix {
		return "."
	}
	up := ""
	for dir := rel.Prefix; dir != ""; dir, _ = splitPath(dir) {
		if rest, within := strings.CutPrefix(p, dir+"/"); within {
			return up + rest
		}
		up += "../"
	}
	return up + p
}
