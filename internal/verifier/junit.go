package verifier

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
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
	p.parser = newFileParser(pytest, file, decodeJUnit)
	return p
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure []junitDetail `xml:"failure"`
	Error   []junitDetail `xml:"error"`
	Skipped []junitDetail `xml:"skipped"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
}

// decodeJUnit counts the testcase elements: the totals of the suites count what never ran (pytest counts a file that could
// not be loaded as a test, and an expected failure as skipped).
func decodeJUnit(text []byte) (report, error) {
	var r report
	d := xml.NewDecoder(bytes.NewReader(text))
	rooted := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && rooted {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		element, isStart := token.(xml.StartElement)
		if !isStart {
			continue
		}
		switch element.Name.Local {
		case "testsuites", "testsuite":
			rooted = true
		case "testcase":
			var c junitCase
			if err := d.DecodeElement(&c, &element); err != nil {
				return r, err
			}
			r.junit(c)
		}
	}
}

func (r *report) junit(c junitCase) {
	name := c.Name
	if c.Class != "" {
		name = c.Class + "." + c.Name
	}
	switch {
	case len(c.Error) > 0 && c.Error[0].Message == "collection failure":
		r.unbuilt(strings.ReplaceAll(name, ".", "/") + ".py")
	case len(c.Failure)+len(c.Error) > 0:
		r.fail(name)
	case len(c.Skipped) > 0:
		r.counts.Skipped++
	default:
		r.counts.Passed++
	}
}
