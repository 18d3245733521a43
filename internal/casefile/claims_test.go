package casefile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func TestClaimSpecText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want ClaimSpec
	}{
		{"id=a|surface=code|verifier=command:unit|contract=unit|it sums", ClaimSpec{"a", "it sums", "code", "command:unit", "unit"}},
		{"surface=code|contract=unit|it | sums", ClaimSpec{"", "it | sums", "code", "", "unit"}},
		{" contract = unit | surface = code | a=b holds ", ClaimSpec{"", "a=b holds", "code", "", "unit"}},
		{"it sums", ClaimSpec{Statement: "it sums"}},
		{"id=a", ClaimSpec{ID: "a"}},
		{"", ClaimSpec{}},
		{"colour=red|x", ClaimSpec{Statement: "colour=red|x"}},
	}
	for _, tt := range tests {
		var got ClaimSpec
		if err := got.UnmarshalText([]byte(tt.text)); err != nil || got != tt.want {
			t.Errorf("%q reads as %+v, error %v; want %+v", tt.text, got, err, tt.want)
		}
	}
	var s ClaimSpec
	refused(t, s.UnmarshalText([]byte("id=a|id=b|x")), problem.InvalidInput)
}

func FuzzClaimSpecText(f *testing.F) {
	for _, seed := range []string{"id=a|surface=code|verifier=v|contract=c|s", "|||", "id=|id=|", "=|x", "contract=|\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a, b ClaimSpec
		if a.UnmarshalText([]byte(text)) != nil || a.Statement == "" {
			return
		}
		written, err := a.MarshalText()
		if err != nil {
			t.Fatalf("%q reads as %+v, which cannot be written: %v", text, a, err)
		}
		if err := b.UnmarshalText(written); err == nil && a != b && a.field(strings.TrimSpace(strings.SplitN(a.Statement, "=", 2)[0])) == nil {
			t.Errorf("%q reads as %+v, is written as %q, and reads as %+v", text, a, written, b)
		}
	})
}

func TestClaimSpecJSONIsAnObjectOrItsText(t *testing.T) {
	t.Parallel()
	want := ClaimSpec{"a", "it sums", "code", "command:unit", "unit"}
	raw, err := json.Marshal(want)
	if err != nil || !strings.HasPrefix(string(raw), `{"id":"a"`) {
		t.Fatalf("written as %s, error %v", raw, err)
	}
	for _, text := range []string{string(raw), `"id=a|surface=code|verifier=command:unit|contract=unit|it sums"`} {
		var got ClaimSpec
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s reads as %+v, error %v", text, got, err)
		}
	}
	var s ClaimSpec
	if err := json.Unmarshal([]byte(`{"statement":"x","sorface":"code"}`), &s); err == nil {
		t.Errorf("an unknown field was dropped: %+v", s)
	}
	if text, err := (ClaimSpec{Contract: "a|b", Statement: "x"}).MarshalText(); err == nil {
		t.Errorf("a contract with | was written as %q", text)
	}
}

func TestClaimsAreNormalised(t *testing.T) {
	t.Parallel()
	full := ClaimSpec{"add-sums", "calc.sh 2 3 prints 5", SurfaceCode, "command:unit", "unit"}
	with := func(edit func(*ClaimSpec)) ClaimSpec { s := full; edit(&s); return s }
	tests := []struct {
		name  string
		given ClaimSpec
		want  ClaimSpec
	}{
		{"as it is", full, full},
		{"contract with prefix", with(func(s *ClaimSpec) { s.Contract = "command:unit" }), full},
		{"contract names the verifier", with(func(s *ClaimSpec) { s.Verifier, s.Contract = "", "command:unit" }), full},
		{"other case", with(func(s *ClaimSpec) { s.Verifier, s.Contract = "command:UNIT", "Unit" }), full},
		{"blanks", with(func(s *ClaimSpec) { s.ID, s.Statement = " add-sums ", " calc.sh 2 3 prints 5\n" }), full},
		{"derived id", ClaimSpec{"", "x", SurfaceCode, "command:unit", "unit"}, ClaimSpec{"claim_c06806b8afb6aad0", "x", SurfaceCode, "command:unit", "unit"}},
		{"default of code", ClaimSpec{"r", "x", SurfaceCode, "", RequireReview}, ClaimSpec{"r", "x", SurfaceCode, "codemap", RequireReview}},
		{"default of browser", ClaimSpec{"b", "x", SurfaceBrowser, "", "specs/a.yml"}, ClaimSpec{"b", "x", SurfaceBrowser, "cairntrace", "specs/a.yml"}},
		{"default of terminal", ClaimSpec{"t", "x", SurfaceTerminal, "", "specs/a.yml"}, ClaimSpec{"t", "x", SurfaceTerminal, "glyphrun", "specs/a.yml"}},
		{"default of artifact", ClaimSpec{"f", "x", SurfaceArtifact, "", "fc_1"}, ClaimSpec{"f", "x", SurfaceArtifact, "fcheap", "fcheap://stash/fc_1"}},
		{"default of secret", ClaimSpec{"s", "x", SurfaceSecret, "", "proj"}, ClaimSpec{"s", "x", SurfaceSecret, "tvault", "proj"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := CheckClaims(changeCase(PhaseChanging), []ClaimSpec{tt.given, tt.given}, nil, unitSet(), nil)
			if err != nil || !slices.Equal(got, []ClaimSpec{tt.want}) {
				t.Errorf("got %+v, error %v; want %+v once", got, err, tt.want)
			}
		})
	}
}

func TestClaimsThatCannotBeJudgedAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given ClaimSpec
		code  problem.Code
	}{
		{"no statement", ClaimSpec{"a", "", SurfaceCode, "command:unit", "unit"}, problem.InvalidInput},
		{"no surface", ClaimSpec{"a", "x", "", "command:unit", "unit"}, problem.InvalidInput},
		{"unknown surface", ClaimSpec{"a", "x", "moon", "command:unit", "unit"}, problem.InvalidInput},
		{"no contract", ClaimSpec{"a", "x", SurfaceCode, "command:unit", ""}, problem.InvalidInput},
		{"another contract", ClaimSpec{"a", "x", SurfaceCode, "command:unit", "lint"}, problem.InvalidInput},
		{"unknown command", ClaimSpec{"a", "x", SurfaceCode, "command:e2e", "e2e"}, problem.UnknownVerifier},
		{"unknown verifier", ClaimSpec{"a", "x", SurfaceCode, "oracle", "x"}, problem.UnknownVerifier},
		{"unknown verifier of another surface", ClaimSpec{"a", "x", SurfaceBrowser, "oracle", "x"}, problem.UnknownVerifier},
		{"command on a browser claim", ClaimSpec{"a", "x", SurfaceBrowser, "command:unit", "unit"}, problem.InvalidInput},
		{"a flow of the terminal on a browser claim", ClaimSpec{"a", "x", SurfaceBrowser, "glyphrun", "a.yml"}, problem.InvalidInput},
		{"a project of the vault on a browser claim", ClaimSpec{"a", "x", SurfaceBrowser, "tvault", "proj"}, problem.InvalidInput},
		{"a flow on a claim about code", ClaimSpec{"a", "x", SurfaceCode, "cairntrace", "a.yml"}, problem.InvalidInput},
		{"the review on a browser claim", ClaimSpec{"a", "x", SurfaceBrowser, "codemap", RequireReview}, problem.InvalidInput},
		{"review contract", ClaimSpec{"a", "x", SurfaceCode, "codemap", "unit"}, problem.InvalidInput},
		{"bad id", ClaimSpec{"a b", "x", SurfaceCode, "command:unit", "unit"}, problem.InvalidInput},
		{"long contract", ClaimSpec{"a", "x", SurfaceCode, "codemap", strings.Repeat("x", MaxContract+1)}, problem.TooLarge},
		{"other words for a criterion", ClaimSpec{"add-sums", "it sums", SurfaceCode, "command:unit", "unit"}, problem.ClaimChanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := CheckClaims(changeCase(PhaseChanging), []ClaimSpec{tt.given}, nil, unitSet(), nil)
			if p := refused(t, err, tt.code); len(p.Next) == 0 || p.Next[0].Op != "verify" {
				t.Errorf("steps %+v, want verify", p.Next)
			}
		})
	}
	_, err := CheckClaims(changeCase(PhaseChanging), make([]ClaimSpec, MaxClaims+1), nil, unitSet(), nil)
	refused(t, err, problem.TooLarge)
	twice := []ClaimSpec{{"a", "x", SurfaceCode, "command:unit", "unit"}, {"a", "x", SurfaceCode, "command:lint", "lint"}}
	_, err = CheckClaims(changeCase(PhaseChanging), twice, nil, unitSet(), nil)
	refused(t, err, problem.InvalidInput)
}

func TestTheRefusedWordsOfACriterionAreOffered(t *testing.T) {
	t.Parallel()
	given := ClaimSpec{"add-sums", "it sums", SurfaceCode, "command:unit", "unit"}
	_, err := CheckClaims(changeCase(PhaseChanging), []ClaimSpec{given}, nil, unitSet(), nil)
	specs := refused(t, err, problem.ClaimChanged).Next[0].Args["claimSpecs"].([]ClaimSpec)
	if _, err := CheckClaims(changeCase(PhaseChanging), specs, nil, unitSet(), nil); err != nil {
		t.Errorf("the offered claim %+v is refused: %v", specs, err)
	}
}

func TestAClaimKeepsItsIdentity(t *testing.T) {
	t.Parallel()
	was := claimOf("b1", "c1", "it holds", StatusPassed, "d1")
	same := ClaimSpec{"c1", "it holds", SurfaceCode, "command:unit", "unit"}
	tests := []struct {
		name   string
		status ReceiptStatus
		given  ClaimSpec
		ok     bool
	}{
		{"the same after a verdict", StatusPassed, same, true},
		{"other words, not run", StatusNotRun, ClaimSpec{"c1", "it flies", SurfaceCode, "command:unit", "unit"}, false},
		{"other check, passed", StatusPassed, ClaimSpec{"c1", "it holds", SurfaceCode, "command:lint", "lint"}, false},
		{"other check, failed", StatusFailed, ClaimSpec{"c1", "it holds", SurfaceCode, "command:lint", "lint"}, false},
		{"other check, blocked", StatusBlocked, ClaimSpec{"c1", "it holds", SurfaceCode, "command:lint", "lint"}, true},
		{"other check, not run", StatusNotRun, ClaimSpec{"c1", "it holds", SurfaceCode, "command:lint", "lint"}, true},
		{"other id", StatusPassed, ClaimSpec{"c2", "it flies", SurfaceCode, "command:lint", "lint"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			earlier := was
			earlier.Status = tt.status
			_, err := CheckClaims(changeCase(PhaseChanging), []ClaimSpec{tt.given}, []Receipt{earlier}, unitSet(), nil)
			if tt.ok {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			refused(t, err, problem.ClaimChanged)
		})
	}
	prefixed := was
	prefixed.Contract = "command:unit" // as other writers put it
	if _, err := CheckClaims(changeCase(PhaseChanging), []ClaimSpec{same}, []Receipt{prefixed}, unitSet(), nil); err != nil {
		t.Errorf("the two spellings of one contract are told apart: %v", err)
	}
}

func TestFromPlan(t *testing.T) {
	t.Parallel()
	unit := func(s string) string {
		return "id=add-sums|surface=code|verifier=" + s + "|contract=" + s[8:] + "|calc.sh 2 3 prints 5"
	}
	tests := []struct {
		name     string
		required []string
		want     string // "" when refused
	}{
		{"one command", []string{"command:lint"}, unit("command:lint")},
		{"review and one command", []string{RequireReview, "command:unit"}, unit("command:unit")},
		{"two commands, one of them a test", []string{"command:lint", "command:unit"}, unit("command:unit")},
		{"two tests", []string{"command:unit", "command:unit2"}, ""},
		{"review alone", []string{RequireReview}, ""},
		{"nothing", nil, ""},
		{"a flow beside the test", []string{"command:unit", RequireTerminal}, ""},
	}
	set := VerifierSet{Commands: append(unitSet().Commands, Verifier{"unit2", KindUnitTest})}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := changeCase(PhaseChanging)
			c.VerificationRequired = tt.required
			got, err := FromPlan(c, set, nil)
			if tt.want == "" {
				if p := refused(t, err, problem.InvalidInput); len(p.Next) == 0 {
					t.Error("the refusal offers no claim spec")
				}
				return
			}
			if err != nil || len(got) != 1 || got[0].String() != tt.want {
				t.Errorf("got %v, error %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestAmbiguousPlansOfferEachCheck(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseChanging)
	c.VerificationRequired = []string{"command:a", "command:b"}
	set := VerifierSet{Commands: []Verifier{{"a", KindUnitTest}, {"b", KindUnitTest}}}
	_, err := FromPlan(c, set, nil)
	p := refused(t, err, problem.InvalidInput)
	for _, step := range p.Next {
		if _, err := CheckClaims(c, step.Args["claimSpecs"].([]ClaimSpec), nil, set, nil); err != nil {
			t.Errorf("an offered claim is refused: %v", err)
		}
	}
	if len(p.Next) != 2 {
		t.Errorf("steps %+v, want one for each check", p.Next)
	}
}

func TestFromPlanWithoutCriteriaClaimsEachCheck(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseChanging)
	c.AcceptanceCriteria = []Criterion{{ID: "reviewed", Statement: "x", Kind: CriterionProcess}}
	c.VerificationRequired = []string{RequireReview, "command:unit"}
	got, err := FromPlan(c, unitSet(), nil)
	if err != nil || len(got) != 2 || got[0].Contract != RequireReview || got[1].Verifier != "command:unit" {
		t.Fatalf("got %+v, error %v", got, err)
	}
	c.VerificationRequired = []string{RequireTerminal}
	_, err = FromPlan(c, unitSet(), nil)
	refused(t, err, problem.InvalidInput)
}

func TestFreeTextIsNotGuessed(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseChanging)
	got := LegacyWarning(c, "after login the token is in the browser")
	if !strings.Contains(got, "surface=code|verifier=command:unit|contract=unit|after login") {
		t.Errorf("warning %q does not spell the claim spec out", got)
	}
	if got := LegacyWarning(c, "calc.sh 2 3 prints 5"); !strings.Contains(got, "id=add-sums|") {
		t.Errorf("warning %q does not name the criterion of these words", got)
	}
}

// TestAcceptedClaimsAreStable accepts what CheckClaims returned once more without a change.
func TestAcceptedClaimsAreStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zA-Z :_|=.]{0,12}`)
		given := ClaimSpec{
			ID: word.Draw(t, "id"), Statement: word.Draw(t, "statement"),
			Surface:  Surface(rapid.SampledFrom(append(Surface("").Values(), "")).Draw(t, "surface")),
			Verifier: rapid.SampledFrom([]string{"", "command:unit", "command:LINT", "codemap", "glyphrun", "x"}).Draw(t, "verifier"),
			Contract: rapid.SampledFrom([]string{"", "unit", "Lint", "command:unit", RequireReview, "a.yml"}).Draw(t, "contract"),
		}
		once, err := CheckClaims(changeCase(PhaseChanging), []ClaimSpec{given}, nil, unitSet(), nil)
		if err != nil {
			return
		}
		again, err := CheckClaims(changeCase(PhaseChanging), once, nil, unitSet(), nil)
		if err != nil || !slices.Equal(once, again) {
			t.Fatalf("%+v became %+v, then %+v, error %v", given, once, again, err)
		}
	})
}
