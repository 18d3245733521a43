package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"cortex/internal/problem"
	"cortex/internal/proc"
)

const (
	fcheapTimeout = 60 * time.Second
	keepErrors    = 4 << 10 // bytes of what a tool complains about
)

// RestoreStash has fcheap restore a stash into a temporary directory. The id must be a plain name. The caller closes the
// Stash. The error is a *problem.Problem, or that of ctx.
func RestoreStash(ctx context.Context, environ []string, id string) (*Stash, error) {
	s, err := newStash()
	if err != nil {
		return nil, err
	}
	if err := fcheap(ctx, environ, "restore", id, "--to", s.dir, "--json"); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func fcheap(ctx context.Context, environ []string, args ...string) error {
	res, err := proc.Run(ctx, proc.Spec{
		Argv: append([]string{"fcheap"}, args...), Dir: os.TempDir(), Env: environ, Timeout: fcheapTimeout,
		KeepHead: keepErrors, Sweep: true,
	})
	switch {
	case errors.Is(err, proc.ErrNotFound):
		return unavailable("fcheap is not installed, or not on PATH.", err).
			Without("install fcheap and have it on PATH, then call again; or restore the stash where it is installed")
	case err != nil:
		return unavailable(fmt.Sprintf("fcheap cannot be run: %v.", err), err).Without("mend the installation of fcheap, then call again")
	case ctx.Err() != nil:
		return ctx.Err()
	case res.TimedOut:
		return unavailable(fmt.Sprintf("fcheap %s was still running after %v.", args[0], fcheapTimeout), nil).Without("call again when fcheap answers faster")
	case res.Exit != 0:
		return unavailable(fmt.Sprintf("fcheap %s failed with status %d: %s.", args[0], res.Exit, complaint(res)), nil).
			Without("see with fcheap list whether the stash is still there")
	}
	return nil
}

func unavailable(message string, cause error) *problem.Problem {
	return problem.New(problem.ToolUnavailable, "%s", message).Because(cause)
}

// complaint is the first line of what a tool wrote on standard error, else on standard output.
func complaint(res proc.Result) string {
	for _, out := range []proc.Output{res.Stderr, res.Stdout} {
		if line, _, _ := strings.Cut(strings.TrimSpace(string(out.Bytes())), "\n"); line != "" {
			return strings.ToValidUTF8(strings.TrimSuffix(line, "."), "�")
		}
	}
	return "it said nothing"
}
