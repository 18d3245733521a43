package verifier

import "strings"

// wanted says of each test how it ended: Passed; Failed when one of that name failed; NotRun when it was skipped, or when
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

// ended is how the tests of one name ended together.
func (r report) ended(id string, absent Status) Status {
	status := absent
	for _, test := range r.tests {
		switch {
		case !sameTest(test.Name, id):
		case test.Result == resultFailed:
			return Failed
		case test.Result == resultPassed:
			status = Passed
		case status != Passed:
			status = NotRun
		}
	}
	return status
}

// sameTest reports whether a test of a report is the one that id names: by its whole name, or without the package, class or
// module before it. An id of pytest, path/file.py::Class::test, is read as the class name that its report gives.
func sameTest(name, id string) bool {
	if name == id {
		return true
	}
	path, bracket, _ := strings.Cut(id, "[")
	if file, rest, ok := strings.Cut(path, ".py::"); ok {
		dotted := strings.ReplaceAll(file, "/", ".") + "." + strings.ReplaceAll(rest, "::", ".")
		if len(path) < len(id) {
			dotted += "[" + bracket
		}
		if name == dotted {
			return true
		}
		id = dotted
	}
	prefix, found := strings.CutSuffix(name, id)
	return found && id != "" && (strings.HasSuffix(prefix, ".") || strings.HasSuffix(prefix, "::")) && !strings.ContainsAny(prefix, " \t")
}
