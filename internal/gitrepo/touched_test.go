package gitrepo

import (
	"os"
	"slices"
	"testing"

	"cortex/internal/testkit"
)

func TestWhatWasWrittenAndIsTheSameAgainIsTouched(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		steps []func(testing.TB, *testkit.Repo)
		want  []string
	}{
		{"nothing", nil, nil},
		{"a read", []func(testing.TB, *testkit.Repo){git("status"), git("add", "a")}, nil},
		{"written again", []func(testing.TB, *testkit.Repo){write("a", "other\n"), write("a", "a\n")}, []string{"a"}},
		{"written with its old time", []func(testing.TB, *testkit.Repo){rewriteQuietly("a"), rewriteBack("a")}, []string{"a"}},
		{"another content", []func(testing.TB, *testkit.Repo){write("a", "other\n")}, nil},
		{"in a submodule", []func(testing.TB, *testkit.Repo){write("sub/file", "other\n"), write("sub/file", "sub\n")}, []string{"sub/file"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g := committed(t)
			g.Write("a", "a\n")
			addSubmodule(t, g, "sub")
			g.Write("sub/file", "sub\n")
			r := open(t, g.Path(""))
			before := stateOf(t, r)
			for _, step := range row.steps {
				step(t, g)
			}
			after := stateOf(t, r)
			if got := after.TouchedSince(before); !slices.Equal(got, row.want) {
				t.Errorf("touched %q, want %q (digest moved: %v)", got, row.want, before.Digest != after.Digest)
			}
		})
	}
}

// rewriteBack undoes rewriteQuietly on a file that ended a line.
func rewriteBack(name string) func(testing.TB, *testkit.Repo) {
	return func(tb testing.TB, g *testkit.Repo) {
		tb.Helper()
		info, err := os.Stat(g.Path(name))
		if err != nil {
			tb.Fatal(err)
		}
		g.Write(name, "a\n")
		if err := os.Chtimes(g.Path(name), info.ModTime(), info.ModTime()); err != nil {
			tb.Fatal(err)
		}
	}
}
