package verifier

import "strings"

// playwrightText reads what the reporters of playwright for terminals print: "Running 3 tests using 1 worker", and at the end
// a line for each kind of result, such as "  1 passed (2.0s)". Together they are all tests that were begun.
type playwrightText struct {
	report   report
	open     bool // a run has begun
	running  int  // its tests
	results  map[string]int
	mistaken bool
	missing  bool // the browser
}

func (p *playwrightText) line(s string) {
	if rest, found := strings.CutPrefix(s, "Running "); found {
		if n, what, ok := number(rest); ok && (strings.HasPrefix(what, "test using ") || strings.HasPrefix(what, "tests using ")) {
			p.end()
			p.open, p.running, p.results = true, n, map[string]int{}
		}
		return
	}
	if s == "Error: No tests found." {
		p.report.runs++
		p.report.empty = "no tests found"
		return
	}
	p.missing = p.missing || p.open && strings.Contains(s, browserMissing)
	text, indented := strings.CutPrefix(s, "  ")
	n, what, ok := number(text)
	if !indented || !ok || !p.open {
		return
	}
	if what, _, _ = strings.Cut(what, " ("); what != "" {
		switch what {
		case "passed", "failed", "flaky", "skipped", "interrupted", "did not run":
			p.results[what] += n
		}
	}
}

// end counts the run that is open.
func (p *playwrightText) end() {
	if !p.open {
		return
	}
	p.open = false
	n, r := p.results, &p.report
	r.runs++
	r.counts.Passed += n["passed"] + n["flaky"]
	r.counts.Failed += n["failed"] + n["interrupted"]
	r.counts.Skipped += n["skipped"] + n["did not run"]
	p.mistaken = p.mistaken || n["passed"]+n["flaky"]+n["failed"]+n["interrupted"]+n["skipped"]+n["did not run"] != p.running
}

func (p *playwrightText) finish() report {
	p.end()
	r := p.report
	r.known = !p.mistaken
	if p.missing {
		r.withoutBrowser()
	}
	return r
}
