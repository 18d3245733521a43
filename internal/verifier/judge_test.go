package verifier

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	counts := func(passed, failed, skipped int) report {
		return report{seen: true, known: true, counts: Counts{Passed: passed, Failed: failed, Skipped: skipped}}
	}
	with := func(r report, change func(*report)) report { change(&r); return r }
	build := func(r *report) { r.buildFailed, r.buildFiles = true, []string{"a.go"} }
	for _, c := range []struct {
		name   string
		e      ending
		r      report
		want   Status
		reason string
	}{
		{"passed", ending{}, counts(3, 0, 1), Passed, "3 tests passed, 1 skipped"},
		{"one passed", ending{}, counts(1, 0, 0), Passed, "1 test passed"},
		{"failed", ending{exit: 1}, counts(3, 1, 0), Failed, "1 of 4 tests failed"},
		{"failed with exit 0", ending{}, counts(0, 1, 0), Failed, "1 of 1 test failed"},
		{"nothing executed", ending{}, counts(0, 0, 0), NotRun, "no test was executed (exit status 0)"},
		{"all skipped", ending{}, counts(0, 0, 2), NotRun, "no test was executed, 2 skipped (exit status 0)"},
		{"nothing executed, exit 5", ending{exit: 5}, counts(0, 0, 0), NotRun, "no test was executed (exit status 5)"},
		{"passed but exit 1", ending{exit: 1}, counts(2, 0, 0), Inconclusive, "2 tests ran and none failed, but the exit status is 1"},
		{"deadline beats failures", ending{exit: -1, killed: "it was killed"}, counts(2, 1, 0), Inconclusive, "it was killed"},
		{"broken", ending{}, with(counts(2, 0, 0), func(r *report) { r.broken = "torn" }), Inconclusive, "torn"},
		{"build failed", ending{exit: 1}, with(counts(2, 0, 0), build), Inconclusive, "not built or not loaded, so tests did not run: a.go"},
		{"build and test failed", ending{exit: 1}, with(counts(2, 1, 0), build), Failed, "1 of 3 tests failed; not built or not loaded, so tests did not run: a.go"},
		{"blocked", ending{exit: 1}, report{seen: true, known: true, blocked: "no module"}, Blocked, "no module"},
		{"runner behind env missing", ending{exit: 127, program: goTest}, report{broken: "no report"}, Blocked, "go test was not found (exit status 127)"},
		{"unknown command passed", ending{}, report{}, Passed, "exit status 0; counts: unknown (exit status only)"},
		{"unknown command failed", ending{exit: 3}, report{}, Failed, "exit status 3; counts: unknown (exit status only)"},
		{"unknown command without a program", ending{exit: 127}, report{}, Inconclusive, "exit status 127: a program that the command calls was not found"},
		{"unknown command not executable", ending{exit: 126}, report{}, Inconclusive, "exit status 126: a program that the command calls could not be executed"},
		{"counts unknown, one failed", ending{exit: 1}, report{seen: true, counts: Counts{Failed: 1}, failedTests: []string{"p.T"}}, Failed,
			"1 test failed: p.T; counts: unknown (exit status only)"},
	} {
		got := judge(c.e, c.r)
		if got.status != c.want || got.reason != c.reason {
			t.Errorf("%s: got %s %q, want %s %q", c.name, got.status, got.reason, c.want, c.reason)
		}
	}
}

func TestNothingPassesWithoutProof(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3)
		text := rapid.SampledFrom([]string{"", "x"})
		r := report{
			seen: rapid.Bool().Draw(t, "seen"), known: rapid.Bool().Draw(t, "known"), buildFailed: rapid.Bool().Draw(t, "build"),
			counts: Counts{Passed: n.Draw(t, "passed"), Failed: n.Draw(t, "failed"), Skipped: n.Draw(t, "skipped")},
			broken: text.Draw(t, "broken"), blocked: text.Draw(t, "blocked"),
		}
		e := ending{exit: rapid.IntRange(0, 130).Draw(t, "exit"), killed: text.Draw(t, "killed")}
		got := judge(e, r)
		if got.reason == "" {
			t.Fatalf("%+v %+v: no reason for %s", e, r, got.status)
		}
		clean := e.exit == 0 && e.killed == "" && r.broken == "" && r.blocked == "" && !r.buildFailed && r.counts.Failed == 0
		if got.status == Passed && (!clean || r.known && r.counts.Passed == 0) {
			t.Fatalf("%+v %+v: passed", e, r)
		}
		if got.status == Passed && !r.known && !strings.Contains(got.reason, unknownCounts) {
			t.Fatalf("%+v %+v: passed without counts and without saying so: %q", e, r, got.reason)
		}
	})
}
