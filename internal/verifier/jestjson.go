package verifier

import (
	"encoding/json"
	"errors"
	"io"
)

// jestPlan has jest or vitest, whose JSON reports are alike, write one beside what they print.
func jestPlan(c Check, at location, file string) plan {
	p := plan{argv: c.Argv, runner: at.runner}
	p.parser = newFileParser(at.runner, newReportFile("", file), func(text io.Reader) (report, error) { return decodeJest(c.Dir, text) })
	if _, found := flagValue(c.Argv, at, "--outputFile", "--outputFile.json"); found {
		p.parser = newTextParser(at.runner, "drop --outputFile, so that its report can be read")
		return p
	}
	if at.runner == jest {
		p.argv = withFlags(c.Argv, at, "--json", "--outputFile="+file)
		return p
	}
	flags := []string{"--reporter=json", "--outputFile.json=" + file}
	if _, found := flagValue(c.Argv, at, "--reporter"); !found {
		flags = append([]string{"--reporter=default"}, flags...)
	}
	p.argv = withFlags(c.Argv, at, flags...)
	return p
}

type jestReport struct {
	NumRuntimeErrorTestSuites *int // jest alone has it
	TestResults               *[]struct {
		Name             string
		Status           string
		AssertionResults []struct{ FullName, Status string }
	}
}

func decodeJest(dir string, text io.Reader) (report, error) {
	var in jestReport
	if err := json.NewDecoder(text).Decode(&in); err != nil {
		return report{}, err
	}
	if in.TestResults == nil {
		return report{}, errors.New("it has no test results")
	}
	r := report{runner: vitest}
	if in.NumRuntimeErrorTestSuites != nil {
		r.runner = jest
	}
	for _, file := range *in.TestResults {
		failed := r.counts.Failed
		for _, test := range file.AssertionResults {
			switch test.Status {
			case "passed":
				r.pass(test.FullName)
			case "failed":
				r.fail(test.FullName)
			default: // pending, skipped, todo, disabled, focused
				r.skip(test.FullName)
			}
		}
		if file.Status == "failed" && r.counts.Failed == failed {
			r.unbuilt(within(dir, file.Name))
		}
	}
	return r, nil
}
