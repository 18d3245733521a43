package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestSweepFindsTheDaemonsOfANestedRun(t *testing.T) {
	t.Parallel()
	// The inner mark must not hide the outer one.
	inner := exec.Command("setsid", "sleep", "60")
	inner.Env = append(env, "CORTEX_PROCESS_MARK_OUTER=1", "CORTEX_PROCESS_MARK_INNER=1")
	if err := inner.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- inner.Wait() }()
	for comm := ""; comm != "sleep\n"; time.Sleep(time.Millisecond) { // past its second exec
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", inner.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		comm = string(raw)
	}
	sweep("CORTEX_PROCESS_MARK_OUTE=1")
	if !Alive(inner.Process.Pid) {
		t.Error("a process without the mark was killed")
	}
	sweep("CORTEX_PROCESS_MARK_OUTER=1")
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got %v, want killed", err)
	}
}

func TestDescendantsWithoutTheMarkDieAtTheDeadline(t *testing.T) {
	t.Parallel()
	r := sh(t, t.Context(), Spec{Dir: t.TempDir(), Sweep: true, Timeout: 500 * time.Millisecond},
		"env -i setsid sleep 60 & echo $!; (env -i setsid sh -c 'sleep 60 & echo $!; wait') & wait")
	if !r.TimedOut {
		t.Errorf("got %+v, want timed out", r)
	}
	wantGone(t, string(r.Stdout.Bytes()), 2)
}
