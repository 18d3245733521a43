package gitrepo

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cortex/internal/testkit"
)

func TestChangesSinceTheBase(t *testing.T) {
	t.Parallel()
	commit := git("commit", "--quiet", "--all", "-m", "x")
	for _, row := range []struct {
		name   string
		change func(testing.TB, *testkit.Repo)
		want   []string
		dirty  bool
	}{
		{"nothing", git("status"), nil, false},
		{"unstaged", write("a.txt", "x"), []string{"a.txt"}, true},
		{"staged", all(write("a.txt", "x"), git("add", "a.txt")), []string{"a.txt"}, true},
		{"committed", all(write("a.txt", "x"), commit), []string{"a.txt"}, false},
		{"committed on another branch", all(git("checkout", "--quiet", "-b", "side"), write("a.txt", "x"), commit), []string{"a.txt"}, false},
		{"staged and undone", all(write("a.txt", "x"), git("add", "a.txt"), write("a.txt", "content of a.txt\n")), []string{"a.txt"}, true},
		{"committed and undone", all(write("a.txt", "x"), commit, write("a.txt", "content of a.txt\n")), []string{"a.txt"}, true},
		{"untracked", write("new\n.txt", "x"), []string{"new\n.txt"}, true},
		{"added without content", all(write("new.txt", ""), git("add", "-N", "new.txt")), []string{"new.txt"}, true},
		{"deleted", func(_ testing.TB, g *testkit.Repo) { g.Remove("a.txt") }, []string{"a.txt"}, true},
		{"deleted from the index only", git("rm", "--quiet", "--cached", "a.txt"), []string{"a.txt"}, true},
		{"renamed", git("mv", "a.txt", "z.txt"), []string{"a.txt", "z.txt"}, true},
		{"assume-unchanged", all(git("update-index", "--assume-unchanged", "a.txt"), write("a.txt", "x")), []string{"a.txt"}, true},
		{"skip-worktree", all(git("update-index", "--skip-worktree", "a.txt"), write("a.txt", "x")), []string{"a.txt"}, true},
		{"sparse", git("sparse-checkout", "set", "--no-cone", "/dir/"), nil, false},
		{"ignored", all(write(".git/info/exclude", ".env\n"), write(".env", "x")), nil, false},
		{"own state", all(write(".cortex/a", "x"), write("dir/.codex/cortex/b", "x"), git("add", "--all")), nil, false},
		{"nested repository", all(git("init", "--quiet", "nest"), write("nest/a", "x")), []string{"nest"}, true},
		{"relative to a sub-directory by config", all(git("config", "diff.relative", "true"), write("a.txt", "x"), commit), []string{"a.txt"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g := committed(t, "a.txt", "dir/b.txt")
			base := g.Git("rev-parse", "--short", "HEAD")
			row.change(t, g)
			f := factsOf(t, open(t, g.Path("dir")), base)
			if !slices.Equal(f.Changed, row.want) || f.Dirty != row.dirty {
				t.Errorf("Changed, Dirty = %q, %v; want %q, %v", f.Changed, f.Dirty, row.want, row.dirty)
			}
			if !f.BaseKnown || !f.BaseAncestor || len(f.Warnings) != 0 {
				t.Errorf("base: %+v, want it known and an ancestor", f)
			}
		})
	}
}

func TestChangesWithinSubmodules(t *testing.T) {
	t.Parallel()
	commit := git("-C", "mod", "commit", "--quiet", "-a", "-m", "x")
	for _, row := range []struct {
		name   string
		change func(testing.TB, *testkit.Repo)
		want   []string
	}{
		{"nothing", git("status"), nil},
		{"edited", write("mod/lib.txt", "x"), []string{"mod/lib.txt"}},
		{"committed", all(write("mod/lib.txt", "x"), commit), []string{"mod", "mod/lib.txt"}},
		{"committed and recorded", all(write("mod/lib.txt", "x"), commit, git("commit", "--quiet", "-a", "-m", "x")),
			[]string{"mod", "mod/lib.txt"}},
		{"ignored by settings", all(git("config", "submodule.mod.ignore", "all"), git("config", "diff.ignoreSubmodules", "all"),
			write("mod/lib.txt", "x"), commit, git("add", "--force", "mod")), []string{"mod", "mod/lib.txt"}},
		{"removed", func(_ testing.TB, g *testkit.Repo) { g.Remove("mod") }, []string{"mod"}},
		{"not checked out", empty("mod"), nil},
		{"not checked out, with a file", all(empty("mod"), write("mod/x/y", "1")),
			[]string{"mod/x/y"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g := committed(t, "a.txt")
			addSubmodule(t, g, "mod")
			base := g.Git("rev-parse", "HEAD")
			row.change(t, g)
			if f := factsOf(t, open(t, g.Dir), base); !slices.Equal(f.Changed, row.want) {
				t.Errorf("Changed = %q, want %q; warnings %q", f.Changed, row.want, f.Warnings)
			}
		})
	}
}

func TestUnmergedPathsAreChanged(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "b.txt")
	g.Git("checkout", "--quiet", "-b", "side")
	g.Write("a.txt", "side")
	g.Commit("side")
	g.Git("checkout", "--quiet", "main")
	g.Write("a.txt", "main")
	g.Commit("main")
	g.Write("resolve.sh", "git merge --quiet side || true")
	cmd := "!git merge --quiet side >/dev/null 2>&1 || true"
	g.Git("-c", "alias.try="+cmd, "try")
	g.Remove("resolve.sh")
	f := factsOf(t, open(t, g.Dir), "HEAD")
	if !slices.Equal(f.Changed, []string{"a.txt"}) {
		t.Errorf("Changed = %q, want the conflict", f.Changed)
	}
	if s := stateOf(t, open(t, g.Dir)); len(s.entries) != 2 {
		t.Errorf("the digest covers %d paths, want 2", len(s.entries))
	}
}

func TestWithoutACommitEverythingIsChanged(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Write("a.txt", "1")
	g.Write("b.txt", "1")
	g.Git("add", "a.txt")
	r := open(t, g.Dir)
	want := []string{"a.txt", "b.txt"}
	for _, base := range []string{"", "HEAD"} {
		f := factsOf(t, r, base)
		if !slices.Equal(f.Changed, want) || f.Commit != "" || f.Branch != "main" || f.Base != "" || f.Untracked != 1 || !f.BaseKnown {
			t.Errorf("Facts(%q) = %+v, want %q on main", base, f, want)
		}
	}
	commit := g.Commit("first")
	f := factsOf(t, r, "")
	if !slices.Equal(f.Changed, want) || f.Commit != commit || f.Dirty {
		t.Errorf("after the first commit: %+v, want %q, clean", f, want)
	}
	g.Git("checkout", "--quiet", "--orphan", "fresh")
	f = factsOf(t, r, commit)
	if f.Commit != "" || f.Branch != "fresh" || f.Base != commit || !f.BaseKnown || f.BaseAncestor {
		t.Errorf("on an orphan branch: %+v, want the base %s compared", f, commit)
	}
}

func TestRewrittenHistoryCountsFromTheMergeBase(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "b.txt")
	first := g.Git("rev-parse", "HEAD")
	g.Write("a.txt", "2")
	base := g.Commit("second")
	g.Git("reset", "--quiet", "--hard", first)
	g.Write("b.txt", "3")
	g.Commit("another second")
	f := factsOf(t, open(t, g.Dir), base[:7])
	if !slices.Equal(f.Changed, []string{"b.txt"}) || f.Base != first || f.BaseAncestor || !f.BaseKnown || len(f.Warnings) != 1 {
		t.Errorf("Facts = %+v, want b.txt since %s with a warning", f, first)
	}
}

func TestUnknownBaseCountsAgainstHead(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "b.txt")
	head := g.Git("rev-parse", "HEAD")
	g.Write("new.txt", "x")
	g.Write("a.txt", "x")
	g.Git("branch", "abcdef0") // a branch may not pass for the commit of that name
	for _, base := range []string{"abcdef0", "0123456789", "main", "--all", "HEAD~1", "-h", strings.Repeat("f", 40)} {
		f := factsOf(t, open(t, g.Dir), base)
		if f.BaseKnown || f.Base != head || !slices.Equal(f.Changed, []string{"a.txt", "new.txt"}) || len(f.Warnings) != 1 {
			t.Errorf("Facts(%q) = %+v, want changes against HEAD with a warning", base, f)
		}
	}
}

func TestABranchNamedLikeTheBaseCannotHideACommit(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	base := g.Git("rev-parse", "HEAD")[:7]
	g.Write("a.txt", "x")
	g.Commit("second")
	g.Git("branch", base)
	if f := factsOf(t, open(t, g.Dir), base); f.BaseKnown {
		t.Errorf("Facts(%q) = %+v, want the base unknown", base, f)
	}
}

func TestReplacedObjectsDoNotHideAChange(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	base := g.Git("rev-parse", "HEAD")
	g.Write("a.txt", "x")
	g.Git("replace", base, g.Commit("second"))
	if f := factsOf(t, open(t, g.Dir), base); !slices.Equal(f.Changed, []string{"a.txt"}) {
		t.Errorf("Changed = %q, want a.txt", f.Changed)
	}
}

func TestACopiedRepositoryHasNoChanges(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "dir/b.txt")
	pointer := string(lfsPointer([]byte(strings.Repeat("\xab", 32)), 3))
	if want := "oid sha256:" + strings.Repeat("ab", 32) + "\nsize 3\n"; !strings.HasSuffix(pointer, want) {
		t.Fatalf("pointer %q, want suffix %q", pointer, want)
	}
	for _, name := range []string{"a.txt", "dir/b.txt"} { // stat no longer says what the index remembers
		if err := os.Chtimes(g.Path(name), time.Time{}, time.Unix(1e9, 5)); err != nil {
			t.Fatal(err)
		}
	}
	if f := factsOf(t, open(t, g.Dir), "HEAD"); f.Dirty || len(f.Changed) != 0 {
		t.Errorf("Facts = %+v, want nothing changed", f)
	}
}

func TestContentBehindAnLFSPointerIsUnchanged(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	// The SHA-256 of "abc" is the example of FIPS 180-2.
	g.Write("big.bin", "version https://git-lfs.github.com/spec/v1\n"+
		"oid sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\nsize 3\n")
	g.Commit("pointer")
	g.Write("big.bin", "abc")
	r := open(t, g.Dir)
	if f := factsOf(t, r, "HEAD"); f.Dirty {
		t.Errorf("Changed = %q, want nothing", f.Changed)
	}
	g.Write("big.bin", "abd")
	if f := factsOf(t, r, "HEAD"); !f.Dirty {
		t.Error("another content is unchanged")
	}
}

func TestSHA256Repository(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Git("init", "--quiet", "--object-format=sha256", "new")
	g.Write("new/a.txt", "1")
	g.Git("-C", "new", "add", "a.txt")
	g.Git("-C", "new", "commit", "--quiet", "-m", "x")
	if err := os.Chtimes(g.Path("new/a.txt"), time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	r := open(t, g.Path("new"))
	f := factsOf(t, r, "HEAD")
	if len(f.Commit) != 64 || f.Dirty {
		t.Errorf("Facts = %+v, want a 64-digit commit and no change", f)
	}
}

// TestEditRightAfterCommitIsSeen edits within one tick of the clock: the stat in the index then says nothing.
func TestEditRightAfterCommitIsSeen(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	for i := range 10 {
		g.Write("a.txt", fmt.Sprint(i))
		g.Git("commit", "--quiet", "--all", "-m", "x")
		rewriteQuietly("a.txt")(t, g)
		if f := factsOf(t, open(t, g.Dir), "HEAD"); !slices.Equal(f.Changed, []string{"a.txt"}) {
			t.Fatalf("round %d: Changed = %q, want a.txt", i, f.Changed)
		}
	}
}

func TestFileModeOfTheRepositoryIsHonoured(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	g.Git("config", "core.fileMode", "false")
	if err := os.Chmod(g.Path("a.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	if f := factsOf(t, open(t, g.Dir), "HEAD"); f.Dirty {
		t.Errorf("Changed = %q on a file system without executable bits", f.Changed)
	}
}

func TestLineEndsThatGitConvertsAreUnchanged(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		attributes, config string
		dirty              bool
	}{
		{"*.bat text eol=crlf\n", "false", false},
		{"*.bat eol=crlf\n", "false", false},
		{"* text=auto\n", "false", false},
		{"# none\n", "true", false},
		{"# none\n", "false", !weakStat}, // with git for Windows the setting of the system is assumed
		{"*.bat -text\n", "true", true},
	} {
		g := testkit.NewRepo(t)
		g.Git("config", "core.autocrlf", row.config)
		g.Write(".gitattributes", row.attributes)
		g.Write("run.bat", "echo a\necho b\n")
		g.Commit("start")
		g.Write("run.bat", "echo a\r\necho b\r\n")
		r := open(t, g.Dir)
		if f := factsOf(t, r, "HEAD"); f.Dirty != row.dirty {
			t.Errorf("attributes %q, core.autocrlf %s: Changed = %q, want changed %v", row.attributes, row.config, f.Changed, row.dirty)
		}
		g.Write("run.bat", "echo a\r\necho c\r\n")
		if f := factsOf(t, r, "HEAD"); !f.Dirty {
			t.Errorf("attributes %q: an edit is unchanged", row.attributes)
		}
	}
}
