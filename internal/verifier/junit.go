package verifier

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// pytestPlan has pytest write its JUnit report beside what it prints, or reads the one that the check asks for itself.
func pytestPlan(c Check, at location, file string) plan {
	p := plan{argv: c.Argv, runner: pytest}
	if own, found := flagValue(c.Argv, at, "--junitxml", "--junit-xml"); found {
		file = own
		if !filepath.IsAbs(own) {
			file = filepath.Join(c.Dir, own)
		}
	} else {
		p.argv = withFlags(c.Argv, at, "--junitxml="+file)
	}
	p.parser = newFileParser(pytest, newReportFile("", file), decodeJUnit)
	return p
}

// junitPlan reads the report that the check writes to path below its directory.
func junitPlan(c Check, at location, path string) plan {
	p := newFileParser(at.runner, newReportFile(c.Dir, path), decodeJUnit)
	p.kind = "the check (junit:" + path + ")"
	return plan{argv: c.Argv, runner: at.runner, parser: p, goFlags: []string{freshFlag}}
}

// maxDepth bounds how deep the elements of a report lie in each other; those of known writers are at most 10 deep.
const maxDepth = 100

// junitReader is the state of reading one report. Entities of a document type are never expanded: encoding/xml knows the
// five of XML and refuses others.
type junitReader struct {
	report
	depth   int
	claimed bool       // a suite says that tests ran
	unmet   bool       // a suite says that tests failed
	excused bool       // a test failed that is still to do, which a suite may count
	test    *junitCase // the element that is being read
	at      int        // its depth
}

type junitCase struct {
	class, name                     string
	failed, collection, skip, later bool
}

// decodeJUnit counts the testcase elements: the totals of the suites count what never ran (pytest counts a file that could
// not be loaded as a test, and an expected failure as skipped). They serve to notice failures that no element shows.
func decodeJUnit(text io.Reader) (report, error) {
	d := xml.NewDecoder(text)
	r := junitReader{report: report{runner: "junit"}}
	rooted := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && rooted {
			return r.finish(), nil
		}
		if err != nil {
			return r.report, err
		}
		switch element := token.(type) {
		case xml.StartElement:
			if r.depth++; r.depth > maxDepth {
				return r.report, fmt.Errorf("its elements are over %d deep", maxDepth)
			}
			if !rooted && element.Name.Local != "testsuites" && element.Name.Local != "testsuite" {
				return r.report, fmt.Errorf("it begins with %q and not with a test suite", element.Name.Local)
			}
			rooted = true
			r.start(element)
		case xml.EndElement:
			if r.test != nil && r.depth == r.at {
				r.end()
			}
			r.depth--
		}
	}
}

func (r *junitReader) start(e xml.StartElement) {
	switch {
	case r.test == nil && (e.Name.Local == "testsuite" || e.Name.Local == "testsuites"):
		r.claimed = r.claimed || positive(attribute(e, "tests"))
		r.unmet = r.unmet || positive(attribute(e, "failures")) || positive(attribute(e, "errors"))
	case r.test == nil && e.Name.Local == "testcase":
		// Writers for GoogleTest mark what did not run by attributes alone.
		r.test, r.at = &junitCase{class: attribute(e, "classname"), name: attribute(e, "name")}, r.depth
		state := attribute(e, "status") + " " + attribute(e, "result")
		r.test.skip = strings.Contains(state, "notrun") || strings.Contains(state, "skipped") || strings.Contains(state, "suppressed") ||
			strings.Contains(state, "disabled")
	case r.test != nil && r.depth == r.at+1:
		switch e.Name.Local {
		case "failure", "error":
			r.test.failed = true
			r.test.collection = r.test.collection || e.Name.Local == "error" && attribute(e, "message") == "collection failure"
		case "skipped":
			r.test.skip = true
			r.test.later = attribute(e, "type") == "todo"
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func positive(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n > 0
}

// end counts the test that was read.
func (r *junitReader) end() {
	c := r.test
	r.test = nil
	prefix := c.class
	if prefix != "" {
		prefix += "."
	}
	name := prefix + c.name
	switch {
	case c.collection:
		r.unbuilt(strings.ReplaceAll(name, ".", "/") + ".py")
	case c.class == "test" && scriptFile(c.name) && rooted(c.name): // a file as node reports it; see tapParser
		if c.failed {
			r.unbuilt(c.name)
		}
	case c.failed && !c.later:
		r.counts.Failed++
		r.nameFailure(name)
		r.recordOf(prefix, c.name, resultFailed)
	case c.skip:
		r.excused = r.excused || c.failed
		r.counts.Skipped++
		r.recordOf(prefix, c.name, resultSkipped)
	default:
		r.counts.Passed++
		r.recordOf(prefix, c.name, resultPassed)
	}
}

func (r *junitReader) finish() report {
	executed := r.counts.Passed + r.counts.Failed
	switch {
	case r.unmet && r.counts.Failed == 0 && !r.buildFailed && !r.excused:
		r.broken = "a test suite of the report says that tests failed, and no test case shows which"
	case r.claimed && executed+r.counts.Skipped == 0 && !r.buildFailed:
		r.broken = "the report counts tests and lists none"
	}
	return r.report
}
