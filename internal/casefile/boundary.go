package casefile

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// CheckBoundaryFile returns a boundary entry relative to the workspace root, cleaned and with slashes: a path, "dir/**"
// for everything below a directory ("dir/" means the same), or "dir/*" for one level. An absolute path inside root is
// converted; what leaves the workspace, is the workspace itself, or looks like a secret is refused.
func CheckBoundaryFile(root, entry string, refuses func(string) bool) (string, error) {
	const field = "files"
	entry, err := CheckLocator(field, entry)
	if err != nil {
		return "", err
	}
	if refuses != nil && refuses(entry) {
		return "", problem.New(problem.SecretInInput, "a boundary file looks like a secret and is not accepted.").
			On(field, nil, "a path that is no secret").Without("name the directory instead and call again")
	}
	slashed := filepath.ToSlash(entry)
	base, wild := splitWildcard(slashed)
	if filepath.IsAbs(entry) || strings.HasPrefix(slashed, "/") {
		rest, ok := inside(filepath.ToSlash(root), path.Clean(base))
		if !ok {
			return "", outside(entry)
		}
		base = rest
	}
	base = path.Clean(base)
	switch {
	case base == ".." || strings.HasPrefix(base, "../"):
		return "", outside(entry)
	case base == "." || base == "**" || base == "*":
		return "", invalid(field, entry, "a path, dir/** or dir/*", "boundary entry %q is the whole workspace, which is no boundary; name files or directories.", entry)
	}
	return base + wild, nil
}

// splitWildcard separates the "/**" or "/*" at the end of an entry from the directory it is about.
func splitWildcard(entry string) (base, wild string) {
	for _, suffix := range []string{"/**", "/*"} {
		if dir, ok := strings.CutSuffix(entry, suffix); ok {
			return dir, suffix
		}
	}
	if dir, ok := strings.CutSuffix(entry, "/"); ok && dir != "" {
		return dir, "/**"
	}
	return entry, ""
}

func inside(root, name string) (string, bool) {
	root = strings.TrimSuffix(path.Clean(root), "/")
	if name == root {
		return ".", true
	}
	rest, ok := strings.CutPrefix(name, root+"/")
	return rest, ok && root != ""
}

func outside(entry string) error {
	return problem.New(problem.PathOutside, "boundary file %q is outside the workspace; entries are relative to it.", entry).
		On("files", entry, "a path inside the workspace").Without("name a path inside the workspace and call again")
}

// Covers reports whether the boundary allows a change of file, given relative to the workspace with slashes. An entry
// covers the path that it names; "dir/**" everything below dir and "dir/*" one level of it.
func (b Boundary) Covers(file string) bool {
	return slices.ContainsFunc(b.Files, func(entry string) bool {
		if dir, ok := strings.CutSuffix(entry, "/**"); ok {
			return strings.HasPrefix(file, dir+"/")
		}
		if dir, ok := strings.CutSuffix(entry, "/*"); ok {
			rest, below := strings.CutPrefix(file, dir+"/")
			return below && rest != "" && !strings.Contains(rest, "/")
		}
		return file == entry
	})
}

// dedupe returns list without repetitions, in order of first appearance.
func dedupe(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
