package testkit

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestIDsAreTheSameInEveryRun(t *testing.T) {
	t.Parallel()
	a, b := IDs(), IDs()
	for range 3 {
		if got, want := a.New("ev"), b.New("ev"); got != want {
			t.Fatalf("New = %q, want %q as from the other source", got, want)
		}
	}
	if first, second := a.New("ev"), a.New("ev"); first >= second {
		t.Errorf("%q is followed by %q: want rising identifiers", first, second)
	}
}

func TestClockMovesOnlyWhenRead(t *testing.T) {
	t.Parallel()
	c := NewClock()
	first := c.Now()
	c.Advance(time.Hour)
	if got, want := c.Now().Sub(first), time.Hour+Tick; got != want {
		t.Errorf("clock moved %s, want %s", got, want)
	}
}

func TestCommitHashDependsOnContentOnly(t *testing.T) {
	t.Parallel()
	commit := func() string {
		r := NewRepo(t)
		r.Write("dir/a.txt", "one\n")
		r.Commit("first")
		r.Write("dir/a.txt", "two\n")
		return r.Commit("second")
	}
	if one, two := commit(), commit(); one != two {
		t.Errorf("the same commits are %s and %s", one, two)
	}
}

func TestRepoHidesTheUsersConfiguration(t *testing.T) {
	t.Parallel()
	r := NewRepo(t)
	for _, line := range strings.Split(r.Git("config", "--list", "--show-origin"), "\n") {
		if !strings.HasPrefix(line, "file:.git/") {
			t.Errorf("git reads %q: want the repository's configuration only", line)
		}
	}
}

func TestFakeToolRuns(t *testing.T) {
	t.Parallel()
	dir := FakeTool(t, "greet", `echo "hello $1"`)
	out, err := exec.Command(dir+"/greet", "there").CombinedOutput()
	if err != nil || string(out) != "hello there\n" {
		t.Errorf("greet there = %q, %v, want %q", out, err, "hello there\n")
	}
}
