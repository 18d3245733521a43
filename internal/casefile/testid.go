package casefile

import (
	"fmt"
	"slices"
	"strings"
)

// SplitContract separates the contract of a command, "NAME" or "NAME#TEST[,TEST…]", into the command's name and the tests
// that its run must list as passed. A backslash takes a comma or a backslash in the name of a test as it is.
func SplitContract(contract string) (name string, tests []string) {
	name, list, _ := strings.Cut(contract, "#")
	var id strings.Builder
	end := func() {
		if text := strings.TrimSpace(id.String()); text != "" {
			tests = append(tests, text)
		}
		id.Reset()
	}
	for i := 0; i < len(list); i++ {
		switch {
		case list[i] == '\\' && i+1 < len(list) && (list[i+1] == ',' || list[i+1] == '\\'):
			i++
			id.WriteByte(list[i])
		case list[i] == ',':
			end()
		default:
			id.WriteByte(list[i])
		}
	}
	end()
	slices.Sort(tests)
	return strings.TrimSpace(name), slices.Compact(tests)
}

// joinContract is the form in which SplitContract's result is kept: two contracts that ask for the same are equal.
func joinContract(name string, tests []string) string {
	if len(tests) == 0 {
		return name
	}
	escaped := make([]string, len(tests))
	for i, id := range tests {
		escaped[i] = strings.ReplaceAll(strings.ReplaceAll(id, `\`, `\\`), ",", `\,`)
	}
	return name + "#" + strings.Join(escaped, ",")
}

// wantedTests are the tests that claims name, by the requirement whose run must list them.
func wantedTests(claims []ClaimSpec) map[string][]string {
	out := map[string][]string{}
	for _, claim := range claims {
		if _, ok := CommandName(claim.Verifier); ok {
			_, tests := SplitContract(claim.Contract)
			out[claim.Verifier] = dedupe(append(out[claim.Verifier], tests...))
		}
	}
	return out
}

// listsAll reports whether the run of a requirement says of each test how it ended.
func (r reading) listsAll(requirement string, tests []string) bool {
	for _, x := range r.runs {
		for _, id := range tests {
			if _, listed := x.Tests[id]; x.addresses(requirement) && !listed {
				return false
			}
		}
	}
	return true
}

// verdictOn is what the run r says about a contract: its own verdict, or for a contract that names tests the worst of
// theirs. A run that reached no verdict says nothing about its tests either.
func (r Receipt) verdictOn(contract string) (status ReceiptStatus, note string) {
	_, tests := SplitContract(contract)
	if len(tests) == 0 || r.Status != StatusPassed && r.Status != StatusFailed {
		return r.Status, ""
	}
	var notes []string
	for _, id := range tests {
		one, listed := r.Tests[id]
		if !listed {
			one = StatusNotRun
		}
		status = worse(status, one)
		if one != StatusPassed {
			notes = append(notes, fmt.Sprintf("test %s: %s", clip(id, MaxProofRef), one))
		}
	}
	return status, strings.Join(bounded(notes), "; ")
}
