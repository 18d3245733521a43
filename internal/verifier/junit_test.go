package verifier

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJUnit(t *testing.T) {
	t.Parallel()
	const open, shut = `<testsuites><testsuite name="s" tests="1">`, `</testsuite></testsuites>`
	for _, c := range []struct {
		name   string
		text   string
		exit   int
		want   string // status and counts
		failed string
		reason string // a part of it
	}{
		{name: "passed", text: open + `<testcase classname="c" name="a"><system-out>FAILED <![CDATA[<failure/>]]></system-out></testcase>` + shut, want: "passed 1 0 0"},
		{name: "one suite alone", text: `<?xml version="1.0"?><testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>`, want: "passed 1 0 1"},
		{name: "failure and error", text: open + `<testcase name="a"><failure>x</failure></testcase><testcase classname="c" name="b"><error message="boom"/></testcase>` + shut, exit: 1, want: "failed 0 2 0", failed: "a c.b"},
		{name: "failure, exit 0", text: open + `<testcase name="a"><failure/></testcase>` + shut, want: "failed 0 1 0", failed: "a"},
		{name: "failed and skipped", text: open + `<testcase name="a"><skipped/><failure/></testcase>` + shut, want: "failed 0 1 0", failed: "a"},
		{name: "nested suites", text: `<testsuites><testsuite><testsuite><testcase name="a"/></testsuite></testsuite></testsuites>`, want: "passed 1 0 0"},
		{name: "failure deep in the output is none", text: open + `<testcase name="a"><properties><failure/></properties></testcase>` + shut, want: "passed 1 0 0"},
		{name: "a rerun that passed", text: open + `<testcase name="a"><rerunFailure>x</rerunFailure></testcase>` + shut, want: "passed 1 0 0"},
		{name: "disabled by attributes", text: open + `<testcase name="a" status="notrun" result="suppressed"/>` + shut, want: "not_run 0 0 1"},
		{name: "not collected", text: open + `<testcase classname="" name="sub.t"><error message="collection failure">x</error></testcase>` + shut, exit: 2, want: "inconclusive 0 0 0"},
		{name: "no test", text: `<testsuites tests="0"/>`, want: "not_run 0 0 0"},
		{name: "node: skipped, to do, failing to do", text: `<testsuites><testcase name="a" classname="test"/><testcase name="b" classname="test"><skipped type="skipped" message="true"/></testcase><testcase name="c" classname="test"><skipped type="todo" message="true"/><failure/></testcase></testsuites>`, want: "passed 1 0 2"},
		{name: "node: file without tests", text: `<testsuites><testcase name="/srv/n/empty.test.mjs" classname="test"/></testsuites>`, want: "not_run 0 0 0"},
		{name: "node: file not loaded", text: `<testsuites><testcase name="/srv/n/b.mjs" classname="test"><failure/></testcase></testsuites>`, exit: 1, want: "inconclusive 0 0 0"},
		{name: "failures that no test shows", text: `<testsuites failures="1"><testsuite><testcase name="a"/></testsuite></testsuites>`, want: "inconclusive", reason: "no test case shows"},
		{name: "totals alone", text: `<testsuite tests="5"/>`, want: "inconclusive", reason: "lists none"},
		{name: "exit status", text: open + `<testcase name="a"/>` + shut, exit: 3, want: "inconclusive 1 0 0"},
		{name: "entity of its own", text: `<!DOCTYPE x [<!ENTITY e "<failure/>">]><testsuite><testcase name="a">&e;</testcase></testsuite>`, want: "inconclusive", reason: "could not be read"},
		{name: "other XML", text: `<html><testsuite><testcase name="a"/></testsuite></html>`, want: "inconclusive", reason: `begins with "html"`},
		{name: "no XML", text: `{"a":1}`, want: "inconclusive", reason: "could not be read"},
		{name: "cut off", text: open + `<testcase name="a"/>`, want: "inconclusive", reason: "could not be read"},
		{name: "too deep", text: strings.Repeat("<testsuite>", maxDepth+1), want: "inconclusive", reason: "deep"},
		{name: "other encoding", text: `<?xml version="1.0" encoding="UTF-16"?><testsuite/>`, want: "inconclusive", reason: "could not be read"},
	} {
		dir := t.TempDir()
		p := planFor(Check{Argv: []string{"make"}, Dir: dir, Report: ReportJUnit + "r.xml"}, "")
		if err := os.WriteFile(filepath.Join(dir, "r.xml"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var run Run
		run.take(p.parser.finish(c.exit), ending{exit: c.exit})
		got := strings.TrimSpace(string(run.Status) + " " + countsText(run))
		if got != c.want || strings.Join(run.FailedTests, " ") != c.failed || !strings.Contains(run.Reason, c.reason) {
			t.Errorf("%s: got %q, failed %q, reason %q, want %q, %q, %q", c.name, got, run.FailedTests, run.Reason, c.want, c.failed, c.reason)
		}
	}
}

func TestConfiguredReportHasToBeOfThisRun(t *testing.T) {
	t.Parallel()
	const write = `echo '<testsuite><testcase name="a"/></testsuite>' >`
	for _, c := range []struct {
		name, script, report string
		want                 Status
		reason               string
	}{
		{"written", write + "out.xml", "out.xml", Passed, "1 test passed"},
		{"written over", write + "old.xml", "old.xml", Passed, "1 test passed"},
		{"replaced by a copy of itself", "cp old.xml new.xml && mv new.xml old.xml", "old.xml", Passed, "1 test passed"},
		{"below a directory", "mkdir -p a/b && " + write + "a/b/out.xml", "a/b/out.xml", Passed, "1 test passed"},
		{"stale", "true", "old.xml", Inconclusive, "old.xml is from before the run"},
		{"stale, and the check failed", "exit 1", "old.xml", Inconclusive, "old.xml is from before the run"},
		{"missing", "true", "out.xml", Inconclusive, "(junit:out.xml) gave no report (exit status 0): no file was written"},
		{"removed", "rm old.xml", "old.xml", Inconclusive, "no file was written"},
		{"a directory", "mkdir out.xml", "out.xml", Inconclusive, "not a regular file"},
		{"a pipe", "mkfifo out.xml", "out.xml", Inconclusive, "not a regular file"},
		{"a link out", write + "../out.xml; ln -s ../out.xml out.xml", "out.xml", Inconclusive, "escapes"},
		{"a directory that leads out", "ln -s .. up; " + write + "up/out.xml", "up/out.xml", Inconclusive, "escapes"},
		{"a link that stays inside", write + "real.xml; ln -s real.xml out.xml", "out.xml", Passed, "1 test passed"},
		{"too large", "truncate -s 65M out.xml", "out.xml", Inconclusive, "over 67108864 bytes"},
	} {
		dir := filepath.Join(writeFiles(t, "w/old.xml", `<testsuite><testcase name="a"/></testsuite>`), "w")
		check := shell(c.script)
		check.Dir, check.Report = dir, ReportJUnit+c.report
		got := Execute(t.Context(), check)
		if got.Status != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: got %s %q, want %s %q", c.name, got.Status, got.Reason, c.want, c.reason)
		}
		if got.Status == Passed && got.Runner != "junit" {
			t.Errorf("%s: got runner %q, want junit", c.name, got.Runner)
		}
	}
}

func TestReportNamesItsTests(t *testing.T) {
	t.Parallel()
	r, err := decodeJUnit(strings.NewReader(`<testsuite><testcase classname="c" name="a"/><testcase name="b"><skipped/></testcase><testcase name="d"><failure/></testcase>` +
		strings.Repeat(`<testcase name="x"/>`, maxTests) + `</testsuite>`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []TestResult{{"c.a", resultPassed, 2}, {"b", resultSkipped, 0}, {"d", resultFailed, 0}, {"x", resultPassed, 0}} {
		if r.tests[i] != want {
			t.Errorf("test %d: got %+v, want %+v", i, r.tests[i], want)
		}
	}
	if len(r.tests) != maxTests || !r.testsCut || r.counts.Passed != maxTests+1 {
		t.Errorf("got %d names, cut %v, %d passed, want %d, true, %d", len(r.tests), r.testsCut, r.counts.Passed, maxTests, maxTests+1)
	}
}

func FuzzJUnit(f *testing.F) {
	f.Add([]byte(`<testsuites><testcase classname="t" name="a"><error message="collection failure"/></testcase></testsuites>`))
	f.Add([]byte(`<testsuite tests="1" failures="1"><testcase name="a" status="notrun"><skipped type="todo"/><failure/></testcase></testsuite>`))
	f.Add([]byte(`<!DOCTYPE x [<!ENTITY e "x">]><testsuite><testcase name="&e;"/></testsuite>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := decodeJUnit(strings.NewReader(string(text))); err == nil {
			soundReport(t, r)
		}
	})
}

func FuzzJSONReports(f *testing.F) {
	f.Add([]byte(`{"testResults":[{"name":"/r/a","status":"failed","assertionResults":[{"fullName":"a","status":"failed"}]}]}`))
	f.Add([]byte("{\n\"stats\": {\"passes\": 1, \"expected\": 2}, \"passes\": [], \"failures\": [{\"fullTitle\": \"x\"}]}\n"))
	f.Add([]byte("{\n\"suites\": [{\"specs\": [{\"title\": \"a\"}]}], \"stats\": {\"unexpected\": 1}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, p := range []parser{&jsonParser{}, &jsonParser{runner: mocha}} {
			tr := newTranscript(p)
			tr.stdout.Write(text)
			soundReport(t, tr.finish(0))
		}
	})
}
