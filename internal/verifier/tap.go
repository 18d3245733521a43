package verifier

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// nodePlan has node write TAP, which names every test: on stdout, or to a file when the check has reporters of its own.
func nodePlan(c Check, at location, file string) plan {
	own, destinations := 0, 0
	reporter := ""
	for _, flag := range c.Argv[at.args:] {
		name, value, joined := strings.Cut(flag, "=")
		switch name {
		case "--test-reporter":
			own++
			reporter = value
			if !joined {
				reporter, _ = flagValue(c.Argv, at, name)
			}
		case "--test-reporter-destination":
			destinations++
		}
	}
	p := plan{argv: c.Argv, runner: nodeTest, parser: newTAPParser(nodeTest, c.Dir)}
	var flags []string
	switch {
	case own == 0:
		flags = []string{"--test-reporter=tap"}
	case own == 1 && destinations == 0 && reporter == "tap":
		return p
	default: // reporters and destinations belong together in their order
		flags = []string{"--test-reporter=tap", "--test-reporter-destination=" + file}
		if destinations == 0 {
			flags = append(flags, "--test-reporter-destination=stdout")
		}
		p.parser = newFileParser(nodeTest, newReportFile("", file), func(text io.Reader) (report, error) { return decodeTAP(c.Dir, text) })
	}
	p.argv = slices.Insert(slices.Clone(c.Argv), at.args, flags...)
	return p
}

// tapParser reads TAP of the versions 12 to 14 (testanything.org) from stdout: its documents one after the other. Four
// spaces are one level, a test comes after its subtests, and a block of YAML below a test is no TAP.
type tapParser struct {
	runner string // nodeTest, ReportTAP, or empty when the command may print no TAP at all
	dir    string // where the check runs

	done   []report
	torn   string // why what looks like TAP and was not asked for is no report
	doc    tapDocument
	absent absence
}

func newTAPParser(runner, dir string) *tapParser {
	return &tapParser{runner: runner, dir: dir, doc: tapDocument{after: -1}}
}

// tapDocument is one run.
type tapDocument struct {
	report  report
	version bool                      // it began with its version
	below   [maxTapDepth + 2]tapLevel // since the last result of the level above
	files   []tapFile                 // results that node may have given to files
	node    bool                      // it ends with node's own summary
	yaml    string                    // how the line begins that ends a block of YAML; empty outside
	after   int                       // the depth of the result just read, -1 when the last line was none
	passed  bool                      // the last result was counted as a passed test
	numbers int                       // results of the top level with a number
	unmet   bool                      // one of those failed
}

type tapLevel struct {
	results, failed, executed, plan int
	hasPlan, skipAll                bool
}

type tapFile struct {
	name   string
	failed bool
}

// maxTapDepth bounds the levels that are told apart; deeper ones count as the last.
const maxTapDepth = 30

func (t *tapParser) errLine(b []byte) { t.absent.look(b) }

func (t *tapParser) line(b []byte) []byte {
	line := strings.TrimRight(string(b), "\r\n")
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if indent == 0 && isVersion(text) {
		t.next()
		t.doc.version = true
		return b
	}
	t.doc.line(line, text, indent, t.dir)
	return b
}

func isVersion(text string) bool {
	n, found := strings.CutPrefix(text, "TAP version ")
	return found && (n == "12" || n == "13" || n == "14")
}

// next ends the present document.
func (t *tapParser) next() {
	if r, ok := t.doc.finish(t.runner != ""); ok {
		t.done = append(t.done, r)
		t.done = []report{sum(t.done)}
	} else {
		t.torn = first(t.torn, t.doc.torn())
	}
	t.doc = tapDocument{after: -1}
}

func (t *tapParser) finish(exit int) report {
	t.next()
	r := sum(t.done)
	switch {
	case t.torn != "" && exit == 0: // otherwise the exit status says enough
		r.seen, r.runner = true, join(r.runner, ReportTAP)
		r.broken = first(r.broken, t.torn)
	case len(t.done) == 0 && t.runner == nodeTest:
		r.broken = fmt.Sprintf("node gave no complete report (exit status %d)", exit)
	case len(t.done) == 0 && t.runner != "":
		r.broken = fmt.Sprintf("no TAP was found on stdout (exit status %d)", exit)
	}
	if t.runner == nodeTest && r.runner != nodeTest {
		r.broken = first(r.broken, fmt.Sprintf("node gave no complete report (exit status %d)", exit))
	}
	r.runner = first(t.runner, r.runner)
	r.known = r.seen && r.broken == ""
	return r
}

func (d *tapDocument) line(line, text string, indent int, dir string) {
	after := d.after
	d.after = -1
	switch {
	case d.yaml != "":
		if line == d.yaml {
			d.yaml = ""
		} else if text == "type: 'suite'" && d.passed {
			d.passed = false
			d.report.counts.Passed-- // it was a suite of node without tests
			d.report.tests = d.report.tests[:len(d.report.tests)-1]
		}
		return
	case after >= 0 && text == "---" && indent == after*4+2:
		d.yaml = line[:indent] + "..."
		return
	case strings.HasPrefix(text, "Bail out!"):
		d.report.broken = first(d.report.broken, "the run was given up: "+text[:min(len(text), maxHint)])
		return
	case indent == 0 && strings.HasPrefix(text, "# duration_ms "):
		d.node = true
		return
	case indent%4 != 0:
		return
	}
	depth := min(indent/4, maxTapDepth)
	if rest, found := strings.CutPrefix(text, "1.."); found {
		d.plan(rest, depth)
		return
	}
	rest, failed := strings.CutPrefix(text, "not ok")
	if !failed {
		var passed bool
		if rest, passed = strings.CutPrefix(text, "ok"); !passed {
			return
		}
	}
	if rest == "" || rest[0] == ' ' {
		d.result(rest, failed, depth, dir)
		d.after = depth
	}
}

// plan reads what follows "1..": the number of tests and perhaps why there are none.
func (d *tapDocument) plan(rest string, depth int) {
	number, comment, _ := strings.Cut(rest, "#")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	level := &d.below[depth]
	if err != nil || n < 0 {
		return
	}
	if level.hasPlan {
		d.report.broken = first(d.report.broken, "TAP with two plans")
	}
	level.plan, level.hasPlan = n, true
	level.skipAll = n == 0 && strings.HasPrefix(strings.ToUpper(strings.TrimSpace(comment)), "SKIP")
	if depth == 0 {
		d.node = false
		if n == 0 {
			d.report.empty = strings.TrimSpace(comment)
		}
	}
}

// result reads what follows "ok" or "not ok": a number, a description and a directive, each of which may be missing.
func (d *tapDocument) result(rest string, failed bool, depth int, dir string) {
	name, skipped := tapName(rest, failed)
	d.passed, d.node = false, false
	inner := d.below[depth+1]
	d.below[depth+1] = tapLevel{}
	if inner.hasPlan && inner.plan != inner.results {
		d.report.broken = first(d.report.broken, fmt.Sprintf("TAP with a plan of %d for %d subtests", inner.plan, inner.results))
	}
	// What was done below it is nothing when all of it was skipped.
	skipped = skipped || !failed && (inner.skipAll || inner.results > 0 && inner.executed == 0)
	d.below[depth].results++
	if number, _, _ := strings.Cut(strings.TrimSpace(rest), " "); depth == 0 && number != "" && strings.Trim(number, "0123456789") == "" {
		d.numbers++
		d.unmet = d.unmet || failed && !skipped
	}
	if !skipped {
		d.below[depth].executed++
	}
	if failed && !skipped {
		d.below[depth].failed++
	}
	switch {
	case inner.results > 0 && (!failed || skipped || inner.failed > 0):
		// A suite says nothing beyond its tests.
		d.report.record(name, resultOf(failed, skipped))
	case skipped:
		d.report.skip(name)
	case inner.results == 0 && ofFile(dir, name) && len(d.files) < maxTests:
		d.files = append(d.files, tapFile{name, failed})
	case failed:
		d.report.fail(name)
	default:
		d.report.pass(name)
		d.passed = !d.report.testsCut
	}
}

func resultOf(failed, skipped bool) string {
	switch {
	case skipped:
		return resultSkipped
	case failed:
		return resultFailed
	}
	return resultPassed
}

// tapName takes the number and the hyphen off and the directive away: SKIP and TODO in any case. A failure is excused only
// by a directive as it is commonly written, at the end; of a test that is said to be ok any writing is enough.
func tapName(rest string, failed bool) (name string, skipped bool) {
	name = strings.TrimSpace(rest)
	number, described, _ := strings.Cut(name, " ")
	if _, err := strconv.Atoi(number); err == nil {
		name = strings.TrimSpace(described)
	}
	name = strings.TrimPrefix(name, "- ")
	start := 0
	if failed {
		if start = strings.LastIndex(" "+name, " # "); start < 0 {
			return name, false
		}
	}
	for i := start; i < len(name); i++ {
		if name[i] != '#' || i > 0 && name[i-1] != ' ' && name[i-1] != '\t' {
			continue
		}
		directive := strings.ToUpper(strings.TrimLeft(name[i+1:], " \t"))
		if strings.HasPrefix(directive, "SKIP") || strings.HasPrefix(directive, "TODO") {
			return strings.TrimSpace(name[:i]), true
		}
	}
	return name, false
}

// finish closes the document. One that is not asked for counts only when it is surely TAP.
func (d *tapDocument) finish(asked bool) (report, bool) {
	r, top := d.report, d.below[0]
	begun := top.results > 0 || top.hasPlan || d.version || r.broken != ""
	whole := top.hasPlan && top.plan == top.results
	if !begun || !asked && !d.version && (!whole || top.results == 0) {
		return report{}, false
	}
	r.seen, r.runner, r.runs = true, ReportTAP, 1
	if d.node {
		r.runner = nodeTest
	}
	for _, file := range d.files {
		r.file(file, d.node)
	}
	switch {
	case r.broken != "" || d.node:
	case !top.hasPlan:
		r.broken = "TAP without a plan, so it may be cut off"
	case !whole:
		r.broken = fmt.Sprintf("TAP with a plan of %d for %s", top.plan, counted(top.results, "test", "tests"))
	case d.yaml != "":
		r.broken = "TAP that ends inside a block"
	}
	r.known = r.broken == ""
	return r, true
}

// torn says what is wrong with results and a plan that are no whole TAP; empty when they may be something else.
func (d *tapDocument) torn() string {
	top := d.below[0]
	switch {
	case !top.hasPlan || d.numbers == 0:
		return ""
	case d.numbers < top.plan:
		return fmt.Sprintf("TAP with a plan of %d for %s", top.plan, counted(d.numbers, "test", "tests"))
	case d.unmet:
		return fmt.Sprintf("TAP with a plan of %d for %s, one of which failed", top.plan, counted(d.numbers, "test", "tests"))
	}
	return ""
}

// file counts a result whose name is a file. Node reports a file without tests as a test that passed, and one that could not
// be loaded as one that failed.
func (r *report) file(f tapFile, node bool) {
	switch {
	case node && f.failed:
		r.unbuilt(f.name)
	case node:
	case f.failed:
		r.fail(f.name)
	default:
		r.pass(f.name)
	}
}

// ofFile reports whether a test has the name of a script: as an absolute path, or of one that is there.
func ofFile(dir, name string) bool {
	if !scriptFile(name) {
		return false
	}
	if rooted(name) {
		return true
	}
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// rooted reports whether a path is absolute, on this system or on Windows.
func rooted(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
}

func scriptFile(name string) bool {
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		return !strings.ContainsAny(name, "\t\n")
	}
	return false
}

// decodeTAP reads TAP of node out of a file.
func decodeTAP(dir string, text io.Reader) (report, error) {
	t := newTAPParser(nodeTest, dir)
	reader := bufio.NewReaderSize(text, 64<<10)
	for {
		line, err := reader.ReadSlice('\n')
		if len(line) > 0 {
			t.line(bytes.Clone(line))
		}
		if err == io.EOF {
			return t.finish(0), nil
		}
		if err != nil && err != bufio.ErrBufferFull {
			return report{}, fmt.Errorf("read TAP: %w", err)
		}
	}
}
