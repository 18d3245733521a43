package tool

import (
	"path/filepath"
	"strings"
)

// understood is decode for a tool that refuses in an envelope on standard output, whatever its exit status.
func (a *Answer) understood(v any, required ...string) bool {
	return !a.declined() && a.decode(v, required...)
}

// listOf reads an answer that is a list and nothing around it. No list is not an empty one.
func listOf[T any](a *Answer) ([]T, bool) {
	var list []T
	if a.declined() || !a.decode(&list) {
		return nil, false
	}
	if list == nil {
		a.partly("its answer is not the list that it documents")
		return nil, false
	}
	return list, true
}

// declined makes a refusal the cause of an answer.
func (a *Answer) declined() bool {
	if a.TimedOut {
		return false
	}
	said, no := a.refused()
	if no {
		a.downgrade(Failed, "%s", said.words())
	}
	return no
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
