package verifier

import (
	"encoding/json"
	"errors"
)

// jestPlan has jest or vitest, whose JSON reports are alike, write one beside what they print.
func jestPlan(c Check, at location, file string) plan {
	p := plan{argv: c.Argv, runner: at.runner}
	p.parser = newFileParser(at.runner, file, func(text []byte) (report, error) { return decodeJest(c.Dir, text) })
	if _, found := flagValue(c.Argv, at, "--outputFile", "--outputFile.json"); found {
		p.parser = unreadable{at.runner, "drop --outputFile, so that its report can be read"}
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

// unreadable is the parser for a check whose own flags keep the report away.
type unreadable struct{ runner, why string }

func (unreadable) line(b []byte) []byte { return b }
func (unreadable) errLine([]byte)       {}

func (u unreadable) finish(int) report {
	return report{runner: u.runner, broken: "the report of " + u.runner + " cannot be read: " + u.why}
}

type jestReport struct {
	TestResults *[]struct {
		Name             string
		Status           string
		AssertionResults []struct{ FullName, Status string }
	}
}

func decodeJest(dir string, text []byte) (report, error) {
	var in jestReport
	if err := json.Unmarshal(text, &in); err != nil {
		return report{}, err
	}
	if in.TestResults == nil {
		return report{}, errors.New("it has no test results")
	}
	var r report
	for _, file := range *in.TestResults {
		failed := r.counts.Failed
		for _, test := range file.AssertionResults {
			switch test.Status {
			case "passed":
				r.counts.Passed++
			case "failed":
				r.fail(test.FullName)
			default: // pending, skipped, todo, disabled, focused
				r.counts.Skipped++
			}
		}
		if file.Status == "failed" && r.counts.Failed == failed {
			r.unbuilt(within(dir, file.Name))
		}
	}
	return r, nil
}
