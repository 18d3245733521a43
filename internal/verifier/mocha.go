package verifier

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// mochaPlan has mocha print its JSON report on stdout, where prints of the tests may be before and behind it.
func mochaPlan(argv []string, at location) plan {
	p := plan{argv: argv, runner: mocha, parser: &mochaParser{}}
	reporter, found := flagValue(argv, at, "--reporter", "-R")
	switch {
	case !found:
		p.argv = withFlags(argv, at, "--reporter", "json")
	case reporter != "json":
		p.parser = unreadable{mocha, "drop --reporter, so that its report can be read"}
	}
	return p
}

// mochaParser keeps stdout from the first line that can begin the report.
type mochaParser struct {
	text   []byte
	starts []int // where lines that are only a brace begin
	over   bool
	absent absence
}

// maxStarts bounds how many braces are tried.
const maxStarts = 100

func (m *mochaParser) line(b []byte) []byte {
	m.absent.look(b)
	if string(bytes.TrimRight(b, "\r\n")) == "{" && len(m.starts) < maxStarts {
		m.starts = append(m.starts, len(m.text))
	}
	if len(m.starts) > 0 && !m.over {
		m.over = len(m.text)+len(b) > maxReport
		m.text = append(m.text, b...)
	}
	return b
}

func (m *mochaParser) errLine(b []byte) { m.absent.look(b) }

type mochaReport struct {
	Stats    *struct{ Passes, Pending, Failures uint32 }
	Failures []struct{ FullTitle string }
}

func (m *mochaParser) finish(exit int) report {
	for _, start := range m.starts {
		var in mochaReport
		if err := json.NewDecoder(bytes.NewReader(m.text[start:])).Decode(&in); err != nil || in.Stats == nil {
			continue
		}
		r := report{seen: true, known: true, runner: mocha}
		for _, f := range in.Failures {
			r.fail(f.FullTitle)
		}
		r.counts = Counts{Passed: int(in.Stats.Passes), Failed: int(in.Stats.Failures), Skipped: int(in.Stats.Pending)}
		return r
	}
	return m.absent.explain(report{broken: fmt.Sprintf("mocha gave no report (exit status %d)", exit)}, mocha)
}
