package verifier

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// read gives out to a new parser, as the process would write it.
func read(g *goParser, out, err string, exit int) (report, string) {
	t := newTranscript(g)
	t.stdout.Write([]byte(out))
	t.stderr.Write([]byte(err))
	r := t.finish(exit)
	return r, string(t.stdout.kept.Output().Bytes())
}

// events writes the events of go test -json in short: "run P T", "pass P T", "fail P", "out P text", "built P" …
func events(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		words := strings.SplitN(line, " ", 3)
		switch words[0] {
		case "raw":
			b.WriteString(strings.TrimPrefix(line, "raw ") + "\n")
		case "build-output":
			fmt.Fprintf(&b, "{\"ImportPath\":%q,\"Action\":\"build-output\",\"Output\":%q}\n", words[1], words[2]+"\n")
		case "build-fail":
			fmt.Fprintf(&b, "{\"ImportPath\":%q,\"Action\":\"build-fail\"}\n", words[1])
		case "output":
			fmt.Fprintf(&b, "{\"Action\":\"output\",\"Package\":%q,\"Output\":%q}\n", words[1], words[2]+"\n")
		case "unbuilt":
			fmt.Fprintf(&b, "{\"Action\":\"fail\",\"Package\":%q,\"Elapsed\":0,\"FailedBuild\":\"x\"}\n", words[1])
		default:
			test := ""
			if len(words) > 2 {
				test = fmt.Sprintf(",\"Test\":%q", words[2])
			}
			fmt.Fprintf(&b, "{\"Time\":\"2026-11-30T19:31:08Z\",\"Action\":%q,\"Package\":%q%s}\n", words[0], words[1], test)
		}
	}
	return b.String()
}

func TestGoEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		events []string
		exit   int
		want   Status
		counts string // passed failed skipped; empty when unknown
		failed string
		reason string // a part of it
	}{
		{"passed", []string{"start g", "run g A", "pass g A", "pass g"}, 0, Passed, "1 0 0", "", "1 test passed"},
		{"failed", []string{"start g", "run g A", "fail g A", "run g B", "pass g B", "fail g"}, 1, Failed, "1 1 0", "g.A", "1 of 2 tests failed: g.A"},
		{"no test files", []string{"start g", "output g ?   \tg\t[no test files]", "skip g"}, 0, NotRun, "0 0 0", "", "no test was executed"},
		{"pattern matches none", []string{"start g", "output g testing: warning: no tests to run", "pass g"}, 0, NotRun, "0 0 0", "", "no test was executed"},
		{"all skipped", []string{"start g", "run g A", "skip g A", "pass g"}, 0, NotRun, "0 0 1", "", "no test was executed, 1 skipped"},
		{"leaves only", []string{"start g", "run g A", "run g A/x", "run g A/x/y", "pass g A/x/y", "pass g A/x", "run g A/z", "skip g A/z", "pass g A", "pass g"},
			0, Passed, "1 0 1", "", ""},
		{"parent fails with its child", []string{"start g", "run g A", "run g A/x", "fail g A/x", "fail g A", "fail g"}, 1, Failed, "0 1 0", "g.A/x", "1 of 1 test failed: g.A/x"},
		{"parent fails by itself", []string{"start g", "run g A", "run g A/x", "pass g A/x", "fail g A", "fail g"}, 1, Failed, "1 1 0", "g.A", ""},
		{"name with a slash", []string{"start g", "run g A", "run g A/x/y", "fail g A/x/y", "fail g A", "fail g"}, 1, Failed, "0 1 0", "g.A/x/y", ""},
		{"a prefix is no parent", []string{"start g", "run g A", "pass g A", "run g AB", "pass g AB", "pass g"}, 0, Passed, "2 0 0", "", ""},
		{"twice", []string{"start g", "run g A", "pass g A", "run g A", "fail g A", "fail g"}, 1, Failed, "1 1 0", "g.A", ""},
		{"packages at once", []string{"start g", "start h", "run g A", "run h A", "fail h A", "pass g A", "pass g", "fail h"}, 1, Failed, "1 1 0", "h.A", ""},
		{"exit in a test", []string{"start g", "run g A", "run g A/x", "fail g"}, 1, Failed, "0 1 0", "g.A/x", "g ended before A/x had a result"},
		{"exit in TestMain", []string{"start g", "run g A", "pass g A", "fail g"}, 1, Failed, "1 1 0", "g", "g failed outside the result of a test"},
		{"result of a test was lost", []string{"start g", "run g A", "pass g"}, 0, Inconclusive, "", "", "no result was reported for A"},
		{"not built", []string{"build-output g # g", "build-output g a/a_test.go:3:27: undefined: x", "build-output g a/a_test.go:4:1: more", "build-fail g",
			"start g", "output g FAIL\tg [build failed]", "unbuilt g"}, 1, Inconclusive, "0 0 0", "", "not built or not loaded, so tests did not run: a/a_test.go"},
		{"not built beside a failure", []string{"build-output g ./b.go:1: no", "build-fail g", "unbuilt g", "start h", "run h A", "fail h A", "fail h"},
			1, Failed, "0 1 0", "h.A", "not built or not loaded, so tests did not run: ./b.go"},
		{"not built, before go 1.24", []string{"start g", "output g FAIL\tg [build failed]", "fail g"}, 1, Inconclusive, "0 0 0", "", "could not be built or loaded"},
		{"no module", []string{"build-output . # .", "build-output . pattern ./...: directory prefix . does not contain main module or its selected dependencies",
			"build-fail .", "start .", "unbuilt ."}, 1, Blocked, "0 0 0", "", "there is no Go module here"},
		{"benchmarks only", []string{"start g", "run g BenchmarkA", "pass g"}, 0, NotRun, "0 0 0", "", "no test was executed"},
		{"benchmark skipped", []string{"start g", "run g BenchmarkA", "skip g BenchmarkA", "pass g"}, 0, NotRun, "0 0 0", "", ""},
		{"benchmark fails", []string{"start g", "run g BenchmarkA", "fail g BenchmarkA", "fail g"}, 1, Failed, "0 1 0", "g.BenchmarkA", ""},
		{"cut off", []string{"start g", "run g A", "pass g A", "pass g", "start h", "run h B"}, 0, Inconclusive, "", "", "the report ends before the result of h"},
		{"torn event", []string{"start g", "run g A", "pass g A", "pass g", `raw {"Time":"2026-11-30T19:31`}, 0, Inconclusive, "", "", "could not be read"},
		{"foreign lines between", []string{"raw hello", `raw {"a":1}`, "start g", "raw --- FAIL: X (0.00s)", "run g A", "pass g A", "raw {", "pass g"}, 0, Passed, "1 0 0", "", ""},
		{"unknown actions", []string{"start g", "attr g A", "run g A", "pause g A", "cont g A", "pass g A", "pass g"}, 0, Passed, "1 0 0", "", ""},
		{"coverage gate", []string{"start g", "run g A", "pass g A", "pass g"}, 1, Inconclusive, "1 0 0", "", "none failed, but the exit status is 1"},
		{"no report", []string{"raw go: -race requires cgo"}, 2, Inconclusive, "", "", "go test gave no report (exit status 2): go: -race requires cgo"},
		{"nothing at all", nil, 0, NotRun, "0 0 0", "", "no test was executed"},
		{"no packages", []string{`raw go: warning: "./x/..." matched no packages`, "raw no packages to test"}, 1, NotRun, "0 0 0", "", "no test was executed"},
	} {
		r, _ := read(newGoParser(true, nil), events(c.events...), "", c.exit)
		var run Run
		run.take(r, ending{exit: c.exit, program: goTest})
		if got := countsText(run); run.Status != c.want || got != c.counts {
			t.Errorf("%s: got %s, counts %q, want %s, %q (%s)", c.name, run.Status, got, c.want, c.counts, run.Reason)
		}
		if got := strings.Join(run.FailedTests, " "); got != c.failed || !strings.Contains(run.Reason, c.reason) {
			t.Errorf("%s: got failed %q, reason %q, want %q, %q", c.name, got, run.Reason, c.failed, c.reason)
		}
	}
}

func countsText(run Run) string {
	if run.Counts == nil {
		return ""
	}
	return fmt.Sprintf("%d %d %d", run.Counts.Passed, run.Counts.Failed, run.Counts.Skipped)
}

func TestGoTextOfAWrapper(t *testing.T) {
	t.Parallel()
	const secs = "\t0.003s"
	for _, c := range []struct {
		name                   string
		out                    []string
		stderr                 string
		exit                   int
		want                   Status
		counts, failed, runner string
	}{
		{"plain ok", []string{"ok  \tg" + secs}, "", 0, Passed, "", "", goTest},
		{"cached", []string{"ok  \tg\t(cached)"}, "", 0, Passed, "", "", goTest},
		{"plain ok, then another step fails", []string{"ok  \tg" + secs}, "", 2, Failed, "", "", goTest},
		{"no test files", []string{"?   \tg\t[no test files]"}, "", 0, NotRun, "0 0 0", "", goTest},
		{"no tests to run", []string{"testing: warning: no tests to run", "PASS", "ok  \tg" + secs + " [no tests to run]"}, "", 0, NotRun, "0 0 0", "", goTest},
		{"one package of two has none", []string{"?   \th\t[no test files]", "ok  \tg" + secs}, "", 0, Passed, "", "", goTest},
		{"verbose", []string{"=== RUN   A", "=== RUN   A/x", "--- PASS: A (0.00s)", "    --- PASS: A/x (0.00s)", "=== RUN   B", "--- SKIP: B (0.00s)", "PASS", "ok  \tg\t(cached)"},
			"", 0, Passed, "1 0 1", "", goTest},
		{"verbose, all skipped", []string{"=== RUN   B", "--- SKIP: B (0.00s)", "PASS", "ok  \tg" + secs}, "", 0, NotRun, "0 0 1", "", goTest},
		{"verbose beside plain", []string{"=== RUN   A", "--- PASS: A (0.00s)", "PASS", "ok  \tg" + secs, "ok  \th" + secs}, "", 0, Passed, "", "", goTest},
		{"verbose, a result behind a print", []string{"=== RUN   A", "x--- PASS: A (0.00s)", "PASS", "ok  \tg" + secs}, "", 0, Passed, "1 0 0", "", goTest},
		{"ok although a test failed", []string{"=== RUN   A", "--- FAIL: A (0.00s)", "FAIL", "ok  \tg" + secs}, "", 0, Inconclusive, "", "", goTest},
		{"ok although a test did not end", []string{"=== RUN   A", "--- PASS: A (0.00s)", "=== RUN   B", "ok  \tg" + secs}, "", 0, Inconclusive, "", "", goTest},
		{"a benchmark has no result", []string{"=== RUN   A", "--- PASS: A (0.00s)", "=== RUN   BenchmarkB", "BenchmarkB-2 1 2 ns/op", "PASS", "ok  \tg" + secs}, "", 0, Passed, "1 0 0", "", goTest},
		{"failed", []string{"--- FAIL: A (0.00s)", "    --- FAIL: A/x (0.00s)", "        a_test.go:3: boom", "FAIL", "FAIL\tg" + secs, "FAIL"}, "", 1, Failed, "", "g.A/x", goTest},
		{"failed, exit 0", []string{"--- FAIL: A (0.00s)", "FAIL", "FAIL\tg" + secs, "FAIL"}, "", 0, Failed, "", "g.A", goTest},
		{"verbose failed", []string{"=== RUN   A", "--- FAIL: A (0.00s)", "=== RUN   B", "--- PASS: B (0.00s)", "FAIL", "FAIL\tg" + secs}, "", 1, Failed, "1 1 0", "g.A", goTest},
		{"timed out", []string{"=== RUN   A", "panic: test timed out after 1s", "FAIL\tg" + secs}, "", 1, Failed, "0 1 0", "g.A", goTest},
		{"not built", []string{"FAIL\tg [build failed]", "FAIL"}, "# g [g.test]\na/a_test.go:3:27: undefined: x\n", 1, Inconclusive, "0 0 0", "", goTest},
		{"events", []string{strings.TrimSpace(events("start g", "run g A", "pass g A", "pass g"))}, "", 0, Passed, "1 0 0", "", goTest},
		{"on stderr", nil, "=== RUN   A\n--- PASS: A (0.00s)\nPASS\nok  \tg\t0.1s\n", 0, Passed, "1 0 0", "", goTest},
		{"windows line ends", []string{"=== RUN   A\r", "--- PASS: A (0.00s)\r", "PASS\r", "ok  \tg" + secs + "\r"}, "", 0, Passed, "1 0 0", "", goTest},
		{"test binary by itself", []string{"=== RUN   A", "--- PASS: A (0.00s)", "PASS"}, "", 0, Passed, "1 0 0", "", goTest},
		{"test binary by itself fails", []string{"--- FAIL: A (0.00s)", "FAIL"}, "", 1, Failed, "", "test.A", goTest},
		{"a printed failure of a package that is ok", []string{"--- FAIL: A (0.00s)", "ok  \tg" + secs}, "", 0, Passed, "", "", goTest},
		{"something else", []string{"All done.", "  ok  \tg", "FAIL: maybe"}, "", 0, Passed, "", "", ""},
		{"something else fails", []string{"PASS"}, "", 3, Failed, "", "", ""},
		{"talks of modules", []string{"the directory does not contain main module"}, "", 0, Passed, "", "", ""},
	} {
		out := ""
		for _, line := range c.out {
			out += line + "\n"
		}
		r, shown := read(newGoParser(false, nil), out, c.stderr, c.exit)
		var run Run
		run.take(r, ending{exit: c.exit})
		got := []string{string(run.Status), countsText(run), strings.Join(run.FailedTests, " "), r.runner}
		if !r.seen {
			got[3] = ""
		}
		want := []string{string(c.want), c.counts, c.failed, c.runner}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.name, run.Reason, diff)
		}
		if !strings.HasPrefix(out, `{`) && shown != out {
			t.Errorf("%s: got shown %q, want all of %q", c.name, shown, out)
		}
	}
}

func TestBuildFilesAreNamedOnlyWhenTheBuildFailed(t *testing.T) {
	t.Parallel()
	const compiler = "# g\n./a.go:3:1: x\nvet: b/b.go:1:2: y\n./a.go:9: again\nnote: c.go:1 is fine\n\td.go:1:1: other declaration\n"
	r, _ := read(newGoParser(false, nil), "FAIL\tg [build failed]\n", compiler, 1)
	if want := []string{"./a.go", "b/b.go"}; !r.buildFailed || !slices.Equal(r.buildFiles, want) {
		t.Errorf("got %v, %q, want %q", r.buildFailed, r.buildFiles, want)
	}
	r, _ = read(newGoParser(false, nil), "ok  \tg\t0.1s\n", compiler, 0)
	if r.buildFailed || r.buildFiles != nil {
		t.Errorf("build passed: got %v, %q", r.buildFailed, r.buildFiles)
	}
}

func TestEventsAreShownAsTheTextOfGoTest(t *testing.T) {
	t.Parallel()
	in := events("start g", "run g A", "output g === RUN   A", "output g     a_test.go:3: boom", "output g --- PASS: A (0.00s)", "pass g A", "output g PASS", "pass g")
	for flag, want := range map[string]string{
		"-x": "    a_test.go:3: boom\nPASS\n",
		"-v": "=== RUN   A\n    a_test.go:3: boom\n--- PASS: A (0.00s)\nPASS\n",
	} {
		if _, got := read(newGoParser(true, []string{flag}), in, "", 0); got != want {
			t.Errorf("%s: got %q, want %q", flag, got, want)
		}
	}
}

func TestManyFailuresAreNamedUpToTheBound(t *testing.T) {
	t.Parallel()
	in := []string{"start g"}
	for i := range 50 {
		in = append(in, fmt.Sprintf("run g T%d", i), fmt.Sprintf("fail g T%d", i))
	}
	r, _ := read(newGoParser(true, nil), events(append(in, "fail g")...), "", 1)
	if len(r.failedTests) != maxFailedTests || r.counts.Failed != 50 {
		t.Errorf("got %d names of %d failures, want %d of 50", len(r.failedTests), r.counts.Failed, maxFailedTests)
	}
	if got := judge(ending{exit: 1}, r).reason; got != "50 of 50 tests failed: g.T0, g.T1, g.T2 and 17 more" {
		t.Errorf("got reason %q", got)
	}
}

func TestChunksOfTheStreamDoNotMatter(t *testing.T) {
	t.Parallel()
	in := events("start g", "run g A", "raw hello", "fail g A", "run g B", "pass g B", "fail g") + "=== RUN   C"
	want, wantShown := read(newGoParser(true, nil), in, "", 1)
	rapid.Check(t, func(t *rapid.T) {
		tr := newTranscript(newGoParser(true, nil))
		for rest := in; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "chunk")
			tr.stdout.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		got := tr.finish(1)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(report{})); diff != "" {
			t.Fatalf("report differs (-want +got):\n%s", diff)
		}
		if shown := string(tr.stdout.kept.Output().Bytes()); shown != wantShown {
			t.Fatalf("got shown %q, want %q", shown, wantShown)
		}
	})
}

func TestOverlongLinesAreBounded(t *testing.T) {
	t.Parallel()
	g := newGoParser(true, nil)
	long := strings.Repeat("x", 3*maxLine+5)
	r, _ := read(g, events("start g", "raw "+long, "run g A", "pass g A", "pass g"), "", 0)
	if !r.known || r.counts.Passed != 1 || r.broken != "" {
		t.Errorf("foreign line: got %+v", r)
	}
	r, _ = read(newGoParser(true, nil), events("start g", "output g "+long, "run g A", "pass g A", "pass g"), "", 0)
	if r.broken == "" {
		t.Errorf("event over the bound: got %+v, want a broken report", r)
	}
}

func FuzzGoReport(f *testing.F) {
	f.Add(events("start g", "run g A", "run g A/x", "fail g A/x", "fail g A", "fail g"), "# g\na.go:1: x\n", 1, true)
	f.Add("=== RUN   A\n--- PASS: A (0.00s)\nok  \tg\t0.1s\nFAIL\t\nFAIL\n", "", 0, false)
	f.Add(events("build-output . x does not contain main module", "build-fail .", "unbuilt ."), "no packages to test\n", 1, true)
	f.Fuzz(func(t *testing.T, out, err string, exit int, direct bool) {
		r, _ := read(newGoParser(direct, []string{"-v"}), out, err, exit)
		c := r.counts
		if c.Passed < 0 || c.Failed < 0 || c.Skipped < 0 || len(r.failedTests) > maxFailedTests || len(r.buildFiles) > maxBuildFiles {
			t.Errorf("got %+v", r)
		}
		if c.Failed > 0 && len(r.failedTests) == 0 {
			t.Errorf("a failure without a name: %+v", r)
		}
		if direct && !r.seen && r.broken == "" {
			t.Errorf("no report and nothing said about it: %+v", r)
		}
	})
}
