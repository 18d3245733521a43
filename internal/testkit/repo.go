package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a git repository of one test.
type Repo struct {
	Dir string // canonical absolute path of the worktree

	tb  testing.TB
	env []string
}

// NewRepo returns an empty repository on branch main, without a commit. It skips the test on a machine without git.
func NewRepo(tb testing.TB) *Repo {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatalf("resolve temporary directory: %v", err)
	}
	r := &Repo{Dir: dir, tb: tb, env: Env(tb)}
	r.Git("init", "--quiet", "--initial-branch=main")
	return r
}

// Path returns the absolute path of a slash-separated name in the worktree.
func (r *Repo) Path(name string) string {
	return filepath.Join(r.Dir, filepath.FromSlash(name))
}

// Write puts content into a file of the worktree, making its directories, and replaces what was there.
func (r *Repo) Write(name, content string) {
	r.tb.Helper()
	if err := os.MkdirAll(filepath.Dir(r.Path(name)), 0o755); err != nil {
		r.tb.Fatalf("write %s: %v", name, err)
	}
	if err := os.WriteFile(r.Path(name), []byte(content), 0o644); err != nil {
		r.tb.Fatalf("write %s: %v", name, err)
	}
}

// Remove deletes a file or a directory of the worktree.
func (r *Repo) Remove(name string) {
	r.tb.Helper()
	if err := os.RemoveAll(r.Path(name)); err != nil {
		r.tb.Fatalf("remove %s: %v", name, err)
	}
}

// Commit stages everything that is not ignored, commits it and returns the full commit hash, which depends on nothing
// but the content, the message and the commits before.
func (r *Repo) Commit(message string) string {
	r.tb.Helper()
	r.Git("add", "--all")
	r.Git("commit", "--quiet", "--allow-empty", "--message", message)
	return r.Git("rev-parse", "HEAD")
}

// Git runs git in the worktree and returns its output without the trailing line break. A failure ends the test.
func (r *Repo) Git(args ...string) string {
	r.tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}
