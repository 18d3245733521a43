package verifier

import (
	"slices"
	"strings"
)

// goPackage gathers the tests of one package until its result is known. Only then can leaves be told from parents: with
// events a subtest ends before its parent, in text after it.
type goPackage struct {
	name     string
	tests    map[string]*goTally
	order    []string // names as they came, so that reports are the same every time
	notBuilt bool
}

// goTally counts how often a test of one name ended how; -count and -cpu run it several times.
type goTally struct{ started, pass, fail, skip int }

func newGoPackage(name string) *goPackage {
	return &goPackage{name: name, tests: map[string]*goTally{}}
}

// maxTestName bounds the bytes of a name that tell tests apart.
const maxTestName = 1 << 10

func (p *goPackage) tally(test string) *goTally {
	test = test[:min(len(test), maxTestName)]
	t := p.tests[test]
	if t == nil {
		t = &goTally{}
		p.tests[test] = t
		p.order = append(p.order, test)
	}
	return t
}

func (p *goPackage) start(test string) { p.tally(test).started++ }

// end takes the result of a test: pass, fail or skip.
func (p *goPackage) end(test, result string) {
	t := p.tally(test)
	switch result {
	case "pass":
		t.pass++
	case "fail":
		t.fail++
	case "skip":
		t.skip++
	}
}

func (t *goTally) open() bool { return t.started > t.pass+t.fail+t.skip }

// result is the one of all its runs: a test without one, or with a failed one, failed.
func (t *goTally) result() string {
	switch {
	case t.fail > 0 || t.open() || t.pass+t.skip == 0:
		return resultFailed
	case t.pass > 0:
		return resultPassed
	}
	return resultSkipped
}

// full is the name of a test with its package, where that is known.
func (p *goPackage) full(test string) string { return p.prefix() + test }

func (p *goPackage) prefix() string {
	if p.name == "" {
		return ""
	}
	return p.name + "."
}

// unfinished is the last test that was started and has no result, which is the innermost one; empty when there is none. A
// benchmark has a result only when it fails.
func (p *goPackage) unfinished() string {
	for _, test := range slices.Backward(p.order) {
		if p.tests[test].open() && !benchmark(test) {
			return test
		}
	}
	return ""
}

func benchmark(test string) bool { return strings.HasPrefix(test, "Benchmark") }

// goTotals is the report over all packages.
type goTotals struct{ report }

// add counts the leaves of p. A parent that passed while no test below it was executed is named as skipped.
func (t *goTotals) add(p *goPackage, packageFailed bool) {
	parents := map[string]bool{}
	failedBelow, skippedBelow := map[string]bool{}, map[string]bool{} // some failed, all were skipped
	for _, test := range p.order {
		for i := range test {
			if test[i] == '/' {
				above, n := test[:i], p.tests[test]
				skippedBelow[above] = (skippedBelow[above] || !parents[above]) && n.result() == resultSkipped
				failedBelow[above] = failedBelow[above] || n.fail > 0
				parents[above] = true
			}
		}
	}
	failed := 0
	for _, test := range p.order {
		n := p.tests[test]
		if !benchmark(test) || n.fail > 0 {
			result := n.result()
			if result == resultPassed && skippedBelow[test] {
				result = resultSkipped
			}
			t.recordOf(p.prefix(), test, result)
		}
		if n.fail > 0 && !failedBelow[test] {
			failed += n.fail
			t.nameFailure(p.full(test))
		}
		if !parents[test] && !benchmark(test) {
			t.counts.Passed += n.pass
			t.counts.Skipped += n.skip
		}
	}
	if packageFailed && failed == 0 {
		failed = 1
		t.failedOutside(p)
	}
	t.counts.Failed += failed
}

// failedOutside names the cause of a package that failed without a failed test: TestMain, os.Exit, a deadline, a killed binary.
func (t *goTotals) failedOutside(p *goPackage) {
	name := p.name
	t.note = p.name + " failed outside the result of a test"
	if open := p.unfinished(); open != "" {
		name += "." + open
		t.note = p.name + " ended before " + open + " had a result"
	}
	t.nameFailure(name)
}

// goBuildFailure recognises the line that stands for a package that was not built.
func goBuildFailure(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "FAIL\t") && (strings.HasSuffix(line, "[build failed]") || strings.HasSuffix(line, "[setup failed]"))
}

// compilerLine takes the file out of "path/file.go:3:27: what is wrong", as compiler and vet print it.
func (t *goTotals) compilerLine(line string) {
	line = strings.TrimPrefix(line, "vet: ")
	file, rest, found := strings.Cut(line, ".go:")
	if !found || file == "" || strings.HasPrefix(file, "\t") || strings.Contains(file, ": ") {
		return
	}
	if rest == "" || rest[0] < '0' || rest[0] > '9' {
		return
	}
	file += ".go"
	if len(t.buildFiles) < maxBuildFiles && !slices.Contains(t.buildFiles, file) {
		t.buildFiles = append(t.buildFiles, file)
	}
}

// missing is what go says when the place, not the code, is at fault.
type missing struct{ what, install string }

// look takes one line of what go itself says.
func (m *missing) look(line string) {
	line = line[:min(len(line), maxHint)]
	switch {
	case strings.Contains(line, "does not contain main module"),
		strings.Contains(line, "cannot find main module"),
		strings.HasPrefix(line, "go: go.mod file not found"):
		*m = missing{"there is no Go module here: " + line, "go mod init"}
	case strings.Contains(line, "requires go >= ") && strings.Contains(line, "(running go "):
		*m = missing{"the installed go is too old: " + line, install(goTest)}
	case strings.Contains(line, `C compiler "`) && strings.Contains(line, "not found"):
		*m = missing{"a C compiler is missing: " + line, ""}
	}
}
