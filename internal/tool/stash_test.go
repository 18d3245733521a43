package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newTestStash(t *testing.T, files ...string) *Stash {
	t.Helper()
	s, err := newStash()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if _, err := os.Lstat(s.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", s.dir, err)
		}
	})
	for _, name := range files {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func symlink(t *testing.T, s *Stash, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestFilesAreListedByPathWithoutLinks(t *testing.T) {
	t.Parallel()
	s := newTestStash(t, "z.txt", "b/c/d.txt", "b.txt", "a")
	outside := newTestStash(t, "secret")
	symlink(t, s, outside.dir, "dir")
	symlink(t, s, filepath.Join(outside.dir, "secret"), "link")
	symlink(t, s, "a", "inner")
	files, more := s.Files()
	want := []File{{"a", 1}, {"b.txt", 5}, {"b/c/d.txt", 9}, {"z.txt", 5}}
	if diff := cmp.Diff(want, files); diff != "" || more {
		t.Errorf("Files, more %t (-want +got):\n%s", more, diff)
	}
	for _, name := range []string{"dir/secret", "link", "inner", "dir", "b", "none", "../x", "/etc/passwd", "b/../a", "a/x", "", "."} {
		if data, _, err := s.Read(name, 100); !errors.Is(err, ErrNoFile) {
			t.Errorf("Read(%q) = %q, %v; want ErrNoFile", name, data, err)
		}
	}
}

func TestAStashWithDirectoriesThatMayNotBeWrittenIsRemoved(t *testing.T) {
	t.Parallel()
	s := newTestStash(t, "mod/pkg/a.go") // whose end looks whether it is gone; for root everything may be written
	for _, name := range []string{"mod/pkg", "mod"} {
		if err := os.Chmod(filepath.Join(s.dir, name), 0o500); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	s := newTestStash(t, "b/c/d.txt")
	for limit, want := range map[int64]string{0: "", 3: "b/c", 9: "b/c/d.txt", 100: "b/c/d.txt"} {
		data, more, err := s.Read("b/c/d.txt", limit)
		if err != nil || string(data) != want || more != (limit < 9) {
			t.Errorf("Read of %d bytes = %q, more %t, %v; want %q", limit, data, more, err, want)
		}
	}
}

func TestListingStopsAtItsBounds(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range maxListedFiles + 1 {
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	if files, more := newTestStash(t, names[:maxListedFiles]...).Files(); len(files) != maxListedFiles || more {
		t.Errorf("%d files, more %t; want %d and no more", len(files), more, maxListedFiles)
	}
	if files, more := newTestStash(t, names...).Files(); len(files) != maxListedFiles || !more {
		t.Errorf("%d files, more %t; want %d and more", len(files), more, maxListedFiles)
	}

	s := newTestStash(t, "zz")
	for i := range maxWalkedEntries {
		if err := os.Mkdir(filepath.Join(s.dir, fmt.Sprintf("d%03d", i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w := walk{root: s.root}
	w.dir(".")
	if w.seen != maxWalkedEntries || !w.more {
		t.Errorf("looked at %d entries, more %t; want %d and more", w.seen, w.more, maxWalkedEntries)
	}
}

func TestNamesThatCannotBeToldAreNotListed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 200)
	s := newTestStash(t, "a", strings.Join([]string{long, long, long, long, long, long}, "/"))
	if err := os.WriteFile(filepath.Join(s.dir, "b\xff"), nil, 0o600); err != nil {
		t.Logf("no such names here: %v", err)
	}
	files, more := s.Files()
	if len(files) != 1 || files[0].Path != "a" || !more {
		t.Errorf("Files = %+v, more %t; want a, and more", files, more)
	}
}
