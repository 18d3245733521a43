package tool

import (
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// operand is text as an argument that no program takes for an option.
func operand(text string) string { return strings.TrimLeft(strings.TrimSpace(text), "-") }
