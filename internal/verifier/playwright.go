package verifier

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// playwrightPlan adds the JSON report to the reporters of the check.
func playwrightPlan(c Check, at location, file string) plan {
	reporter, found := flagValue(c.Argv, at, "--reporter")
	if !found {
		reporter = "line"
	}
	return plan{
		argv:    withFlags(c.Argv, at, "--reporter="+reporter+",json"),
		environ: []string{"PLAYWRIGHT_JSON_OUTPUT_NAME=" + file, "PLAYWRIGHT_JSON_OUTPUT_FILE=" + file},
		runner:  playwright,
		parser:  newFileParser(playwright, newReportFile("", file), func(text io.Reader) (report, error) { return decodePlaywright(c.Dir, text) }),
	}
}

type playwrightReport struct {
	Suites []playwrightSuite
	Errors []struct {
		Message  string
		Location struct{ File string }
	}
	Stats *struct{ Expected, Skipped, Unexpected, Flaky uint32 }
}

type playwrightSuite struct {
	Suites []playwrightSuite
	Specs  []playwrightSpec
}

// playwrightSpec is a test, once for each project.
type playwrightSpec struct {
	Title string
	Ok    bool
	Tests []struct{ Status string }
}

// browserMissing is what playwright says of each test then.
const browserMissing = "Executable doesn't exist at"

func decodePlaywright(dir string, from io.Reader) (report, error) {
	text, err := io.ReadAll(from)
	if err != nil {
		return report{}, err
	}
	var in playwrightReport
	if err := json.Unmarshal(text, &in); err != nil {
		return report{}, err
	}
	if in.Stats == nil || in.Suites == nil {
		return report{}, errors.New("it has no stats and suites")
	}
	r := report{runner: playwright}
	for _, s := range in.Suites {
		r.playwrightNames(s)
	}
	r.counts = Counts{Passed: int(in.Stats.Expected) + int(in.Stats.Flaky), Failed: int(in.Stats.Unexpected), Skipped: int(in.Stats.Skipped)}
	for _, e := range in.Errors {
		if strings.Contains(e.Message, "No tests found") {
			r.empty = "no tests found"
			continue
		}
		r.unbuilt(within(dir, e.Location.File))
	}
	if bytes.Contains(text, []byte(browserMissing)) {
		r.withoutBrowser()
	}
	return r, nil
}

// withoutBrowser turns failures into a blocked run when nothing passed: without its browser every test fails, which says
// nothing about the code.
func (r *report) withoutBrowser() {
	if r.counts.Passed == 0 && r.counts.Failed > 0 {
		r.blocked, r.install = "the browser of playwright is missing", "npx playwright install"
	}
}

// playwrightNames names the specs of s; the numbers come from the stats.
func (r *report) playwrightNames(s playwrightSuite) {
	for _, spec := range s.Specs {
		r.record(spec.Title, spec.result())
		if !spec.Ok {
			r.nameFailure(spec.Title)
		}
	}
	for _, inner := range s.Suites {
		r.playwrightNames(inner)
	}
}

// result is failed when one project's is, and skipped when all are or there is none.
func (s playwrightSpec) result() string {
	switch {
	case !s.Ok:
		return resultFailed
	case !slices.ContainsFunc(s.Tests, func(t struct{ Status string }) bool { return t.Status != "skipped" }):
		return resultSkipped
	}
	return resultPassed
}
