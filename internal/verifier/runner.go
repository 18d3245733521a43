package verifier

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"cortex/internal/proc"
)

// plan is how a check is run and read.
type plan struct {
	argv    []string
	environ []string // added to the check's environment
	goFlags []string // added to GOFLAGS
	runner  string
	version []string // the command that prints the runner's version; nil when there is none
	parser  parser
}

// planFor decides from argv alone. file is where a runner that cannot report on stdout is told to write: a path in a
// directory of its own, outside the repository.
func planFor(c Check, file string) plan {
	at := locate(c.Argv)
	switch path, isJUnit := strings.CutPrefix(c.Report, ReportJUnit); {
	case isJUnit:
		return junitPlan(c, at, path)
	case c.Report == ReportExit:
		return plan{argv: c.Argv, parser: exitParser{}}
	case c.Report == ReportTAP:
		return plan{argv: c.Argv, runner: at.runner, parser: newTAPParser(ReportTAP, c.Dir), goFlags: []string{freshFlag}}
	}
	switch at.runner {
	case goTest:
		return goPlan(c.Argv, at)
	case cargoTest:
		return plan{argv: c.Argv, runner: cargoTest, parser: &cargoParser{direct: true}}
	case nodeTest:
		return nodePlan(c, at, file)
	case mocha:
		return mochaPlan(c, at)
	case pytest:
		return pytestPlan(c, at, file)
	case unittest:
		return unittestPlan(c, at)
	case jest, vitest:
		return jestPlan(c, at, file)
	case playwright:
		return playwrightPlan(c, at, file)
	}
	return plan{argv: c.Argv, parser: newWrapped(c.Dir), goFlags: []string{verboseFlag, freshFlag}}
}

// withFlags adds flags at the end of argv, or before the -- that ends the runner's own flags.
func withFlags(argv []string, at location, flags ...string) []string {
	end := len(argv)
	if i := slices.Index(argv[at.args:], "--"); i >= 0 {
		end = at.args + i
	}
	return slices.Insert(slices.Clone(argv), end, flags...)
}

// flagValue is the value of the first of the flags --name that argv has behind the runner's word.
func flagValue(argv []string, at location, names ...string) (value string, found bool) {
	for i := at.args; i < len(argv) && argv[i] != "--"; i++ {
		name, value, joined := strings.Cut(argv[i], "=")
		if !slices.Contains(names, name) {
			continue
		}
		if !joined {
			value = word(argv, i+1)
		}
		return value, true
	}
	return "", false
}

// exitParser reads nothing: the exit status is all there is.
type exitParser struct{}

func (exitParser) line(b []byte) []byte { return b }
func (exitParser) errLine([]byte)       {}
func (exitParser) finish(int) report    { return report{} }

// install is what would install a runner, or empty.
func install(runner string) string {
	switch runner {
	case goTest:
		return "https://go.dev/dl"
	case pytest:
		return "pip install pytest"
	case unittest:
		return "https://www.python.org/downloads"
	case nodeTest:
		return "https://nodejs.org/en/download"
	case vitest:
		return "npm install --save-dev vitest"
	case jest:
		return "npm install --save-dev jest"
	case mocha:
		return "npm install --save-dev mocha"
	case playwright:
		return "npm install --save-dev @playwright/test"
	case cargoTest:
		return "https://rustup.rs"
	}
	return ""
}

// versionTimeout bounds the question for a version, which is only information.
const versionTimeout = 10 * time.Second

// runnerVersion asks the runner; empty when it does not tell.
func (p plan) runnerVersion(ctx context.Context, c Check) string {
	if p.version == nil {
		return ""
	}
	res, err := proc.Run(ctx, proc.Spec{Dir: c.Dir, Argv: p.version, Env: c.Environ, Timeout: versionTimeout, KeepHead: 1 << 10})
	if err != nil || res.Exit != 0 {
		return ""
	}
	// "go version go1.26.8 linux/amd64"
	words := bytes.Fields(res.Stdout.Bytes())
	if len(words) < 3 {
		return ""
	}
	return string(words[2])
}
