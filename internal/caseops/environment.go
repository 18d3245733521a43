package caseops

import (
	"slices"
	"strings"
)

// checkEnvironment is what a check is given: the environment of this process without what would redirect git or speak
// to Cortex itself, and what its configuration sets. names lists the variables, sorted, for the receipt; values are
// never recorded. An entry of set without "=" only names a variable that is passed anyway.
func checkEnvironment(process, set []string) (environ, names []string) {
	for _, entry := range process {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "CORTEX_") {
			continue
		}
		environ = append(environ, entry)
		names = append(names, name)
	}
	for _, entry := range set {
		if name, _, ok := strings.Cut(entry, "="); ok {
			environ = append(environ, entry)
			names = append(names, name)
		}
	}
	return environ, mergeNames(names, nil)
}

// mergeNames are the names of both lists, sorted and once.
func mergeNames(a, b []string) []string {
	names := slices.Concat(a, b)
	slices.Sort(names)
	return slices.Compact(names)
}
