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
	}{
		{"example.com/shop/cart.TestSum", "TestSum", true},
		{"example.com/shop/cart.TestSum", "cart.TestSum", false}, // the package is example.com/shop/cart
		{"example.com/shop/cart.TestSum", "example.com/shop/cart.TestSum", true},
		{"example.com/shop/cart.TestSum/empty", "TestSum/empty", true},
		{"example.com/shop/cart.TestSum/empty", "TestSum", false},
		{"example.com/shop/cart.TestSumAll", "TestSum", false},
		{"example.com/shop/cart.MyTestSum", "TestSum", false},
		{"tests.test_cart.test_sum", "tests/test_cart.py::test_sum", true},
		{"tests.test_cart.TestCart.test_sum[a/b.py::c]", "tests/test_cart.py::TestCart::test_sum[a/b.py::c]", true},
		{"tests.test_cart.test_sum", "test_cart.py::test_sum", true},
		{"tests.test_cart.test_sum", "tests/test_basket.py::test_sum", false},
		{"cart::tests::sums", "sums", true},
		{"cart::tests::sums", "tests::sums", true},
		{"cart sums the prices", "cart sums the prices", true},
		{"cart sums the prices", "prices", false},
		{"cart parses a.b", "b", false},
		{"x.", "", false},
	} {
		if got := sameTest(c.name, c.id); got != c.want {
			t.Errorf("sameTest(%q, %q) = %v, want %v", c.name, c.id, got, c.want)
		}
	}
}

func TestWantedTellsHowEachTestEnded(t *testing.T) {
	t.Parallel()
	full := report{known: true}
	full.pass("p.TestA")
	full.fail("p.TestB")
	full.skip("p.TestC")
	full.pass("p.TestTwice")
	full.fail("q.TestTwice")
	full.skip("p.TestHalf")
	full.pass("q.TestHalf")
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
		{"all named", full, map[string]Status{"TestA": Passed, "TestB": Failed, "TestC": NotRun, "TestTwice": Failed, "TestHalf": Passed, "TestNone": NotRun}},
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
