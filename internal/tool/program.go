package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cortex/internal/proc"
)

// program is the path of a tool and the environment it gets. A repository does not choose what runs: neither a program in
// the workspace is a tool, nor does a tool find one there on its PATH, such as the interpreter that its first line names.
func (r Runner) program(k tool) (path string, environ []string, err error) {
	environ = slices.Clone(r.Environ)
	for i, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && strings.EqualFold(name, "PATH") {
			environ[i] = name + "=" + r.outside(value)
		}
	}
	path, err = proc.Find(k.binary, environ)
	switch {
	case err == nil && !r.inside(path):
		return path, environ, nil
	case err != nil:
		if _, err := proc.Find(k.binary, r.Environ); err != nil {
			return "", nil, fmt.Errorf("%s is not on PATH", k.binary)
		}
	}
	return "", nil, fmt.Errorf("%s is found only inside the workspace, and a program of the repository is not run as a tool", k.binary)
}

// outside is a PATH without directories in the workspace, and without those that are relative or not there.
func (r Runner) outside(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) || r.inside(dir) })
	return strings.Join(dirs, string(os.PathListSeparator))
}

// inside reports whether a path or what it leads to lies in the workspace, however the way there is spelled. What cannot
// be resolved counts as inside.
func (r Runner) inside(path string) bool {
	workspace, err := os.Stat(r.Workspace)
	if err != nil {
		return false // there is nothing in it
	}
	real, err := filepath.EvalSymlinks(path)
	return err != nil || below(real, workspace) || real != path && below(path, workspace)
}

// below reports whether a directory is a path or one of those above it.
func below(path string, dir os.FileInfo) bool {
	for {
		if at, err := os.Stat(path); err == nil && os.SameFile(at, dir) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}

// present says why a tool is not there.
func (r Runner) present(k tool) error {
	_, _, err := r.program(k)
	return err
}

// Installed reports whether a tool could be started.
func (r Runner) Installed(name string) bool { return r.present(known(name)) == nil }
