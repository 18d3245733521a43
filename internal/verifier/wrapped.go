package verifier

import "strings"

// wrapped reads what a command prints that may start any number of runners, such as make or a script: each is recognised by
// its own report.
type wrapped struct {
	goText *goParser // it alone changes what is shown
	others []parser
	texts  []*textParser
}

func newWrapped(dir string) *wrapped {
	w := &wrapped{goText: newGoParser(false, nil), others: []parser{&cargoParser{}, newTAPParser("", dir), &jsonParser{dir: dir}}}
	for _, runner := range []string{pytest, unittest, nodeTest, vitest, jest, mocha, playwright} {
		w.texts = append(w.texts, newTextParser(runner, ""))
	}
	return w
}

func (w *wrapped) line(b []byte) []byte {
	for _, p := range w.others {
		p.line(b)
	}
	plain := plainLine(b)
	for _, p := range w.texts {
		p.out.line(plain)
	}
	return w.goText.line(b)
}

func (w *wrapped) errLine(b []byte) {
	for _, p := range w.others {
		p.errLine(b)
	}
	plain := plainLine(b)
	for _, p := range w.texts {
		p.err.line(plain)
	}
	w.goText.errLine(b)
}

// finish puts the reports of all runners together. Where one of them is incomplete, so are the counts.
func (w *wrapped) finish(exit int) report {
	var all []report
	add := func(r report) {
		if r.seen {
			all = append(all, r)
		}
	}
	add(w.goText.finish(exit))
	for _, p := range w.others {
		add(p.finish(exit))
	}
	for _, p := range w.texts {
		add(p.finish(exit))
	}
	r := sum(withoutEchoes(all))
	if len(all) > 1 {
		r.blocked, r.install = "", "" // the others could run
	}
	return r
}

// withoutEchoes drops the text of a runner whose JSON was there too: it tells of the same runs. Where the text tells of more
// runs, nobody knows which they were. Failures that the JSON does not have are of another run in any case.
func withoutEchoes(all []report) []report {
	machine := map[string]report{}
	for _, r := range all {
		if r.machine {
			machine[r.runner] = r
		}
	}
	var out []report
	for _, r := range all {
		original, found := machine[r.runner]
		switch failed := r.counts.Failed - original.counts.Failed; {
		case r.machine || !found:
			out = append(out, r)
		case failed > 0 && original.counts.Failed == 0:
			out = append(out, report{seen: true, runner: r.runner, counts: Counts{Failed: failed}, failedTests: r.failedTests})
		case r.runs > original.runs:
			out = append(out, report{seen: true, runner: r.runner})
		}
	}
	return out
}

// summary reads one stream of text for the closing lines of one runner. Lines come without their end and without colours.
type summary interface {
	line(s string)
	// finish tells what was seen; known is false only when some of it could not be understood.
	finish() report
}

// textParser reads the text of one runner on both streams.
type textParser struct {
	runner   string
	out, err summary
	why      string // when set, the runner was started directly: what makes its report readable, should the text not be
	absent   absence
}

func newTextParser(runner, why string) *textParser {
	return &textParser{runner: runner, out: newSummary(runner), err: newSummary(runner), why: why}
}

func newSummary(runner string) summary {
	switch runner {
	case pytest:
		return &pytestText{}
	case unittest:
		return newUnittestText()
	case nodeTest:
		return &nodeText{}
	case vitest:
		return &vitestText{}
	case jest:
		return &jestText{}
	case mocha:
		return &mochaText{}
	}
	return &playwrightText{}
}

func (p *textParser) line(b []byte) []byte {
	p.out.line(plainLine(b))
	return b
}

func (p *textParser) errLine(b []byte) {
	if p.why != "" {
		p.absent.look(b)
	}
	p.err.line(plainLine(b))
}

func (p *textParser) finish(int) report {
	out, err := p.out.finish(), p.err.finish()
	r := sum([]report{out, err})
	r.seen = r.runs+r.begun > 0
	r.known = r.runs > 0 && out.known && err.known && (r.begun == 0 || r.begun == r.runs)
	r.runner = p.runner
	if !r.buildFailed {
		r.buildFiles = nil
	}
	if p.why != "" && !r.known && r.counts.Failed == 0 {
		r.broken = "the report of " + p.runner + " cannot be read: " + p.why
		return p.absent.explain(r, p.runner)
	}
	return r
}

// maxSummaryLine bounds what is looked at of a line: closing lines are short.
const maxSummaryLine = 4 << 10

// plainLine takes the end of the line and the colours off.
func plainLine(b []byte) string {
	s := strings.TrimRight(string(b[:min(len(b), maxSummaryLine)]), "\r\n")
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		s = strings.TrimLeft(rest, "0123456789;:")
		if s != "" {
			s = s[1:] // the letter that ends the sequence
		}
	}
}

// tally reads a list such as "1 failed, 2 passed" with its separator; ok is false when s is anything else.
func tally(s, separator string) (numbers map[string]int, ok bool) {
	numbers = map[string]int{}
	for item := range strings.SplitSeq(s, separator) {
		n, what, found := number(item)
		if _, twice := numbers[what]; !found || what == "" || twice {
			return nil, false
		}
		numbers[what] = n
	}
	return numbers, true
}

// number reads "12 words": a count of at most nine digits and what it counts.
func number(s string) (n int, what string, ok bool) {
	digits, what, _ := strings.Cut(s, " ")
	if digits == "" || len(digits) > 9 {
		return 0, "", false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, "", false
		}
		n = 10*n + int(digits[i]-'0')
	}
	return n, what, true
}
