package verifier

import (
	"bytes"
	"context"
	"time"

	"cortex/internal/proc"
)

// plan is how a check is run and read.
type plan struct {
	argv    []string
	runner  string
	version []string // the command that prints the runner's version; nil when there is none
	parser  parser
}

// planFor decides from argv alone.
func planFor(c Check) plan {
	if c.Report == ReportExit {
		return plan{argv: c.Argv, parser: exitParser{}}
	}
	at := locate(c.Argv)
	switch at.runner {
	case goTest:
		return goPlan(c.Argv, at)
	case "":
		return plan{argv: c.Argv, parser: newGoParser(false, nil)}
	}
	return plan{argv: c.Argv, runner: at.runner, parser: exitParser{}}
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
