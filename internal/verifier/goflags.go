package verifier

import (
	"context"
	"slices"
	"strings"

	"cortex/internal/proc"
)

// Flags that go commands are given by GOFLAGS, which reaches them inside a wrapper too. A flag in their own arguments wins.
const (
	// freshFlag keeps go test from answering out of its cache, which knows nothing of files that a test reads through another
	// program: a cached pass is not about the bytes that are there.
	freshFlag = "-count=1"
	// verboseFlag shows tests, so that those of a wrapped go test can be counted.
	verboseFlag = "-v"
)

// goFlags is the entry GOFLAGS=… that adds flags to what the check's environment, or the file of `go env -w`, sets already;
// empty when there is no go or nothing to add. dir is outside any module, so that no toolchain is chosen by one.
func goFlags(ctx context.Context, c Check, dir string, flags []string) string {
	if len(flags) == 0 {
		return ""
	}
	res, err := proc.Run(ctx, proc.Spec{Dir: dir, Argv: []string{"go", "env", "GOFLAGS"}, Env: c.Environ, Timeout: versionTimeout, KeepHead: 64 << 10})
	if err != nil || res.Exit != 0 || res.Stdout.Dropped > 0 {
		return ""
	}
	return joinGoFlags(strings.TrimSpace(string(res.Stdout.Bytes())), flags)
}

// setGoFlags puts the entry of goFlags into the environment.
func (p *plan) setGoFlags(entry string) {
	if entry == "" {
		return
	}
	p.environ = append(p.environ, entry)
	if w, ok := p.parser.(*wrapped); ok {
		w.goText.quiet = true
	}
}

// joinGoFlags adds to set, a value of GOFLAGS, the flags that it has no other value of. With -json tests are shown anyway.
func joinGoFlags(set string, flags []string) string {
	var names []string
	for _, f := range strings.Fields(set) {
		name, _ := goFlag(strings.Trim(f, `'"`))
		names = append(names, strings.TrimPrefix(name, "test."))
	}
	value := set
	for _, f := range flags {
		name, _ := goFlag(f)
		if slices.Contains(names, name) || f == verboseFlag && slices.Contains(names, "json") {
			continue
		}
		value = strings.TrimSpace(value + " " + f)
	}
	if value == set {
		return ""
	}
	return "GOFLAGS=" + value
}
