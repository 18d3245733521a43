package verifier

import (
	"slices"
	"strings"
)

// pytestText reads the last line of pytest, "=== 3 passed, 1 skipped in 0.1s ===" or with -q the same without bars, and the
// short summary above it.
type pytestText struct {
	report  report
	short   bool
	files   []string // that could not be collected
	collect int      // how many errors there were while tests were collected, where that is said
	foreign bool     // a closing line has a word that is not known
}

func (p *pytestText) line(s string) {
	bare := strings.Trim(s, "=_! ")
	switch {
	case strings.HasPrefix(s, "===") && bare == "test session starts":
		p.report.begun++ // -q leaves this header out
		p.short, p.files, p.collect = false, nil, 0
	case strings.HasPrefix(s, "===") && bare == "short test summary info":
		p.short = true
	case strings.HasPrefix(s, "___") && strings.HasPrefix(bare, "ERROR collecting "):
		p.uncollected(strings.TrimPrefix(bare, "ERROR collecting "))
	case strings.HasPrefix(s, "!!!") && strings.HasPrefix(bare, "Interrupted: ") && strings.HasSuffix(bare, "during collection"):
		p.collect, _, _ = number(strings.TrimPrefix(bare, "Interrupted: "))
	case p.short && strings.HasPrefix(s, "FAILED "):
		p.report.nameFailure(shortName(s))
	case p.short && strings.HasPrefix(s, "ERROR "):
		if name := shortName(s); strings.Contains(name, "::") {
			p.report.nameFailure(name)
		} else {
			p.uncollected(name)
		}
	default:
		p.last(strings.Trim(s, "= "))
	}
}

func (p *pytestText) uncollected(file string) {
	if len(p.files) < maxBuildFiles && !slices.Contains(p.files, file) {
		p.files = append(p.files, file)
	}
}

// shortName takes the test out of "FAILED test_f.py::test_f - assert 0".
func shortName(s string) string {
	_, name, _ := strings.Cut(s, " ")
	name, _, _ = strings.Cut(name, " - ")
	return name
}

// last reads the closing line. An error is a test whose set-up failed, unless it came up while tests were collected.
func (p *pytestText) last(s string) {
	i := strings.LastIndex(s, " in ")
	if i < 0 || !seconds(s[i+len(" in "):]) {
		return
	}
	n := map[string]int{}
	if s[:i] != "no tests ran" {
		var ok bool
		if n, ok = tally(s[:i], ", "); !ok || !p.known(n) {
			return
		}
	}
	r := &p.report
	r.runs++
	errors := n["error"] + n["errors"]
	collect := min(errors, max(p.collect, len(p.files)))
	r.counts.Passed += n["passed"] + n["xpassed"]
	r.counts.Failed += n["failed"] + errors - collect
	r.counts.Skipped += n["skipped"] + n["xfailed"]
	if collect > 0 {
		r.buildFailed = true
		for _, file := range p.files {
			r.unbuilt(file)
		}
	}
	p.short, p.files, p.collect = false, nil, 0
}

// known reports whether the words are those of a closing line; one that is new makes the counts uncertain.
func (p *pytestText) known(n map[string]int) bool {
	words, foreign := 0, false
	for what := range n {
		switch what {
		case "passed", "failed", "error", "errors", "skipped", "xfailed", "xpassed", "deselected", "warning", "warnings", "rerun":
			words++
		default:
			foreign = foreign || !strings.HasPrefix(what, "subtests ")
		}
	}
	if words == 0 {
		return false
	}
	p.foreign = p.foreign || foreign
	return true
}

// seconds reports whether s is a time as pytest writes it: "0.12s", "65.32s (0:01:05)", long ago "0.12 seconds".
func seconds(s string) bool {
	s, _, _ = strings.Cut(s, " (")
	s = strings.TrimSuffix(strings.TrimSuffix(s, "s"), " second")
	return s != "" && strings.Trim(s, "0123456789.") == ""
}

func (p *pytestText) finish() report {
	r := p.report
	r.known = !p.foreign
	return r
}
