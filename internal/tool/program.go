package tool

import (
	"fmt"

	"cortex/internal/proc"
)

// program finds the program of a tool outside of the workspace, and the environment in which it finds no other programs
// than such either.
func (r Runner) program(k tool) (path string, environ []string, err error) {
	environ = proc.Outside(r.Environ, r.Workspace)
	path, err = proc.Find(k.binary, environ)
	if err == nil && !proc.Inside(path, r.Workspace) {
		return path, environ, nil
	}
	if _, elsewhere := proc.Find(k.binary, r.Environ); elsewhere != nil {
		return "", nil, fmt.Errorf("%s is not on PATH", k.binary)
	}
	return "", nil, fmt.Errorf("%s is found only inside the workspace, and a program of the repository is not run as a tool", k.binary)
}

// present says why a tool is not there.
func (r Runner) present(k tool) error {
	_, _, err := r.program(k)
	return err
}

// Installed reports whether a tool could be started.
func (r Runner) Installed(name string) bool { return r.present(known(name)) == nil }
