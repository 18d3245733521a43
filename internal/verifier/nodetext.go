package verifier

import "strings"

// nodeText reads the end of node's spec reporter: "ℹ tests 3", "ℹ pass 2" and so on. Unlike the leaves of TAP these numbers
// count a test with subtests too.
type nodeText struct {
	report   report
	results  report // of files, since the last summary
	values   map[string]int
	before   string // the line before
	mistaken bool   // a summary was not whole or did not add up
}

const nodeMark = "ℹ "

func (n *nodeText) line(s string) {
	defer func() { n.before = s }()
	if rest, found := strings.CutPrefix(s, nodeMark); found {
		n.value(rest)
		return
	}
	n.end()
	failed := strings.HasPrefix(s, "✖ ")
	if !failed && !strings.HasPrefix(s, "✔ ") || strings.HasPrefix(n.before, "test at ") {
		return // what follows "test at" repeats a failure
	}
	_, name, _ := strings.Cut(s, " ")
	if i := strings.LastIndex(name, " ("); i >= 0 && strings.HasSuffix(name, "ms)") {
		name = name[:i]
		switch file := scriptFile(name) && rooted(name); {
		case file && failed:
			n.results.counts.Failed++
			n.results.unbuilt(name)
		case file:
			n.results.counts.Passed++
		case failed:
			n.report.nameFailure(name)
		}
	}
}

// value reads "tests 3".
func (n *nodeText) value(s string) {
	what, text, _ := strings.Cut(s, " ")
	if what == "tests" {
		n.end()
		n.values = map[string]int{}
	}
	if n.values == nil {
		return // a message of a test
	}
	if v, rest, ok := number(text); ok && rest == "" {
		n.values[what] = v
	}
	if what == "duration_ms" {
		n.values[what] = 0
		n.end()
	}
}

// end takes the summary that was read.
func (n *nodeText) end() {
	v := n.values
	if v == nil {
		return
	}
	n.values = nil
	r := &n.report
	if _, whole := v["duration_ms"]; !whole || v["tests"] != v["pass"]+v["fail"]+v["cancelled"]+v["skipped"]+v["todo"] {
		n.mistaken = true
		r.runs++
		return
	}
	r.runs++
	r.counts.Passed += max(0, v["pass"]-n.results.counts.Passed)
	r.counts.Failed += max(0, v["fail"]-n.results.counts.Failed) + v["cancelled"]
	r.counts.Skipped += v["skipped"] + v["todo"]
	for _, file := range n.results.buildFiles {
		r.unbuilt(file)
	}
	n.results = report{}
}

func (n *nodeText) finish() report {
	n.end()
	r := n.report
	r.known = !n.mistaken
	return r
}
