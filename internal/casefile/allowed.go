package casefile

import (
	"path"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// CheckAllowedPaths returns the patterns of the only files that a case may change, cleaned, sorted and without
// repetitions. A pattern is relative to the workspace, in the syntax of path.Match, whose * does not cross a slash; "/**"
// at its end stands for everything below ("dir/" means "dir/**"). refuses may be nil.
func CheckAllowedPaths(patterns []string, refuses func(string) bool) ([]string, error) {
	const field = "allowedPaths"
	if len(patterns) > MaxAllowedPaths {
		return nil, tooLarge(field, len(patterns), MaxAllowedPaths, "patterns")
	}
	var out []string
	for _, given := range patterns {
		pattern, err := CheckText(field, given, MaxAllowedPath)
		if err != nil {
			return nil, err
		}
		if refuses != nil && refuses(pattern) {
			return nil, problem.New(problem.SecretInInput, "a pattern of the allowed paths looks like a secret and is not accepted.").
				On(field, nil, "a path that is no secret").Without("name the directory instead and call again")
		}
		if pattern, err = checkAllowedPath(pattern); err != nil {
			return nil, err
		}
		out = append(out, pattern)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func checkAllowedPath(pattern string) (string, error) {
	const field, expected = "allowedPaths", "a path, a pattern such as src/*.go, or dir/**"
	segments := strings.Split(pattern, "/")
	switch {
	case segments[0] == "" || slices.Contains(segments, ".."):
		return "", problem.New(problem.PathOutside, "allowed path %q is not inside the workspace; patterns are relative to it.", pattern).
			On(field, pattern, expected).Without("name a path inside the workspace and call again")
	case strings.Contains(pattern, `\`):
		return "", invalid(field, pattern, expected, "allowed path %q holds a backslash; patterns have slashes.", pattern)
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	pattern = path.Clean(pattern)
	dir, _ := strings.CutSuffix(pattern, "/**")
	switch {
	case pattern == "." || dir == "**":
		return "", invalid(field, pattern, expected, "allowed path %q is the whole workspace, which allows everything; name files or directories.", pattern)
	case strings.Contains(dir, "**"):
		return "", invalid(field, pattern, expected, `allowed path %q has ** elsewhere than as "/**" at its end.`, pattern)
	}
	if _, err := path.Match(dir, ""); err != nil {
		return "", invalid(field, pattern, expected, "allowed path %q is no pattern: a bracket is not closed.", pattern)
	}
	return pattern, nil
}

// Allows reports whether the case may change file, given relative to the workspace with slashes.
func (c *Case) Allows(file string) bool {
	return len(c.AllowedPaths) == 0 || slices.ContainsFunc(c.AllowedPaths, func(pattern string) bool { return matchAllowed(pattern, file) })
}

func matchAllowed(pattern, file string) bool {
	if strings.HasPrefix(file, "../") {
		return false // a file of the repository outside the workspace
	}
	if dir, deep := strings.CutSuffix(pattern, "/**"); deep {
		segments := strings.Split(file, "/")
		depth := strings.Count(dir, "/") + 1
		if len(segments) <= depth {
			return false
		}
		pattern, file = dir, strings.Join(segments[:depth], "/")
	}
	ok, err := path.Match(pattern, file)
	return ok && err == nil
}

// allowsEntry reports whether every file that a boundary entry covers may change. A wildcard entry that no single
// pattern covers as a whole is not allowed.
func (c *Case) allowsEntry(entry string) bool {
	base, wild := splitWildcard(entry)
	if wild == "" || len(c.AllowedPaths) == 0 {
		return c.Allows(entry)
	}
	return slices.ContainsFunc(c.AllowedPaths, func(pattern string) bool {
		deep := strings.HasSuffix(pattern, "/**")
		return pattern == entry || deep && matchAllowed(pattern, base+"/x")
	})
}

// outsideAllowed are the files that c may not change.
func (c *Case) outsideAllowed(files []string) []string {
	var out []string
	for _, file := range files {
		if !c.Allows(file) {
			out = append(out, file)
		}
	}
	return out
}

func notAllowed(c *Case, what string, paths []string) *problem.Problem {
	return problem.New(problem.PathNotAllowed, "%s outside the owner's allowed paths (%s): %s", what,
		strings.Join(bounded(c.AllowedPaths), ", "), strings.Join(bounded(paths), ", ")).About(c.ID, string(c.Status))
}

// revertSteps are the ways on from changes that are not allowed: undo them, or ask for a case that allows them.
func revertSteps(c *Case, outside []string, again problem.Step) []problem.Step {
	again.Why, again.BlockedBy = "once they are as they were", bounded(outside)
	return []problem.Step{
		{Command: "git status --short -- " + shellWords(bounded(outside)), Why: "see what lies outside the allowed paths, and revert it"},
		again,
		{Op: "open", Args: map[string]any{"parentTaskId": c.ID}, Inputs: []string{"goal", "allowedPaths"}, Why: "or have the owner allow more in a case of its own"},
	}
}

// shellWords joins words so that a POSIX shell reads them back unchanged.
func shellWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}
