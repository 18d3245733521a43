package verifier

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// reportCase is one report of a runner, in the shape that the runner was seen to write.
type reportCase struct {
	name   string
	text   string // the report
	stderr string
	exit   int
	want   Status
	counts string
	failed string
	files  string
}

// checkReports reads each case with a parser that is new for it.
func checkReports(t *testing.T, runner string, cases []reportCase, newParser func(path string) parser) {
	t.Helper()
	for _, c := range cases {
		path := filepath.Join(t.TempDir(), "report")
		p := newParser(path)
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tr := newTranscript(p)
		tr.stdout.Write([]byte(c.text))
		tr.stderr.Write([]byte(c.stderr))
		var run Run
		run.take(tr.finish(c.exit), ending{exit: c.exit, program: runner, install: install(runner)})
		got := []string{string(run.Status), countsText(run), strings.Join(run.FailedTests, " "), strings.Join(run.BuildFailedFiles, " ")}
		if want := []string{string(c.want), c.counts, c.failed, c.files}; !slices.Equal(got, want) {
			t.Errorf("%s, %s: got %q, want %q (%s)", runner, c.name, got, want, run.Reason)
		}
		if run.Status == Blocked && run.Install == "" {
			t.Errorf("%s, %s: blocked without a way to install", runner, c.name)
		}
	}
}

func TestPytestReports(t *testing.T) {
	t.Parallel()
	suite := func(cases string) string {
		tests := strings.Count(cases, "<testcase")
		return fmt.Sprintf(`<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="%d">%s</testsuite></testsuites>`, tests, cases)
	}
	const passed = `<testcase classname="test_p" name="test_a" time="0.000" />`
	checkReports(t, pytest, []reportCase{
		{name: "skip and expected failure", text: suite(passed + `<testcase classname="test_p" name="test_b"><skipped type="pytest.skip" message="x">y</skipped></testcase>` +
			`<testcase classname="test_p" name="test_c"><skipped type="pytest.xfail" message="" /></testcase>`), want: Passed, counts: "1 0 2"},
		{name: "failed", text: suite(`<testcase classname="test_f" name="test_f"><failure message="assert 0">&gt; x</failure></testcase>`), exit: 1, want: Failed, counts: "0 1 0", failed: "test_f.test_f"},
		{name: "set-up failed", text: suite(`<testcase classname="test_f" name="test_f"><error message="failed on setup with &quot;x&quot;">x</error></testcase>`), exit: 1, want: Failed, counts: "0 1 0", failed: "test_f.test_f"},
		{name: "not collected", text: suite(`<testcase classname="" name="sub.test_err"><error message="collection failure">ImportError</error></testcase>`), exit: 2, want: Inconclusive, counts: "0 0 0", files: "sub/test_err.py"},
		{name: "deselected", text: suite(""), exit: 5, want: NotRun, counts: "0 0 0"},
		{name: "cut off", text: suite(passed)[:150], exit: 0, want: Inconclusive},
		{name: "empty file", text: " ", want: Inconclusive},
		{name: "no file", exit: 4, want: Inconclusive},
		{name: "not installed", exit: 1, stderr: "/usr/bin/python3: No module named pytest\n", want: Blocked},
	}, func(path string) parser { return newFileParser(pytest, newReportFile("", path), decodeJUnit) })
}

func TestJestAndVitestReports(t *testing.T) {
	t.Parallel()
	file := func(status, tests string) string {
		return `{"numTotalTests":9,"success":true,"testResults":[{"name":"/repo/v/a.test.mjs","status":"` + status + `","message":"","assertionResults":[` + tests + `]}]}`
	}
	checkReports(t, jest, []reportCase{
		{name: "passed", text: file("passed", `{"fullName":"a","status":"passed"},{"fullName":"b","status":"skipped"},{"fullName":"c","status":"todo"}`), want: Passed, counts: "1 0 2"},
		{name: "failed", text: file("failed", `{"fullName":"a b","status":"failed"},{"fullName":"c","status":"passed"}`), exit: 1, want: Failed, counts: "1 1 0", failed: "a b"},
		{name: "pattern matches none", text: file("skipped", `{"fullName":"a","status":"pending"}`), want: NotRun, counts: "0 0 1"},
		{name: "no file, allowed", text: `{"success":true,"testResults":[]}`, want: NotRun, counts: "0 0 0"},
		{name: "suite not loaded", text: file("failed", ""), exit: 1, want: Inconclusive, counts: "0 0 0", files: "v/a.test.mjs"},
		{name: "no report", exit: 1, stderr: "No tests found, exiting with code 1\n", want: Inconclusive},
		{name: "other JSON", text: `{"a":1}`, want: Inconclusive},
		{name: "torn", text: file("passed", "")[:40], want: Inconclusive},
		{name: "not installed", exit: 1, stderr: "npm error could not determine executable to run\n", want: Blocked},
	}, func(path string) parser {
		return newFileParser(jest, newReportFile("", path), func(text io.Reader) (report, error) { return decodeJest("/repo", text) })
	})
}

func TestPlaywrightReports(t *testing.T) {
	t.Parallel()
	text := func(stats, errors, specs string) string {
		return `{"config":{},"suites":[{"title":"f","specs":[],"suites":[{"specs":[` + specs + `]}]}],"errors":[` + errors + `],"stats":{` + stats + `}}`
	}
	checkReports(t, playwright, []reportCase{
		{name: "passed", text: text(`"expected":1,"skipped":1,"unexpected":0,"flaky":0`, "", `{"title":"a","ok":true}`), want: Passed, counts: "1 0 1"},
		{name: "failed", text: text(`"expected":1,"skipped":0,"unexpected":1,"flaky":0`, "", `{"title":"a","ok":true},{"title":"b","ok":false}`), exit: 1, want: Failed, counts: "1 1 0", failed: "b"},
		{name: "none found", text: text(`"expected":0`, `{"message":"Error: No tests found.\nMake sure"}`, ""), exit: 1, want: NotRun, counts: "0 0 0"},
		{name: "not loaded", text: text(`"expected":0`, `{"message":"ReferenceError: x","location":{"file":"/repo/j/a.js","line":1}}`, ""), exit: 1, want: Inconclusive, counts: "0 0 0", files: "j/a.js"},
		{name: "no browser", text: text(`"unexpected":1`, "", `{"title":"a","ok":false,"m":"Executable doesn't exist at /x"}`), exit: 1, want: Blocked, counts: "0 1 0", failed: "a"},
		{name: "no stats", text: `{}`, want: Inconclusive},
	}, func(path string) parser {
		return newFileParser(playwright, newReportFile("", path), func(text io.Reader) (report, error) { return decodePlaywright("/repo", text) })
	})
}

func TestMochaReports(t *testing.T) {
	t.Parallel()
	text := func(stats, failures string) string {
		return "{\n  \"stats\": {\n    " + stats + "\n  },\n  \"failures\": [" + failures + "],\n  \"passes\": []\n}\n"
	}
	checkReports(t, mocha, []reportCase{
		{name: "passed", text: text(`"passes": 1, "pending": 1, "failures": 0`, ""), want: Passed, counts: "1 0 1"},
		{name: "failed, between prints", text: "hello\n{\n}\n" + text(`"passes": 1, "pending": 0, "failures": 1`, `{"fullTitle": "x a"}`) + "bye\n", exit: 1, want: Failed, counts: "1 1 0", failed: "x a"},
		{name: "pattern matches none", text: text(`"passes": 0, "pending": 0, "failures": 0`, ""), want: NotRun, counts: "0 0 0"},
		{name: "no report", text: "oops\n", exit: 1, want: Inconclusive},
		{name: "not installed", exit: 1, stderr: "npm error could not determine executable to run\n", want: Blocked},
	}, func(string) parser { return &jsonParser{runner: mocha} })
}

func TestCargoReports(t *testing.T) {
	t.Parallel()
	const ok = "\nrunning 2 tests\ntest t::a ... ok\ntest t::b ... ignored\n\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	const none = "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.00s\n"
	const warning = "warning: unused\n --> src/w.rs:1:8\n"
	checkReports(t, cargoTest, []reportCase{
		{name: "passed", text: ok + none, stderr: warning, want: Passed, counts: "1 0 1"},
		{name: "filter matches none", text: none, want: NotRun, counts: "0 0 0"},
		{name: "failed", text: "running 1 test\ntest t::a ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.14s\n" + ok,
			exit: 101, want: Failed, counts: "1 1 1", failed: "t::a"},
		{name: "not built", exit: 101, stderr: "error: this file\n --> src/lib.rs:1:8\n  |\nerror: could not compile `c` (lib test) due to 1 previous error\n", want: Inconclusive, counts: "0 0 0", files: "src/lib.rs"},
		{name: "binary crashed", text: "running 2 tests\ntest t::a ... ok\n", exit: 101, want: Inconclusive},
		{name: "a result that is none", text: "running 1 test\ntest result: maybe.\n", want: Inconclusive},
		{name: "no project", exit: 101, stderr: "error: could not find `Cargo.toml` in `/x` or any parent directory\n", want: Blocked},
		{name: "other failure", exit: 101, stderr: "error: the option `Z` is only accepted on the nightly compiler\n", want: Inconclusive},
		{name: "only built", want: NotRun, counts: "0 0 0"},
	}, func(string) parser { return &cargoParser{direct: true} })
}

func TestNodeReports(t *testing.T) {
	t.Parallel()
	tap := func(lines ...string) string {
		return "TAP version 13\n" + strings.Join(lines, "\n") + "\n1..1\n# tests 1\n# pass 1\n# duration_ms 3.1\n"
	}
	checkReports(t, nodeTest, []reportCase{
		{name: "passed", text: tap("# Subtest: a", "ok 1 - a", "  ---", "  ...", "ok 2 - b # SKIP", "ok 3 - c # TODO", "not ok 4 - d # TODO later"), want: Passed, counts: "1 0 3"},
		{name: "leaves only", text: tap("    ok 1 - one", "    not ok 2 - two", "        ok 1 - s # SKIP", "    ok 3 - deep", "not ok 1 - suite", "    ok 1 - kid", "ok 2 - parent"),
			exit: 1, want: Failed, counts: "2 1 1", failed: "two"},
		{name: "parent fails by itself", text: tap("    ok 1 - kid", "not ok 1 - parent"), exit: 1, want: Failed, counts: "1 1 0", failed: "parent"},
		{name: "file without tests", text: tap("ok 1 - /srv/n/empty.test.mjs"), want: NotRun, counts: "0 0 0"},
		{name: "file not loaded", text: tap("not ok 1 - /srv/n/b.test.mjs"), exit: 1, want: Inconclusive, counts: "0 0 0", files: "/srv/n/b.test.mjs"},
		{name: "suite without tests", text: tap("ok 1 - s", "  ---", "  type: 'suite'", "  ..."), want: NotRun, counts: "0 0 0"},
		{name: "printed results", text: tap("# ok 1 - fake", "ok 1 - a"), want: Passed, counts: "1 0 0"},
		{name: "cut off", text: "TAP version 13\nok 1 - a\n", want: Inconclusive},
		{name: "no report", exit: 1, stderr: "Could not find '/srv/n/nosuch.test.mjs'\n", want: Inconclusive},
		{name: "given up", text: tap("Bail out! x"), exit: 1, want: Inconclusive},
	}, func(string) parser { return newTAPParser(nodeTest, "") })
}

func TestRunnersGetTheirReportFlag(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		"pytest -q tests":                    "pytest -q tests --junitxml=/r",
		"python -m pytest -k x":              "python -m pytest -k x --junitxml=/r",
		"pytest --junitxml=a.xml":            "pytest --junitxml=a.xml",
		"pytest --junit-xml a.xml":           "pytest --junit-xml a.xml",
		"node --test":                        "node --test-reporter=tap --test",
		"node --test --test-reporter=tap":    "node --test --test-reporter=tap",
		"node --test --test-reporter spec a": "node --test-reporter=tap --test-reporter-destination=/r --test-reporter-destination=stdout --test --test-reporter spec a",
		"node --test --test-reporter=dot --test-reporter-destination=f": "node --test-reporter=tap --test-reporter-destination=/r --test --test-reporter=dot --test-reporter-destination=f",
		"npx vitest run a":                    "npx vitest run a --reporter=default --reporter=json --outputFile.json=/r",
		"npx vitest run --reporter=dot":       "npx vitest run --reporter=dot --reporter=json --outputFile.json=/r",
		"npx vitest run --outputFile=x":       "npx vitest run --outputFile=x",
		"jest -t x -- a":                      "jest -t x --json --outputFile=/r -- a",
		"mocha spec":                          "mocha spec --reporter json",
		"mocha -R json":                       "mocha -R json",
		"mocha --reporter=dot":                "mocha --reporter=dot",
		"npx playwright test p":               "npx playwright test p --reporter=line,json",
		"npx playwright test --reporter=html": "npx playwright test --reporter=html --reporter=html,json",
		"cargo test --lib":                    "cargo test --lib",
	} {
		if got := strings.Join(planFor(Check{Argv: strings.Fields(argv)}, "/r").argv, " "); got != want {
			t.Errorf("%q: got %q, want %q", argv, got, want)
		}
	}
}

func TestOwnReporterThatHidesTheReportIsInconclusive(t *testing.T) {
	t.Parallel()
	for _, argv := range []string{"mocha --reporter=dot", "vitest --outputFile=x", "jest --outputFile=x"} {
		p := planFor(Check{Argv: strings.Fields(argv)}, "/r").parser
		if got := judge(ending{}, p.finish(0)); got.status != Inconclusive || !strings.Contains(got.reason, "drop --") {
			t.Errorf("%s: got %s %q", argv, got.status, got.reason)
		}
	}
}

func TestReportFromBeforeTheRunIsNotRead(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, "pytest", "#!/bin/sh\nexit 0\n", "a.xml", `<testsuites><testcase classname="t" name="a"/></testsuites>`)
	got := Execute(t.Context(), Check{Argv: []string{"./pytest", "--junitxml=a.xml"}, Dir: dir, Environ: os.Environ()})
	if got.Status != Inconclusive || !strings.Contains(got.Reason, "from before the run") {
		t.Errorf("got %s %q, want inconclusive", got.Status, got.Reason)
	}
}

func TestReportFileOfARunnerIsReadAndRemoved(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, "pytest", "#!/bin/sh\nfile=${1#--junitxml=}\necho '<testsuites><testcase classname=\"t\" name=\"a\"/></testsuites>' >\"$file\"\necho \"$file\"\n")
	got := Execute(t.Context(), Check{Argv: []string{"./pytest"}, Dir: dir, Environ: os.Environ()})
	if got.Status != Passed || got.Counts == nil || got.Counts.Passed != 1 || got.Runner != pytest {
		t.Fatalf("got %+v\n%s", got, got.Output)
	}
	_, file, _ := strings.Cut(got.EffectiveArgv[1], "=")
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) || strings.HasPrefix(file, dir) {
		t.Errorf("report at %s: %v, want it removed and outside %s", file, err, dir)
	}
}

func TestRealNodeRuns(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node on this machine")
	}
	dir := writeFiles(t, "a.test.mjs", "import test, {describe} from 'node:test';\ntest('a', () => {});\ntest('b', {skip: true}, () => {});\ndescribe('empty', () => {});\n",
		"empty.test.mjs", "\n", "f.test.mjs", "import test from 'node:test';\ntest('f', () => { console.log('ok 1 - no'); throw new Error('  ok 1 - no'); });\n",
		"bad.test.mjs", "import './nosuch.mjs';\n")
	for argv, want := range map[string]string{
		"node --test a.test.mjs empty.test.mjs":                  "passed 1 0 1",
		"node --test --test-reporter=spec a.test.mjs":            "passed 1 0 1",
		"node --test empty.test.mjs":                             "not_run 0 0 0",
		"node --test a.test.mjs f.test.mjs":                      "failed 1 1 1",
		"node --test bad.test.mjs":                               "inconclusive 0 0 0",
		"node --test nosuch.test.mjs":                            "inconclusive",
		"sh w.sh --test-reporter=spec a.test.mjs empty.test.mjs": "passed 1 0 1",
		"sh w.sh --test-reporter=spec empty.test.mjs":            "not_run 0 0 0",
		"sh w.sh --test-reporter=spec f.test.mjs":                "failed 0 1 0",
		"sh w.sh --test-reporter=dot a.test.mjs":                 "passed",
	} {
		if err := os.WriteFile(filepath.Join(dir, "w.sh"), []byte("node --test \"$@\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got := Execute(t.Context(), Check{Argv: strings.Fields(argv), Dir: dir, Environ: os.Environ(), Timeout: time.Minute})
		if text := strings.TrimSpace(string(got.Status) + " " + countsText(got)); text != want {
			t.Errorf("%s: got %q, want %q (%s)\n%s", argv, text, want, got.Reason, got.Output)
		}
	}
}

func TestRealCargoRuns(t *testing.T) {
	t.Parallel()
	if testing.Short() || exec.Command("cargo", "--version").Run() != nil { // a shim of rustup may have no toolchain behind it
		t.Skip("no cargo on this machine, or no time to compile")
	}
	dir := writeFiles(t, "Cargo.toml", "[package]\nname = \"c\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ndoctest = false\n",
		"src/lib.rs", "#[cfg(test)]\nmod t {\n    #[test]\n    fn a() {}\n    #[test]\n    #[ignore]\n    fn b() {}\n}\n", "w.sh", "cargo test --offline \"$@\"\n")
	for argv, want := range map[string]string{
		"cargo test --offline":     "passed 1 0 1",
		"cargo test --offline zzz": "not_run 0 0 0",
		"sh w.sh":                  "passed 1 0 1",
	} {
		got := Execute(t.Context(), Check{Argv: strings.Fields(argv), Dir: dir, Environ: os.Environ(), Timeout: time.Minute})
		if text := strings.TrimSpace(string(got.Status) + " " + countsText(got)); text != want {
			t.Errorf("%s: got %q, want %q (%s)\n%s", argv, text, want, got.Reason, got.Output)
		}
	}
}

func soundReport(t *testing.T, r report) {
	t.Helper()
	c := r.counts
	if r.broken == "" && min(c.Passed, c.Failed, c.Skipped) < 0 || len(r.failedTests) > maxFailedTests || len(r.buildFiles) > maxBuildFiles ||
		len(r.tests) > maxTests {
		t.Errorf("got %+v", r)
	}
}
