//go:build unix

package osfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cortex/internal/durable"
)

func openDir(t *testing.T) (string, *FS) {
	t.Helper()
	path := t.TempDir()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return path, f
}

// Every method must refuse a link, in the last component and before it, into the directory and out of it.
func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	path, f := openDir(t)
	outside := t.TempDir()
	for _, file := range []string{path + "/real/x.txt", outside + "/x.txt"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"out": outside, "in": "real", "file": outside + "/x.txt", "gone": "nowhere"} {
		if err := os.Symlink(target, path+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"out/x.txt", "in/x.txt", "file"} {
		calls := map[string]error{}
		_, calls["read"] = f.Open(name, durable.OpenRead)
		_, calls["write"] = f.Open(name, durable.OpenWrite)
		_, calls["new"] = f.Open(name, durable.OpenNew)
		_, calls["size"] = f.Size(name)
		_, calls["list"] = f.ReadDir(filepath.Dir(name + "/y"))
		_, calls["sub"] = f.Sub(filepath.Dir(name))
		calls["mkdir"] = f.Mkdir(name)
		calls["sync"] = f.SyncDir(name)
		if name != "file" {
			calls["rename"] = f.Rename("real/x.txt", name)
			calls["remove"] = f.Remove(name)
		} else {
			delete(calls, "sub") // its directory is the root
		}
		for call, err := range calls {
			if err == nil {
				t.Errorf("%s of %s succeeded through a link", call, name)
			}
		}
	}
	if _, err := f.Open("gone", durable.OpenNew); !errors.Is(err, fs.ErrExist) {
		t.Errorf("new file over a dangling link = %v, want fs.ErrExist", err)
	}
	if data, err := os.ReadFile(outside + "/x.txt"); string(data) != "kept" || err != nil {
		t.Errorf("file outside = %q, %v, want it kept", data, err)
	}
}

func TestOpenRefusesALinkToADirectory(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	if err := errors.Join(os.Mkdir(path+"/real", 0o700), os.Symlink("real", path+"/link")); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*FS, error){Open, Ensure} {
		for _, name := range []string{"/link", "/link/"} {
			if _, err := open(path + name); !errors.Is(err, durable.ErrNotRegular) {
				t.Errorf("open of %s = %v, want ErrNotRegular", name, err)
			}
		}
	}
}

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	path, f := openDir(t)
	if err := errors.Join(unix.Mkfifo(path+"/fifo", 0o600), os.Mkdir(path+"/dir", 0o700)); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for _, name := range []string{"fifo", "dir"} {
		for _, mode := range []durable.Mode{durable.OpenRead, durable.OpenWrite} {
			if _, err := f.Open(name, mode); !errors.Is(err, durable.ErrNotRegular) {
				t.Errorf("open %s in mode %d = %v, want ErrNotRegular", name, mode, err)
			}
		}
		if _, err := f.Size(name); !errors.Is(err, durable.ErrNotRegular) {
			t.Errorf("size of %s = %v, want ErrNotRegular", name, err)
		}
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("opening took %v: a FIFO blocked", took)
	}
}

func TestNamesDoNotLeaveTheDirectory(t *testing.T) {
	t.Parallel()
	_, f := openDir(t)
	for _, name := range []string{"../x", "a/b/c", "/etc/passwd", "..", ""} {
		if _, err := f.Open(name, durable.OpenNew); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("open %q = %v, want fs.ErrInvalid", name, err)
		}
	}
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	f, err := Ensure(path + "/a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := f.Open("x", durable.OpenNew)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	unlock, err := f.TryLock(true)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for name, want := range map[string]fs.FileMode{"a": 0o700, "a/b": 0o700, "a/b/x": 0o600, "a/b/.lock": 0o600} {
		info, err := os.Stat(path + "/" + name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s = %v, %v, want %o", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestLocksExcludeWithinOneProcess(t *testing.T) {
	t.Parallel()
	path, a := openDir(t)
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := a.TryLock(false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("shared lock without lock file = %v, want fs.ErrNotExist", err)
	}
	unlock, err := a.TryLock(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, exclusive := range []bool{true, false} {
		if _, err := b.TryLock(exclusive); !errors.Is(err, durable.ErrBusy) {
			t.Errorf("second lock (exclusive %t) = %v, want ErrBusy", exclusive, err)
		}
	}
	unlock()
	first, err := a.TryLock(false)
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.TryLock(false)
	if err != nil {
		t.Fatalf("second shared lock: %v", err)
	}
	if _, err := b.TryLock(true); !errors.Is(err, durable.ErrBusy) {
		t.Errorf("exclusive lock beside shared ones = %v, want ErrBusy", err)
	}
	first()
	second()
}

// A directory that is renamed while it is open keeps its files.
func TestRenamedDirectoryKeepsWorking(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	f, err := Ensure(path + "/old")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(path+"/old", path+"/new"); err != nil {
		t.Fatal(err)
	}
	if err := f.Mkdir("sub"); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(path + "/new"); err != nil || len(names) != 1 {
		t.Errorf("renamed directory holds %v, %v, want sub", names, err)
	}
}

func TestPlaceWithoutPermissionIsNamedAsSuch(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	path := t.TempDir()
	if err := os.Mkdir(path+"/locked", 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(path + "/locked/x"); !errors.Is(err, durable.ErrReadOnly) {
		t.Errorf("ensure = %v, want ErrReadOnly", err)
	}
}

func TestRemoveTakesFilesAndEmptyDirectories(t *testing.T) {
	t.Parallel()
	path, f := openDir(t)
	if err := errors.Join(f.Mkdir("full"), f.Mkdir("empty"), os.WriteFile(path+"/full/x", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove("empty"); err != nil {
		t.Errorf("remove of an empty directory: %v", err)
	}
	if err := f.Remove("full"); err == nil {
		t.Error("a directory that is not empty was removed")
	}
	if err := f.Remove("full/x"); err != nil {
		t.Errorf("remove of a file: %v", err)
	}
	if err := f.Remove("absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("remove of an absent name = %v, want fs.ErrNotExist", err)
	}
	if names, err := f.ReadDir("."); err != nil || !slices.Equal(names, []string{"full"}) {
		t.Errorf("names = %v, %v, want full", names, err)
	}
}

func TestNamesDownToADirectoryThatNobodyLockedAreSynced(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := base + "/a/b"
	synced := func() (dirs []string) {
		t.Helper()
		f, err := ensure(path, func(dir string) error {
			dirs = append(dirs, dir)
			return syncNames(dir)
		})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return dirs[:min(2, len(dirs))]
	}
	want := []string{base + "/a", base}
	if got := synced(); !slices.Equal(got, want) {
		t.Errorf("making %s synced first %q, want %q", path, got, want)
	}
	if got := synced(); !slices.Equal(got, want) {
		t.Errorf("finding %s, whose maker may have died, synced first %q, want %q", path, got, want)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unlock, err := f.TryLock(true)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if got := synced(); len(got) != 0 {
		t.Errorf("finding %s in use synced %q, want nothing", path, got)
	}
}
