package verifier

import "strings"

// textReader reads the text form of `go test`. Without -v it shows packages and failed tests only: then the counts are
// unknown.
type textReader struct {
	totals  *goTotals
	current *goPackage // the tests since the last package line
	bare    string     // the last PASS or FAIL that stands alone: a test binary that was started by itself ends so
	unknown bool       // a package ran tests that the text does not show
	build   bool       // the lines after "# package" are those of the compiler
}

// line takes one line without its end.
func (t *textReader) line(s string) {
	if test, found := strings.CutPrefix(s, "=== RUN   "); found {
		t.pkg().start(test)
		return
	}
	if test, result := t.result(s); result != "" {
		if p := t.pkg(); result == "fail" || p.tests[test] != nil && p.tests[test].started > 0 {
			p.end(test, result)
		}
		return // without -v only failures are shown: "--- PASS" of a test that did not start was printed by another
	}
	switch {
	case s == "PASS" || s == "FAIL":
		t.bare = s
	case strings.HasPrefix(s, "# "):
		t.build = true
	case strings.HasPrefix(s, "ok  \t"):
		t.passed(s)
	case goBuildFailure(s):
		t.totals.seen, t.totals.buildFailed = true, true
		t.next()
	case strings.HasPrefix(s, "FAIL\t"):
		t.failed(s)
	case strings.HasPrefix(s, "?   \t") && strings.HasSuffix(s, "[no test files]"):
		t.totals.seen = true
		t.next()
	case t.build:
		t.totals.compilerLine(s)
	}
}

// result reads the line of a result, also one that a print without a line end stands before.
func (t *textReader) result(s string) (test, result string) {
	if test, result = goResult(s); result != "" {
		return test, result
	}
	at := strings.LastIndex(s, "--- ")
	if at <= 0 || t.current == nil {
		return "", ""
	}
	test, result = goResult(s[at:])
	if n := t.current.tests[test]; n == nil || !n.open() {
		return "", ""
	}
	return test, result
}

// goResult reads "    --- PASS: TestA/sub (0.00s)"; result is pass, fail, skip, or empty when s is something else.
func goResult(s string) (test, result string) {
	trimmed := strings.TrimLeft(s, " ")
	rest, found := strings.CutPrefix(trimmed, "--- ")
	if !found || (len(s)-len(trimmed))%4 != 0 {
		return "", ""
	}
	word, rest, found := strings.Cut(rest, ": ")
	test, seconds, timed := strings.Cut(rest, " (")
	if !found || test == "" || timed && !strings.HasSuffix(seconds, "s)") {
		return "", ""
	}
	switch word {
	case "PASS", "FAIL", "SKIP":
		return test, strings.ToLower(word)
	}
	return "", ""
}

func (t *textReader) pkg() *goPackage {
	if t.current == nil {
		t.current = newGoPackage("")
	}
	return t.current
}

// next begins with a new package.
func (t *textReader) next() { t.current, t.bare, t.build = nil, "", false }

func (t *textReader) passed(s string) {
	defer t.next()
	t.totals.seen = true
	p := t.pkg()
	if words := strings.Fields(s); len(words) > 1 {
		p.name = words[1]
	}
	if len(p.order) == 0 {
		t.unknown = t.unknown || !strings.Contains(s, "[no tests to run]")
		return
	}
	failed, printed := "", false
	for _, test := range p.order {
		n := p.tests[test]
		if n.fail > 0 {
			failed = test
		}
		printed = printed || n.pass+n.fail+n.skip > n.started
	}
	open := p.unfinished()
	switch {
	case failed != "" && t.bare == "FAIL":
		t.totals.broken = "go test says ok although " + failed + " failed: something changed the exit status of the tests"
	case failed != "" || printed:
		t.unknown = true // a test printed a result: which ones are real cannot be told
	case open != "":
		t.totals.broken = "go test says ok, but no result was reported for " + open
	default:
		t.totals.add(p, false)
	}
}

func (t *textReader) failed(s string) {
	defer t.next()
	t.totals.seen = true
	p := t.pkg()
	p.name = strings.Fields(s + " ?")[1]
	for _, n := range p.tests {
		t.unknown = t.unknown || n.started == 0
	}
	t.unknown = t.unknown || len(p.order) == 0
	t.totals.add(p, true)
}

// finish closes the tests of a test binary that was started without go test.
func (t *textReader) finish() {
	if t.current == nil {
		return
	}
	switch t.bare {
	case "PASS":
		t.passed("")
	case "FAIL":
		t.failed("FAIL\ttest")
	}
}
