package proc

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Outside is environ with a PATH that has no directory in dir, no relative one and none that is not there: what lies in a
// repository does not choose what runs in it. Nothing else changes.
func Outside(environ []string, dir string) []string {
	out := slices.Clone(environ)
	for i, entry := range out {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || !strings.EqualFold(name, "PATH") {
			continue
		}
		dirs := slices.DeleteFunc(filepath.SplitList(value), func(d string) bool { return !filepath.IsAbs(d) || Inside(d, dir) })
		out[i] = name + "=" + strings.Join(dirs, string(os.PathListSeparator))
	}
	return out
}

// Inside reports whether a path, or what it leads to, lies in dir, however the way there is spelled. What cannot be
// resolved counts as inside; a dir that is not there holds nothing.
func Inside(path, dir string) bool {
	holder, err := os.Stat(dir)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return err != nil || below(real, holder) || real != path && below(path, holder)
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
