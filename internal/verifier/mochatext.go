package verifier

import "strings"

// mochaText reads the end of most reporters of mocha: "  1 passing (3ms)", then "  1 pending" and "  1 failing".
type mochaText struct {
	report report
	open   bool // the last line was one of them
}

func (m *mochaText) line(s string) {
	text, indented := strings.CutPrefix(s, "  ")
	n, what, ok := number(text)
	open := m.open
	m.open = false
	switch {
	case !indented || !ok:
		return
	case strings.HasPrefix(what, "passing (") && strings.HasSuffix(what, ")"):
		m.report.runs++
		m.report.counts.Passed += n
	case what == "pending" && open:
		m.report.counts.Skipped += n
	case what == "failing" && open:
		m.report.counts.Failed += n
	default:
		return
	}
	m.open = true
}

func (m *mochaText) finish() report {
	r := m.report
	r.known = true
	return r
}
