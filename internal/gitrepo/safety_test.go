package gitrepo

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"cortex/internal/testkit"
)

// countingGit returns environment entries under which every start of git leaves a line in a file, and a function that
// returns and forgets the lines.
func countingGit(t *testing.T) (path string, lines func() []string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	log := filepath.Join(t.TempDir(), "log")
	dir := testkit.FakeTool(t, "git", `echo "$@" >>'`+log+`'; exec '`+real+`' "$@"`)
	return "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH"), func() []string {
		data, _ := os.ReadFile(log) // absent when git was not started
		_ = os.Remove(log)          // as above
		return strings.Split(strings.TrimSpace(string(data)), "\n")
	}
}

func TestGitProcessesPerCall(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "dir/b.txt")
	base := g.Git("rev-parse", "HEAD")
	g.Write("a.txt", "x")
	g.Commit("second")
	g.Write("new.txt", "x")
	path, started := countingGit(t)
	ctx := context.Background()
	var r *Repo
	for _, row := range []struct {
		name string
		call func() error
		want int
	}{
		{"Open", func() (err error) {
			r, err = Open(ctx, g.Path("dir"), Options{Environ: append(testkit.Env(t), path)})
			return err
		}, 0},
		{"State", func() error { _, err := r.State(ctx, StateOptions{}); return err }, 2},
		{"Facts", func() error { _, err := r.Facts(ctx, base); return err }, 3},
		{"Facts at HEAD", func() error { _, err := r.Facts(ctx, "HEAD"); return err }, 3},
		{"Survey", func() error { _, _, err := r.Survey(ctx, base); return err }, 3},
		{"Grep", func() error { _, err := r.Grep(ctx, GrepRequest{Terms: []string{"x"}}); return err }, 1},
	} {
		if err := row.call(); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		got := started()
		if n := len(got); n != row.want && (row.want != 0 || got[0] != "") {
			t.Errorf("%s started git %d times, want %d: %q", row.name, n, row.want, got)
		}
	}
}

func TestReadersLeaveTheIndexAloneWhileCommitsRun(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "b.txt")
	base := g.Git("rev-parse", "HEAD")
	r := open(t, g.Dir)
	g.Write("b.txt", "content of b.txt\n") // a stat that git would like to refresh
	before, err := os.ReadFile(g.Path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Survey(context.Background(), base); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(g.Path(".git/index"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("Survey changed .git/index (%v)", err)
	}
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				if _, _, err := r.Survey(context.Background(), base); err != nil {
					t.Errorf("Survey beside a commit: %v", err)
					return
				}
			}
		})
	}
	for range 15 {
		g.Commit("beside readers")
	}
	stop.Store(true)
	readers.Wait()
}

func TestHostileConfigurationRunsNothing(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "b.txt")
	base := g.Git("rev-parse", "HEAD")
	sub := addSubmodule(t, g, "mod")
	marker := filepath.Join(t.TempDir(), "ran")
	dir := testkit.FakeTool(t, "evil", `echo "$0 $@" >>'`+marker+`'; cat`)
	evil := filepath.Join(dir, "evil")
	g.Write(".gitattributes", "* filter=evil diff=evil text=auto\n")
	hooks := t.TempDir()
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman", "post-checkout"} {
		if err := os.Symlink(evil, filepath.Join(hooks, hook)); err != nil {
			t.Fatal(err)
		}
	}
	for _, repo := range []string{g.Dir, sub} {
		for key, value := range map[string]string{
			"core.fsmonitor": evil, "core.hooksPath": hooks, "core.pager": evil, "pager.ls-files": "true", "pager.grep": "true",
			"core.editor": evil, "core.sshCommand": evil, "core.gitProxy": evil, "credential.helper": evil, "core.askPass": evil,
			"filter.evil.clean": evil, "filter.evil.smudge": evil, "filter.evil.process": evil, "filter.evil.required": "true",
			"diff.external": evil, "diff.evil.command": evil, "diff.evil.textconv": evil, "gpg.program": evil,
			"alias.ls-files": "!" + evil, "alias.rev-parse": "!" + evil, "uploadpack.packObjectsHook": evil,
			"remote.origin.url": g.Dir, "remote.origin.uploadpack": evil, "remote.origin.promisor": "true",
			"remote.origin.partialCloneFilter": "blob:none", "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1",
			"grep.column": "true", "grep.patternType": "perl", "color.ui": "always", "submodule.recurse": "true",
		} {
			g.Git("-C", repo, "config", key, value)
		}
	}
	_ = os.Remove(marker) // what the set-up itself ran
	g.Write("a.txt", "content of A.txt\n")
	g.Write("b.txt", "content of b.txt\n")
	g.Write("mod/lib.txt", "content of LIB.txt\n")
	r := open(t, g.Dir)
	for _, base := range []string{base, "HEAD", "", "0123456", strings.Repeat("0123", 10)} {
		if _, _, err := r.Survey(context.Background(), base); err != nil {
			t.Errorf("Survey(%q): %v", base, err)
		}
	}
	if m, err := r.Grep(context.Background(), GrepRequest{Terms: []string{"of a.txt"}}); err != nil || len(m) != 1 || m[0].Line != 1 {
		t.Errorf("Grep = %+v, %v; want one match", m, err)
	}
	if ran, err := os.ReadFile(marker); err == nil {
		t.Errorf("the configuration ran:\n%s", ran)
	}
}
