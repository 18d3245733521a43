package gitrepo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"cortex/internal/testkit"
)

// open opens the worktree that dir lies in, with a stat cache of its own.
func open(tb testing.TB, dir string, environ ...string) *Repo {
	tb.Helper()
	r, err := Open(context.Background(), dir, Options{Environ: testkit.Env(tb, environ...), CacheDir: tb.TempDir()})
	if err != nil {
		tb.Fatalf("Open(%s): %v", dir, err)
	}
	return r
}

// committed returns a repository with one commit of the given files.
func committed(tb testing.TB, names ...string) *testkit.Repo {
	tb.Helper()
	g := testkit.NewRepo(tb)
	for _, name := range names {
		g.Write(name, "content of "+name+"\n")
	}
	g.Commit("start")
	return g
}

func stateOf(tb testing.TB, r *Repo) State {
	tb.Helper()
	s, err := r.State(context.Background(), StateOptions{SaveCache: true})
	if err != nil {
		tb.Fatalf("State: %v", err)
	}
	return s
}

func factsOf(tb testing.TB, r *Repo, base string) Facts {
	tb.Helper()
	f, err := r.Facts(context.Background(), base)
	if err != nil {
		tb.Fatalf("Facts(%q): %v", base, err)
	}
	return f
}

// addSubmodule commits a submodule at path, whose repository lies within it, and returns its worktree.
func addSubmodule(tb testing.TB, g *testkit.Repo, path string) string {
	tb.Helper()
	g.Git("init", "--quiet", path)
	g.Write(path+"/lib.txt", "content of lib.txt\n")
	g.Git("-C", path, "add", "lib.txt")
	g.Git("-C", path, "commit", "--quiet", "-m", "start")
	g.Write(".gitmodules", "[submodule \""+path+"\"]\n\tpath = "+path+"\n\turl = ./"+path+"\n")
	g.Git("add", ".gitmodules", path)
	g.Git("commit", "--quiet", "-m", "add submodule")
	return g.Path(path)
}

// empty takes everything out of a directory, as git leaves a submodule that is not checked out.
func empty(path string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) {
		tb.Helper()
		g.Remove(path)
		if err := os.Mkdir(g.Path(path), 0o755); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestEveryWayToSpellAWorktreeIsOneIdentity(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "sub/b.txt")
	main := open(t, g.Dir)
	if main.Root != g.Dir || main.Name != filepath.Base(g.Dir) {
		t.Errorf("Root, Name = %q, %q, want %q and its base", main.Root, main.Name, g.Dir)
	}
	outside := t.TempDir()
	link := filepath.Join(outside, "link")
	if err := os.Symlink(g.Dir, link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	tree := filepath.Join(outside, "tree")
	g.Git("worktree", "add", "--quiet", tree)
	for _, dir := range []string{link, filepath.Join(link, "sub"), g.Path("sub"), tree} {
		r := open(t, dir)
		if r.CommonDir != main.CommonDir || r.Name != main.Name {
			t.Errorf("Open(%s): common dir %q, name %q; want %q, %q", dir, r.CommonDir, r.Name, main.CommonDir, main.Name)
		}
	}
	if r := open(t, tree); r.Root == main.Root || r.GitDir == main.GitDir {
		t.Errorf("a linked worktree has Root %q and GitDir %q of the main one", r.Root, r.GitDir)
	}
}

func TestRepositoriesOfOneNameAreTwoIdentities(t *testing.T) {
	t.Parallel()
	var common []string
	for range 2 {
		g := testkit.NewRepo(t)
		g.Git("init", "--quiet", "same")
		common = append(common, open(t, g.Path("same")).CommonDir)
	}
	if common[0] == common[1] {
		t.Errorf("both repositories have the common dir %q", common[0])
	}
}

func TestOpenRefusesWhatIsNoWorktree(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	g.Git("init", "--quiet", "--bare", "bare.git")
	plain := t.TempDir()
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, ".git"), []byte("gitdir: nowhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{plain, broken, g.Path("bare.git"), g.Path("bare.git/refs")} {
		if _, err := Open(context.Background(), dir, Options{}); !errors.Is(err, ErrNotRepository) {
			t.Errorf("Open(%s) = %v, want ErrNotRepository", dir, err)
		}
	}
}

func TestOpenFollowsAMovedWorktree(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	source := committed(t, "lib.txt")
	g.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source.Dir, "mod")
	sub := g.Path("mod")
	r := open(t, sub)
	if r.Root != sub || r.Name != "mod" || r.CommonDir != g.Path(".git/modules/mod") {
		t.Errorf("submodule: Root %q, Name %q, CommonDir %q", r.Root, r.Name, r.CommonDir)
	}
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g.Git("config", "core.worktree", other)
	if r := open(t, g.Dir); r.Root != other {
		t.Errorf("core.worktree: Root %q, want %q", r.Root, other)
	}
}
