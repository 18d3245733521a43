package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"cortex/internal/proc"
)

const (
	keepOutput  = 4 << 20 // bytes of each stream of a tool that are read; more makes its answer partial
	maxAttempts = 3       // whatever the configuration says
)

// Class says how far an answer can be relied on.
type Class string

// The classes of an answer, from the best to those that say nothing about the question.
const (
	Authoritative Class = "authoritative"
	Partial       Class = "partial"     // the tool answered, and not everything, or not for sure
	Blocked       Class = "blocked"     // something that only a person can give is missing
	Unavailable   Class = "unavailable" // the tool, its index or its service is not there
	Failed        Class = "error"       // it was there and did not do what it was asked
)

// Runner runs the tools for one workspace. It is safe for concurrent use.
type Runner struct {
	Workspace string                   // absolute; tools run here
	Environ   []string                 // all that a tool gets, NAME=value
	Timeouts  map[string]time.Duration // by tool; others have their own
	Retries   int                      // how often a call that only reads is tried again after it could not be started
	Artifacts string                   // directory for what flows leave behind, outside of the workspace
}

// Answer is what became of one call.
type Answer struct {
	Tool      string
	Operation string
	Class     Class
	Cause     string   // why it is not authoritative, one clause without a full stop
	Argv      []string // as run
	Stdout    []byte   // at most 4 MiB, of a longer stream the beginning and the end
	Stderr    []byte
	Exit      int  // -1 when it did not end by itself
	Truncated bool // more was written than is here
	TimedOut  bool
	Attempts  int // how often it was started or tried to be
	Duration  time.Duration
}

// OK reports whether the tool answered, if only in part.
func (a Answer) OK() bool { return a.Class == Authoritative || a.Class == Partial }

// Raw is the whole call as text, the way it is kept with a case.
func (a Answer) Raw() string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\nexit: %d (%s)\n", strings.Join(a.Argv, " "), a.Exit, a.Class)
	if a.Cause != "" {
		fmt.Fprintf(&b, "cause: %s\n", a.Cause)
	}
	fmt.Fprintf(&b, "stdout:\n%s\n", a.Stdout)
	if len(a.Stderr) > 0 {
		fmt.Fprintf(&b, "stderr:\n%s\n", a.Stderr)
	}
	return b.String()
}

// Note is the outcome for an audit line: what happened, and after how many attempts.
func (a Answer) Note() string {
	note := a.Cause
	if note == "" {
		note = fmt.Sprintf("exit %d", a.Exit)
	}
	if a.Attempts > 1 {
		note = fmt.Sprintf("%s (attempt %d)", note, a.Attempts)
	}
	return note
}

// partly makes an answer that would count whole count in part.
func (a *Answer) partly(format string, args ...any) {
	if a.Class == Authoritative {
		a.Class = Partial
	}
	if a.Cause == "" {
		a.Cause = fmt.Sprintf(format, args...)
	}
}

// downgrade gives an answer another class for a reason of its own.
func (a *Answer) downgrade(to Class, format string, args ...any) {
	a.Class, a.Cause = to, fmt.Sprintf(format, args...)
}

// call is one command line of a tool.
type call struct {
	tool      string
	operation string
	args      []string
	timeout   time.Duration // shorter than that of the tool; 0: that
	dir       string        // "": the workspace
	repeat    bool          // it only reads, so it may be tried again
	flow      bool          // it runs what a spec of the repository says, and with PATH as the user has it
}

// run starts the tool and waits for it. The class is that of the process alone: Authoritative when it ended with status 0
// and nothing was cut off, Failed for another status; adapters look at what it said. A call that only reads is tried again
// when it could not be started, never after it ran, whatever its status, and never when its time was up.
func (r Runner) run(ctx context.Context, c call) Answer {
	a, spec, err := r.prepare(c)
	if err != nil {
		return a
	}
	attempts := 1
	if c.repeat {
		attempts = min(1+max(0, r.Retries), maxAttempts)
	}
	var res proc.Result
	for a.Attempts < attempts {
		a.Attempts++
		if res, err = proc.Run(ctx, spec); err == nil || errors.Is(err, proc.ErrNotFound) || ctx.Err() != nil {
			break
		}
	}
	a.ended(ctx, res, err, spec.Timeout)
	return a
}

// prepare is the answer to a call before it is made, and the process that makes it; the error says that there is no program.
func (r Runner) prepare(c call) (Answer, proc.Spec, error) {
	k := known(c.tool)
	a := Answer{Tool: c.tool, Operation: c.operation, Argv: append([]string{k.binary}, c.args...), Exit: -1}
	path, environ, err := r.program(k)
	if err != nil {
		a.downgrade(Unavailable, "%v", err)
		return a, proc.Spec{}, err
	}
	if c.flow {
		environ = r.Environ
	}
	return a, proc.Spec{
		Argv: append([]string{path}, c.args...), Dir: cmp.Or(c.dir, r.Workspace), Env: environ, Timeout: r.timeout(k, c),
		KeepHead: keepOutput / 2, KeepTail: keepOutput / 2, Sweep: true,
	}, nil
}

// ended fills in how the process ended.
func (a *Answer) ended(ctx context.Context, res proc.Result, err error, limit time.Duration) {
	switch {
	case errors.Is(err, proc.ErrNotFound):
		a.downgrade(Unavailable, "%v", err)
		return
	case err != nil:
		a.downgrade(Failed, "it could not be started: %v", err)
		return
	}
	a.Stdout, a.Stderr, a.Exit, a.Duration = res.Stdout.Bytes(), res.Stderr.Bytes(), res.Exit, res.Duration
	a.Truncated = res.Stdout.Dropped > 0
	switch {
	case res.Canceled || ctx.Err() != nil && !res.TimedOut:
		a.downgrade(Partial, "it was ended with the call: %v", context.Cause(ctx))
	case res.TimedOut:
		a.TimedOut = true
		a.downgrade(Partial, "%s", timeUp(ctx, res.Duration, limit))
	case res.Signal != "":
		a.downgrade(Failed, "it was ended by the signal %s", res.Signal)
	case res.Exit != 0:
		a.downgrade(Failed, "exit %d: %s", res.Exit, complaint(res))
	case a.Truncated:
		a.downgrade(Partial, "its answer of %d bytes was cut off", res.Stdout.Total)
	default:
		a.Class = Authoritative
	}
}

// timeUp names the limit that a call reached: its own, or the shorter one of whoever asked, in the words that it was set with.
func timeUp(ctx context.Context, took, limit time.Duration) string {
	if cause := context.Cause(ctx); errors.Is(ctx.Err(), context.DeadlineExceeded) && cause != context.DeadlineExceeded {
		return cause.Error()
	}
	if took < limit {
		limit = took.Round(time.Millisecond)
	}
	return fmt.Sprintf("timed out after %s", limit)
}

// timeout is the plan's limit for the tool, else its own; a call may only shorten it.
func (r Runner) timeout(k tool, c call) time.Duration {
	limit := k.timeout
	if d := r.Timeouts[k.name]; d > 0 {
		limit = d
	}
	if c.timeout > 0 {
		limit = min(limit, c.timeout)
	}
	return limit
}

// Limit is how long one call of a tool may take.
func (r Runner) Limit(name string) time.Duration { return r.timeout(known(name), call{}) }

// Each does n things, at most parallel at a time and never less than one, and returns when all are done.
func Each(n, parallel int, do func(i int)) {
	slots := make(chan struct{}, max(1, parallel))
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	all.Wait()
}

// complaint is the first line of what a tool wrote on standard error, else on standard output.
func complaint(res proc.Result) string {
	for _, out := range []proc.Output{res.Stderr, res.Stdout} {
		if line, _, _ := strings.Cut(strings.TrimSpace(string(out.Bytes())), "\n"); line != "" {
			return clip(strings.ToValidUTF8(strings.TrimSuffix(line, "."), "�"), 300)
		}
	}
	return "it said nothing"
}
