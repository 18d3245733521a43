package config

import (
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// repositoryStore returns <workspace>/.cortex/cases when it is a directory inside the workspace.
func repositoryStore(workspace string, faults *faults) (string, bool) {
	dir := filepath.Join(workspace, ".cortex", "cases")
	if !isDir(dir) {
		return "", false
	}
	inside, ok := insideWorkspace(workspace, filepath.Join(".cortex", "cases"))
	if !ok {
		faults.add(fault{file: dir, received: "it leads out of the workspace", expected: "a directory, or set CORTEX_CASES_DIR"})
		return "", false
	}
	return inside, true
}

// resolveCasesDir returns the absolute directory that text names, or what would be right. A relative path is below the
// workspace and must stay there; an absolute one is for the user to give, not for a repository (local).
func resolveCasesDir(text, workspace, home string, local bool) (dir, expected string) {
	path := expandHome(text, home)
	if filepath.IsAbs(path) && !local {
		dir = filepath.Clean(path)
	} else {
		inside, ok := insideWorkspace(workspace, text)
		if !ok {
			return "", "a relative path inside the workspace; other places are set in the global configuration or CORTEX_CASES_DIR"
		}
		dir = inside
	}
	if samePlace(dir, workspace) {
		return "", "another directory than the workspace itself"
	}
	return dir, ""
}

// insideWorkspace joins a relative path to the workspace and reports whether it stays inside, also after symbolic links,
// and out of .git.
func insideWorkspace(workspace, rel string) (string, bool) {
	if !filepath.IsLocal(rel) || strings.HasPrefix(rel, "~") {
		return "", false
	}
	joined := filepath.Join(workspace, rel)
	below, err := filepath.Rel(canonical(workspace), canonical(joined))
	if err != nil || !filepath.IsLocal(below) {
		return "", false
	}
	top, _, _ := strings.Cut(filepath.ToSlash(below), "/")
	return joined, !strings.EqualFold(top, ".git")
}

// canonical resolves the symbolic links of the longest part of path that exists.
func canonical(path string) string {
	rest := ""
	for dir := path; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

func samePlace(a, b string) bool { return canonical(a) == canonical(b) }

// checkEmbedURL returns what would be right, empty when the address may be used: http or https, without credentials, on
// this machine unless remote recall was approved.
func checkEmbedURL(text string, remoteApproved bool) (expected string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "an http or https address"
	case u.User != nil:
		return "an address without credentials"
	case !remoteApproved && !isLoopback(u.Hostname()):
		return "a loopback address, or set CORTEX_APPROVE_REMOTE_RECALL=1"
	}
	return ""
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
