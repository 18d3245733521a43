package durable

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// maxNameBytes bounds one component; common file systems allow 255.
const maxNameBytes = 255

// checkName refuses names that could fail later or elsewhere: not clean and relative, more than one directory deep,
// hidden (the layer's own), or with characters that mean something to a file system.
func checkName(name string) error {
	if name == rootName || !fs.ValidPath(name) || strings.Count(name, "/") > 1 {
		return fmt.Errorf("%w: name %q is not a clean relative name at most one directory deep", ErrInvalid, name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part[0] == '.' || len(part) > maxNameBytes || strings.ContainsFunc(part, isForbidden) {
			return fmt.Errorf("%w: name %q has a hidden, oversized or unprintable part", ErrInvalid, name)
		}
	}
	return nil
}

func isForbidden(r rune) bool {
	return r < ' ' || r == 0x7f || strings.ContainsRune(`\:*?"<>|`, r)
}

// dirOf returns the directory of a name: "." or the one directory above it.
func dirOf(name string) string { return path.Dir(name) }
