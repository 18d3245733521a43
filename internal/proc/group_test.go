//go:build unix

package proc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hangs is less than the sleeps of these tests, and more than a busy machine needs.
const hangs = 30 * time.Second

func TestDeadlineKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	began := time.Now()
	r := sh(t, t.Context(), Spec{Timeout: time.Second}, "echo $$; sleep 60 & echo $!; trap '' TERM INT; wait")
	if !r.TimedOut || r.Canceled || r.Exit != -1 || r.Signal != "killed" {
		t.Errorf("got %+v, want timed out, exit -1, signal killed", r)
	}
	if took := time.Since(began); took > hangs {
		t.Errorf("took %v, want a little over 1s", took)
	}
	wantGone(t, string(r.Stdout.Bytes()), 2)
}

func TestCancelKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := sh(t, ctx, Spec{Stdout: whenWritten(cancel)}, "sleep 60 & echo $!; wait")
	if !r.Canceled || r.TimedOut || r.Exit != -1 {
		t.Errorf("got %+v, want canceled, exit -1", r)
	}
	wantGone(t, string(r.Stdout.Bytes()), 1)
}

// whenWritten is a writer that calls the function at each write.
type whenWritten func()

func (f whenWritten) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestCanceledContextStartsNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := filepath.Join(t.TempDir(), "ran")
	if r := sh(t, ctx, Spec{}, "touch "+file); !r.Canceled || r.Exit != -1 {
		t.Errorf("got %+v, want canceled, exit -1", r)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the program ran under a canceled context")
	}
}

func TestBackgroundProcessesEndWithTheirLeader(t *testing.T) {
	t.Parallel()
	began := time.Now()
	r := sh(t, t.Context(), Spec{}, "sleep 60 & echo $!; exit 5")
	if r.Exit != 5 || r.TimedOut {
		t.Errorf("got exit %d timed out %v, want 5, false", r.Exit, r.TimedOut)
	}
	if took := time.Since(began); took > hangs {
		t.Errorf("took %v: the background process held Run", took)
	}
	wantGone(t, string(r.Stdout.Bytes()), 1)
}

func TestDaemonHoldingStdoutIsAbandonedAndSwept(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid on this system")
	}
	const daemon = "setsid sh -c 'echo $$; : >ready; exec sleep 60' & until [ -e ready ]; do sleep 0.01; done; echo done >&2"
	for _, c := range []struct {
		sweep, cancel bool
	}{{false, false}, {true, false}, {true, true}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s, script := Spec{Dir: t.TempDir(), Sweep: c.sweep, Timeout: hangs}, daemon
		if c.cancel {
			s.Stderr, script = whenWritten(cancel), daemon+"; sleep 60"
		}
		began := time.Now()
		r := sh(t, ctx, s, script)
		if took := time.Since(began); took > hangs || r.Canceled != c.cancel {
			t.Errorf("%+v: took %v, canceled %v", c, took, r.Canceled)
		}
		pid := string(r.Stdout.Bytes())
		if c.sweep && runtime.GOOS == "linux" {
			wantGone(t, pid, 1)
		} else if n, err := strconv.Atoi(strings.TrimSpace(pid)); err == nil {
			syscall.Kill(n, syscall.SIGKILL)
		}
	}
}

func TestZombieIsNotAlive(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "exit 0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	deadline := time.Now().Add(5 * time.Second)
	for Alive(cmd.Process.Pid) {
		if time.Now().After(deadline) {
			t.Fatal("a process that ended and was not reaped is still alive after 5 s")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestChildDiesWithItsParent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a parent death signal")
	}
	if file := os.Getenv("PROC_TEST_PARENT"); file != "" {
		// This is the parent that gets killed: it runs a child that writes its number.
		sh(t, t.Context(), Spec{}, "echo $$ >"+file+".tmp; mv "+file+".tmp "+file+"; sleep 60")
		return
	}
	file := filepath.Join(t.TempDir(), "pid")
	parent := exec.Command(os.Args[0], "-test.run=^TestChildDiesWithItsParent$")
	parent.Env = append(os.Environ(), "PROC_TEST_PARENT="+file)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid []byte
	for deadline := time.Now().Add(10 * time.Second); len(pid) == 0 && time.Now().Before(deadline); {
		pid, _ = os.ReadFile(file) // until it is there
		time.Sleep(5 * time.Millisecond)
	}
	parent.Process.Kill()
	_ = parent.Wait() // it was killed
	wantGone(t, string(pid), 1)
}

// wantGone waits until none of the process numbers in text is alive.
func wantGone(t *testing.T, text string, count int) {
	t.Helper()
	pids := strings.Fields(text)
	if len(pids) != count {
		t.Fatalf("got process numbers %q, want %d of them", text, count)
	}
	for _, field := range pids {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(10 * time.Second)
		for Alive(pid) {
			if time.Now().After(deadline) {
				syscall.Kill(pid, syscall.SIGKILL)
				t.Fatalf("process %d is still alive", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}
