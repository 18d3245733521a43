package verifier

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// cargoParser reads the text of `cargo test`, one "test result:" for each test binary and for the documentation: its JSON
// needs a nightly compiler.
type cargoParser struct {
	direct  bool // the command is cargo test itself, so results have to be there
	report  report
	running []int // of each binary that began and has no result, how many tests it has
	absent  absence
	compile bool // the compiler gave up
}

func (c *cargoParser) line(b []byte) []byte {
	line := string(bytes.TrimRight(b, "\r\n"))
	switch {
	case strings.HasPrefix(line, "running ") && (strings.HasSuffix(line, " tests") || strings.HasSuffix(line, " test")):
		if n, err := strconv.Atoi(strings.Fields(line)[1]); err == nil && len(c.running) < maxTests {
			c.running = append(c.running, n)
		}
	case strings.HasPrefix(line, "test result: "):
		c.result(line)
	case strings.HasPrefix(line, "test "):
		c.test(strings.TrimPrefix(line, "test "))
	}
	return b
}

// test reads "t::a ... ok"; ignored tests may have a reason.
func (c *cargoParser) test(line string) {
	i := strings.LastIndex(line, " ... ")
	if i < 0 {
		return
	}
	name, result := strings.TrimSuffix(line[:i], " - should panic"), line[i+len(" ... "):]
	own := 0
	if i := strings.LastIndex(name, "::"); i >= 0 {
		own = i + len("::")
	}
	switch {
	case result == "ok":
		c.report.recordOf(name[:own], name[own:], resultPassed)
	case result == "FAILED":
		c.report.recordOf(name[:own], name[own:], resultFailed)
		c.report.nameFailure(name)
	case strings.HasPrefix(result, "ignored"):
		c.report.recordOf(name[:own], name[own:], resultSkipped)
	}
}

// result reads "test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s".
func (c *cargoParser) result(line string) {
	_, numbers, _ := strings.Cut(line, ". ")
	var passed, failed, ignored, measured int
	_, err := fmt.Sscanf(numbers, "%d passed; %d failed; %d ignored; %d measured;", &passed, &failed, &ignored, &measured)
	switch {
	case err != nil || min(passed, failed, ignored, measured) < 0:
		c.report.broken = "a result of cargo test could not be read"
		return
	case len(c.running) == 0:
		c.report.broken = "cargo test shows more results than test binaries"
		return
	case c.running[len(c.running)-1] != passed+failed+ignored+measured:
		c.report.broken = "a result of cargo test is not that of the tests that began"
	}
	c.running = c.running[:len(c.running)-1]
	c.report.seen = true
	c.report.counts.Passed += passed
	c.report.counts.Failed += failed
	c.report.counts.Skipped += ignored
}

func (c *cargoParser) errLine(b []byte) {
	c.absent.look(b)
	line := strings.TrimSpace(string(b[:min(len(b), 4096)]))
	// The profile of the tests is named as (lib test), (test "name") and the like.
	if strings.HasPrefix(line, "error: could not compile ") && (c.direct || strings.Contains(line, " test)") || strings.Contains(line, "(test ")) {
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
	if r.broken == "" && len(c.running) > 0 {
		r.broken = "a test binary ended without a result"
	}
	if !c.direct {
		r.seen = r.seen || r.buildFailed
		r.known, r.broken = r.broken == "", ""
		return r
	}
	if r.broken == "" && !r.seen && !r.buildFailed && exit != 0 {
		r.broken = fmt.Sprintf("cargo test gave no result (exit status %d)", exit)
		return c.absent.explain(r, cargoTest)
	}
	r.seen, r.known = true, r.broken == ""
	return r
}
