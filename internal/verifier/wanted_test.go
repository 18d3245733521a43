package verifier

import (
	"maps"
	"testing"
)

func TestSameTestMatchesWholeNamesOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, id string
		want     bool
		own      string // the test's own name
	}{
		{"example.com/shop/cart.TestSum", "TestSum", true, "TestSum"},
		{"example.com/shop/cart.TestSum", "cart.TestSum", false, "TestSum"}, // the package is example.com/shop/cart
		{"example.com/shop/cart.TestSum", "example.com/shop/cart.TestSum", true, "TestSum"},
		{"example.com/shop/cart.TestSum/empty", "TestSum/empty", true, "TestSum/empty"},
		{"example.com/shop/cart.TestSum/empty", "TestSum", false, "TestSum/empty"},
		{"example.com/shop/cart.TestSumAll", "TestSum", false, "TestSumAll"},
		{"example.com/shop/cart.MyTestSum", "TestSum", false, "MyTestSum"},
		{"tests.test_cart.test_sum", "tests/test_cart.py::test_sum", true, "test_sum"},
		{"tests.test_cart.TestCart.test_sum[a/b.py::c]", "tests/test_cart.py::TestCart::test_sum[a/b.py::c]", true, "test_sum[a/b.py::c]"},
		{"tests.test_cart.test_sum", "test_cart.py::test_sum", true, "test_sum"},
		{"tests.test_cart.test_sum", "tests/test_basket.py::test_sum", false, "test_sum"},
		{"cart::tests::sums", "sums", true, "sums"},
		{"cart::tests::sums", "tests::sums", true, "sums"},
		{"cart sums the prices", "cart sums the prices", true, "cart sums the prices"},
		{"cart sums the prices", "prices", false, "cart sums the prices"},
		{"cart parses a.b", "b", false, "cart parses a.b"},
		{"x.", "", false, ""},
		{"example.com/shop/cart.TestAll/strings.ToUpper", "ToUpper", false, "TestAll/strings.ToUpper"},
		{"example.com/shop/cart.TestB/x.TestA", "TestA", false, "TestB/x.TestA"},
		{"tests.test_cart.test_sum[x.y]", "y]", false, "test_sum[x.y]"},
		{"cart.sums", "sums", false, "cart.sums"}, // of a runner whose names have no module
	} {
		if got := sameTest(TestResult{Name: c.name, Prefix: len(c.name) - len(c.own)}, c.id); got != c.want {
			t.Errorf("sameTest(%q, %q) = %v, want %v", c.name, c.id, got, c.want)
		}
	}
}

func TestWantedTellsHowEachTestEnded(t *testing.T) {
	t.Parallel()
	full := report{known: true}
	for _, test := range []TestResult{
		{"p.TestA", resultPassed, 2}, {"p.TestB", resultFailed, 2}, {"p.TestC", resultSkipped, 2}, {"p.TestTwice", resultPassed, 2},
		{"q.TestTwice", resultFailed, 2}, {"p.TestHalf", resultSkipped, 2}, {"q.TestHalf", resultPassed, 2}, {"p.TestRetry", resultPassed, 2},
		{"p.TestRetry", resultSkipped, 2},
	} {
		full.recordOf(test.Name[:test.Prefix], test.Name[test.Prefix:], test.Result)
	}
	unnamed := report{known: true, counts: Counts{Passed: 3}}
	cut := full
	cut.testsCut = true
	broken := full
	broken.known = false
	for _, c := range []struct {
		name string
		in   report
		want map[string]Status
	}{
		{"all named", full, map[string]Status{"TestA": Passed, "TestB": Failed, "TestC": NotRun, "TestTwice": Failed, "TestHalf": NotRun, "q.TestHalf": Passed, "TestRetry": NotRun, "TestNone": NotRun}},
		{"counts without names", unnamed, map[string]Status{"TestA": Inconclusive}},
		{"more tests than are kept", cut, map[string]Status{"TestA": Passed, "TestNone": Inconclusive}},
		{"an incomplete report", broken, map[string]Status{"TestB": Failed, "TestNone": Inconclusive}},
		{"no report", report{}, map[string]Status{"TestA": Inconclusive}},
	} {
		var ids []string
		for id := range c.want {
			ids = append(ids, id)
		}
		if got := c.in.wanted(ids); !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if got := full.wanted(nil); got != nil {
		t.Errorf("nothing wanted: got %v, want nil", got)
	}
}

func TestWantedParentsNeedATestThatRan(t *testing.T) {
	t.Parallel()
	const b = "=== RUN   TestB\n--- PASS: TestB (0.00s)\n"
	for _, c := range []struct {
		name string
		in   parser
		out  string
		want Status // of TestA
	}{
		{"go, all skipped", newWrapped(""), "=== RUN   TestA\n=== RUN   TestA/x\n--- PASS: TestA (0.00s)\n    --- SKIP: TestA/x (0.00s)\n" + b + "PASS\nok  \tm\t0.01s\n", NotRun},
		{"go, one passed", newWrapped(""), "=== RUN   TestA\n=== RUN   TestA/x\n=== RUN   TestA/y\n--- PASS: TestA (0.00s)\n    --- SKIP: TestA/x (0.00s)\n    --- PASS: TestA/y (0.00s)\nPASS\nok  \tm\t0.01s\n", Passed},
		{"go events, all skipped", newGoParser(true, nil), events("start m", "run m TestA", "run m TestA/x", "skip m TestA/x", "pass m TestA", "run m TestB", "pass m TestB", "pass m"), NotRun},
		{"go, a result that another test printed", newWrapped(""), "=== RUN   TestB\n    b_test.go:4: got:\n        --- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nPASS\nok  \tm\t0.01s\n", NotRun},
		{"go, skipped, and another test printed that it passed", newWrapped(""), "=== RUN   TestA\n=== PAUSE TestA\n=== RUN   TestB\n    b_test.go:4: got:\n        --- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\n=== CONT  TestA\n--- SKIP: TestA (0.00s)\nPASS\nok  \tm\t0.01s\n", Inconclusive},
		{"TAP, all skipped", newTAPParser(ReportTAP, ""), "1..2\n    1..1\n    ok 1 - in # SKIP\nok 1 - TestA\nok 2 - b\n", NotRun},
		{"TAP, skipped as a whole", newTAPParser(ReportTAP, ""), "1..2\n    1..0 # skip no browser\nok 1 - TestA\nok 2 - b\n", NotRun},
		{"TAP, skipped in the depth", newTAPParser(ReportTAP, ""), "1..2\n        1..1\n        ok 1 # skip\n    ok 1 - in\n    1..1\nok 1 - TestA\nok 2 - b\n", NotRun},
		{"TAP, directive without blanks", newTAPParser(ReportTAP, ""), "1..2\nok 1 - TestA #SKIP\nok 2 - b\n", NotRun},
		{"TAP, a reason with a number sign", newTAPParser(ReportTAP, ""), "1..2\nok 1 - TestA # SKIP see # 12\nok 2 - b\n", NotRun},
		{"TAP, a failure whose name only has the word", newTAPParser(ReportTAP, ""), "1..2\nnot ok 1 - TestA #todo\nok 2 - b\n", NotRun},
		{"two files with the same name, one skipped", &jsonParser{}, `{"num":0,"testResults":[{"status":"passed","assertionResults":[{"fullName":"TestA","status":"skipped"}]},{"status":"passed","assertionResults":[{"fullName":"TestA","status":"passed"}]}]}` + "\n", NotRun},
		{"cargo, should panic", &cargoParser{direct: true}, "running 1 test\ntest TestA - should panic ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", Passed},
	} {
		tr := newTranscript(c.in)
		tr.stdout.Write([]byte(c.out))
		r := tr.finish(0)
		if got := r.wanted([]string{"TestA"})["TestA"]; got != c.want {
			t.Errorf("%s: got %s, want %s; tests %+v", c.name, got, c.want, r.tests)
		}
	}
}
