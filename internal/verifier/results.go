package verifier

// How a test ended.
const (
	resultPassed  = "passed"
	resultFailed  = "failed"
	resultSkipped = "skipped" // also pending, to do, and expected to fail
)

// TestResult is one test by the name that its runner gives it.
type TestResult struct {
	Name   string
	Result string // passed, failed or skipped
	Prefix int    // how many bytes of Name are the package, class or module before the test's own name
}

// maxTests bounds the named results of a run: with names of common length some MiB.
const maxTests = 20_000

// record names a result without counting it.
func (r *report) record(name, result string) { r.recordOf("", name, result) }

// recordOf is record for a test whose own name stands behind a package, class or module and its separator.
func (r *report) recordOf(prefix, own, result string) {
	if len(r.tests) == maxTests {
		r.testsCut = true
		return
	}
	name := prefix + own
	name = name[:min(len(name), maxTestName)]
	r.tests = append(r.tests, TestResult{Name: name, Result: result, Prefix: min(len(prefix), len(name))})
}

// pass counts one passed test.
func (r *report) pass(name string) {
	r.counts.Passed++
	r.record(name, resultPassed)
}

// skip counts one test that was not executed.
func (r *report) skip(name string) {
	r.counts.Skipped++
	r.record(name, resultSkipped)
}

// fail counts one failed test.
func (r *report) fail(name string) {
	r.counts.Failed++
	r.record(name, resultFailed)
	r.nameFailure(name)
}

// nameFailure lists a failed test for people without counting it.
func (r *report) nameFailure(name string) {
	if len(r.failedTests) < maxFailedTests {
		r.failedTests = append(r.failedTests, name)
	}
}

// unbuilt notes a file that could not be loaded.
func (r *report) unbuilt(file string) {
	r.buildFailed = true
	if file != "" && len(r.buildFiles) < maxBuildFiles {
		r.buildFiles = append(r.buildFiles, file)
	}
}

// sum is the report on several runs together. It is complete only when each one is.
func sum(reports []report) report {
	if len(reports) == 0 {
		return report{}
	}
	total := reports[0]
	for _, r := range reports[1:] {
		total.known = total.known && r.known
		total.begun += r.begun
		total.runs += r.runs
		total.counts.Passed += r.counts.Passed
		total.counts.Failed += r.counts.Failed
		total.counts.Skipped += r.counts.Skipped
		total.buildFailed = total.buildFailed || r.buildFailed
		total.blocked, total.install = first(total.blocked, r.blocked), first(total.install, r.install)
		total.broken, total.note, total.empty = first(total.broken, r.broken), first(total.note, r.note), first(total.empty, r.empty)
		if r.runner != "" && r.runner != total.runner {
			total.runner = join(total.runner, r.runner)
		}
		for _, name := range r.failedTests {
			total.nameFailure(name)
		}
		for _, test := range r.tests {
			total.recordOf(test.Name[:test.Prefix], test.Name[test.Prefix:], test.Result)
		}
		total.testsCut = total.testsCut || r.testsCut
		total.buildFiles = append(total.buildFiles, r.buildFiles[:min(len(r.buildFiles), maxBuildFiles-len(total.buildFiles))]...)
	}
	return total
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " + " + b
}
