package tool

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// within is a path that a tool named, relative to the workspace and with slashes; false for a place outside of it, and for
// a file that is not there. What tools say of paths is never opened.
func (r Runner) within(name string) (string, bool) {
	local, ok := localPath(r.Workspace, name)
	if !ok && filepath.IsAbs(name) {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			local, ok = localPath(r.Workspace, real)
		}
	}
	if !ok {
		return "", false
	}
	info, err := os.Lstat(filepath.Join(r.Workspace, filepath.FromSlash(local)))
	return local, err == nil && !info.IsDir()
}

// localPath is a path of an answer relative to the workspace, with slashes, whether it is there or not; false when it
// lies outside.
func localPath(workspace, path string) (string, bool) {
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(workspace, path)
		if workspace == "" || err != nil {
			return "", false
		}
		path = rel
	}
	path = filepath.Clean(filepath.FromSlash(path))
	if path == "." || !filepath.IsLocal(path) || strings.ContainsRune(path, 0) {
		return "", false
	}
	return filepath.ToSlash(path), true
}

// discard removes a directory, also when it holds directories that may not be written.
func discard(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // RemoveAll says what cannot be removed
		}
		return nil
	})
	return os.RemoveAll(dir)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// operand is text as an argument that no program takes for an option.
func operand(text string) string { return strings.TrimLeft(strings.TrimSpace(text), "-") }
