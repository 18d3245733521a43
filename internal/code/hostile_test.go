package code

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cortex/internal/gitrepo"
	"cortex/internal/testkit"
)

// hostileFiles are contents and names that break readers which trust them.
func hostileFiles() map[string]string {
	files := map[string]string{
		"open.go":            "package a\n\nfunc Ok() {}\n\nvar s = \"never ends\n\nfunc After() { Ok() }\n",
		"raw.go":             "package a\n\nfunc Raw() {}\n\nvar s = `never ends\n",
		"open.ts":            "export function fine() {}\nconst t = `never ends ${fine(\n",
		"open.py":            "def fine():\n    pass\n\"\"\"never ends\ndef no(): pass\n",
		"Open.java":          "class Fine {}\n/* never ends\nclass No {}\n",
		"open.rs":            "fn fine() {}\n/* /* */ fn no() {}\n",
		"open.cpp":           "int fine() { return 1; }\nauto s = R\"x(never ends",
		"deep.js":            "export function deep() { return " + strings.Repeat("[({`${", 20_000),
		"nul.py":             "def a():\n\x00\n",
		"latin.py":           "# caf\xe9\ndef caf\xe9(): pass\ndef fine(): pass\n",
		"mini.js":            strings.Repeat("function a(b){return b<c?`x${d}`:/[/]/.test(e)?{f:[g,h]}:i};", 5<<20/63),
		"ünï.go":             "package a\n\nfunc Unicode() { Ok() }\n",
		" -lead.go":          "package a\n\nfunc Blank() { Ok() }\n",
		"dir/broken.package": "",
		"dir/package.json":   "{\"name\":",
		"dir/tsconfig.json":  "{\"extends\":\"./tsconfig.json\",\"compilerOptions\":{\"paths\":[]}}",
		"dir/Cargo.toml":     "[package\nname = \"",
		"dir/go.mod":         "module\x00\nreplace =>",
	}
	if runtime.GOOS != "windows" {
		files["new\nline.go"] = "package a\n\nfunc Line() { Ok() }\n"
		files["quo\"te.go"] = "package a\n\nfunc Quote() { Ok() }\n"
		files["back\\slash.go"] = "package a\n\nfunc Back() { Ok() }\n"
		files[":(top)x.go"] = "package a\n\nfunc Colon() { Ok() }\n"
	}
	return files
}

func openRepo(t *testing.T, g *testkit.Repo) *gitrepo.Repo {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), g.Path(""), gitrepo.Options{Environ: os.Environ(), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// Whatever a tree holds, everything that can be read is, in bounded time, and the rest is named with the reason.
func TestHostileTreeIsReadAndTheRestNamed(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	for name, text := range hostileFiles() {
		g.Write(name, text)
	}
	want := []string{"mini.js: larger than 2 MiB: only the imports at its top were read", "nul.py: binary"}
	for link, to := range map[string]string{"loop1.go": "loop2.go", "loop2.go": "loop1.go", "self": ".", "linked": "dir", "away.go": "/etc/hosts"} {
		if os.Symlink(to, filepath.Join(g.Dir, link)) == nil {
			want = append(want, link+": a symbolic link")
		}
	}
	g.Write("locked.go", "package a\n")
	if err := os.Chmod(filepath.Join(g.Dir, "locked.go"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(filepath.Join(g.Dir, "locked.go")); err != nil { // nothing is locked for root
		want = append(want, "locked.go: unreadable")
	}
	makePipe(filepath.Join(g.Dir, "pipe.go"))
	slices.Sort(want)
	repo, cache := openRepo(t, g), openCache(t, t.TempDir())
	began := time.Now()
	for range 2 { // the second time from the cache
		s, err := ReadStructure(t.Context(), repo, cache)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, skip := range s.Skipped {
			got = append(got, skip.Path+": "+skip.Reason)
		}
		if !slices.Equal(got, want) {
			t.Errorf("skipped\n got %q\nwant %q", got, want)
		}
		for _, name := range []string{"Ok", "After", "Raw", "fine", "Fine", "Unicode", "Blank", "deep"} {
			if len(s.Find(name)) == 0 {
				t.Errorf("no definition of %s", name)
			}
		}
		sites, err := s.Callers(t.Context(), "Ok", true)
		if wantSites := map[bool]int{true: 3, false: 7}[runtime.GOOS == "windows"]; err != nil || len(sites) != wantSites {
			t.Errorf("sites of Ok: %v, error %v, want %d", sites, err, wantSites)
		}
	}
	r, err := ReadReview(t.Context(), repo, cache, "HEAD")
	if err != nil || len(r.Changes) < 8 || !slices.Contains(r.Gaps, "nul.py: binary") || !slices.ContainsFunc(r.Gaps, func(gap string) bool { return strings.HasPrefix(gap, "mini.js: ") }) {
		t.Errorf("review: %d changes, gaps %q, error %v", len(r.Changes), r.Gaps, err)
	}
	x := &Index{Cache: cache, Repo: repo}
	found, err := x.Search(t.Context(), SearchRequest{Question: "what is fine after raw unicode"})
	if told := strings.Join(found.Skipped, "\n"); err != nil || len(found.Hits) == 0 || !strings.Contains(told, "binary: dir/go.mod, nul.py") || !strings.Contains(told, "MiB: mini.js") {
		t.Errorf("search: %d hits, skipped %q, error %v", len(found.Hits), found.Skipped, err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("all of it took %s", took)
	}
}

// A file that changes while it is read is either read as it was at one moment or named; others are read all the same.
func TestTreeThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	text := func(n int) string { return "package a\n\nfunc F() {}\n" + strings.Repeat("// more\n", n) }
	for i := range 60 {
		g.Write(fmt.Sprintf("a/f%02d.go", i), text(i))
	}
	repo := openRepo(t, g)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; !stop.Load(); n++ {
			name := filepath.Join(g.Dir, "a", fmt.Sprintf("f%02d.go", n%20))
			if n%3 == 0 {
				_ = os.Remove(name) // it is written again at once
			}
			_ = os.WriteFile(name, []byte(text(n%500)), 0o644) // a failure changes nothing, which is as good
		}
	}()
	for range 15 {
		s, err := ReadStructure(t.Context(), repo, nil)
		if err != nil {
			t.Error(err)
			break
		}
		for i := 20; i < 60; i++ {
			name := fmt.Sprintf("a/f%02d.go", i)
			if _, known := s.sourceAt(name); !known {
				t.Errorf("%s was not read, though nobody touched it", name)
			}
		}
		for _, skip := range s.Skipped {
			if skip.Reason != staleSkip {
				t.Errorf("%s was skipped as %q, want %q", skip.Path, skip.Reason, staleSkip)
			}
		}
	}
	stop.Store(true)
	<-done
}
