package gitrepo

import (
	"slices"
	"testing"
)

func TestNamesThatDifferInCaseAreTwoFiles(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "Dir/b.txt")
	r := open(t, g.Path(""))
	if !r.exactCase {
		t.Skip("the file system does not tell them apart")
	}
	g.Git("config", "core.ignoreCase", "true")
	before := stateOf(t, r)
	g.Write("A.txt", "1")
	g.Write("dir/b.txt", "1")
	after := stateOf(t, r)
	want := []string{"A.txt", "dir/b.txt"}
	if got := after.ChangedSince(before); !slices.Equal(got, want) {
		t.Errorf("digest: changed %q, want %q", got, want)
	}
	if got := factsOf(t, r, "HEAD").Changed; !slices.Equal(got, want) {
		t.Errorf("facts: changed %q, want %q", got, want)
	}
}
