package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"cortex/internal/proc"
)

// callTimeout bounds one git process. Listing 100,000 files takes about half a second.
const callTimeout = 20 * time.Second

// maxListingBytes bounds the output of one git process that is kept: about two million paths.
const maxListingBytes = 512 << 20

// gitError is a git process that ended with a status other than 0.
type gitError struct {
	verb   string
	exit   int
	stderr string
}

func (e *gitError) Error() string {
	text := strings.TrimSpace(e.stderr)
	if line, _, cut := strings.Cut(text, "\n"); cut {
		text = line
	}
	if text == "" {
		text = fmt.Sprintf("exit status %d", e.exit)
	}
	return "git " + e.verb + ": " + text
}

// settings switch off, for one process, every setting of a repository that could run a program or bend an answer. The
// rest is done by the arguments of the single commands and by gitEnviron.
//
// With core.ignoreCase git takes an untracked file for the tracked one whose name differs only in case and does not list it;
// where the file system tells the two apart (exactCase) that would hide a file.
func settings(exactCase bool) []string {
	args := []string{
		"--no-pager", "--no-optional-locks", "--no-replace-objects",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull,
		"-c", "core.quotePath=false",
		"-c", "core.untrackedCache=false",
	}
	if exactCase {
		args = append(args, "-c", "core.ignoreCase=false")
	}
	return args
}

// gitEnviron is environ without what redirects git, and with what keeps it quiet, offline and in one language.
func gitEnviron(environ []string) []string {
	out := make([]string, 0, len(environ)+8)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LC_") || name == "LANGUAGE" || name == "PWD" {
			continue
		}
		out = append(out, entry)
	}
	return append(out, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
		// A partial clone fetches missing objects with programs that its configuration names: allow no transport.
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")
}

// git runs one git command in the top level, passes its output to stdout and returns what it said on stderr. A status
// other than 0 is a *gitError; the output up to then has been passed on.
func (r *Repo) git(ctx context.Context, stdout io.Writer, verb string, args ...string) (string, error) {
	return r.gitWithInput(ctx, nil, stdout, verb, args...)
}

func (r *Repo) gitWithInput(ctx context.Context, stdin io.Reader, stdout io.Writer, verb string, args ...string) (string, error) {
	return runGit(ctx, r.Root, r.environ, settings(r.exactCase), stdin, stdout, verb, args...)
}

func runGit(ctx context.Context, dir string, environ, settings []string, stdin io.Reader, stdout io.Writer,
	verb string, args ...string) (string, error) {
	argv := append(append([]string{"git"}, settings...), verb)
	res, err := proc.Run(ctx, proc.Spec{
		Dir: dir, Argv: append(argv, args...), Env: environ, Timeout: callTimeout,
		Stdin: stdin, Stdout: stdout, KeepHead: 16 << 10,
	})
	if err != nil {
		return "", fmt.Errorf("run git %s: %w", verb, err)
	}
	stderr := string(res.Stderr.Bytes())
	switch {
	case res.Canceled:
		return stderr, fmt.Errorf("git %s: %w", verb, context.Cause(ctx))
	case res.TimedOut:
		return stderr, fmt.Errorf("git %s: no answer within %s: %w", verb, callTimeout, context.DeadlineExceeded)
	case res.Exit != 0:
		return stderr, &gitError{verb: verb, exit: res.Exit, stderr: stderr}
	}
	return stderr, nil
}

var errTooMuchOutput = errors.New("more output than can be kept")

// buffer keeps output up to a limit and remembers that there was more.
type buffer struct {
	limit int
	data  []byte
	over  bool
}

func (b *buffer) Write(p []byte) (int, error) {
	if room := b.limit - len(b.data); room < len(p) {
		b.over = true
		b.data = append(b.data, p[:room]...)
		return len(p), nil
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

// output runs one git command and returns everything it wrote.
func (r *Repo) output(ctx context.Context, verb string, args ...string) (stdout, stderr string, err error) {
	out := buffer{limit: maxListingBytes}
	stderr, err = r.git(ctx, &out, verb, args...)
	if err == nil && out.over {
		err = fmt.Errorf("git %s: %w", verb, errTooMuchOutput)
	}
	return string(out.data), stderr, err
}
