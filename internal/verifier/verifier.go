package verifier

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cortex/internal/proc"
)

// What a check's Report may be.
const (
	ReportAuto  = "auto"   // by the counts of the test runners where they are recognised, else by the exit status; also ""
	ReportExit  = "exit"   // by the exit status only
	ReportTAP   = "tap"    // by the TAP that the command prints on stdout
	ReportJUnit = "junit:" // by the JUnit XML that the command writes to the path behind it, below Dir
)

// DefaultTimeout bounds a check that sets no deadline.
const DefaultTimeout = 2 * time.Minute

// Check is a configured command.
type Check struct {
	Name    string
	Argv    []string // run as it is, without a shell
	Dir     string
	Timeout time.Duration // zero or less is DefaultTimeout
	Environ []string      // the whole environment of the command, NAME=value
	Report  string        // ReportAuto, ReportExit, ReportTAP, or ReportJUnit with a path; anything else is ReportAuto
	Tests   []string      // tests that the run has to say the end of; see Run.Tests
}

// Status is a verdict.
type Status string

// The verdicts.
const (
	Passed       Status = "passed"
	Failed       Status = "failed"
	Inconclusive Status = "inconclusive" // it ran, and proves nothing either way
	Blocked      Status = "blocked"      // it cannot run here: a program or a project is missing
	NotRun       Status = "not_run"      // it ran no test
)

// Counts are the results of a test run.
type Counts struct {
	Executed int // Passed + Failed
	Passed   int
	Failed   int
	Skipped  int
}

// Run is a check that was run, with its verdict.
type Run struct {
	Argv          []string // as configured
	EffectiveArgv []string // as run: with the flag that makes the runner report, when it was added
	Variables     []string // names of the variables that were added to the check's environment
	Runner        string   // such as "go test"; empty when it was not recognised
	RunnerVersion string   // such as "go1.26.8"; empty when unknown

	Status Status
	Reason string  // one plain sentence without a full stop
	Counts *Counts // nil when unknown or incomplete; a verdict that then rests on the exit status says so in Reason
	Exit   *int    // nil when the process did not end by itself

	Duration         time.Duration
	Output           []byte            // the command line, the exit status, and the kept text of both streams
	Truncated        bool              // Output is not everything; it says what was dropped
	Install          string            // when Blocked: what would install the missing thing, if known
	Tests            map[string]Status // exactly the wanted tests: Passed, Failed, NotRun, or Inconclusive when the report does not tell
	FailedTests      []string          // at most maxFailedTests names
	BuildFailed      bool              // something did not compile: Inconclusive, which a caller may turn into Failed
	BuildFailedFiles []string          // the files that the compiler named, as printed, at most maxBuildFiles
}

const (
	maxFailedTests = 20 // a receipt lists the first ones, the output has the rest
	maxBuildFiles  = 50

	// What is kept of each stream: the start names the set-up, the end has the summary and most failures.
	keepHead = 16 << 10
	keepTail = 48 << 10
)

// Execute runs the check and judges it. Whatever goes wrong is a verdict. It is safe for concurrent use; canceling ctx ends
// the command and everything it started (see package proc) and yields Inconclusive.
func Execute(ctx context.Context, c Check) Run {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	dir, err := os.MkdirTemp("", "cortex-report-")
	if err != nil {
		return blocked(Run{Argv: c.Argv, EffectiveArgv: c.Argv}, fmt.Errorf("make a directory for the report: %w", err))
	}
	defer os.RemoveAll(dir)
	p := planFor(c, filepath.Join(dir, "report"))
	run := Run{Argv: c.Argv, EffectiveArgv: p.argv, Runner: p.runner}
	p.setGoFlags(goFlags(ctx, c, dir, p.goFlags))
	for _, e := range p.environ {
		name, _, _ := strings.Cut(e, "=")
		run.Variables = append(run.Variables, name)
	}
	t := newTranscript(p.parser)
	res, err := proc.Run(ctx, proc.Spec{
		Dir: c.Dir, Argv: p.argv, Env: slices.Concat(c.Environ, p.environ), Timeout: c.Timeout, Sweep: true,
		Stdout: &t.stdout, Stderr: &t.stderr,
	})
	if err != nil {
		return blocked(run, err)
	}
	r := t.finish(res.Exit)
	if p.runner == "" && r.seen {
		run.Runner = r.runner
	}
	run.Duration = res.Duration
	end := ending{exit: res.Exit, killed: killedBy(res, c.Timeout)}
	if end.killed == "" {
		run.Exit = &res.Exit
	}
	end.program, end.install = p.runner, install(p.runner)
	run.Output, run.Truncated = t.output(p.argv, end)
	run.take(r, end)
	run.Tests = r.wanted(c.Tests)
	if run.Status != Blocked {
		run.RunnerVersion = p.runnerVersion(ctx, c)
	}
	return run
}

// take fills in what the report says and the verdict on it.
func (run *Run) take(r report, end ending) {
	v := judge(end, r)
	run.Status, run.Reason, run.Install = v.status, v.reason, v.install
	run.FailedTests, run.BuildFailed, run.BuildFailedFiles = r.failedTests, r.buildFailed, r.buildFiles
	if r.known && end.killed == "" {
		counts := r.counts
		counts.Executed = counts.Passed + counts.Failed
		run.Counts = &counts
	}
}

// blocked is the verdict on a command that could not be started.
func blocked(run Run, err error) Run {
	run.Status = Blocked
	run.Reason = fmt.Sprintf("the check could not be run: %v", err)
	if errors.Is(err, proc.ErrNotFound) {
		run.Install = install(run.Runner)
	}
	run.Output = []byte("$ " + CommandLine(run.EffectiveArgv) + "\nexit: none (" + err.Error() + ")\n")
	return run
}

// killedBy says in words why the process did not end by itself; empty when it did.
func killedBy(res proc.Result, timeout time.Duration) string {
	switch {
	case res.TimedOut:
		return fmt.Sprintf("it was killed at its deadline of %v", timeout)
	case res.Canceled:
		return "it was canceled"
	case res.Signal != "":
		return fmt.Sprintf("it was ended by a signal (%s)", res.Signal)
	}
	return ""
}

// CommandLine writes argv so that a shell would read it back.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsAny(a, " \t\r\n'\"\\$`*?[]{}()<>|&;#~!^") {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
