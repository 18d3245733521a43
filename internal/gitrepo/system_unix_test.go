//go:build unix

package gitrepo

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"cortex/internal/testkit"
)

func link(target, name string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) {
		tb.Helper()
		g.Remove(name)
		if err := os.Symlink(target, g.Path(name)); err != nil {
			tb.Fatal(err)
		}
	}
}

func chmod(name string, mode os.FileMode) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) {
		tb.Helper()
		if err := os.Chmod(g.Path(name), mode); err != nil {
			tb.Fatal(err)
		}
	}
}

func fifo(name string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) {
		tb.Helper()
		g.Remove(name)
		if err := syscall.Mkfifo(g.Path(name), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

func movingEditsOfThisSystem() []edit {
	return []edit{
		{"executable bit of a tracked file", nil, chmod("a.txt", 0o755), []string{"a.txt"}},
		{"executable bit of an untracked file", write("run.sh", "1"), chmod("run.sh", 0o755), []string{"run.sh"}},
		{"link target", link("a.txt", "l"), link("dir/b.txt", "l"), []string{"l"}},
		{"file becomes link to the same bytes", write("copy", "content of a.txt\n"), link("a.txt", "copy"), []string{"copy"}},
		{"tracked file becomes pipe", nil, fifo("a.txt"), []string{"a.txt"}},
		{"directory becomes link", write("other/b.txt", "1"), link("other", "dir2"), []string{"dir2"}},
		{"not UTF-8", write("bad\xff.txt", "1"), write("bad\xff.txt", "2"), []string{"bad\xff.txt"}},
	}
}

func TestLinksAndSpecialFilesAreNeverOpened(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "dir/b.txt")
	outside := testkit.NewRepo(t)
	fifo("pipe")(t, outside)
	outside.Write("target", "1")
	for name, target := range map[string]string{
		"to-pipe": outside.Path("pipe"), "to-zero": "/dev/zero", "to-file": outside.Path("target"), "loop": "loop", "broken": "nowhere",
	} {
		link(target, name)(t, g)
	}
	fifo("dir/b.txt")(t, g)
	r := open(t, g.Dir)
	began := time.Now()
	before := stateOf(t, r)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("State took %s", took)
	}
	if !before.Complete {
		t.Errorf("incomplete: %q", before.Exclusions)
	}
	outside.Write("target", "2")
	if after := stateOf(t, r); after.Digest != before.Digest {
		t.Errorf("the file behind a link moved the digest: %q", after.ChangedSince(before))
	}
}

func TestFilesBehindALinkedDirectoryAreGone(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "dir/b.txt", "same/b.txt")
	g.Write("same/b.txt", "content of dir/b.txt\n")
	link("same", "dir")(t, g)
	r := open(t, g.Dir)
	want := []string{"dir", "dir/b.txt", "same/b.txt"}
	if got := factsOf(t, r, "HEAD").Changed; !slices.Equal(got, want) {
		t.Errorf("Changed = %q, want %q", got, want)
	}
	for _, e := range stateOf(t, r).entries {
		if e.path == "dir/b.txt" {
			t.Error("the digest covers dir/b.txt, which lies behind a link")
		}
	}
}

func TestUnreadableFileLeavesTheStateIncomplete(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root can read everything")
	}
	g := committed(t, "a.txt")
	chmod("a.txt", 0)(t, g)
	s := stateOf(t, open(t, g.Dir))
	if s.Complete || !slices.Contains(s.Exclusions, "unreadable file a.txt") {
		t.Errorf("State: complete %v, exclusions %q", s.Complete, s.Exclusions)
	}
}
