package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"cortex/internal/durable"
)

func TestWriteFileReplacesWholeAndKeepsWhatTheUserChose(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permission bits and links are another matter there")
	}
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.Symlink("real.yaml", link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(real)
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode of the target = %v, %v, want the old -rw-r-----", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("link = %v, %v, want it still to be one", info.Mode(), err)
	}
	if data, err := os.ReadFile(link); string(data) != "new" || err != nil {
		t.Errorf("content = %q, %v, want new", data, err)
	}
	if err := durable.WriteFile(filepath.Join(dir, "fresh"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "fresh")); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of a new file = %v, %v, want 0600", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("directory holds %v, %v, want three files and no leftover", entries, err)
	}
}

func TestWriteFileRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := durable.WriteFile(dir, nil, 0o600); !errors.Is(err, durable.ErrNotRegular) {
		t.Errorf("write over a directory = %v, want ErrNotRegular", err)
	}
	if err := durable.WriteFile(filepath.Join(dir, "absent", "x"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("write below an absent directory = %v, want fs.ErrNotExist", err)
	}
}
