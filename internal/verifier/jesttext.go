package verifier

import "strings"

// vitestText reads the two lines that end a run of vitest:
//
//	Test Files  1 failed | 1 passed (2)
//	     Tests  1 failed | 2 passed | 1 skipped (4)
type vitestText struct {
	closing
	files map[string]int // of the line before
}

func (v *vitestText) line(s string) {
	text := strings.TrimLeft(s, " ")
	files := v.files
	v.files = nil
	switch {
	case strings.HasPrefix(s, "No test files found, exiting with code "):
		v.nothing("no test files found")
	case strings.HasPrefix(text, "RUN  v"):
		v.report.begun++
	case strings.HasPrefix(text, "FAIL  "):
		name, _, notLoaded := strings.Cut(strings.TrimPrefix(text, "FAIL  "), " [ ")
		v.failure(strings.TrimSpace(name), notLoaded)
	case strings.HasPrefix(text, "Test Files  "):
		v.files, _ = vitestNumbers(strings.TrimPrefix(text, "Test Files  "))
	case strings.HasPrefix(text, "Tests  ") && files != nil:
		if n, ok := vitestNumbers(strings.TrimPrefix(text, "Tests  ")); ok {
			v.take(files["failed"], n)
		}
	}
}

// vitestNumbers reads "1 failed | 2 passed (3)" or "no tests".
func vitestNumbers(s string) (map[string]int, bool) {
	if s == "no tests" {
		return map[string]int{"total": 0}, true
	}
	list, total, found := strings.Cut(s, " (")
	n, ok := tally(list, " | ")
	all, rest, isNumber := number(strings.TrimSuffix(total, ")"))
	if !found || !ok || !isNumber || rest != "" {
		return nil, false
	}
	n["total"] = all
	return n, true
}

// jestText reads the two lines that end a run of jest:
//
//	Test Suites: 1 failed, 1 passed, 2 total
//	Tests:       1 failed, 2 passed, 3 total
type jestText struct {
	closing
	suites map[string]int // of the line before
	file   string         // the failed one that is being told of
}

func (j *jestText) line(s string) {
	suites := j.suites
	j.suites = nil
	switch {
	case strings.HasPrefix(s, "No tests found, exiting with code "):
		j.nothing("no tests found")
	case strings.HasPrefix(s, "FAIL "):
		j.file, _, _ = strings.Cut(strings.TrimPrefix(s, "FAIL "), " (")
	case strings.TrimSpace(s) == "● Test suite failed to run":
		j.failure(j.file, true)
	case strings.HasPrefix(s, "  ● "):
		j.failure(strings.TrimPrefix(s, "  ● "), false)
	case strings.HasPrefix(s, "Test Suites: "):
		j.suites, _ = tally(strings.TrimPrefix(s, "Test Suites: "), ", ")
	case strings.HasPrefix(s, "Tests: ") && suites != nil:
		if n, ok := tally(strings.TrimSpace(strings.TrimPrefix(s, "Tests: ")), ", "); ok {
			j.take(suites["failed"], n)
		}
	}
}

// closing gathers what the closing lines of jest and vitest say.
type closing struct {
	report   report
	mistaken bool
}

// nothing takes a run that found no file.
func (c *closing) nothing(why string) {
	c.report.runs++
	c.report.empty = why
}

// failure notes the name of a failed test, or of a file that could not be loaded.
func (c *closing) failure(name string, notLoaded bool) {
	r := &c.report
	switch {
	case !notLoaded:
		r.nameFailure(name)
	case len(r.buildFiles) < maxBuildFiles:
		r.buildFiles = append(r.buildFiles, name)
	}
}

// take counts one run. A file that failed without a failed test could not be loaded.
func (c *closing) take(failedFiles int, n map[string]int) {
	r := &c.report
	skipped := n["skipped"] + n["todo"] + n["pending"]
	r.runs++
	c.mistaken = c.mistaken || n["passed"]+n["failed"]+skipped != n["total"]
	r.counts.Passed += n["passed"]
	r.counts.Failed += n["failed"]
	r.counts.Skipped += skipped
	r.buildFailed = r.buildFailed || failedFiles > 0 && n["failed"] == 0
}

func (c *closing) finish() report {
	r := c.report
	r.known = !c.mistaken
	return r
}
