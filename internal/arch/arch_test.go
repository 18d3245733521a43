package arch

import (
	"slices"
	"strings"
	"testing"
)

func TestRepositoryKeepsItsShape(t *testing.T) {
	t.Parallel()
	var broken []string
	for _, v := range check(repository(t)) {
		broken = append(broken, v.String())
	}
	slices.Sort(broken)
	for _, line := range broken {
		t.Error(line)
	}
}

func TestLayersNameOnlyLowerPackages(t *testing.T) {
	t.Parallel()
	below := map[string]bool{}
	for _, l := range layers() {
		for _, name := range l.imports {
			if !below[name] {
				t.Errorf("%s may import %s, which does not stand before it", l.name, name)
			}
		}
		below[l.name] = true
	}
}

const goodDoc = "// Package p holds a thing. It must not hold another. Invariants: none.\npackage p\n"

func TestEveryRuleCatchesItsViolation(t *testing.T) {
	t.Parallel()
	for _, tc := range planted() {
		got := complaints(t, tc.file, tc.source)
		if len(got) != 1 || !strings.Contains(got[0], tc.want) {
			t.Errorf("%s with\n%s\ngot %q, want one violation with %q", tc.file, tc.source, got, tc.want)
		}
	}
}

func TestNoRuleRefusesHonestCode(t *testing.T) {
	t.Parallel()
	for _, tc := range honest() {
		if got := complaints(t, tc.file, tc.source); len(got) != 0 {
			t.Errorf("%s with\n%s\ngot %q, want no violation", tc.file, tc.source, got)
		}
	}
}

// complaints checks one file whose package has a good doc.go.
func complaints(t *testing.T, file, text string) []string {
	t.Helper()
	files := map[string]string{file: text}
	if dir := file[:strings.LastIndexByte(file, '/')+1]; strings.HasPrefix(file, "internal/") && file != dir+"doc.go" {
		files[dir+"doc.go"] = goodDoc
	}
	var out []string
	for _, v := range check(parse(t, files)) {
		out = append(out, v.String())
	}
	return out
}
