package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cortex/internal/testkit"
)

// edit is one row of the tables about the digest.
type edit struct {
	name    string
	prepare func(testing.TB, *testkit.Repo)
	change  func(testing.TB, *testkit.Repo)
	paths   []string // what ChangedSince must name
}

func write(name, content string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) { tb.Helper(); g.Write(name, content) }
}

func git(args ...string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) { tb.Helper(); g.Git(args...) }
}

func all(steps ...func(testing.TB, *testkit.Repo)) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) {
		tb.Helper()
		for _, step := range steps {
			step(tb, g)
		}
	}
}

func submodule(path string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) { tb.Helper(); addSubmodule(tb, g, path) }
}

// rewriteQuietly replaces the last byte of a file and sets its modification time back.
func rewriteQuietly(name string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) {
		tb.Helper()
		info, err := os.Stat(g.Path(name))
		if err != nil {
			tb.Fatal(err)
		}
		f, err := os.OpenFile(g.Path(name), os.O_RDWR, 0)
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt([]byte("!"), info.Size()-1); err != nil {
			tb.Fatal(err)
		}
		if err := os.Chtimes(g.Path(name), info.ModTime(), info.ModTime()); err != nil {
			tb.Fatal(err)
		}
	}
}

func movingEdits() []edit {
	return []edit{
		{"tracked file", nil, write("a.txt", "x"), []string{"a.txt"}},
		{"new file", nil, write("new.txt", ""), []string{"new.txt"}},
		{"deleted file", nil, func(_ testing.TB, g *testkit.Repo) { g.Remove("a.txt") }, []string{"a.txt"}},
		{"renamed file", nil, git("mv", "a.txt", "z.txt"), []string{"a.txt", "z.txt"}},
		{"untracked non-ASCII name", write("größe ☃.txt", "1"), write("größe ☃.txt", "2"), []string{"größe ☃.txt"}},
		{"untracked leading space", write("  lead.txt", "1"), write("  lead.txt", "2"), []string{"  lead.txt"}},
		{"untracked quotes", write(`q"uo\te.txt`, "1"), write(`q"uo\te.txt`, "2"), []string{`q"uo\te.txt`}},
		{"untracked newline name", write("new\nline\t.txt", "1"), write("new\nline\t.txt", "2"), []string{"new\nline\t.txt"}},
		{"name like git's own output", write("? x\n  ctime: 1:1", "1"), write("? x\n  ctime: 1:1", "2"), []string{"? x\n  ctime: 1:1"}},
		{"same size and time", write("big.bin", "aaaa"), rewriteQuietly("big.bin"), []string{"big.bin"}},
		{"past four megabytes", write("big.bin", strings.Repeat("0123456789abcdef", 6<<16)), rewriteQuietly("big.bin"), []string{"big.bin"}},
		{"assume-unchanged", git("update-index", "--assume-unchanged", "a.txt"), write("a.txt", "x"), []string{"a.txt"}},
		{"skip-worktree", git("update-index", "--skip-worktree", "a.txt"), write("a.txt", "x"), []string{"a.txt"}},
		{"staged and edited again", all(write("a.txt", "1"), git("add", "a.txt")), write("a.txt", "2"), []string{"a.txt"}},
		{"dirty submodule changed again", all(submodule("mod"), write("mod/lib.txt", "1")), write("mod/lib.txt", "2"), []string{"mod/lib.txt"}},
		{"untracked in ignored submodule", all(submodule("mod"), git("config", "submodule.mod.ignore", "all"),
			git("config", "diff.ignoreSubmodules", "all"), git("config", "-f", ".gitmodules", "submodule.mod.ignore", "all")),
			write("mod/new.txt", "1"), []string{"mod/new.txt"}},
		{"submodule not checked out", all(submodule("mod"), empty("mod")),
			write("mod/deep/stray.txt", "1"), []string{"mod/deep/stray.txt"}},
		{"nested repository", all(git("init", "--quiet", "nest"), write("nest/a", "1")), write("nest/a", "2"), []string{"nest/a"}},
		{"nested worktree", git("worktree", "add", "--quiet", "tree"), write("tree/a.txt", "2"), []string{"tree/a.txt"}},
		{"ignore rule", write("x.log", "1"), write(".gitignore", "*.log\n"), []string{".gitignore", "x.log"}},
		{"file becomes directory", nil, all(func(_ testing.TB, g *testkit.Repo) { g.Remove("a.txt") }, write("a.txt/b", "1")),
			[]string{"a.txt", "a.txt/b"}},
	}
}

func TestEveryEditMovesTheDigest(t *testing.T) {
	t.Parallel()
	for _, row := range append(movingEdits(), movingEditsOfThisSystem()...) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g := committed(t, "a.txt", "dir/b.txt")
			if row.prepare != nil {
				row.prepare(t, g)
			}
			r := open(t, g.Path("dir"))
			before := stateOf(t, r)
			row.change(t, g)
			after := stateOf(t, r)
			if after.Digest == before.Digest {
				t.Errorf("digest stayed %s", after.Digest)
			}
			if got := after.ChangedSince(before); !slices.Equal(got, row.paths) {
				t.Errorf("ChangedSince = %q, want %q", got, row.paths)
			}
			if !before.Complete || !after.Complete {
				t.Errorf("incomplete: before %q, after %q", before.Exclusions, after.Exclusions)
			}
			if f := factsOf(t, r, "HEAD"); !f.Dirty || len(f.Changed) == 0 {
				t.Errorf("Facts see no change: %+v", f)
			}
		})
	}
}

func TestTheSameBytesKeepTheDigest(t *testing.T) {
	t.Parallel()
	edited := all(write("a.txt", "edited"), write("new.txt", "new"))
	for _, row := range []edit{
		{name: "stage", prepare: edited, change: git("add", "--all")},
		{name: "commit", prepare: edited, change: all(git("add", "--all"), git("commit", "--quiet", "-m", "x"))},
		{name: "amend", prepare: edited, change: all(git("add", "--all"), git("commit", "--quiet", "--amend", "-m", "x"))},
		{name: "detach", change: git("checkout", "--quiet", "--detach")},
		{name: "soft reset to nothing", prepare: edited, change: git("update-ref", "-d", "HEAD")},
		{name: "intent to add", prepare: edited, change: git("add", "-N", "new.txt")},
		{name: "touch", change: func(tb testing.TB, g *testkit.Repo) {
			if err := os.Chtimes(g.Path("a.txt"), time.Time{}, time.Unix(1e9, 0)); err != nil {
				tb.Fatal(err)
			}
		}},
		{name: "ignored file", prepare: write(".gitignore", ".env\n"), change: write(".env", "1")},
		{name: "commit in a submodule", prepare: all(submodule("mod"), write("mod/lib.txt", "1")),
			change: git("-C", "mod", "commit", "--quiet", "-a", "-m", "x")},
		{name: "state of cases", prepare: write(".cortex/x", "1"), change: all(write(".cortex/y", "2"), write("dir/.cortex/z", "3"))},
		{name: "state of documents", prepare: write(".codex/cortex/x", "1"), change: write(".codex/cortex/y", "2")},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g := committed(t, "a.txt", "dir/b.txt")
			if row.prepare != nil {
				row.prepare(t, g)
			}
			r := open(t, g.Dir)
			before := stateOf(t, r)
			row.change(t, g)
			after := stateOf(t, r)
			if after.Digest != before.Digest || len(after.ChangedSince(before)) != 0 {
				t.Errorf("digest moved; changed %q", after.ChangedSince(before))
			}
		})
	}
}

func TestFirstCommitKeepsTheDigest(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Write("a.txt", "1")
	r := open(t, g.Dir)
	before := stateOf(t, r)
	if before.Head != "" || !before.Complete {
		t.Fatalf("before the first commit: %+v", before)
	}
	commit := g.Commit("first")
	after := stateOf(t, r)
	if after.Digest != before.Digest || after.Head != commit {
		t.Errorf("after the first commit: %s %s, want %s %s", after.Head, after.Digest, commit, before.Digest)
	}
}

func TestWhatIsNotCoveredIsNamed(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "dir/b.txt")
	r := open(t, g.Dir)
	if got := stateOf(t, r).Exclusions; !slices.Equal(got, []string{"ignored files"}) {
		t.Errorf("Exclusions = %q, want only ignored files", got)
	}
	g.Write("dir/.cortex/x", "1")
	s := stateOf(t, r)
	if got := s.Exclusions; !slices.Equal(got, []string{"ignored files", ownExclusion}) || !s.Complete {
		t.Errorf("Exclusions = %q, complete %v; want Cortex's state named", got, s.Complete)
	}
	g.Write("dir/big.bin", strings.Repeat("x", 2100))
	s, err := r.State(context.Background(), StateOptions{MaxFileBytes: 1000})
	if err != nil || s.Complete || !slices.Contains(s.Exclusions, "2.1 kB file dir/big.bin not hashed") {
		t.Errorf("State = %q, complete %v, %v; want the big file named", s.Exclusions, s.Complete, err)
	}
	s, err = r.State(context.Background(), StateOptions{Budget: time.Nanosecond})
	if err != nil || s.Complete || !slices.Contains(s.Exclusions, "3 files not hashed within 1ns") {
		t.Errorf("State = %q, complete %v, %v; want late files counted", s.Exclusions, s.Complete, err)
	}
}

func TestACanceledStateIsAnError(t *testing.T) {
	t.Parallel()
	r := open(t, committed(t, "a.txt").Dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := r.State(ctx, StateOptions{}); err == nil {
		t.Errorf("State = %+v, want an error", s)
	}
}

func TestUnreadableDirectoriesAreTakenFromWarnings(t *testing.T) {
	t.Parallel()
	stderr := "warning: could not open directory 'a b/': Permission denied\nwarning: other\n"
	if got := unreadableDirs(stderr); !slices.Equal(got, []string{"a b"}) {
		t.Errorf("unreadableDirs(%q) = %q", stderr, got)
	}
}

func TestEnvironmentCannotRedirectGit(t *testing.T) {
	t.Parallel()
	g, other := committed(t, "a.txt"), committed(t, "other.txt")
	g.Write("new.txt", "1")
	want := stateOf(t, open(t, g.Dir))
	r := open(t, g.Dir, "GIT_DIR="+other.Path(".git"), "GIT_WORK_TREE="+other.Dir, "GIT_INDEX_FILE="+other.Path(".git/index"),
		"GIT_OBJECT_DIRECTORY="+other.Path(".git/objects"), "GIT_NAMESPACE=x", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=core.excludesFile", "GIT_CONFIG_VALUE_0="+filepath.Join(other.Dir, "other.txt"))
	if got := stateOf(t, r); got.Digest != want.Digest || got.Head != want.Head {
		t.Errorf("State = %s %s, want %s %s", got.Head, got.Digest, want.Head, want.Digest)
	}
}

// TestTheRepositoryDoesNotBringItsOwnGit puts a git of the repository first on PATH, as scripts of package managers do.
func TestTheRepositoryDoesNotBringItsOwnGit(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	g.Write("bin/git", "#!/bin/sh\necho planted >\""+g.Path("ran")+"\"\n")
	if err := os.Chmod(g.Path("bin/git"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := stateOf(t, open(t, g.Dir))
	if got := stateOf(t, open(t, g.Dir, "PATH="+g.Path("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))); got.Digest != want.Digest {
		t.Errorf("State = %s, want %s", got.Digest, want.Digest)
	}
	if _, err := os.Lstat(g.Path("ran")); err == nil {
		t.Error("the git of the repository was run")
	}
}
