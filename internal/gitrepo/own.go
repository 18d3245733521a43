package gitrepo

import "strings"

// ownExclusion names, in State.Exclusions, Cortex's own state where git does not ignore it.
const ownExclusion = "Cortex state (.cortex, .codex/cortex)"

// isOwn reports whether a slash-separated path is, or lies below, a directory in which Cortex keeps its state: .cortex or
// .codex/cortex at any depth, because every sub-directory can be a workspace.
func isOwn(path string) bool {
	if !strings.Contains(path, "cortex") {
		return false
	}
	last := ""
	for part := range strings.SplitSeq(path, "/") {
		if part == ".cortex" || part == "cortex" && last == ".codex" {
			return true
		}
		last = part
	}
	return false
}
