package casefile

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func TestAllowedPathsAreCleanedAndSorted(t *testing.T) {
	t.Parallel()
	got, err := CheckAllowedPaths([]string{" src/*.go ", "./docs/", "docs/**", "a?[b-c].txt", "src/*/**", "src//x.go"}, nil)
	want := []string{"a?[b-c].txt", "docs/**", "src/*.go", "src/*/**", "src/x.go"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, err := CheckAllowedPaths(nil, nil); got != nil || err != nil {
		t.Errorf("none: got %q, %v, want none", got, err)
	}
}

func TestAllowedPathsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		want    problem.Code
	}{
		{"", problem.InvalidInput},
		{"  ", problem.InvalidInput},
		{"/etc/passwd", problem.PathOutside},
		{"..", problem.PathOutside},
		{"../x", problem.PathOutside},
		{"src/../../x", problem.PathOutside},
		{"src/../x", problem.PathOutside},
		{`src\x`, problem.InvalidInput},
		{"src/[", problem.InvalidInput},
		{"src/[/**", problem.InvalidInput},
		{".", problem.InvalidInput},
		{"./", problem.InvalidInput},
		{"**", problem.InvalidInput},
		{"**/", problem.InvalidInput},
		{"**/x.go", problem.InvalidInput},
		{"src/**/x.go", problem.InvalidInput},
		{"a\xffb", problem.InvalidInput},
		{strings.Repeat("x", MaxAllowedPath+1), problem.TooLarge},
		{"ghp_token", problem.SecretInInput},
	} {
		_, err := CheckAllowedPaths([]string{"fine.go", c.pattern}, func(s string) bool { return strings.Contains(s, "ghp_") })
		refused(t, err, c.want)
	}
	_, err := CheckAllowedPaths(slices.Repeat([]string{"x"}, MaxAllowedPaths+1), nil)
	refused(t, err, problem.TooLarge)
}

func TestAllowedFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{"src/*.go", "src/a.go", true},
		{"src/*.go", "src/deep/a.go", false}, // * does not cross a slash
		{"src/*.go", "src/a.md", false},
		{"src/**", "src/a.go", true},
		{"src/**", "src/deep/er/a.go", true},
		{"src/**", "src", false},
		{"src/**", "srcs/a.go", false},
		{"src/*/**", "src/a.go", false},
		{"src/*/**", "src/deep/a.go", true},
		{"a.txt", "a.txt", true},
		{"a.txt", "b/a.txt", false},
		{"*/x", "../x", false}, // outside the workspace
		{"*/**", "../x/y", false},
		{"?.txt", "ä.txt", true},
	} {
		k := &Case{AllowedPaths: []string{"other", c.pattern}}
		if got := k.Allows(c.file); got != c.want {
			t.Errorf("%q allows %q: %v, want %v", c.pattern, c.file, got, c.want)
		}
	}
	if !(&Case{}).Allows("anything") {
		t.Error("a case without allowed paths refuses a file")
	}
}

func TestBoundaryEntriesLieWithinTheAllowedPaths(t *testing.T) {
	t.Parallel()
	c := &Case{AllowedPaths: []string{"docs/*", "src/**", "top/*/**", "*.md"}}
	for entry, want := range map[string]bool{
		"src/a.go": true, "src/**": true, "src/deep/**": true, "src/*": true, "docs/*": true, "docs/**": false, "docs/x/*": false,
		"other/**": false, "top/**": false, "top/a/**": true, "top/a/*": true, "README.md": true, "docs": false, "*/**": false,
	} {
		if got := c.allowsEntry(entry); got != want {
			t.Errorf("entry %q: %v, want %v", entry, got, want)
		}
	}
}

// Whatever an accepted boundary entry covers may be changed.
func TestAnAllowedBoundaryCoversAllowedFilesOnly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "b", "*", "a?"})
		name := func(label string) string {
			return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, label), "/") + rapid.SampledFrom([]string{"", "/*", "/**"}).Draw(t, label+" end")
		}
		c := &Case{AllowedPaths: []string{name("pattern"), name("pattern")}}
		entry := name("entry")
		file := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "c"}), 1, 4).Draw(t, "file"), "/")
		if c.allowsEntry(entry) && (Boundary{Files: []string{entry}}).Covers(file) && !c.Allows(file) {
			t.Fatalf("allowed %q accept the entry %q, which covers %q, and do not allow that", c.AllowedPaths, entry, file)
		}
	})
}

func TestAPlanStaysWithinTheAllowedPaths(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseInvestigating)
	c.AllowedPaths = []string{"*.md", "docs/**"}
	_, _, err := AcceptPlan(c, goodPlan(), gate())
	p := refused(t, err, problem.PathNotAllowed)
	if !strings.Contains(p.Message, "outside the owner's allowed paths") || !strings.Contains(p.Message, "calc.sh") {
		t.Errorf("message %q does not name the file and what was broken", p.Message)
	}
	if got := p.Next[0].Candidates["files"]; !slices.Equal(got, []string{"docs/**"}) {
		t.Errorf("candidates %q, want what a boundary can say: docs/**", got)
	}
	c.AllowedPaths = []string{"calc.sh"}
	if _, _, err := AcceptPlan(c, goodPlan(), gate()); err != nil {
		t.Errorf("an allowed boundary was refused: %v", err)
	}
}

func TestNothingAcknowledgesAChangeOutsideTheAllowedPaths(t *testing.T) {
	t.Parallel()
	for _, risk := range []Risk{RiskLow, RiskHigh} {
		c := leased(changeCase(PhaseChanging), "agent-a")
		c.Risk, c.AllowedPaths = risk, []string{"calc.sh"}
		in := VerifyInput{AckDrift: true, NoOp: true}
		_, err := PlanVerification(c, nil, in, factsOf("calc.sh", "it's.txt"))
		p := refused(t, err, problem.PathNotAllowed)
		if got, want := p.Next[0].Command, `git status --short -- 'it'\''s.txt'`; got != want {
			t.Errorf("first step %q, want %q", got, want)
		}
		if p.Next[1].Op != "verify" || p.Next[1].Args["driftAcknowledged"] != true || !slices.Equal(p.Next[1].BlockedBy, []string{"it's.txt"}) {
			t.Errorf("second step %+v, want the same call, waiting for the file", p.Next[1])
		}
		if s := Drift(c, []string{"calc.sh", "it's.txt"}); !slices.Equal(s.OutsideAllowed, []string{"it's.txt"}) {
			t.Errorf("scope: outside the allowed paths %q, want it's.txt", s.OutsideAllowed)
		}
		if _, err := PlanVerification(c, nil, in, factsOf("calc.sh")); err != nil {
			t.Errorf("an allowed change was refused: %v", err)
		}
	}
}
