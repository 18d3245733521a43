package verifier

// mochaPlan has mocha print its JSON report on stdout. It has one reporter only: with another one its text is read.
func mochaPlan(c Check, at location) plan {
	p := plan{argv: c.Argv, runner: mocha, parser: &jsonParser{runner: mocha, dir: c.Dir}}
	reporter, found := flagValue(c.Argv, at, "--reporter", "-R")
	switch {
	case !found:
		p.argv = withFlags(c.Argv, at, "--reporter", "json")
	case reporter != "json":
		p.parser = newTextParser(mocha, "drop --reporter, so that its report can be read")
	}
	return p
}

type mochaReport struct {
	Stats                     *struct{ Passes, Pending, Failures uint32 }
	Passes, Pending, Failures []struct{ FullTitle string }
}

// report is false when the JSON is not that of mocha.
func (in mochaReport) report() (report, bool) {
	if in.Stats == nil || in.Passes == nil || in.Failures == nil {
		return report{}, false
	}
	var r report
	for _, test := range in.Passes {
		r.pass(test.FullTitle)
	}
	for _, test := range in.Pending {
		r.skip(test.FullTitle)
	}
	for _, test := range in.Failures {
		r.fail(test.FullTitle)
	}
	r.counts = Counts{Passed: int(in.Stats.Passes), Failed: int(in.Stats.Failures), Skipped: int(in.Stats.Pending)}
	return r, true
}
