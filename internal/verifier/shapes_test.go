package verifier

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shape is one recorded run of a runner: what it wrote where, with the noise left out.
type shape struct {
	name    string
	argv    string
	out     string
	err     string
	xml     string // a report file that is not also printed
	exit    int
	direct  string // status and counts when the runner is started directly
	wrapped string // behind make or a script; empty when it is the same
}

func checkShapes(t *testing.T, shapes []shape) {
	t.Helper()
	for _, s := range shapes {
		file := filepath.Join(t.TempDir(), "report")
		p := planFor(Check{Argv: strings.Fields(s.argv)}, file)
		text := s.xml
		if _, toFile := p.parser.(*fileParser); toFile && text == "" {
			text = s.out
		}
		if text != "" {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, reason := s.read(p.parser, p.runner); got != s.direct {
			t.Errorf("%s: got %q, want %q (%s)", s.name, got, s.direct, reason)
		}
		if s.wrapped == "" {
			s.wrapped = s.direct
		}
		if got, reason := s.read(newWrapped(""), ""); got != s.wrapped {
			t.Errorf("%s behind a wrapper: got %q, want %q (%s)", s.name, got, s.wrapped, reason)
		}
	}
}

func (s shape) read(p parser, runner string) (got, reason string) {
	tr := newTranscript(p)
	tr.stdout.Write([]byte(s.out))
	tr.stderr.Write([]byte(s.err))
	var run Run
	run.take(tr.finish(s.exit), ending{exit: s.exit, program: runner})
	return strings.TrimSpace(string(run.Status) + " " + countsText(run)), run.Reason
}

func TestShapesOfGo(t *testing.T) {
	t.Parallel()
	const (
		built = "start g/nobuild"
		pass  = "output g/pass PASS"
	)
	noBuild := []string{"build-output g/nobuild # g/nobuild", "build-output g/nobuild nobuild/a_test.go:3:27: undefined: undefined", "build-fail g/nobuild",
		built, "output g/nobuild FAIL\tg/nobuild [build failed]", "unbuilt g/nobuild"}
	none := []string{"start g/none", "output g/none ?   \tg/none\t[no test files]", "skip g/none"}
	passed := []string{"start g/pass", "run g/pass TestA", "run g/pass TestA/sub", "pass g/pass TestA/sub", "pass g/pass TestA", pass, "pass g/pass"}
	failed := []string{"start g/fail", "run g/fail TestB", "fail g/fail TestB", "output g/fail FAIL", "fail g/fail"}
	skipped := []string{"start g/skip", "run g/skip TestD", "skip g/skip TestD", "output g/skip PASS", "pass g/skip"}
	all := append(append(append(append(append([]string{}, noBuild...), failed...), none...), passed...), skipped...)
	checkShapes(t, []shape{
		{name: "go-all", argv: "go test ./...", out: events(all...), exit: 1, direct: "failed 1 1 1"},
		{name: "go-buildfail", argv: "go test", out: events(noBuild...), exit: 1, direct: "inconclusive 0 0 0"},
		{name: "go-fail", argv: "go test", out: events(failed...), exit: 1, direct: "failed 0 1 0"},
		{name: "go-list", argv: "go test -list .", out: "TestA\nok  \tg/pass\t0.011s\n", direct: "passed"},
		{name: "go-nomatch", argv: "go test -run NoSuch", out: events("start g/pass", "output g/pass testing: warning: no tests to run", pass,
			"output g/pass ok  \tg/pass\t0.003s [no tests to run]", "pass g/pass"), direct: "not_run 0 0 0"},
		{name: "go-none", argv: "go test", out: events(none...), direct: "not_run 0 0 0"},
		{name: "go-nopkg", argv: "go test ./nope/...", out: events("build-output ./nope/... pattern ./nope/...: lstat ./nope/: no such file or directory",
			"build-fail ./nope/...", "start ./nope/...", "output ./nope/... FAIL\t./nope/... [setup failed]", "unbuilt ./nope/..."), exit: 1, direct: "inconclusive 0 0 0"},
		{name: "go-pass", argv: "go test", out: events(passed...), direct: "passed 1 0 0"},
		{name: "go-skip", argv: "go test", out: events(skipped...), direct: "not_run 0 0 1"},
	})
}

func TestShapesOfCargo(t *testing.T) {
	t.Parallel()
	result := func(running int, numbers string) string {
		return fmt.Sprintf("\nrunning %d test%s\n\ntest result: %s; finished in 0.00s\n\n", running, map[bool]string{true: "s"}[running != 1], numbers)
	}
	const running = "     Running unittests src/lib.rs (target/debug/deps/c-0)\n"
	none := result(0, "ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out")
	checkShapes(t, []shape{
		{name: "cargo-build", argv: "cargo test", exit: 101, direct: "inconclusive 0 0 0",
			err: "   Compiling c v0.1.0\nerror: this file contains an unclosed delimiter\n --> src/lib.rs:1:8\n\nerror: could not compile `c` (lib test) due to 1 previous error\nerror: could not compile `c` (lib) due to 1 previous error\n"},
		{name: "cargo-fail", argv: "cargo test", exit: 101, err: running + "error: test failed, to rerun pass `--lib`\n", direct: "failed 0 1 0",
			out: "\nrunning 1 test\ntest t::a ... FAILED\n\nfailures:\n\n---- t::a stdout ----\n\nfailures:\n    t::a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.14s\n"},
		{name: "cargo-json", argv: "cargo test -- -Zunstable-options --format json", exit: 101, direct: "inconclusive", wrapped: "failed",
			err: running + "error: the option `Z` is only accepted on the nightly compiler\nerror: test failed, to rerun pass `--lib`\n"},
		{name: "cargo-nomatch", argv: "cargo test zzz", err: running, out: result(0, "ok. 0 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out"), direct: "not_run 0 0 0"},
		{name: "cargo-none", argv: "cargo test", err: running + "   Doc-tests c\n", out: none + none, direct: "not_run 0 0 0"},
		{name: "cargo-pass", argv: "cargo test", err: running, direct: "passed 1 0 1",
			out: "running 2 tests\ntest t::a ... ok\ntest t::b ... ignored\n\ntest result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n" + none},
	})
}

func TestShapesOfPytest(t *testing.T) {
	t.Parallel()
	suite := func(numbers, cases string) string {
		return `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" ` + numbers + ` time="0.02" hostname="vm">` + cases + `</testsuite></testsuites>`
	}
	const xmlLine = "--------- generated xml file: /r/p.xml ----------\n"
	const short = "=========================== short test summary info ============================\n"
	checkShapes(t, []shape{
		{name: "py-colerr", argv: "pytest -q", exit: 2, direct: "inconclusive 0 0 0",
			out: "\n==================================== ERRORS ====================================\n_________________________ ERROR collecting test_err.py _________________________\nImportError while importing\n" +
				xmlLine + short + "ERROR test_err.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n1 error in 0.10s\n",
			xml: suite(`errors="1" failures="0" skipped="0" tests="1"`, `<testcase classname="" name="test_err"><error message="collection failure">E</error></testcase>`)},
		{name: "py-fail", argv: "pytest -q", exit: 1, direct: "failed 0 1 0",
			out: "F                      [100%]\n=================================== FAILURES ===================================\n>   def test_f(): assert 0\n" + xmlLine + short + "FAILED test_f.py::test_f - assert 0\n1 failed in 0.02s\n",
			xml: suite(`errors="0" failures="1" skipped="0" tests="1"`, `<testcase classname="test_f" name="test_f"><failure message="assert 0">x</failure></testcase>`)},
		{name: "py-nomatch", argv: "pytest -q -k zzz", exit: 5, out: "\n" + xmlLine + "3 deselected in 0.01s\n", xml: suite(`errors="0" failures="0" skipped="0" tests="0"`, ""), direct: "not_run 0 0 0"},
		{name: "py-none", argv: "pytest -q", exit: 5, out: "\n" + xmlLine + "no tests ran in 0.00s\n", xml: suite(`errors="0" failures="0" skipped="0" tests="0"`, ""), direct: "not_run 0 0 0"},
		{name: "py-pass", argv: "pytest -q", out: ".sx         [100%]\n" + xmlLine + "1 passed, 1 skipped, 1 xfailed in 0.02s\n", direct: "passed 1 0 2",
			xml: suite(`errors="0" failures="0" skipped="2" tests="3"`, `<testcase classname="test_p" name="test_a" time="0" /><testcase classname="test_p" name="test_b"><skipped type="pytest.skip" message="u">x</skipped></testcase>`+
				`<testcase classname="test_p" name="test_c"><skipped type="pytest.xfail" message="" /></testcase>`)},
	})
}

// nodeTAP is TAP as node writes it.
func nodeTAP(tests, pass, fail, skipped, todo int, lines string) string {
	return fmt.Sprintf("TAP version 13\n%s1..%d\n# tests %d\n# suites 0\n# pass %d\n# fail %d\n# cancelled 0\n# skipped %d\n# todo %d\n# duration_ms 132.1\n",
		lines, tests, tests, pass, fail, skipped, todo)
}

func TestShapesOfNode(t *testing.T) {
	t.Parallel()
	const block = "  ---\n  duration_ms: 1.1\n  ...\n"
	const matches = " # SKIP test name does not match pattern\n" + block
	checkShapes(t, []shape{
		{name: "node-empty", argv: "node --test", out: nodeTAP(1, 1, 0, 0, 0, "# no tests here\n# Subtest: /srv/n/empty.test.mjs\nok 1 - /srv/n/empty.test.mjs\n"+block), direct: "not_run 0 0 0"},
		{name: "node-emptydir", argv: "node --test", out: nodeTAP(0, 0, 0, 0, 0, ""), direct: "not_run 0 0 0"},
		{name: "node-fail", argv: "node --test", exit: 1, direct: "failed 0 1 0",
			out: nodeTAP(1, 0, 1, 0, 0, "# Subtest: a\nnot ok 1 - a\n  ---\n  failureType: 'testCodeFailure'\n  stack: |-\n    TestContext.<anonymous> (file:///n/f.test.mjs:1:86)\n    ok 1 - fake\n  ...\n")},
		{name: "node-junit", argv: "node --test --test-reporter=junit", direct: "passed 1 0 2", wrapped: "passed",
			out: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites>\n\t<testcase name=\"a\" time=\"0.001\" classname=\"test\"/>\n</testsuites>\n",
			xml: nodeTAP(3, 1, 0, 1, 1, "ok 1 - a\n"+block+"ok 2 - b # SKIP\n"+block+"ok 3 - c # TODO\n"+block)},
		{name: "node-nofiles", argv: "node --test nosuch.test.mjs", exit: 1, err: "Could not find '/srv/n/nosuch.test.mjs'\n", direct: "inconclusive", wrapped: "failed"},
		{name: "node-nomatch", argv: "node --test", out: nodeTAP(3, 0, 0, 3, 0, "ok 1 - a"+matches+"ok 2 - b"+matches+"ok 3 - c"+matches), direct: "not_run 0 0 3"},
		{name: "node-pass", argv: "node --test", out: nodeTAP(3, 1, 0, 1, 1, "# Subtest: a\nok 1 - a\n"+block+"ok 2 - b # SKIP\n"+block+"ok 3 - c # TODO\n"+block), direct: "passed 1 0 2"},
	})
}

func TestShapesOfJestAndVitest(t *testing.T) {
	t.Parallel()
	suite := func(head, status, tests string) string {
		return `{` + head + `,"success":true,"testResults":[{"assertionResults":[` + tests + `],"message":"","name":"/srv/js/j/a.test.js","status":"` + status + `"}]}` + "\n"
	}
	test := func(name, status string) string { return `{"fullName":"` + name + `","status":"` + status + `"}` }
	none := func(head, success string) string {
		return `{` + head + `,"success":` + success + `,"testResults":[],"wasInterrupted":false}` + "\n"
	}
	const j, v = `"numFailedTestSuites":0,"numRuntimeErrorTestSuites":0`, `"numTotalTestSuites":1`
	closing := func(suites, tests string) string {
		return "\nTest Suites: " + suites + "\nTests:       " + tests + "\nSnapshots:   0 total\nTime:        0.379 s\n"
	}
	checkShapes(t, []shape{
		{name: "jest-empty", argv: "jest j/empty.test.js", exit: 1, out: suite(j, "failed", ""), direct: "inconclusive 0 0 0",
			err: "FAIL j/a.test.js\n  ● Test suite failed to run\n\n    Your test suite must contain at least one test.\n" + closing("1 failed, 1 total", "0 total")},
		{name: "jest-nofile", argv: "jest zzz", exit: 1, err: "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n", direct: "inconclusive", wrapped: "not_run 0 0 0"},
		{name: "jest-nomatch", argv: "jest -t zzz", out: suite(j, "skipped", test("a", "pending")+","+test("b", "pending")), err: closing("1 skipped, 0 of 1 total", "2 skipped, 2 total"), direct: "not_run 0 0 2"},
		{name: "jest-pass", argv: "jest", out: suite(j, "focused", test("a", "passed")+","+test("b", "pending")), err: "PASS j/a.test.js\n" + closing("1 passed, 1 total", "1 skipped, 1 passed, 2 total"), direct: "passed 1 0 1"},
		{name: "jest-passno", argv: "jest --passWithNoTests zzz", out: none(j, "true"), err: "No tests found, exiting with code 0\n", direct: "not_run 0 0 0"},
		{name: "vitest-fail", argv: "vitest run", exit: 1, out: suite(v, "failed", test("a", "failed")), direct: "failed 0 1 0"},
		{name: "vitest-nofile", argv: "vitest run zzz", exit: 1, out: none(v, "false"), direct: "not_run 0 0 0"},
		{name: "vitest-nomatch", argv: "vitest run -t zzz", out: suite(v, "passed", test("a", "skipped")+","+test("b", "skipped")+","+test("c", "skipped")), direct: "not_run 0 0 3"},
		{name: "vitest-pass", argv: "vitest run", out: suite(v, "passed", test("a", "passed")+","+test("b", "skipped")+","+test("c", "todo")), direct: "passed 1 0 2"},
		{name: "vitest-passno", argv: "vitest run --passWithNoTests zzz", out: none(v, "true"), direct: "not_run 0 0 0"},
	})
}

func TestShapesOfMochaAndPlaywright(t *testing.T) {
	t.Parallel()
	mochaText := func(passes, pending, failures string) string {
		count := func(list string) int { return strings.Count(list, "fullTitle") }
		return fmt.Sprintf("{\n  \"stats\": {\n    \"suites\": 1,\n    \"passes\": %d,\n    \"pending\": %d,\n    \"failures\": %d\n  },\n  \"tests\": [],\n  \"pending\": [%s],\n  \"failures\": [%s],\n  \"passes\": [%s]\n}\n",
			count(passes), count(pending), count(failures), pending, failures, passes)
	}
	text := func(suites, errors, stats string) string {
		return "{\n  \"config\": {\n    \"version\": \"1.65.1\"\n  },\n  \"suites\": [" + suites + "],\n  \"errors\": [" + errors + "],\n  \"stats\": {\n    " + stats + "\n  }\n}\n"
	}
	const zero = `"expected": 0, "skipped": 0, "unexpected": 0, "flaky": 0`
	const noTests = `{"message": "Error: No tests found.\nMake sure that arguments"}`
	checkShapes(t, []shape{
		{name: "mocha-nomatch", argv: "mocha -g zzz", out: mochaText("", "", ""), direct: "not_run 0 0 0"},
		{name: "mocha-pass", argv: "mocha", out: mochaText(`{"fullTitle": "x a"}`, `{"fullTitle": "x b"}`, ""), direct: "passed 1 0 1"},
		{name: "pw-nofile", argv: "playwright test zzz", exit: 1, out: text("", noTests, zero), direct: "not_run 0 0 0"},
		{name: "pw-nomatch", argv: "playwright test -g zzz", exit: 1, direct: "inconclusive 0 0 0",
			out: text("", `{"message": "ReferenceError: describe is not defined", "location": {"file": "/srv/js/j/a.test.js", "line": 1}}, `+noTests, zero)},
		{name: "pw-pass", argv: "playwright test", direct: "passed 1 0 1", out: text(`{"title": "p/a.spec.js", "specs": [{"title": "a", "ok": true, "tests": [{"status": "expected"}]}, {"title": "b", "ok": true, "tests": [{"status": "skipped"}]}]}`,
			"", `"expected": 1, "skipped": 1, "unexpected": 0, "flaky": 0`)},
		{name: "pw-passno", argv: "playwright test --pass-with-no-tests zzz", out: text("", "", zero), direct: "not_run 0 0 0"},
	})
}
