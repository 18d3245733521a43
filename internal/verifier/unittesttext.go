package verifier

import (
	"slices"
	"strings"
)

// unittestPlan has unittest name each test. It has no report for machines: what it prints is read.
func unittestPlan(c Check, at location) plan {
	p := plan{argv: c.Argv, runner: unittest, parser: newTextParser(unittest, "it ended without its closing lines")}
	args := c.Argv[at.args:]
	if !slices.ContainsFunc(args, func(arg string) bool { return arg == "-v" || arg == "--verbose" || arg == "-q" || arg == "--quiet" }) {
		p.argv = withFlags(c.Argv, at, "-v")
	}
	return p
}

// unittestText reads the end of a run of unittest, or of a runner that ends as it does, such as that of Django:
//
//	Ran 3 tests in 0.001s
//
//	FAILED (failures=1, skipped=1)
//
// Above it stands each failure, "FAIL: test_a (mod.Class.test_a)", and with -v each test, "test_a (mod.Class.test_a) ... ok".
// Before Python 3.11 the name in brackets has no test.
type unittestText struct {
	report  report
	rule    bool   // the line before was one of ===
	test    string // the test that was begun last, without an end so far
	named   int    // tests that -v said to be ok
	unbuilt int    // modules that could not be imported
	ran     int    // of the line "Ran …", -1 outside
	foreign bool   // a closing line has a word that is not known
}

func newUnittestText() *unittestText { return &unittestText{ran: -1} }

func (u *unittestText) line(s string) {
	rule := u.rule
	u.rule = strings.HasPrefix(s, "======")
	if u.ran >= 0 && strings.TrimSpace(s) != "" {
		u.close(s)
		return
	}
	if rest, found := strings.CutPrefix(s, "Ran "); found {
		u.count(rest)
		return
	}
	if kind, rest, found := strings.Cut(s, ": "); rule && found {
		u.failure(kind, rest)
		return
	}
	u.progress(s)
}

// count reads "3 tests in 0.001s".
func (u *unittestText) count(s string) {
	n, rest, ok := number(s)
	took, found := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "tests"), "test"), " in ")
	if ok && found && seconds(took) {
		u.ran = n
	}
}

// close reads "OK", "OK (skipped=1)", "FAILED (errors=1)" or "NO TESTS RAN"; anything else is the end of another runner.
// Skips of a whole class, and set-ups of one that failed, are no part of what ran, so at least the tests that -v said to be ok
// have passed.
func (u *unittestText) close(s string) {
	ran := u.ran
	u.ran = -1
	word, list, _ := strings.Cut(s, " (")
	if word != "OK" && word != "FAILED" && word != "NO TESTS RAN" {
		return
	}
	r := &u.report
	failed, skipped := -u.unbuilt, 0
	for item := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ", ") {
		what, digits, _ := strings.Cut(item, "=")
		n, _, _ := number(digits)
		switch what {
		case "failures", "errors", "unexpected successes":
			failed += n
		case "skipped", "expected failures":
			skipped += n
		case "":
		default:
			u.foreign = true
		}
	}
	r.runs++
	r.counts.Failed += max(0, failed)
	r.counts.Skipped += skipped
	r.counts.Passed += max(0, ran-u.unbuilt-max(0, failed)-skipped, min(u.named, ran))
	u.named, u.unbuilt = 0, 0
}

// failure reads the headline of a failure. A module that could not be imported stands there as a test.
func (u *unittestText) failure(kind, rest string) {
	switch kind {
	case "FAIL", "ERROR", "UNEXPECTED SUCCESS":
	default:
		return
	}
	prefix, own, ok := unittestName(rest)
	switch name := prefix + own; {
	case strings.HasPrefix(prefix, "unittest.loader."):
		u.unbuilt++
		u.report.unbuilt(own)
	case !ok:
		u.report.nameFailure(rest)
	case !slices.Contains(u.report.failedTests, name): // each failed subtest has a headline
		u.report.nameFailure(name)
		u.report.recordOf(prefix, own, resultFailed)
	}
}

// progress reads what -v prints: the test, perhaps its description on a line of its own, and how it ended, behind what the
// test itself printed.
func (u *unittestText) progress(s string) {
	before, end, found := cutLast(s, " ... ")
	if found {
		_, last, _ := cutLast(before, " ... ") // before Python 3.11 a test with failed subtests has no end
		before = last
	} else {
		before, end = s, s
	}
	if _, _, ok := unittestName(before); ok {
		u.test = before
	}
	prefix, own, ok := unittestName(u.test)
	switch {
	case !ok:
	case end == "ok":
		u.named++
		u.report.recordOf(prefix, own, resultPassed)
		u.test = ""
	case end == "expected failure" || strings.HasPrefix(end, "skipped '") || strings.HasPrefix(end, `skipped "`):
		u.report.recordOf(prefix, own, resultSkipped)
		u.test = ""
	case end == "FAIL" || end == "ERROR" || end == "unexpected success":
		u.test = ""
	}
}

// cutLast is strings.Cut at the last separator; without one, all of s is behind it.
func cutLast(s, separator string) (before, behind string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return "", s, false
}

// unittestName reads "test_a (mod.Class.test_a)", behind which a subtest may be described.
func unittestName(s string) (prefix, own string, ok bool) {
	own, rest, found := strings.Cut(s, " (")
	where, _, closed := strings.Cut(rest, ")")
	if !found || !closed || own == "" || where == "" || strings.ContainsAny(own+where, " \t'\"") {
		return "", "", false
	}
	return strings.TrimSuffix(where, "."+own) + ".", own, true
}

func (u *unittestText) finish() report {
	r := u.report
	r.known = !u.foreign
	return r
}
