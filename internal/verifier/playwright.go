package verifier

import (
	"encoding/json"
	"errors"
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
		parser:  newFileParser(playwright, file, func(text []byte) (report, error) { return decodePlaywright(c.Dir, text) }),
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
	Specs  []struct {
		Title string
		Ok    bool
	}
}

func decodePlaywright(dir string, text []byte) (report, error) {
	var in playwrightReport
	if err := json.Unmarshal(text, &in); err != nil {
		return report{}, err
	}
	if in.Stats == nil {
		return report{}, errors.New("it has no stats")
	}
	var r report
	for _, s := range in.Suites {
		r.playwrightFailures(s)
	}
	r.counts = Counts{Passed: int(in.Stats.Expected) + int(in.Stats.Flaky), Failed: int(in.Stats.Unexpected), Skipped: int(in.Stats.Skipped)}
	for _, e := range in.Errors {
		if strings.Contains(e.Message, "No tests found") {
			r.empty = "no tests found"
			continue
		}
		r.unbuilt(within(dir, e.Location.File))
	}
	// Without its browser every test fails, which says nothing about the code.
	if r.counts.Passed == 0 && r.counts.Failed > 0 && strings.Contains(string(text), "Executable doesn't exist at") {
		r.blocked, r.install = "the browser of playwright is missing", "npx playwright install"
	}
	return r, nil
}

// playwrightFailures names the failed specs of s; the numbers come from the stats.
func (r *report) playwrightFailures(s playwrightSuite) {
	for _, spec := range s.Specs {
		if !spec.Ok {
			r.fail(spec.Title)
		}
	}
	for _, inner := range s.Suites {
		r.playwrightFailures(inner)
	}
}
