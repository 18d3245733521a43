package code

import (
	"strings"
	"testing"

	"cortex/internal/testkit"
)

// rankingRule is a small repository in which one rule decides what comes first. Without the rule it would be the first name.
type rankingRule struct {
	rule, question, first string
	files                 map[string]string
}

// rulesOfPlaces are the rules about where a word stands and what a file is for.
func rulesOfPlaces() []rankingRule {
	const lease = "package a // lease\n"
	scattered := func(gap string) string {
		return "package far // delayed delayed\n" + gap + "// order order\n" + gap + "// refund refund\n"
	}
	return []rankingRule{
		{"a word is better than others of its stem", "what is renewed", "z.go", map[string]string{
			"a.go": "package a // " + strings.Repeat("renewing ", 20) + "\n", "z.go": "package a // renewed\n",
			"c.go": "package a\n", "d.go": "package a\n", "e.go": "package a\n", "f.go": "package a\n"}},
		{"a copy of other people's code is worse", "lease", "z/b.go", map[string]string{"vendor/b.go": lease, "z/b.go": lease}},
		{"a long text says less with one word", "lease", "z.go", map[string]string{"a.go": lease + strings.Repeat("// filler text\n", 500), "z.go": lease}},
		{"a directory is called so", "lease", "lease/z.go", map[string]string{"a/a.go": lease, "lease/z.go": lease}},
		{"prose speaks of code", "lease", "z.go", map[string]string{"a.md": lease, "z.go": lease}},
		{"what is generated decides nothing", "lease", "z.md", map[string]string{"a.lock": lease, "z.md": lease}},
		{"the third best file is looked into", "delayed order refund", "far/z.go", map[string]string{
			"far/a.go": scattered(strings.Repeat("\n", 30)), "far/b.go": scattered(strings.Repeat("\n", 30)),
			"far/z.go": "package far // delayed\n// order\n// refund\n" + strings.Repeat("\n", 60)}},
	}
}

// rulesOfWords are the rules about the words of a question.
func rulesOfWords() []rankingRule {
	many := strings.Repeat("// the lease is renewed, and the lease again\n", 20)
	return []rankingRule{
		{"a plural is its singular", "where are the tokens", "b.go", map[string]string{
			"a.go": "package a // tokened\n", "b.go": "package a // token\n"}},
		{"the name of a file outweighs repetition", "renewing of a lease", "store/lease.go", map[string]string{
			"store/lease.go": "package store // renewed: the lease\n", "store/user.go": "package store\n" + many, "store/other.go": "package store\n" + many}},
		{"words that stand together are better than scattered ones", "delayed order refund", "far/b.go", map[string]string{
			"far/a.go": "package far // delayed\n" + strings.Repeat("\n", 30) + "// order\n" + strings.Repeat("\n", 30) + "// refund\n",
			"far/b.go": "package far // delayed\n// order\n// refund\n" + strings.Repeat("\n", 60)}},
		{"a test vouches for its subject", "rounding of the price", "shop/b.go", map[string]string{
			"shop/a.go": "package shop // rounding of the price\n", "shop/b.go": "package shop // rounding of the price\n",
			"shop/b_test.go": "package shop // rounding of the price, rounding of the price\n"}},
		{"a test is wanted", "which test covers rounding of the price", "shop/price_test.go", map[string]string{
			"shop/price.go":      "package shop\n\n// roundPrice does the rounding of the price.\nfunc roundPrice() {}\n",
			"shop/price_test.go": "package shop\n\nfunc TestRounding() { roundPrice() }\n"}},
		{"the words that ask for a test are not looked for", "which test covers rounding", "b_test.go", map[string]string{
			"a_test.go": "package a // covers\n", "b_test.go": "package a // rounding\n"}},
		{"a test is only spoken of", "count what the test runner prints", "run/count.go", map[string]string{
			"run/count.go":      "package run\n\n// countPrinted counts what the runner prints.\nfunc countPrinted() {}\n",
			"run/count_test.go": "package run\n\n// test runner prints, count\nfunc TestCount() {}\n// test runner\n"}},
		{"short forms are found by the long ones", "address of the connection", "net/a.go", map[string]string{
			"net/a.go": "package net // the addr of the conn\n", "net/b.go": "package net // the name of the peer\n"}},
		{"documentation of a package is documentation", "how leases are renewed", "store/timer.go", map[string]string{
			"store/doc.go":   "// Package store renews leases: leases are renewed.\npackage store\n",
			"store/timer.go": "package store // leases are renewed\n"}},
	}
}

func TestRulesOfRanking(t *testing.T) {
	t.Parallel()
	for _, tc := range append(rulesOfWords(), rulesOfPlaces()...) {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			r := testkit.NewRepo(t)
			for name, text := range tc.files {
				r.Write(name, text)
			}
			r.Commit(tc.rule)
			result := find(t, newIndex(t, r.Dir, t.TempDir()), SearchRequest{Question: tc.question})
			if got := files(result); !strings.HasPrefix(got+" ", tc.first+" ") {
				t.Errorf("%q: got %s, want %s first", tc.question, got, tc.first)
			}
		})
	}
}

func TestNamesOutweighRepetition(t *testing.T) {
	t.Parallel()
	repeated := occurrences{body: 1000}.weight(1, 1)
	for field, where := range map[string]occurrences{"base": {body: 10, base: 1}, "definitions": {body: 10, names: 1}} {
		if got := where.weight(1, 1); got <= repeated {
			t.Errorf("ten times in the body and once in %s: got %v, want more than %v for a thousand times", field, got, repeated)
		}
	}
}

func TestNamesCountMoreThanDirectoriesAndLessAmongMany(t *testing.T) {
	t.Parallel()
	dir := occurrences{dir: 1}.weight(1, 1)
	if base := (occurrences{base: 1}).weight(1, 1) - baseEvidence; base <= dir {
		t.Errorf("in the file's name %v, less than in a directory's %v", base, dir)
	}
	if name := (occurrences{names: 1}).weight(1, 1) - nameEvidence/2; name <= dir {
		t.Errorf("in a definition's name %v, less than in a directory's %v", name, dir)
	}
	few, many := newVocabulary().file("", nil, []string{"lease"}), newVocabulary().file("", nil, append(make([]string, 100), "lease"))
	if len(few) != 2 || len(many) != 2 || few[0].q <= many[0].q {
		t.Errorf("as the only definition %v, among a hundred %v, want less", few, many)
	}
	if short, long := weigh([][]float64{{1}}, []float64{1}, nil), weigh(append(make([][]float64, 30), []float64{1}), []float64{1}, nil); short <= long {
		t.Errorf("a word in one line weighs %v, in 31 lines %v, want less", short, long)
	}
}

func TestOneOfTheBestHitsIsEnoughToBeStrong(t *testing.T) {
	t.Parallel()
	r := testkit.NewRepo(t)
	r.Write("price/price.go", "package price\n\nfunc price() {} // price\n")
	r.Write("readme.md", "rounding of coupons\n")
	for _, name := range strings.Fields("a b c d e f") {
		r.Write(name+".go", "package shop\n")
	}
	r.Commit("shop")
	x := newIndex(t, r.Dir, t.TempDir())
	result := find(t, x, SearchRequest{Question: "price of coupons with rounding of halves", Limit: 1})
	if len(result.Hits) != 1 || !result.Strong {
		t.Errorf("got %s (strong %v), want one hit, strong by what the other holds", files(result), result.Strong)
	}
}

func TestAudienceOfAQuestion(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]Audience{
		"which test covers the parser":          {tests: true, testOnly: true},
		"tests of the parser":                   {tests: true, testOnly: true},
		"is there a test that parses nothing":   {tests: true, testOnly: true},
		"what test checks the parser":           {tests: true, testOnly: true},
		"qué prueba cubre el límite":            {tests: true, testOnly: true},
		"how is the parser tested":              {tests: true},
		"count what go test prints":             {},
		"parse diagrams in tests into a list":   {},
		"simulate a crash in tests of the disk": {},
		"where is the configuration documented": {prose: true},
		"where does the parser read its input":  {},
	} {
		if got := NewAudience(question); got != want {
			t.Errorf("%q: got %+v, want %+v", question, got, want)
		}
	}
}

func TestClassesOfFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Class{
		"a/b.go": CodeFile, "a/b_test.go": TestFile, "a/b_mock.go": TestFile, "a/mock_b.go": TestFile, "a/b.mock.ts": TestFile,
		"a/test_b.py": TestFile, "a/b.spec.ts": TestFile, "crates/x/benches/b.rs": TestFile, "e2e/login.ts": TestFile,
		"a/mocking.go": CodeFile, "a/spec_reader.go": CodeFile, "a/contest.go": CodeFile, "README.md": ProseFile, "yarn.lock": GeneratedFile,
		"LICENSE": OtherFile,
	} {
		if got := ClassOf(name); got != want {
			t.Errorf("class of %s: got %d, want %d", name, got, want)
		}
	}
}

func TestSubjectsOfTests(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"a/b_test.go":                    "a/b",
		"a/__tests__/b.test.ts":          "a/b",
		"pkg/tests/test_b.py":            "pkg/b",
		"m/src/test/java/x/FooTest.java": "m/src/main/java/x/foo",
		"src/b.spec.js":                  "src/b",
	} {
		if got := subjectsOf(test); !strings.Contains(" "+strings.Join(got, " ")+" ", " "+want+" ") {
			t.Errorf("subjects of %s: got %q, want %s among them", test, got, want)
		}
	}
	if got := subjectsOf("a/helper.go"); got != nil {
		t.Errorf("of a file without the mark of a test: got %q, want none", got)
	}
}
