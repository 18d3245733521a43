package gitrepo

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

func TestStatInTheIndexIsBelievedOnlyWhenSettled(t *testing.T) {
	t.Parallel()
	const indexTime = 1000 * second
	for _, row := range []struct {
		name   string
		change func(*fileStat)
		want   bool
	}{
		{"the same", func(*fileStat) {}, true},
		{"another size", func(s *fileStat) { s.size++ }, false},
		{"another mtime", func(s *fileStat) { s.mtime++ }, false},
		{"another ctime", func(s *fileStat) { s.ctime++ }, weakStat},
		{"another inode", func(s *fileStat) { s.ino++ }, weakStat},
		{"no change time", func(s *fileStat) { s.whole = false }, weakStat},
	} {
		s := fileStat{kind: kindFile, size: 3, ino: 1<<32 + 7, mtime: 900*second + 5, ctime: 901*second + 6, whole: true}
		n := node{recorded: indexStat{ctimeSec: 901, ctimeNsec: 6, mtimeSec: 900, mtimeNsec: 5, ino: 7, size: 3}}
		row.change(&s)
		n.stat = s
		if got := (&changes{indexTime: indexTime}).sameStat(&n); got != row.want {
			t.Errorf("%s: sameStat = %v, want %v", row.name, got, row.want)
		}
	}
	late := node{
		stat:     fileStat{kind: kindFile, mtime: indexTime - int64(racyTime) + 1, ctime: 1, whole: true},
		recorded: indexStat{mtimeSec: 999, mtimeNsec: uint32(second - int64(racyTime) + 1), ctimeNsec: 1},
	}
	if (&changes{indexTime: indexTime}).sameStat(&late) {
		t.Error("a file written just before the index is believed unchanged")
	}
	if (&changes{indexTime: indexTime + 1}).sameStat(&late) != true {
		t.Error("a file written long enough before the index is not believed")
	}
	if (&changes{}).sameStat(&node{}) {
		t.Error("an index that remembers nothing is believed")
	}
}

func TestAddedWithoutContentDiffers(t *testing.T) {
	t.Parallel()
	n := node{tracked: true, intent: true, found: found, stat: fileStat{kind: kindFile}}
	if (&changes{}).compare(context.Background(), &n, nil) != differs {
		t.Error("a file added without content is unchanged")
	}
}

// TestAnEditThatRestoresSizeAndTimeIsSeen moves the index into the future, so that nothing counts as recent.
func TestAnEditThatRestoresSizeAndTimeIsSeen(t *testing.T) {
	t.Parallel()
	if weakStat {
		t.Skip("git records no change time on this system")
	}
	g := committed(t, "a.txt")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(g.Path(".git/index"), later, later); err != nil {
		t.Fatal(err)
	}
	r := open(t, g.Dir)
	if f := factsOf(t, r, "HEAD"); f.Dirty {
		t.Fatalf("before the edit: %+v", f)
	}
	rewriteQuietly("a.txt")(t, g)
	if f := factsOf(t, r, "HEAD"); !slices.Equal(f.Changed, []string{"a.txt"}) {
		t.Errorf("Changed = %q, want a.txt", f.Changed)
	}
}
