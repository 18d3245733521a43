package config

import (
	"fmt"
	"strconv"
	"strings"
)

// StarterYAML returns the text of a first cortex.yaml with the detected checks.
func StarterYAML(checks []Detected) string {
	var b strings.Builder
	b.WriteString(`# Cortex configuration of this repository.
#
# A verifier is a command whose run proves, or disproves, a change. It stays blocked until a person has read its argv and
# granted it with "cortex setup --trust-commands"; a changed argv needs a new grant. This file cannot grant anything.
`)
	if len(checks) == 0 {
		b.WriteString(`#
# No test command was found here. Name one, for example:
#
# verifiers:
#   unit:
#     argv: ["make", "test"]
#     kind: unit_test   # or build, lint
#     surface: code
#     timeout: 5m
#     report: auto      # or exit, tap, junit:PATH; a PATH in the worktree has to be ignored by git
`)
		return b.String()
	}
	b.WriteString("\nverifiers:\n")
	for _, c := range checks {
		fmt.Fprintf(&b, "  %s: # %s\n    argv: [%s]\n    kind: %s\n    surface: code\n    timeout: %s\n",
			c.Name, c.Reason, strings.Join(quoteAll(c.Argv), ", "), c.Kind, shortDuration(c.Timeout.String()))
	}
	return b.String()
}

func quoteAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strconv.Quote(w) // its escapes are YAML's too
	}
	return out
}

// shortDuration turns 5m0s into 5m.
func shortDuration(d string) string {
	d = strings.TrimSuffix(d, "0s")
	if strings.HasSuffix(d, "h0m") {
		return strings.TrimSuffix(d, "0m")
	}
	if d == "" {
		return "0s"
	}
	return d
}
