package verifier

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// cargoParser reads the text of `cargo test`, one "test result:" for each test binary and for the documentation: its JSON
// needs a nightly compiler.
type cargoParser struct {
	report  report
	running int // binaries that began and have no result
	absent  absence
	compile bool // the compiler gave up
}

func (c *cargoParser) line(b []byte) []byte {
	line := string(bytes.TrimRight(b, "\r\n"))
	switch {
	case strings.HasPrefix(line, "running ") && (strings.HasSuffix(line, " tests") || strings.HasSuffix(line, " test")):
		c.running++
	case strings.HasPrefix(line, "test result: "):
		c.result(line)
	case strings.HasPrefix(line, "test ") && strings.HasSuffix(line, " ... FAILED"):
		if len(c.report.failedTests) < maxFailedTests {
			c.report.failedTests = append(c.report.failedTests, strings.TrimSuffix(strings.TrimPrefix(line, "test "), " ... FAILED"))
		}
	}
	return b
}

// result reads "test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s".
func (c *cargoParser) result(line string) {
	_, numbers, _ := strings.Cut(line, ". ")
	var passed, failed, ignored int
	if _, err := fmt.Sscanf(numbers, "%d passed; %d failed; %d ignored;", &passed, &failed, &ignored); err != nil || min(passed, failed, ignored) < 0 {
		c.report.broken = "a result of cargo test could not be read"
		return
	}
	c.running--
	c.report.seen = true
	c.report.counts.Passed += passed
	c.report.counts.Failed += failed
	c.report.counts.Skipped += ignored
}

func (c *cargoParser) errLine(b []byte) {
	c.absent.look(b)
	line := strings.TrimSpace(string(b[:min(len(b), 4096)]))
	if strings.HasPrefix(line, "error: could not compile ") {
		c.compile = true
	}
	if at, found := strings.CutPrefix(line, "--> "); found {
		file, _, _ := strings.Cut(at, ":")
		if len(c.report.buildFiles) < maxBuildFiles && !slices.Contains(c.report.buildFiles, file) {
			c.report.buildFiles = append(c.report.buildFiles, file)
		}
	}
}

func (c *cargoParser) finish(exit int) report {
	r := c.report
	r.runner, r.buildFailed = cargoTest, c.compile
	if !r.buildFailed {
		r.buildFiles = nil // warnings name files too
	}
	switch {
	case r.broken != "":
	case c.running > 0:
		r.broken = "a test binary ended without a result"
	case !r.seen && !r.buildFailed && exit != 0:
		r.broken = fmt.Sprintf("cargo test gave no result (exit status %d)", exit)
		return c.absent.explain(r, cargoTest)
	}
	r.seen, r.known = true, r.broken == ""
	return r
}
