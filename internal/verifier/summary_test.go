package verifier

import (
	"strings"
	"testing"
)

// wrapperCase is what a wrapper printed.
type wrapperCase struct {
	name   string
	out    string
	err    string
	exit   int
	want   string // status and counts
	runner string
	failed string
}

func checkWrapped(t *testing.T, cases []wrapperCase) {
	t.Helper()
	for _, c := range cases {
		tr := newTranscript(newWrapped(""))
		tr.stdout.Write([]byte(c.out))
		tr.stderr.Write([]byte(c.err))
		r := tr.finish(c.exit)
		var run Run
		run.take(r, ending{exit: c.exit})
		got := strings.TrimSpace(string(run.Status) + " " + countsText(run))
		if got != c.want || r.runner != c.runner || strings.Join(run.FailedTests, " ") != c.failed {
			t.Errorf("%s: got %q by %q, failed %q, want %q by %q, failed %q (%s)", c.name, got, r.runner, run.FailedTests, c.want, c.runner, c.failed, run.Reason)
		}
	}
}

func bars(s string) string {
	return strings.Repeat("=", 20) + " " + s + " " + strings.Repeat("=", 20) + "\n"
}

func TestTextOfPytestBehindAWrapper(t *testing.T) {
	t.Parallel()
	begin := bars("test session starts") + "platform linux -- Python 3.11\ncollected 3 items\n\n"
	checkWrapped(t, []wrapperCase{
		{name: "passed", out: begin + "a.py ...\n" + bars("3 passed in 0.12s"), want: "passed 3 0 0", runner: pytest},
		{name: "colours", out: "\x1b[32m\x1b[1m1 passed\x1b[0m, \x1b[33m1 skipped\x1b[0m\x1b[32m in 0.10s\x1b[0m\n", want: "passed 1 0 1", runner: pytest},
		{name: "long run", out: bars("2 passed, 1 warning in 65.32s (0:01:05)"), want: "passed 2 0 0", runner: pytest},
		{name: "unexpected pass counts", out: bars("1 xpassed, 1 xfailed in 0.1s"), want: "passed 1 0 1", runner: pytest},
		{name: "subtests are named apart", out: bars("1 passed, 2 subtests passed in 0.1s"), want: "passed 1 0 0", runner: pytest},
		{name: "a new word", out: bars("1 passed, 2 quarantined in 0.1s"), want: "passed", runner: pytest},
		{name: "failed behind || true", out: bars("short test summary info") + "FAILED t.py::test_a[x] - assert 0\nFAILED t.py::test_b\n" + bars("2 failed, 1 passed in 0.1s"),
			want: "failed 1 2 0", runner: pytest, failed: "t.py::test_a[x] t.py::test_b"},
		{name: "set-up failed", out: bars("short test summary info") + "ERROR t.py::test_a - x\n" + bars("1 passed, 1 error in 0.1s"), exit: 1, want: "failed 1 1 0", runner: pytest, failed: "t.py::test_a"},
		{name: "collection failed, others ran", out: "____ ERROR collecting sub/t.py ____\n" + bars("1 passed, 1 error in 0.1s"), exit: 1, want: "inconclusive 1 0 0", runner: pytest},
		{name: "coverage gate", out: bars("3 passed in 0.1s") + "FAIL Required test coverage of 90% not reached\n", exit: 2, want: "inconclusive 3 0 0", runner: pytest},
		{name: "cut off", out: begin + "a.py ..", want: "passed", runner: pytest},
		{name: "two runs", out: begin + bars("1 passed in 0.1s") + begin + bars("2 passed in 0.1s"), want: "passed 3 0 0", runner: pytest},
		{name: "a printed summary makes the counts unknown", out: begin + bars("9 passed in 0.1s") + bars("1 passed in 0.1s"), want: "passed", runner: pytest},
		{name: "a printed summary hides no failure", out: begin + "--- Captured stdout call ---\n" + bars("3 passed in 0.1s") + bars("1 failed in 0.1s"), exit: 1, want: "failed", runner: pytest},
		{name: "a printed summary of a run that failed", out: bars("3 passed in 0.1s"), exit: 1, want: "inconclusive 3 0 0", runner: pytest},
		{name: "no summary", out: "3 files changed in 0.1s\n1 passed in the end\npassed in 0.1s\n", want: "passed"},
	})
}

func TestTextOfNodeBehindAWrapper(t *testing.T) {
	t.Parallel()
	end := func(tests, pass, fail, cancelled, skipped, todo string) string {
		return "ℹ tests " + tests + "\nℹ suites 0\nℹ pass " + pass + "\nℹ fail " + fail + "\nℹ cancelled " + cancelled + "\nℹ skipped " + skipped + "\nℹ todo " + todo + "\nℹ duration_ms 12.5\n"
	}
	const failing = "\n✖ failing tests:\n\ntest at n/f.test.mjs:1:65\n✖ a (3.7ms)\n  AssertionError\n"
	checkWrapped(t, []wrapperCase{
		{name: "passed", out: "\n> x@1.0.0 test\n> node --test\n\n✔ a (2.1ms)\n﹣ b (0.2ms) # SKIP\n" + end("2", "1", "0", "0", "1", "0"), want: "passed 1 0 1", runner: nodeTest},
		{name: "file without tests", out: "✔ /srv/n/empty.test.mjs (120.8ms)\n" + end("1", "1", "0", "0", "0", "0"), want: "not_run 0 0 0", runner: nodeTest},
		{name: "file not loaded", out: "✖ /srv/n/b.test.mjs (120.8ms)\n" + end("1", "0", "1", "0", "0", "0"), exit: 1, want: "inconclusive 0 0 0", runner: nodeTest},
		{name: "failed", out: "✖ a (3.7ms)\n  AssertionError\n\n" + end("1", "0", "1", "0", "0", "0") + failing, exit: 1, want: "failed 0 1 0", runner: nodeTest, failed: "a"},
		{name: "cancelled", out: end("2", "1", "0", "1", "0", "0"), want: "failed 1 1 0", runner: nodeTest},
		{name: "does not add up", out: end("5", "1", "0", "0", "0", "0"), want: "passed", runner: nodeTest},
		{name: "cut off", out: "ℹ tests 2\nℹ suites 0\nℹ pass 2\n", want: "passed", runner: nodeTest},
		{name: "a message of a test", out: "ℹ hello\nℹ pass 3\n", want: "passed"},
		{name: "two runs", out: end("1", "1", "0", "0", "0", "0") + end("2", "2", "0", "0", "0", "0"), want: "passed 3 0 0", runner: nodeTest},
	})
}

func TestTextOfVitestAndJestBehindAWrapper(t *testing.T) {
	t.Parallel()
	vitestEnd := func(files, tests string) string {
		return " Test Files  " + files + "\n      Tests  " + tests + "\n   Start at  23:04:47\n   Duration  652ms\n"
	}
	jestEnd := func(suites, tests string) string {
		return "Test Suites: " + suites + "\nTests:       " + tests + "\nSnapshots:   0 total\n"
	}
	const run = "\n RUN  v4.1.12 /srv/v\n\n"
	checkWrapped(t, []wrapperCase{
		{name: "vitest passed", out: run + vitestEnd("1 passed (1)", "2 passed | 1 skipped | 1 todo (4)"), want: "passed 2 0 2", runner: vitest},
		{name: "vitest colours", out: "\x1b[2m Test Files \x1b[22m \x1b[1m\x1b[32m1 passed\x1b[39m\x1b[22m\x1b[90m (1)\x1b[39m\n\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m2 passed\x1b[39m\x1b[22m\x1b[90m (2)\x1b[39m\n",
			want: "passed 2 0 0", runner: vitest},
		{name: "vitest failed", out: run + "stdout | v/f.test.mjs > a\nTests  5 passed (5)\n" + vitestEnd("1 failed | 1 passed (2)", "1 failed | 2 passed (3)"), exit: 1,
			err: " FAIL  v/f.test.mjs > a\nAssertionError\n", want: "failed 2 1 0", runner: vitest, failed: "v/f.test.mjs > a"},
		{name: "vitest not loaded", out: run + vitestEnd("1 failed (1)", "no tests"), err: " FAIL  v/bad.test.mjs [ v/bad.test.mjs ]\n", exit: 1, want: "inconclusive 0 0 0", runner: vitest},
		{name: "vitest pattern matches none", out: run + vitestEnd("1 skipped (1)", "4 skipped (4)"), want: "not_run 0 0 4", runner: vitest},
		{name: "vitest no files, allowed", out: run + "No test files found, exiting with code 0\n", want: "not_run 0 0 0", runner: vitest},
		{name: "vitest no files", out: run, err: "No test files found, exiting with code 1\n", exit: 1, want: "not_run 0 0 0", runner: vitest},
		{name: "vitest cut off", out: run, want: "passed", runner: vitest},
		{name: "jest passed", err: "PASS j/a.test.js\n\n" + jestEnd("1 passed, 1 total", "1 skipped, 1 todo, 1 passed, 3 total"), want: "passed 1 0 2", runner: jest},
		{name: "jest failed", err: "FAIL j/f.test.js\n  ● x › f\n\n    boom\n\n" + jestEnd("1 failed, 1 passed, 2 total", "1 failed, 1 passed, 2 total"), exit: 1, want: "failed 1 1 0", runner: jest, failed: "x › f"},
		{name: "jest not loaded", err: "FAIL j/bad.test.js (5.2 s)\n  ● Test suite failed to run\n\n" + jestEnd("1 failed, 1 total", "0 total"), exit: 1, want: "inconclusive 0 0 0", runner: jest},
		{name: "jest no tests, allowed", out: "No tests found, exiting with code 0\n", want: "not_run 0 0 0", runner: jest},
		{name: "jest does not add up", err: jestEnd("1 passed, 1 total", "1 passed, 5 total"), want: "passed", runner: jest},
		{name: "jest lines apart", err: "Test Suites: 1 passed, 1 total\nhello\nTests:       1 passed, 1 total\n", want: "passed"},
	})
}

func TestTextOfMochaAndPlaywrightBehindAWrapper(t *testing.T) {
	t.Parallel()
	const running = "\nRunning 3 tests using 1 worker\n\n  ✓  1 p/a.spec.js:1:50 › a (6ms)\n"
	checkWrapped(t, []wrapperCase{
		{name: "mocha passed", out: "\n  x\n    ✔ a\n\n  1 passing (6ms)\n  1 pending\n\n", want: "passed 1 0 1", runner: mocha},
		{name: "mocha failed", out: "  1 passing (1s)\n  1 failing\n\n  1) x\n       f:\n", exit: 1, want: "failed 1 1 0", runner: mocha},
		{name: "mocha pattern matches none", out: "\n\n  0 passing (2ms)\n\n", want: "not_run 0 0 0", runner: mocha},
		{name: "mocha words apart", out: "  1 passing (2ms)\n\n  3 failing\n", want: "passed 1 0 0", runner: mocha},
		{name: "playwright passed", out: running + "\n  1 skipped\n  2 passed (1.6s)\n", want: "passed 2 0 1", runner: playwright},
		{name: "playwright failed", out: running + "\n  1 failed\n    p/f.spec.js:1:50 › f ───\n  1 flaky\n  1 passed (1.7s)\n", exit: 1, want: "failed 2 1 0", runner: playwright},
		{name: "playwright without a browser", out: running + "    Error: browserType.launch: Executable doesn't exist at /x\n  3 failed\n", exit: 1, want: "blocked 0 3 0", runner: playwright},
		{name: "playwright cut off", out: running, want: "passed", runner: playwright},
		{name: "playwright found none", out: "Error: No tests found.\nMake sure\n", exit: 1, want: "not_run 0 0 0", runner: playwright},
		{name: "numbers of something else", out: "  3 passed (1.0s)\n  12 failed\n", want: "passed"},
	})
}

func TestSeveralRunnersBehindAWrapper(t *testing.T) {
	t.Parallel()
	const cargo = "running 1 test\ntest t::a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0s\n"
	const goVerbose = "=== RUN   A\n--- PASS: A (0.00s)\nPASS\nok  \tg\t0.1s\n"
	const json = `{"numFailedTestSuites":0,"numRuntimeErrorTestSuites":0,"testResults":[{"name":"a","status":"passed","assertionResults":[{"fullName":"a","status":"passed"}]}]}` + "\n"
	const text = "Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n"
	checkWrapped(t, []wrapperCase{
		{name: "both complete", out: cargo + bars("2 passed, 1 skipped in 0.1s"), want: "passed 3 0 1", runner: "cargo test + pytest"},
		{name: "one without counts", out: "ok  \tg\t0.1s\n" + bars("2 passed in 0.1s"), want: "passed", runner: "go test + pytest"},
		{name: "one failed", out: goVerbose + bars("1 failed in 0.1s"), exit: 1, want: "failed 1 1 0", runner: "go test + pytest"},
		{name: "one failed, the other without counts, exit 0", out: "ok  \tg\t0.1s\n" + bars("1 failed in 0.1s"), want: "failed", runner: "go test + pytest"},
		{name: "one executed nothing", out: goVerbose + bars("no tests ran in 0.1s"), want: "passed 1 0 0", runner: "go test + pytest"},
		{name: "none executed anything", out: "?   \tg\t[no test files]\n" + bars("no tests ran in 0.1s"), want: "not_run 0 0 0", runner: "go test + pytest"},
		{name: "JSON and its own text", out: json, err: text, want: "passed 1 0 0", runner: jest},
		{name: "JSON of one run and text of two", out: json, err: text + text, want: "passed", runner: jest},
		{name: "JSON that passed and the text of a run that failed, exit 0", out: json, err: "Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\n", want: "failed", runner: jest},
		{name: "cargo ends early", out: cargo + "running 2 tests\n", want: "passed", runner: cargoTest},
		{name: "cargo with a printed result", out: "running 1 test\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured;\n" + cargo, want: "passed", runner: cargoTest},
		{name: "something that runs tests", out: "running 3 tests\nall fine\n", want: "passed"},
		{name: "cargo build is no test", err: "error: could not compile `c` (lib) due to 1 previous error\n", exit: 101, want: "failed"},
	})
}

func FuzzTextSummaries(f *testing.F) {
	for _, seed := range []string{
		"=== test session starts ===\n=== short test summary info ===\nFAILED a::b - c\n___ ERROR collecting a.py ___\n1 failed, 2 errors in 0.1s\n",
		"✖ /a/b.mjs (1ms)\nℹ tests 3\nℹ pass 1\nℹ fail 2\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 3\n",
		" RUN  v1\n FAIL  a [ a ]\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n",
		"FAIL a\n  ● Test suite failed to run\nTest Suites: 1 failed, 1 total\nTests:       1 passed, 1 total\n",
		"  1 passing (3ms)\n  1 pending\n  1 failing\n",
		"Running 2 tests using 1 worker\n  1 failed\n  1 passed (1s)\n",
		"running 1 test\ntest a ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured\n",
		"TAP version 13\nok 1 - a\n1..1\n{\n\"stats\":{}}\n\x1b[1",
	} {
		f.Add(seed, 0)
	}
	f.Fuzz(func(t *testing.T, text string, exit int) {
		tr := newTranscript(newWrapped(""))
		tr.stdout.Write([]byte(text))
		tr.stderr.Write([]byte(text))
		r := tr.finish(exit)
		soundReport(t, r)
		if exit != 0 && judge(ending{exit: exit}, r).status == Passed {
			t.Errorf("exit status %d passed: %+v", exit, r)
		}
	})
}
