package casefile

import (
	"path"
	"strings"
	"testing"

	"cortex/internal/problem"
)

func TestBoundaryEntries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		entry, want string
		code        problem.Code
	}{
		{"src/a.go", "src/a.go", ""},
		{"./src//x/../a.go", "src/a.go", ""},
		{"src/**", "src/**", ""},
		{"src/x/../*", "src/*", ""},
		{"src/", "src/**", ""},
		{"/srv/repo/src/a.go", "src/a.go", ""},
		{"/srv/repo/src/**", "src/**", ""},
		{"..a/b", "..a/b", ""},
		{" spaced name.go ", "spaced name.go", ""},
		{"/srv/repo", "", problem.InvalidInput},
		{"/srv/repo/**", "", problem.InvalidInput},
		{".", "", problem.InvalidInput},
		{"./", "", problem.InvalidInput},
		{"src/..", "", problem.InvalidInput},
		{"**", "", problem.InvalidInput},
		{"*", "", problem.InvalidInput},
		{"", "", problem.InvalidInput},
		{"a\x00b", "", problem.InvalidInput},
		{"..", "", problem.PathOutside},
		{"../x", "", problem.PathOutside},
		{"src/../../x", "", problem.PathOutside},
		{"../**", "", problem.PathOutside},
		{"/etc/passwd", "", problem.PathOutside},
		{"/srv/repository/a.go", "", problem.PathOutside},
		{"/srv/repo/../x", "", problem.PathOutside},
		{"/", "", problem.PathOutside},
		{"keys/ghp_secret", "", problem.SecretInInput},
		{strings.Repeat("a", MaxLocator+1), "", problem.TooLarge},
	}
	refuses := func(s string) bool { return strings.Contains(s, "ghp_") }
	for _, tt := range tests {
		got, err := CheckBoundaryFile("/srv/repo", tt.entry, refuses)
		if got != tt.want {
			t.Errorf("CheckBoundaryFile(%q) = %q, want %q", tt.entry, got, tt.want)
		}
		if tt.code == "" {
			if err != nil {
				t.Errorf("CheckBoundaryFile(%q): %v", tt.entry, err)
			}
			continue
		}
		refused(t, err, tt.code)
	}
}

func FuzzBoundaryFile(f *testing.F) {
	for _, seed := range []string{"a", "a/**", "/srv/repo/x", "../a", "a/../../b", "//", "/srv/repo/./../repo/a", "a/*/", "./**"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		got, err := CheckBoundaryFile("/srv/repo", entry, nil)
		if err != nil {
			return
		}
		base, _ := splitWildcard(got)
		if path.IsAbs(base) || base == "." || base == ".." || strings.HasPrefix(base, "../") || path.Clean(base) != base {
			t.Errorf("CheckBoundaryFile(%q) = %q", entry, got)
		}
		if again, err := CheckBoundaryFile("/srv/repo", got, nil); err == nil && again != got && strings.TrimSpace(got) == got {
			t.Errorf("CheckBoundaryFile(%q) = %q, which becomes %q", entry, got, again)
		}
	})
}

func TestCovers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		entry, file string
		want        bool
	}{
		{"a/b.go", "a/b.go", true},
		{"a/b.go", "a/b.go2", false},
		{"a", "a/b.go", false},
		{"a/**", "a/b.go", true},
		{"a/**", "a/b/c.go", true},
		{"a/**", "ab/c.go", false},
		{"a/**", "a", false},
		{"a/*", "a/b.go", true},
		{"a/*", "a/b/c.go", false},
		{"a/*", "ab.go", false},
		{"a/[b].go", "a/b.go", false},
		{"a/?.go", "a/b.go", false},
		{"a/**", "../a/b.go", false},
	}
	for _, tt := range tests {
		if got := (Boundary{Files: []string{tt.entry}}).Covers(tt.file); got != tt.want {
			t.Errorf("%q covers %q = %v, want %v", tt.entry, tt.file, got, tt.want)
		}
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseChanging)
	c.ChangeBoundary.Files = []string{"calc.sh", "lib/**"}
	tests := []struct {
		changed    []string
		scope      string
		risk       Risk
		unexpected int
	}{
		{nil, ScopeWithin, RiskLow, 0},
		{[]string{"calc.sh", "lib/a/b"}, ScopeWithin, RiskLow, 0},
		{[]string{"calc.sh", "x"}, ScopeDrift, RiskMedium, 1},
		{[]string{"a", "b", "c"}, ScopeDrift, RiskMedium, 3},
		{[]string{"a", "b", "c", "d"}, ScopeDrift, RiskHigh, 4},
		{[]string{"../calc.sh"}, ScopeDrift, RiskMedium, 1},
	}
	for _, tt := range tests {
		s := Drift(c, tt.changed)
		if s.Scope != tt.scope || s.Risk != tt.risk || len(s.UnexpectedFiles) != tt.unexpected || len(s.ChangedFiles) != len(tt.changed) {
			t.Errorf("Drift(%q) = %+v, want %s %s with %d unexpected", tt.changed, s, tt.scope, tt.risk, tt.unexpected)
		}
		if (s.Action != "") != (tt.scope == ScopeDrift) {
			t.Errorf("Drift(%q): action %q", tt.changed, s.Action)
		}
	}
	c.ChangeBoundary = Boundary{}
	if s := Drift(c, []string{"a"}); s.Scope != ScopeNoBoundary || s.Risk != RiskUnknown || len(s.UnexpectedFiles) > 0 {
		t.Errorf("without a boundary: %+v", s)
	}
}

func TestAScopeListsABoundedNumberOfFiles(t *testing.T) {
	t.Parallel()
	changed := make([]string, 100_000)
	for i := range changed {
		changed[i] = "out/" + strings.Repeat("x", i%50)
	}
	s := Drift(changeCase(PhaseChanging), changed)
	if len(s.ChangedFiles) != MaxScopeFiles || s.ChangedTotal != 100_000 || len(s.UnexpectedFiles) != MaxScopeFiles || s.UnexpectedTotal != 100_000 {
		t.Errorf("%d of %d changed, %d of %d unexpected", len(s.ChangedFiles), s.ChangedTotal, len(s.UnexpectedFiles), s.UnexpectedTotal)
	}
}
