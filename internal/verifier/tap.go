package verifier

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
)

// nodePlan has node print TAP, which names every test.
func nodePlan(argv []string, at location) plan {
	p := plan{argv: argv, runner: nodeTest, parser: &tapParser{}}
	reporter := ""
	if value, found := flagValue(argv, at, "--test-reporter"); found {
		reporter = value
	}
	switch reporter {
	case "":
		p.argv = slices.Insert(slices.Clone(argv), at.args, "--test-reporter=tap")
	case "tap":
	default:
		p.parser = unreadable{nodeTest, "drop --test-reporter, so that its report can be read"}
	}
	return p
}

// tapParser reads the TAP of node. Four spaces are one level; a test comes after its subtests.
type tapParser struct {
	report report
	below  [maxTapDepth + 2]tapLevel // results since the last one of the level above
	ended  bool                      // the summary was there
	passed bool                      // the last result was counted as a passed test
}

type tapLevel struct{ results, failed int }

// maxTapDepth bounds the levels that are told apart; deeper ones count as the last.
const maxTapDepth = 30

func (t *tapParser) errLine([]byte) {}

func (t *tapParser) line(b []byte) []byte {
	line := string(bytes.TrimRight(b, "\r\n"))
	text := strings.TrimLeft(line, " ")
	depth := min((len(line)-len(text))/4, maxTapDepth)
	if depth == 0 && strings.HasPrefix(text, "# tests ") {
		t.ended = true
	}
	if strings.HasPrefix(text, "Bail out!") {
		t.report.broken = "the run was given up: " + text
	}
	if text == "type: 'suite'" && t.passed {
		t.passed = false
		t.report.counts.Passed-- // it was a suite without tests
	}
	rest, failed := strings.CutPrefix(text, "not ok ")
	if !failed {
		var passed bool
		if rest, passed = strings.CutPrefix(text, "ok "); !passed {
			return b
		}
	}
	_, name, named := strings.Cut(rest, " - ")
	if named && (len(line)-len(text))%4 == 0 {
		t.result(name, failed, depth)
	}
	return b
}

func (t *tapParser) result(name string, failed bool, depth int) {
	t.passed = false
	inner := t.below[depth+1]
	t.below[depth+1] = tapLevel{}
	name, directive, _ := strings.Cut(name, " # ")
	skipped := strings.HasPrefix(directive, "SKIP") || strings.HasPrefix(directive, "TODO")
	t.below[depth].results++
	if failed && !skipped {
		t.below[depth].failed++
	}
	switch {
	case inner.results > 0 && (!failed || inner.failed > 0):
		// A suite says nothing beyond its tests.
	case skipped:
		t.report.counts.Skipped++
	case inner.results == 0 && scriptFile(name):
		// Node reports a file without tests as a test that passed, and one that could not be loaded as one that failed.
		if failed {
			t.report.unbuilt(name)
		}
	case failed:
		t.report.fail(name)
	default:
		t.report.counts.Passed++
		t.passed = true
	}
}

func scriptFile(name string) bool {
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		return !strings.ContainsAny(name, "\t\n")
	}
	return false
}

func (t *tapParser) finish(exit int) report {
	r := t.report
	r.seen, r.runner = t.ended, nodeTest
	if r.broken == "" && !t.ended {
		r.broken = fmt.Sprintf("node gave no complete report (exit status %d)", exit)
	}
	r.known = r.broken == ""
	return r
}
