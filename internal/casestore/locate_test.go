package casestore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cortex/internal/casefile"
)

func repoAt(root string) Identity {
	return Identity{Root: root, CommonDir: filepath.Join(root, ".git"), Name: filepath.Base(root), Workspace: root}
}

func locate(t *testing.T, sessions string, repo Identity) string {
	t.Helper()
	dir, err := Locate(sessions, repo)
	if err != nil {
		t.Fatalf("Locate: %v", err)
	}
	rel, err := filepath.Rel(sessions, dir)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

func mustClaim(t *testing.T, sessions string, repo Identity) string {
	t.Helper()
	dir, err := Claim(ctx, sessions, repo)
	if err != nil {
		t.Fatalf("Claim: %v", err)
	}
	return filepath.Base(dir)
}

func TestSlugIsReadable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"repo": "repo", "my repo": "my-repo", "a.b_c-9": "a.b_c-9", "": "workspace", "..": "workspace",
		"-x.": "x", "é": "workspace", "a/b": "a-b", "Ünïx": "n-x"} {
		if got := Slug(name); got != want {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestRepositoriesOfOneNameNeverShareAStore(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	sessions := filepath.Join(base, "sessions")
	first, second, third := repoAt(filepath.Join(base, "a", "repo")), repoAt(filepath.Join(base, "b", "repo")), repoAt(filepath.Join(base, "c", "Repo"))
	if got := locate(t, sessions, first); got != "repo" {
		t.Errorf("first repository, nothing there = %q, want the plain slug", got)
	}
	mustClaim(t, sessions, first)
	for _, repo := range []Identity{second, third} {
		got := mustClaim(t, sessions, repo)
		if want := filepath.Base(repo.Root) + "-" + repo.hash(); got != want || len(repo.hash()) != 8 {
			t.Errorf("store of %s = %q, want %q", repo.Root, got, want)
		}
	}
	for _, repo := range []Identity{first, second, third} {
		if before, again := locate(t, sessions, repo), mustClaim(t, sessions, repo); before != again {
			t.Errorf("store of %s = %q and then %q", repo.Root, before, again)
		}
	}
}

func TestWorktreesShareTheStore(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	sessions, repo := filepath.Join(base, "sessions"), repoAt(filepath.Join(base, "repo"))
	mustClaim(t, sessions, repo)
	worktree := Identity{Root: filepath.Join(base, "wt"), CommonDir: repo.CommonDir, Name: "wt", Workspace: filepath.Join(base, "wt")}
	if got := locate(t, sessions, worktree); got != "repo" {
		t.Errorf("store of a worktree = %q, want that of its repository", got)
	}
	if entries, err := os.ReadDir(sessions); err != nil || len(entries) != 1 {
		t.Errorf("stores = %v, %v; want one", entries, err)
	}
}

func TestStoreOfThePublicProgramIsTakenByItsRepository(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		caseRoot func(base string) string // of the case in the store
		plain    bool                     // whether the slug directory is ours
	}{
		"a case of ours":                    {func(base string) string { return filepath.Join(base, "a", "repo") }, true},
		"a case of a directory in it":       {func(base string) string { return filepath.Join(base, "a", "repo", "sub") }, true},
		"a case through a link":             {func(base string) string { return filepath.Join(base, "link") }, true},
		"a case of another repository":      {func(base string) string { return filepath.Join(base, "b", "repo") }, false},
		"a case of one that is gone":        {func(base string) string { return filepath.Join(base, "gone", "repo") }, true},
		"a case of a sibling with a prefix": {func(base string) string { return filepath.Join(base, "a", "repo2") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{"a/repo/sub", "b/repo", "a/repo2"} {
				if err := os.MkdirAll(filepath.Join(base, filepath.FromSlash(dir)), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(filepath.Join(base, "a", "repo"), filepath.Join(base, "link")); err != nil {
				t.Skip(err)
			}
			sessions, repo := filepath.Join(base, "sessions"), repoAt(filepath.Join(base, "a", "repo"))
			plant(t, Open(filepath.Join(sessions, "repo"), Options{}), testTask, map[string]string{
				"case.json": strings.Replace(minimalCase(testTask), "/srv/fixture/repo", tc.caseRoot(base), 1)})
			before := tree(t, sessions)
			if got := locate(t, sessions, repo); (got == "repo") != tc.plain {
				t.Errorf("Locate = %q, want the plain slug %v", got, tc.plain)
			}
			if len(tree(t, sessions)) != len(before) {
				t.Error("Locate wrote")
			}
			mustClaim(t, sessions, repo)
			if got := mustClaim(t, sessions, repoAt(filepath.Join(base, "b", "repo"))); got == "repo" && tc.plain {
				t.Errorf("store of the other repository = %q beside a plain slug that is ours: %v", got, tc.plain)
			}
		})
	}
}

func TestRacingClaimsOfOneNamePart(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	sessions := filepath.Join(base, "sessions")
	const n = 3
	dirs := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			var err error
			if dirs[i], err = Claim(ctx, sessions, repoAt(filepath.Join(base, string(rune('a'+i)), "repo"))); err != nil {
				t.Errorf("Claim: %v", err)
			}
		})
	}
	all.Wait()
	if dirs[0] == dirs[1] || dirs[1] == dirs[2] || dirs[0] == dirs[2] {
		t.Errorf("stores = %v, want three", dirs)
	}
}

func TestUnreadableClaimStopsEverything(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	sessions, repo := filepath.Join(base, "sessions"), repoAt(filepath.Join(base, "repo"))
	dir, err := Claim(ctx, sessions, repo)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, claimFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Locate(sessions, repo); err == nil || !strings.Contains(err.Error(), claimFile) {
		t.Errorf("Locate = %v, want an error that names %s", err, claimFile)
	}
}

func TestStoreInTheWorkspaceIsKeptOutOfGit(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	c := aCase()
	c.Workspace.Root = workspace
	s := Open(filepath.Join(workspace, ".cortex", "cases"), Options{})
	create(t, s, c)
	ignore := filepath.Join(workspace, ".cortex", ".gitignore")
	raw, err := os.ReadFile(ignore)
	lines := strings.Split(string(raw), "\n")
	if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[0], "#") || lines[1] != "*" {
		t.Errorf(".gitignore = %q, %v; want a comment and *", raw, err)
	}
	if err := os.WriteFile(ignore, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c2 := *c
	c2.ID = "task_2"
	create(t, s, &c2)
	if raw, err := os.ReadFile(ignore); err != nil || string(raw) != "mine\n" {
		t.Errorf(".gitignore = %q, %v; want the one that was there", raw, err)
	}
}

func TestStoreElsewhereGetsNoGitignore(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	c := aCase()
	c.Workspace.Root = filepath.Join(base, "work")
	create(t, Open(filepath.Join(base, ".cortex", "sessions", "repo"), Options{}), c)
	if _, err := os.Stat(filepath.Join(base, ".cortex", ".gitignore")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat .gitignore = %v, want none", err)
	}
}

func TestLinkedStateDirectoryGetsNoGitignore(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	work, elsewhere := filepath.Join(base, "work"), filepath.Join(base, "elsewhere")
	for _, dir := range []string{work, elsewhere} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(work, ".cortex")); err != nil {
		t.Skip(err)
	}
	c := aCase()
	c.Workspace = casefile.Workspace{Root: work}
	_ = Open(filepath.Join(work, ".cortex", "cases"), Options{}).Create(ctx, c, nil, nil, nil) // may be refused or not
	if _, err := os.Stat(filepath.Join(elsewhere, ".gitignore")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat .gitignore behind a link = %v, want none", err)
	}
}
