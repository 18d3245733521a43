package crashfs

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cortex/internal/durable"
)

// put writes a file and syncs what is asked for.
func put(t *testing.T, d *Disk, name, text string, file, dir bool) {
	t.Helper()
	h, err := d.FS().Open(name, durable.OpenNew)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
	if file {
		err = h.Sync()
	}
	if dir {
		err = errors.Join(err, d.FS().SyncDir("."))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// outcomes are the different states a power loss can leave.
func outcomes(d *Disk) []string {
	var images []string
	d.States(1, 200, func(state *Disk) bool {
		images = append(images, state.Image())
		return true
	})
	slices.Sort(images)
	return slices.Compact(images)
}

func TestUnsyncedBlocksSurviveEachByItself(t *testing.T) {
	t.Parallel()
	d := New()
	put(t, d, "x", strings.Repeat("a", 64)+strings.Repeat("b", 64), false, true)
	if got := d.Pending(); got != 3 {
		t.Errorf("%d pending changes, want the length and the two blocks", got)
	}
	a, b, zeros := strings.Repeat("a", 64), strings.Repeat("b", 64), strings.Repeat("\x00", 64)
	want := []string{"/\n/x 0\n\n", "/\n/x 64\n" + a + "\n", "/\n/x 128\n" + zeros + zeros + "\n", "/\n/x 128\n" + a + zeros + "\n",
		"/\n/x 128\n" + zeros + b + "\n", "/\n/x 128\n" + a + b + "\n"}
	slices.Sort(want)
	if got := outcomes(d); !slices.Equal(got, want) {
		t.Errorf("outcomes = %q, want %q", got, want)
	}
}

func TestSyncOfAFileSaysNothingAboutItsName(t *testing.T) {
	t.Parallel()
	d := New()
	put(t, d, "x", "a", true, false)
	if got, want := outcomes(d), []string{"/\n", "/\n/x 1\na\n"}; !slices.Equal(got, want) {
		t.Errorf("outcomes = %q, want %q", got, want)
	}
}

func TestRenameIsOneChangeInADirectoryAndTwoBetween(t *testing.T) {
	t.Parallel()
	d := New()
	put(t, d, "x", "a", true, true)
	if err := d.FS().Rename("x", "y"); err != nil {
		t.Fatal(err)
	}
	if got, want := outcomes(d), []string{"/\n/x 1\na\n", "/\n/y 1\na\n"}; !slices.Equal(got, want) {
		t.Errorf("outcomes of a rename = %q, want %q", got, want)
	}
	if err := errors.Join(d.FS().Mkdir("raw"), d.FS().SyncDir("."), d.FS().Rename("y", "raw/z")); err != nil {
		t.Fatal(err)
	}
	if got := d.Pending(); got != 2 {
		t.Errorf("%d pending changes of a rename between directories, want two", got)
	}
}

func TestSkippedSyncsKeepEverythingPending(t *testing.T) {
	t.Parallel()
	d := New()
	d.SkipFileSync, d.SkipDirSync = true, true
	put(t, d, "x", "a", true, true)
	if got := d.Pending(); got != 3 {
		t.Errorf("%d pending changes, want the name, the length and the block", got)
	}
}

func TestKillKeepsWhatProcessesSawAndItsUncertainty(t *testing.T) {
	t.Parallel()
	d := New()
	put(t, d, "x", "a", false, false)
	d.StopAfter(0)
	if _, err := d.FS().Size("x"); !errors.Is(err, ErrStopped) {
		t.Errorf("call of a dead process = %v, want ErrStopped", err)
	}
	after := d.Kill()
	if got, want := after.Image(), "/\n/x 1\na\n"; got != want {
		t.Errorf("image = %q, want %q", got, want)
	}
	if got := outcomes(after); len(got) != 4 {
		t.Errorf("outcomes after the kill = %q, want absent, empty, zero and whole", got)
	}
}

func TestFailedSyncIsMadeUpForOnlyByAnotherWrite(t *testing.T) {
	t.Parallel()
	d := New()
	put(t, d, "x", "old", true, true)
	h, err := d.FS().Open("x", durable.OpenWrite)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if _, err := h.WriteAt([]byte(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	write("new")
	d.FailStep(0, syscall.EIO)
	if err := h.Sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("failing sync = %v, want EIO", err)
	}
	if err := h.Sync(); err != nil {
		t.Fatal(err)
	}
	if got, want := outcomes(d), []string{"/\n/x 3\nnew\n", "/\n/x 3\nold\n"}; !slices.Equal(got, want) {
		t.Errorf("outcomes after another sync = %q, want %q", got, want)
	}
	write("n")
	if err := h.Sync(); err != nil {
		t.Fatal(err)
	}
	if got, want := outcomes(d), []string{"/\n/x 3\nnew\n"}; !slices.Equal(got, want) {
		t.Errorf("outcomes after another write to the block = %q, want %q", got, want)
	}
}

func TestSpaceEndsWithinAWrite(t *testing.T) {
	t.Parallel()
	d := New()
	d.SetSpace(3)
	h, err := d.FS().Open("x", durable.OpenNew)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := h.WriteAt([]byte("abc"), 0); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write = %d, %v, want 2 and ENOSPC", n, err)
	}
}

func TestCountingCountsSubdirectoriesToo(t *testing.T) {
	t.Parallel()
	var c Counter
	fsys := Counting(New().FS(), &c)
	if err := fsys.Mkdir("sub"); err != nil {
		t.Fatal(err)
	}
	sub, err := fsys.Sub("sub")
	if err != nil {
		t.Fatal(err)
	}
	h, err := sub.Open("x", durable.OpenNew)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Sync(), sub.SyncDir("."), fsys.SyncDir(".")); err != nil {
		t.Fatal(err)
	}
	if files, dirs := c.Take(); files != 1 || dirs != 2 {
		t.Errorf("counted %d files and %d directories, want 1 and 2", files, dirs)
	}
}
