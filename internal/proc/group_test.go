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

func TestDeadlineKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	began := time.Now()
	r := sh(t, t.Context(), Spec{Timeout: 300 * time.Millisecond}, "echo $$; sleep 60 & echo $!; trap '' TERM INT; wait")
	if !r.TimedOut || r.Canceled || r.Exit != -1 || r.Signal != "killed" {
		t.Errorf("got %+v, want timed out, exit -1, signal killed", r)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v, want a little over 300ms", took)
	}
	wantGone(t, string(r.Stdout.Bytes()), 2)
}

func TestCancelKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	r := sh(t, ctx, Spec{}, "sleep 60 & echo $!; wait")
	if !r.Canceled || r.TimedOut || r.Exit != -1 {
		t.Errorf("got %+v, want canceled, exit -1", r)
	}
	wantGone(t, string(r.Stdout.Bytes()), 1)
}

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
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v: the background process held Run", took)
	}
	wantGone(t, string(r.Stdout.Bytes()), 1)
}

func TestDaemonHoldingStdoutIsAbandonedAndSwept(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid on this system")
	}
	const daemon = "setsid sh -c 'echo $$; exec sleep 60' & sleep 0.3; echo done"
	for _, c := range []struct {
		sweep bool
		spec  Spec
		tail  string
	}{
		{false, Spec{}, ""},
		{true, Spec{Sweep: true}, ""},
		{true, Spec{Sweep: true, Timeout: time.Second}, "; sleep 60"},
	} {
		began := time.Now()
		r := sh(t, t.Context(), c.spec, daemon+c.tail)
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%+v: took %v: the daemon held Run", c.spec, took)
		}
		first, rest, _ := strings.Cut(string(r.Stdout.Bytes()), "\n")
		if rest != "done\n" || r.TimedOut != (c.tail != "") {
			t.Errorf("%+v: got output %q %q, timed out %v", c.spec, first, rest, r.TimedOut)
		}
		if c.sweep && runtime.GOOS == "linux" {
			wantGone(t, first, 1)
			continue
		}
		if pid, err := strconv.Atoi(first); err == nil {
			syscall.Kill(pid, syscall.SIGKILL)
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
		deadline := time.Now().Add(3 * time.Second)
		for Alive(pid) {
			if time.Now().After(deadline) {
				syscall.Kill(pid, syscall.SIGKILL)
				t.Fatalf("process %d is still alive", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}
