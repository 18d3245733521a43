package verifier

import (
	"strings"
	"testing"
)

func TestTAP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		lines  string
		exit   int
		want   string // status and counts
		failed string
		reason string // a part of it
	}{
		{name: "version 13", lines: "TAP version 13|1..2|ok 1 - a|not ok 2 - b", exit: 1, want: "failed 1 1 0", failed: "b"},
		{name: "version 14 with an end plan", lines: "TAP version 14|ok 1 - a|1..1|# a comment", want: "passed 1 0 0"},
		{name: "version 12", lines: "1..3|ok|ok 2|not ok 3 third # TODO later", want: "passed 2 0 1"},
		{name: "directives", lines: "1..4|ok 1 # skip no net|ok 2 - x # SKIP|ok 3 # Todo|not ok 4 - a # b", exit: 1, want: "failed 0 1 3", failed: "a # b"},
		{name: "all skipped", lines: "1..1|ok 1 # SKIP", want: "not_run 0 0 1"},
		{name: "skipped as a whole", lines: "TAP version 13|1..0 # SKIP no database", want: "not_run 0 0 0", reason: "SKIP no database"},
		{name: "subtests", lines: "TAP version 14|# Subtest: s|    ok 1 - x|    not ok 2 - y|    1..2|not ok 1 - s|ok 2 - z|1..2", exit: 1, want: "failed 2 1 0", failed: "y"},
		{name: "subtest is still to do", lines: "TAP version 14|    not ok 1 - y # TODO|    1..1|ok 1 - s|1..1", want: "not_run 0 0 1"},
		{name: "block of YAML", lines: "TAP version 13|not ok 1 - a|  ---|  got: >|    ok 1 - no|  ok 2 - no|  ...|1..1", exit: 1, want: "failed 0 1 0", failed: "a"},
		{name: "prints between", lines: "1..1|hello|okay then|ok 1 - a|  ok 7|not okay", want: "passed 1 0 0"},
		{name: "too few", lines: "TAP version 13|1..3|ok 1|ok 2", want: "inconclusive", reason: "a plan of 3 for 2 tests"},
		{name: "too many", lines: "1..1|ok 1|ok 2 - printed", want: "inconclusive", reason: "a plan of 1 for 2 tests"},
		{name: "too few subtests", lines: "1..1|    1..2|    ok 1|ok 1 - s", want: "inconclusive", reason: "a plan of 2 for 1 subtests"},
		{name: "no plan", lines: "TAP version 13|ok 1", want: "inconclusive", reason: "without a plan"},
		{name: "two plans", lines: "1..1|ok 1|1..1", want: "inconclusive", reason: "two plans"},
		{name: "ends in a block", lines: "1..1|ok 1|  ---|  a: b", want: "inconclusive", reason: "inside a block"},
		{name: "given up", lines: "1..2|ok 1|Bail out! no database", exit: 1, want: "inconclusive", reason: "no database"},
		{name: "given up in a subtest", lines: "1..1|    Bail out! deep", want: "inconclusive", reason: "deep"},
		{name: "exit status", lines: "1..1|ok 1", exit: 1, want: "inconclusive 1 0 0", reason: "exit status is 1"},
		{name: "none", lines: "hello", want: "inconclusive", reason: "no TAP was found on stdout (exit status 0)"},
		{name: "two documents", lines: "TAP version 13|ok 1|1..1|TAP version 13|1..1|not ok 1 - b", exit: 1, want: "failed 1 1 0", failed: "b"},
		{name: "second one cut off", lines: "TAP version 13|ok 1|1..1|TAP version 13|1..2|ok 1", want: "inconclusive", reason: "a plan of 2"},
		{name: "a test named like a file", lines: "1..1|not ok 1 - /a/b.js", exit: 1, want: "failed 0 1 0", failed: "/a/b.js"},
		{name: "windows line ends", lines: "1..1\r|ok 1 - a\r", want: "passed 1 0 0"},
	} {
		tr := newTranscript(newTAPParser(ReportTAP, ""))
		tr.stdout.Write([]byte(strings.ReplaceAll(c.lines, "|", "\n") + "\n"))
		var run Run
		run.take(tr.finish(c.exit), ending{exit: c.exit})
		got := strings.TrimSpace(string(run.Status) + " " + countsText(run))
		if got != c.want || strings.Join(run.FailedTests, " ") != c.failed || !strings.Contains(run.Reason, c.reason) {
			t.Errorf("%s: got %q, failed %q, reason %q, want %q, %q, %q", c.name, got, run.FailedTests, run.Reason, c.want, c.failed, c.reason)
		}
	}
}

func TestTAPBehindAWrapper(t *testing.T) {
	t.Parallel()
	checkWrapped(t, []wrapperCase{
		{name: "with its version", out: "make: Entering\nTAP version 13\nok 1 - a\n1..1\n", want: "passed 1 0 0", runner: ReportTAP},
		{name: "whole without a version", out: "1..2\nok 1 a\nok 2 b # skip\n", want: "passed 1 0 1", runner: ReportTAP},
		{name: "cut off", out: "TAP version 13\n1..5\nok 1\n", want: "inconclusive", runner: ReportTAP},
		{name: "something that looks like it", out: "1..5\nok then\nok\n", want: "passed"},
		{name: "of node", out: nodeTAP(1, 1, 0, 0, 0, "ok 1 - /srv/n/empty.test.mjs\n"), want: "not_run 0 0 0", runner: nodeTest},
	})
}

func TestNodeCountsAFileOnlyWhereItIsOne(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, "n/empty.test.mjs", "\n")
	for name, want := range map[string]string{
		"n/empty.test.mjs": "not_run 0 0 0", "loads app.js": "passed 1 0 0", "/srv/gone.mjs": "not_run 0 0 0", `C:\n\a.mjs`: "not_run 0 0 0",
	} {
		tr := newTranscript(newTAPParser(nodeTest, dir))
		tr.stdout.Write([]byte(nodeTAP(1, 1, 0, 0, 0, "ok 1 - "+name+"\n")))
		var run Run
		run.take(tr.finish(0), ending{})
		if got := strings.TrimSpace(string(run.Status) + " " + countsText(run)); got != want {
			t.Errorf("%s: got %q, want %q (%s)", name, got, want, run.Reason)
		}
	}
}

func TestTornTAPBehindAWrapperIsNoSuccess(t *testing.T) {
	t.Parallel()
	const goText = "ok  \tm/a\t0.1s\nok  \tm/b\t0.1s\n"
	checkWrapped(t, []wrapperCase{
		{name: "cut off", out: "1..3\nok 1 - a\nok 2 - b\n", want: "inconclusive", runner: ReportTAP},
		{name: "cut off with a failure", out: "1..3\nok 1 - a\nnot ok 2 - b\n", want: "inconclusive", runner: ReportTAP},
		{name: "cut off, exit 1", out: "1..3\nok 1 - a\n", exit: 1, want: "failed"},
		{name: "two documents, one failed", out: "1..1\nok 1 - a\n1..1\nnot ok 1 - b\n", want: "inconclusive", runner: ReportTAP},
		{name: "two whole documents", out: "1..1\nok 1 - a\n1..1\nok 1 - b\n", want: "passed"},
		{name: "whole, beside go", out: goText + "1..1\nok 1 - a\n", want: "passed", runner: goTest},
		{name: "cut off, beside go", out: goText + "1..2\nok 1 - a\n", want: "inconclusive", runner: goTest + " + " + ReportTAP},
		{name: "lines that only begin so", out: "1..3\nok then\nok 12a\n", want: "passed"},
	})
}

func FuzzTAP(f *testing.F) {
	f.Add("TAP version 14\n# Subtest: s\n    ok 1 - x\n    1..1\nok 1 - s\n  ---\n  type: 'suite'\n  ...\n1..1\n")
	f.Add("1..2\nok 1 # SKIP\nnot ok 2 - b # TODO\nBail out! x\n")
	f.Add("TAP version 13\nok 1 - /a.js\n1..1\n# duration_ms 3\nTAP version 13\n1..0 # skip\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, runner := range []string{ReportTAP, nodeTest, ""} {
			tr := newTranscript(newTAPParser(runner, ""))
			tr.stdout.Write([]byte(text))
			r := tr.finish(0)
			soundReport(t, r)
			if runner != "" && !r.seen && r.broken == "" {
				t.Errorf("no report and nothing said about it: %+v", r)
			}
		}
	})
}
