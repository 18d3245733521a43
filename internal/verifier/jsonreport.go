package verifier

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// jsonParser reads the JSON reports of mocha, jest, vitest and playwright on stdout, where prints of the tests may be before
// and behind them.
type jsonParser struct {
	runner string // empty when the command may print no such report
	dir    string

	text   []byte // stdout from the first line that can begin a report
	starts []int  // where such lines begin
	over   bool
	absent absence
}

// maxStarts bounds how many beginnings are tried.
const maxStarts = 100

func (j *jsonParser) line(b []byte) []byte {
	j.absent.look(b)
	if (string(bytes.TrimRight(b, "\r\n")) == "{" || bytes.HasPrefix(b, []byte(`{"num`))) && len(j.starts) < maxStarts {
		j.starts = append(j.starts, len(j.text))
	}
	if len(j.starts) > 0 && !j.over {
		j.over = len(j.text)+len(b) > maxReport
		j.text = append(j.text, b...)
	}
	return b
}

func (j *jsonParser) errLine(b []byte) { j.absent.look(b) }

func (j *jsonParser) finish(exit int) report {
	var found []report
	end := 0
	for _, start := range j.starts {
		if start < end {
			continue // inside a report
		}
		r, length := j.decode(j.text[start:])
		if length > 0 && (j.runner == "" || j.runner == r.runner) {
			r.seen, r.known, r.machine, r.runs = true, true, true, 1
			found = append(found, r)
			end = start + length
		}
	}
	r := sum(found)
	r.known = r.known && !j.over
	if j.runner != "" && !r.known {
		return j.absent.explain(report{broken: fmt.Sprintf("%s gave no report (exit status %d)", j.runner, exit)}, j.runner)
	}
	return r
}

// decode reads one report at the start of text; length is zero when there is none.
func (j *jsonParser) decode(text []byte) (r report, length int) {
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return report{}, 0
	}
	var ok bool
	if r, ok = decodeAnyJSON(j.dir, raw); !ok {
		return report{}, 0
	}
	return r, int(d.InputOffset())
}

// decodeAnyJSON tells the reports apart by what only one of them has.
func decodeAnyJSON(dir string, text []byte) (report, bool) {
	if r, err := decodeJest(dir, bytes.NewReader(text)); err == nil {
		return r, true
	}
	if r, err := decodePlaywright(dir, bytes.NewReader(text)); err == nil {
		return r, true
	}
	var m mochaReport
	if err := json.Unmarshal(text, &m); err != nil {
		return report{}, false
	}
	r, ok := m.report()
	r.runner = mocha
	return r, ok
}
