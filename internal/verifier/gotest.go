package verifier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// goPlan adds -json right behind the word test, where neither the flags of the test binary (-args, --) nor a package list can
// be met; -C has to stay the first flag. A later -json=false of the check stays in force, and its text is read instead.
func goPlan(argv []string, at location) plan {
	flags := argv[at.args:]
	if i := slices.IndexFunc(flags, func(a string) bool { return a == "-args" || a == "--args" || a == "--" }); i >= 0 {
		flags = flags[:i]
	}
	p := plan{argv: argv, runner: goTest, parser: newGoParser(true, flags), goFlags: []string{freshFlag}}
	p.version = append(slices.Clone(argv[:at.program+1]), "version")
	if slices.ContainsFunc(flags, func(a string) bool { name, _ := goFlag(a); return name == "json" }) {
		return p
	}
	behind := at.args
	if name, value := goFlag(word(flags, 0)); name == "C" {
		behind++
		if value == "" {
			behind++
		}
	}
	p.argv = slices.Insert(slices.Clone(argv), min(behind, len(argv)), "-json")
	return p
}

// goFlag splits -name, --name, -name=value; the name is empty when a is no flag.
func goFlag(a string) (name, value string) {
	trimmed := strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-")
	if trimmed == a {
		return "", ""
	}
	name, value, _ = strings.Cut(trimmed, "=")
	return name, value
}

// goParser reads what `go test` prints, as events (-json) and as text, because a wrapper such as make may run it either way.
type goParser struct {
	direct  bool   // the command is go test itself, so a report has to be there
	verbose bool   // everything is shown, as -v asks
	quiet   bool   // the text has more than was asked for, because -v was added
	why     string // why this command runs no test, when its flags say so

	totals   goTotals
	packages map[string]*goPackage // started in the event stream and not ended
	out, err textReader
	hint     string // the first thing that go said beside a report, to explain a missing one
	noPkgs   bool   // go found nothing to test
	missing  missing
}

func newGoParser(direct bool, flags []string) *goParser {
	g := &goParser{direct: direct, packages: map[string]*goPackage{}}
	g.out.totals, g.err.totals = &g.totals, &g.totals
	for _, f := range flags {
		switch name, value := goFlag(f); {
		case (name == "v" || name == "test.v") && value != "false":
			g.verbose = true
		case name == "c" || name == "list" || name == "n":
			g.why = "-" + name + " makes go test run none"
		}
	}
	return g
}

// goEvent is one line of `go test -json` (`go doc test2json`, `go help buildjson`).
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

func (g *goParser) line(b []byte) []byte {
	if len(b) > 0 && b[0] == '{' {
		var e goEvent
		if err := json.Unmarshal(b, &e); err == nil && e.Action != "" && e.Package+e.ImportPath != "" {
			return g.event(e)
		} else if err != nil && g.direct && eventStart(b) {
			g.totals.broken = "a line of the report could not be read"
		}
		return b
	}
	g.plain(&g.out, b)
	if g.quiet && goChatter(string(b)) {
		return nil
	}
	return b
}

// eventStart says that a line begins as every event of go does.
func eventStart(b []byte) bool {
	for _, start := range []string{`{"Time":"`, `{"Action":"`, `{"ImportPath":"`} {
		if bytes.HasPrefix(b, []byte(start)) {
			return true
		}
	}
	return false
}

func (g *goParser) errLine(b []byte) { g.plain(&g.err, b) }

// plain takes a line that is no event.
func (g *goParser) plain(text *textReader, b []byte) {
	line := string(bytes.TrimRight(b, "\r\n"))
	text.line(line)
	if !g.direct {
		return
	}
	if g.hint == "" && !strings.HasPrefix(line, "go: downloading ") {
		g.hint = line[:min(len(line), maxHint)]
	}
	g.noPkgs = g.noPkgs || line == "no packages to test"
	g.missing.look(line)
}

// event takes one event and returns the text that it shows.
func (g *goParser) event(e goEvent) []byte {
	switch e.Action {
	case "build-output":
		line := strings.TrimRight(e.Output, "\r\n")
		g.totals.compilerLine(line)
		g.missing.look(line)
		return []byte(e.Output)
	case "build-fail":
		g.totals.seen, g.totals.buildFailed = true, true
	case "start":
		g.pkg(e.Package)
	case "run":
		g.pkg(e.Package).start(e.Test)
	case "output":
		if e.Test == "" && goBuildFailure(e.Output) {
			g.pkg(e.Package).notBuilt = true
		}
		if g.verbose || !goChatter(e.Output) {
			return []byte(e.Output)
		}
	case "pass", "fail", "skip":
		g.ended(e)
	}
	return nil
}

func (g *goParser) pkg(name string) *goPackage {
	p := g.packages[name]
	if p == nil {
		p = newGoPackage(name)
		g.packages[name] = p
	}
	return p
}

func (g *goParser) ended(e goEvent) {
	p := g.pkg(e.Package)
	if e.Test != "" {
		p.end(e.Test, e.Action)
		return
	}
	delete(g.packages, e.Package)
	g.totals.seen = true
	if e.FailedBuild != "" || p.notBuilt && e.Action == "fail" {
		g.totals.buildFailed = true
		return
	}
	if open := p.unfinished(); e.Action == "pass" && open != "" {
		g.totals.broken = fmt.Sprintf("%s passed, but no result was reported for %s", e.Package, open)
	}
	g.totals.add(p, e.Action == "fail")
}

// maxHint bounds the bytes of output that a reason quotes.
const maxHint = 200

// goChatter says that a piece of test output is only there because of -v, which events and the counts of a wrapper need.
func goChatter(output string) bool {
	for _, prefix := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "--- PASS: "} {
		if strings.HasPrefix(output, prefix) {
			return true
		}
	}
	return false
}

func (g *goParser) finish(exit int) report {
	g.out.finish()
	g.err.finish()
	r := g.totals.report
	r.runner, r.empty = goTest, g.why
	r.known = r.seen && !g.out.unknown && !g.err.unknown
	switch {
	case len(g.packages) > 0:
		r.broken = "the report ends before the result of " + slices.Min(slices.Collect(maps.Keys(g.packages)))
	case !r.seen && g.direct && (exit == 0 || g.noPkgs):
		r.seen, r.known = true, true
	case !r.seen && g.direct:
		r.broken = fmt.Sprintf("go test gave no report (exit status %d): %s", exit, g.hint)
	}
	if r.counts.Passed+r.counts.Failed == 0 {
		r.blocked, r.install = g.missing.what, g.missing.install
	}
	if !r.buildFailed {
		r.buildFiles = nil
	}
	r.known = r.known && r.broken == ""
	return r
}
