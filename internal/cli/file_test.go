package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cortex/internal/op"
	"cortex/internal/problem"
)

type letter struct {
	Body string `json:"body"`
	to   string
}

func (l letter) File() string { return l.to }

func (l letter) Text(s op.Style) string { return s.Bold(l.Body) }

func printLetter(to string, asJSON bool, dir string) (string, error) {
	var out bytes.Buffer
	a := &App{asJSON: asJSON, call: op.Call{Redact: mask}, Streams: Streams{Out: &out, OutIsTTY: true, Dir: dir, Env: func(string) string { return "" }}}
	err := a.Print(letter{"hunter2 writes", to})
	return out.String(), err
}

func TestFileHoldsWhatWouldHaveBeenPrinted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	for _, test := range []struct {
		asJSON        bool
		content, said string
	}{{false, "*** writes\n", path + "\n"}, {true, "{\n  \"body\": \"*** writes\"\n}\n", "{\n  \"path\": \"" + path + "\"\n}\n"}} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		said, err := printLetter("a.md", test.asJSON, dir)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil || string(content) != test.content {
			t.Errorf("json %v: the file holds %q (%v), want %q", test.asJSON, content, err, test.content)
		}
		if runtime.GOOS != "windows" && said != test.said {
			t.Errorf("json %v: printed %q, want %q", test.asJSON, said, test.said)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("json %v: mode %v (%v), want 0600", test.asJSON, info.Mode(), err)
		}
	}
}

func TestNoFileIsPrinted(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"", "-"} {
		if got, err := printLetter(to, true, "/nowhere"); err != nil || !strings.Contains(got, "*** writes") {
			t.Errorf("%q: printed %q (%v)", to, got, err)
		}
	}
}

func TestAFileThatCannotBeWrittenIsRefused(t *testing.T) {
	t.Parallel()
	got, err := printLetter("no/such/a.md", false, t.TempDir())
	if !problem.Is(err, problem.InvalidInput) || got != "" {
		t.Errorf("got %q and %v", got, err)
	}
}
