package proc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"
)

// drainTime bounds how long output is still read after the direct child ended: a descendant that left the group and holds
// the pipes open is then abandoned.
const drainTime = time.Second

// Spec says what to run.
type Spec struct {
	Dir   string    // working directory; empty is that of this process
	Argv  []string  // program and arguments; a bare program name is searched in the PATH of Env, one with a slash from Dir
	Env   []string  // the whole environment, NAME=value; nil is an empty one: nothing is inherited
	Stdin io.Reader // nil is an empty input; a reader must end by itself, it is not interrupted

	Timeout time.Duration // required, above zero

	// Stdout and Stderr get every byte as it comes, from one goroutine each; give one writer for both only when it is safe
	// for concurrent use. A writer must not block for ever. After its first error it gets nothing more.
	Stdout, Stderr io.Writer

	KeepHead, KeepTail int // bytes of each stream that Result keeps

	Sweep bool // Linux: also kill descendants that left the group; costs a walk over /proc, some milliseconds
}

// Result is how a process ended and what it wrote.
type Result struct {
	Exit               int    // exit status, -1 when a signal or Run ended it
	Signal             string // the signal that ended it, such as "killed"; empty otherwise
	TimedOut, Canceled bool   // Run killed it, at the deadline or because the context was canceled
	Stdout, Stderr     Output
	Duration           time.Duration
}

// Run starts the program, waits for it and kills what is left of its group. The error says that it could not be started:
// ErrNotFound, a bad Dir, a bad Spec, or what the system said. How it ended is only in Result. It is safe for concurrent use.
func Run(ctx context.Context, s Spec) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	cmd, err := command(ctx, s)
	if err != nil {
		return Result{}, err
	}
	mark := ""
	if s.Sweep {
		mark = "CORTEX_PROCESS_MARK_" + rand.Text() + "=1"
		cmd.Env = append(cmd.Env, mark)
	}
	stdout, stderr := stream{to: s.Stdout}, stream{to: s.Stderr}
	for _, st := range []*stream{&stdout, &stderr} {
		if err := st.open(s.KeepHead, s.KeepTail); err != nil {
			return Result{}, err
		}
		defer st.close()
	}
	cmd.Stdout, cmd.Stderr = stdout.childEnd, stderr.childEnd

	began := time.Now()
	killed, err := wait(ctx, s, cmd, &stdout, &stderr)
	if err != nil {
		return Result{}, err
	}
	if s.Sweep {
		sweep(mark)
	}
	drain(&stdout, &stderr)
	r := Result{Stdout: stdout.kept.Output(), Stderr: stderr.kept.Output(), Duration: time.Since(began)}
	r.ended(ctx, cmd, killed)
	return r, nil
}

// ended fills in how the direct child ended.
func (r *Result) ended(ctx context.Context, cmd *exec.Cmd, killed bool) {
	r.Exit, r.Signal = -1, "killed"
	if cmd.ProcessState != nil {
		r.Exit, r.Signal = cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	}
	if killed {
		r.Exit = -1
		r.Canceled = errors.Is(ctx.Err(), context.Canceled)
		r.TimedOut = !r.Canceled
	}
}

// wait runs cmd to the end of the direct child and kills its group; killed says that ctx ended it.
func wait(ctx context.Context, s Spec, cmd *exec.Cmd, streams ...*stream) (killed bool, err error) {
	// The parent death signal of Linux comes when the thread that started the child ends: hold it until the child has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g, err := newGroup(cmd)
	if err != nil {
		return false, fmt.Errorf("prepare a process group: %w", err)
	}
	defer g.close()
	var byContext atomic.Bool
	cmd.Cancel = func() error {
		byContext.Store(true)
		if !s.Sweep {
			return cmd.Process.Kill()
		}
		// Found before the child is killed, because its children then get another parent; killed after it, because it would
		// otherwise see them end and go on.
		found := descendants(cmd.Process.Pid)
		err := cmd.Process.Kill()
		for _, p := range found {
			_ = p.Kill()    // fails only when it has ended
			_ = p.Release() // never fails
		}
		return err
	}
	if err := cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return true, nil // it was over before it began
		}
		return false, startError(cmd, err)
	}
	for _, st := range streams {
		st.start()
	}
	g.adopt(cmd.Process.Pid)
	ended := g.awaitLeader(cmd.Process.Pid)
	if ended {
		g.kill(cmd.Process.Pid)
	}
	_ = cmd.Wait() // says only what ProcessState says, or that Stdin was not read to its end, which is the child's business
	if !ended {
		g.kill(cmd.Process.Pid)
	}
	return byContext.Load() && !exitedBySelf(cmd.ProcessState), nil
}
