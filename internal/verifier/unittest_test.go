package verifier

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const unittestRule = "----------------------------------------------------------------------\n"

// unittestEnd is how a run ends.
func unittestEnd(ran, closing string) string {
	return "\n" + unittestRule + "Ran " + ran + " in 0.001s\n\n" + closing + "\n"
}

func unittestFailure(headline string) string {
	return strings.Repeat("=", 70) + "\n" + headline + "\n" + unittestRule + "Traceback (most recent call last):\nValueError: x: y\n\n"
}

func TestTextOfUnittest(t *testing.T) {
	t.Parallel()
	both := unittestFailure("FAIL: test_a (m.T.test_a)") + unittestFailure("ERROR: test_b (m.T)")
	cases := []reportCase{
		{name: "passed", stderr: "..\n" + unittestEnd("2 tests", "OK"), want: Passed, counts: "2 0 0"},
		{name: "one", stderr: unittestEnd("1 test", "OK"), want: Passed, counts: "1 0 0"},
		{name: "none, before Python 3.12", stderr: unittestEnd("0 tests", "OK"), want: NotRun, counts: "0 0 0"},
		{name: "none", stderr: unittestEnd("0 tests", "NO TESTS RAN"), exit: 5, want: NotRun, counts: "0 0 0"},
		{name: "all skipped", stderr: unittestEnd("2 tests", "OK (skipped=2)"), want: NotRun, counts: "0 0 2"},
		{name: "all skipped, not counted as run", stderr: unittestEnd("0 tests", "NO TESTS RAN (skipped=2)"), exit: 5, want: NotRun, counts: "0 0 2"},
		{name: "expected failure", stderr: unittestEnd("2 tests", "OK (expected failures=1)"), want: Passed, counts: "1 0 1"},
		{name: "failed, of both forms", stderr: "FE.\n" + both + unittestEnd("3 tests", "FAILED (failures=1, errors=1)"), exit: 1,
			want: Failed, counts: "1 2 0", failed: "m.T.test_a m.T.test_b"},
		{name: "subtests", stderr: unittestFailure("FAIL: test_a (m.T.test_a) (i=1)") + unittestFailure("FAIL: test_a (m.T.test_a) (i=2)") + unittestEnd("2 tests", "FAILED (failures=2)"),
			exit: 1, want: Failed, counts: "0 2 0", failed: "m.T.test_a"},
		{name: "unexpected success", stderr: unittestFailure("UNEXPECTED SUCCESS: test_a (m.T.test_a)") + unittestEnd("1 test", "FAILED (unexpected successes=1)"),
			exit: 1, want: Failed, counts: "0 1 0", failed: "m.T.test_a"},
		{name: "not imported", stderr: unittestFailure("ERROR: nope (unittest.loader._FailedTest.nope)") + unittestEnd("2 tests", "FAILED (errors=1)"), exit: 1,
			want: Inconclusive, counts: "1 0 0", files: "nope"},
		{name: "a skipped class beside a test", stderr: "setUpClass (m.C) ... skipped 'no db'\ntest_a (m.T.test_a) ... ok\n" + unittestEnd("1 test", "OK (skipped=1)"),
			want: Passed, counts: "1 0 1"},
		{name: "a new word", stderr: unittestEnd("1 test", "OK (quarantined=1)"), want: Inconclusive},
		{name: "cut off", stderr: "..\n" + unittestRule + "Ran 2 tests in 0.001s\n", want: Inconclusive},
		{name: "another runner", stderr: unittestEnd("2 tests", "PASSED (successes=2)"), want: Inconclusive},
		{name: "nothing printed", want: Inconclusive},
	}
	checkReports(t, unittest, cases, func(string) parser { return newTextParser(unittest, "why") })
	checkWrapped(t, []wrapperCase{
		{name: "none", err: unittestEnd("0 tests", "OK"), want: "not_run 0 0 0", runner: unittest},
		{name: "of Django", out: "Found 1 test(s).\n", err: unittestEnd("1 test", "OK") + "Destroying test database for alias 'default'...\n", want: "passed 1 0 0", runner: unittest},
		{name: "of trial", out: unittestEnd("2 tests", "PASSED (successes=2)"), want: "passed"},
		{name: "a message", out: "Ran 3 errands in 0.1s\nOK\n", want: "passed"},
	})
}

func TestUnittestNamesWhatItRan(t *testing.T) {
	t.Parallel()
	p := newTextParser(unittest, "why")
	tr := newTranscript(p)
	tr.stderr.Write([]byte("test_a (m.T.test_a) ... ok\ntest_b (m.T)\nSays more ... ok\ntest_c (m.T.test_c) ... printed\nok\n" +
		"test_d (m.T) ... test_e (m.T) ... skipped 'why'\ntest_f (m.T.test_f) ... FAIL\n\n" +
		unittestFailure("FAIL: test_f (m.T.test_f)") + unittestFailure("FAIL: test_d (m.T) (i=1)") + unittestEnd("6 tests", "FAILED (failures=2, skipped=1)")))
	r := tr.finish(1)
	want := map[string]Status{"test_a": Passed, "m.T.test_b": Passed, "T.test_c": Passed, "test_d": Failed, "test_e": NotRun, "test_f": Failed, "test_g": NotRun, "a": NotRun}
	ids := []string{}
	for id := range want {
		ids = append(ids, id)
	}
	if got := r.wanted(ids); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v of %+v", got, want, r)
	}
}

func TestUnittestIsToldToNameItsTests(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		"python3 -m unittest":            "python3 -m unittest -v",
		"python3 -m unittest discover t": "python3 -m unittest discover t -v",
		"python3 -m unittest --verbose":  "python3 -m unittest --verbose",
		"python3 -m unittest -q a.py":    "python3 -m unittest -q a.py",
	} {
		if got := strings.Join(planFor(Check{Argv: strings.Fields(argv)}, "/r").argv, " "); got != want {
			t.Errorf("%q: got %q, want %q", argv, got, want)
		}
	}
}

func TestUnittestRuns(t *testing.T) {
	t.Parallel()
	if err := exec.Command("python3", "-c", "import unittest").Run(); err != nil {
		t.Skip("python3 is not here")
	}
	for body, want := range map[string]Status{"pass": Passed, "self.fail()": Failed, "self.skipTest('x')": NotRun, "": NotRun} {
		dir := t.TempDir()
		text := "import unittest\nclass T(unittest.TestCase):\n    x = 1\n"
		if body != "" {
			text += "    def test_a(self): " + body + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "test_a.py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run := Execute(t.Context(), Check{Name: "unit", Argv: []string{"python3", "-m", "unittest"}, Dir: dir, Environ: os.Environ()})
		if run.Status != want {
			t.Errorf("%q: got %s (%s), want %s", body, run.Status, run.Reason, want)
		}
	}
}
