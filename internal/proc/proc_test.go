package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var env = []string{"PATH=" + os.Getenv("PATH")}

func sh(t *testing.T, ctx context.Context, s Spec, script string) Result {
	t.Helper()
	s.Argv, s.Env = []string{"sh", "-c", script}, env
	if s.Timeout == 0 {
		s.Timeout = 20 * time.Second
	}
	if s.KeepTail == 0 {
		s.KeepTail = 1 << 10
	}
	r, err := Run(ctx, s)
	if err != nil {
		t.Fatalf("run %q: %v", script, err)
	}
	return r
}

func TestExitStatusAndBothStreamsAreReported(t *testing.T) {
	t.Parallel()
	r := sh(t, t.Context(), Spec{}, "echo out; echo err >&2; exit 7")
	if r.Exit != 7 || r.Signal != "" || r.TimedOut || r.Canceled {
		t.Errorf("got exit %d signal %q timed out %v canceled %v, want exit 7 alone", r.Exit, r.Signal, r.TimedOut, r.Canceled)
	}
	if got := string(r.Stdout.Bytes()) + "|" + string(r.Stderr.Bytes()); got != "out\n|err\n" {
		t.Errorf("got output %q, want %q", got, "out\n|err\n")
	}
}

func TestSignalIsNamed(t *testing.T) {
	t.Parallel()
	if r := sh(t, t.Context(), Spec{}, "kill -TERM $$"); r.Exit != -1 || r.Signal != "terminated" || r.TimedOut {
		t.Errorf("got exit %d signal %q timed out %v, want -1, terminated, false", r.Exit, r.Signal, r.TimedOut)
	}
}

func TestEnvironmentIsExactlyTheGivenOne(t *testing.T) {
	t.Parallel()
	envProgram, err := find("env", "/", env)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  []string
		want string
	}{{nil, ""}, {[]string{"A=1"}, "A=1\n"}} {
		r, err := Run(t.Context(), Spec{Argv: []string{envProgram}, Env: c.env, Timeout: 9 * time.Second, KeepHead: 1 << 10})
		if got := string(r.Stdout.Bytes()); err != nil || got != c.want {
			t.Errorf("env %q: got %q, %v, want %q", c.env, got, err, c.want)
		}
	}
}

func TestStdinReachesTheChildAndMayBeLeftUnread(t *testing.T) {
	t.Parallel()
	if r := sh(t, t.Context(), Spec{Stdin: strings.NewReader("hello")}, "cat"); string(r.Stdout.Bytes()) != "hello" {
		t.Errorf("got %q, want hello", r.Stdout.Bytes())
	}
	large := bytes.NewReader(make([]byte, 1<<20))
	if r := sh(t, t.Context(), Spec{Stdin: large}, "exit 3"); r.Exit != 3 {
		t.Errorf("unread input: got exit %d, want 3", r.Exit)
	}
	if r := sh(t, t.Context(), Spec{}, "cat"); r.Exit != 0 || r.Stdout.Total != 0 {
		t.Errorf("no input: got exit %d and %d bytes, want 0 and 0", r.Exit, r.Stdout.Total)
	}
}

func TestMissingProgramsAreNotFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "#!/bin/sh\n", 0o600)
	orphan := write("orphan", "#!/no/such/interpreter\n", 0o700)
	write("here", "#!/bin/sh\n", 0o700)
	for _, c := range []struct {
		name string
		argv string
		env  []string
	}{
		{"not on PATH", "no-such-program", env},
		{"no PATH", "sh", nil},
		{"relative entry of PATH", "here", []string{"PATH=.:"}},
		{"not executable", plain, env},
		{"interpreter missing", orphan, env},
		{"a directory", dir, env},
		{"relative path", "./nothing", env},
	} {
		_, err := Run(t.Context(), Spec{Dir: dir, Argv: []string{c.argv}, Env: c.env, Timeout: time.Second})
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", c.name, err)
		}
	}
}

func TestProgramIsSearchedInTheChildsPathAndFromItsDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\nprintf '%s' \"$0\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		argv string
		env  []string
	}{{"tool", []string{"PATH=/nowhere:" + dir}}, {"./tool", nil}, {filepath.Join(dir, "tool"), nil}} {
		r, err := Run(t.Context(), Spec{Dir: dir, Argv: []string{c.argv}, Env: c.env, Timeout: 9 * time.Second, KeepHead: 1 << 10})
		if got := string(r.Stdout.Bytes()); err != nil || filepath.Base(got) != "tool" {
			t.Errorf("%s: got %q, %v, want the tool's own path", c.argv, got, err)
		}
	}
}

func TestBadSpecsAreRefused(t *testing.T) {
	t.Parallel()
	for _, s := range []Spec{
		{Argv: []string{"/bin/sh"}},
		{Timeout: time.Second},
		{Timeout: time.Second, Argv: []string{""}},
		{Timeout: time.Second, Argv: []string{"/bin/sh"}, Dir: "/no/such/directory"},
	} {
		if _, err := Run(t.Context(), s); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("%+v: got %v, want an error that is not ErrNotFound", s, err)
		}
	}
}

func TestFloodNeitherHangsNorGrowsMemory(t *testing.T) {
	t.Parallel()
	var streamed counter
	s := Spec{KeepHead: 100, KeepTail: 200, Stdout: &streamed}
	r := sh(t, t.Context(), s, "echo first; yes abcdefg | head -c 20000000; echo last; yes x | head -c 300000 >&2")
	const want = 20000000 + 6 + 5
	if r.Exit != 0 || r.Stdout.Total != want || int64(streamed) != want || r.Stderr.Total != 300000 {
		t.Errorf("got exit %d, %d and %d bytes of stdout, %d of stderr", r.Exit, r.Stdout.Total, streamed, r.Stderr.Total)
	}
	kept := string(r.Stdout.Bytes())
	if len(kept) > 400 || !strings.HasPrefix(kept, "first\n") || !strings.HasSuffix(kept, "\nlast\n") {
		t.Errorf("got %d bytes kept: %q", len(kept), kept)
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func TestBrokenWriterDoesNotStopTheChild(t *testing.T) {
	t.Parallel()
	r := sh(t, t.Context(), Spec{Stdout: brokenWriter{}}, "yes | head -c 1000000; exit 4")
	if r.Exit != 4 || r.Stdout.Total != 1000000 {
		t.Errorf("got exit %d and %d bytes, want 4 and 1000000", r.Exit, r.Stdout.Total)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestAlive(t *testing.T) {
	t.Parallel()
	if !Alive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	for _, pid := range []int{0, -1, 1 << 30} {
		if Alive(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
}
