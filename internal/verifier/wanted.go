package verifier

import "strings"

// wanted says of each test how it ended: Passed; Failed when one of that name failed; NotRun when one was skipped, or when
// the report names every test and not this one; Inconclusive when the report does not tell.
func (r report) wanted(ids []string) map[string]Status {
	if len(ids) == 0 {
		return nil
	}
	total := r.counts.Passed + r.counts.Failed + r.counts.Skipped
	absent := Inconclusive
	if r.known && !r.testsCut && len(r.tests) >= total {
		absent = NotRun
	}
	out := map[string]Status{}
	for _, id := range ids {
		out[id] = r.ended(id, absent)
	}
	return out
}

// ended is how the tests that id names ended together. When they are several, as of two packages or files, and one was
// skipped, nobody knows that it was not the one that is meant.
func (r report) ended(id string, absent Status) Status {
	status, skipped := absent, false
	for _, test := range r.tests {
		switch {
		case !sameTest(test, id):
		case test.Result == resultFailed:
			return Failed
		case test.Result == resultPassed:
			status = Passed
		default:
			skipped = true
		}
	}
	if skipped {
		return NotRun
	}
	return status
}

// sameTest reports whether a test of a report is the one that id names: by its whole name, or without all or the beginning
// of the package, class or module before its own name, which is never cut. An id of pytest, path/file.py::Class::test, is
// read as the class name that its report gives.
func sameTest(test TestResult, id string) bool {
	if test.Name == id {
		return true
	}
	path, bracket, _ := strings.Cut(id, "[")
	if file, rest, ok := strings.Cut(path, ".py::"); ok {
		dotted := strings.ReplaceAll(file, "/", ".") + "." + strings.ReplaceAll(rest, "::", ".")
		if len(path) < len(id) {
			dotted += "[" + bracket
		}
		if test.Name == dotted {
			return true
		}
		id = dotted
	}
	prefix, found := strings.CutSuffix(test.Name, id)
	return found && id != "" && len(prefix) <= test.Prefix && (strings.HasSuffix(prefix, ".") || strings.HasSuffix(prefix, "::")) &&
		!strings.ContainsAny(prefix, " \t")
}
