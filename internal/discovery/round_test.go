package discovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cortex/internal/gitrepo"
)

// fakeRepo greps files in memory as git does: fixed strings, no case, in path order.
type fakeRepo map[string]string

func (r fakeRepo) Grep(_ context.Context, req gitrepo.GrepRequest) ([]gitrepo.Match, error) {
	var names []string
	for name := range r {
		if strings.HasPrefix(name, req.Under) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []gitrepo.Match
	for _, name := range names {
		for i, text := range strings.Split(r[name], "\n") {
			hit := slices.ContainsFunc(req.Terms, func(t string) bool { return strings.Contains(strings.ToLower(text), t) })
			if hit && len(out) < req.Limit {
				out = append(out, gitrepo.Match{File: name, Line: i + 1, Text: text})
			}
		}
	}
	return out, nil
}

type brokenRepo struct {
	matches []gitrepo.Match
	err     error
}

func (r brokenRepo) Grep(context.Context, gitrepo.GrepRequest) ([]gitrepo.Match, error) {
	return r.matches, r.err
}

func ask(t *testing.T, repo Grepper, req Request) Result {
	t.Helper()
	result, err := Round(t.Context(), repo, req)
	if err != nil {
		t.Fatalf("Round(%+v): %v", req, err)
	}
	return result
}

func project() fakeRepo {
	return fakeRepo{
		"README.md":                    "# Shop\nThe cart applies a discount to the price.\nDiscount rules are documented here.",
		"cart/cart.go":                 "package cart\n\n// Total adds the prices.\nfunc (c *Cart) Total() int {\n\treturn applyDiscount(c.sum())\n}",
		"cart/cart_test.go":            "package cart\nfunc TestDiscount(t *testing.T) {}\n// discount discount discount price",
		"cart/discount.go":             "package cart\n\nfunc applyDiscount(price int) int {\n\treturn price * 9 / 10\n}",
		"retry/retry.go":               "package retry\n\n// Do retries fn.\nfunc Do(fn func() error) error { return fn() }",
		"store/lease.go":               "package store\n\ntype LeaseHolder struct{}\n\nfunc renewLease() {}\n// please release",
		"node_modules/x/discount.js":   "function applyDiscount(price) {}",
		"cases/one/evidence.jsonl":     `{"claim":"applyDiscount price"}`,
		"cases/cases.go":               "package cases\nfunc zebra() {}",
		"vendor/lib/only.go":           "func quagga() {}",
		"docs/commands.jsonl":          `{"note":"applyDiscount"}`,
		"internal/op/prose.go":         "package op\n\nfunc Prose() {}\nfunc other() {}",
		"internal/elsewhere/render.go": "package elsewhere\n// prose prose prose",
	}
}

func TestBestFactComesFirst(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ question, file, text string }{
		{"where is applyDiscount defined?", "cart/discount.go", "func applyDiscount(price int) int {"},
		{"how does the discount change the price?", "cart/discount.go", "func applyDiscount(price int) int {"},
		{"¿dónde se calcula el discount del price?", "cart/discount.go", "func applyDiscount(price int) int {"},
		{"which test covers the discount?", "cart/cart_test.go", "func TestDiscount(t *testing.T) {}"},
		{"which docs explain discount rules?", "README.md", "Discount rules are documented here."},
		{"who renews leases", "store/lease.go", "func renewLease() {}"},
		{"what happens in internal/op/prose.go", "internal/op/prose.go", "func Prose() {}"},
		{"what is retried", "retry/retry.go", "// Do retries fn."},
		{"where is zebra", "cases/cases.go", "func zebra() {}"},
		{"the phrase `adds the prices`", "cart/cart.go", "// Total adds the prices."},
	} {
		result := ask(t, project(), Request{Question: tc.question})
		if len(result.Facts) == 0 {
			t.Errorf("%q: got no fact, want %s", tc.question, tc.file)
			continue
		}
		if got := result.Facts[0]; got.File != tc.file || got.Text != tc.text {
			t.Errorf("%q: first fact is %s:%d %q, want %s %q\nterms %q, all %+v", tc.question, got.File, got.Line, got.Text,
				tc.file, tc.text, result.Terms, result.Facts)
		}
	}
}

func TestJunkPathsGiveNoFact(t *testing.T) {
	t.Parallel()
	for _, fact := range ask(t, project(), Request{Question: "applyDiscount price", Limit: 100}).Facts {
		for _, junk := range []string{"node_modules/", "cases/one/", "commands.jsonl"} {
			if strings.Contains(fact.File, junk) {
				t.Errorf("fact from %s, want none from %s", fact.File, junk)
			}
		}
	}
}

func TestOnlyJunkIsSaid(t *testing.T) {
	t.Parallel()
	result := ask(t, project(), Request{Question: "quagga"})
	if len(result.Facts) != 0 || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "vendored") {
		t.Errorf("got %+v, want no fact and a warning about vendored directories", result)
	}
	if inside := ask(t, project(), Request{Question: "quagga", Under: "vendor/lib"}); len(inside.Facts) != 1 {
		t.Errorf("asked inside vendor: got %+v, want the one fact", inside)
	}
}

func TestFactsOfOneFileAreBounded(t *testing.T) {
	t.Parallel()
	repo := fakeRepo{"a.go": strings.Repeat("widget()\n", 50), "b.go": strings.Repeat("widget()\n", 2)}
	for _, tc := range []struct{ limit, perFile, fromA, all int }{{0, 0, 3, 5}, {4, 1, 1, 2}, {2, 9, 2, 2}} {
		facts := ask(t, repo, Request{Question: "widget", Limit: tc.limit, PerFile: tc.perFile}).Facts
		fromA := 0
		for _, f := range facts {
			if f.File == "a.go" {
				fromA++
			}
		}
		if fromA != tc.fromA || len(facts) != tc.all {
			t.Errorf("limit %d, per file %d: got %d facts, %d from a.go, want %d and %d", tc.limit, tc.perFile, len(facts),
				fromA, tc.all, tc.fromA)
		}
	}
}

func TestSameQuestionSameAnswer(t *testing.T) {
	t.Parallel()
	want := fmt.Sprintf("%+v", ask(t, project(), Request{Question: "discount price cart total"}))
	for range 20 {
		if got := fmt.Sprintf("%+v", ask(t, project(), Request{Question: "discount price cart total"})); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func TestWeakQuestionsAreSaid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ question, warning string }{
		{"why is it so?", "no word to search for"},
		{"", "no word to search for"},
		{"flibbertigibbet", "nothing in the repository"},
		{"bitcoin mining difficulty of the price", "no strong candidate"},
	} {
		result := ask(t, project(), Request{Question: tc.question})
		if got := strings.Join(result.Warnings, "; "); !strings.Contains(got, tc.warning) {
			t.Errorf("%q: warnings %q, want %q", tc.question, got, tc.warning)
		}
		if result.Degraded {
			t.Errorf("%q: degraded, want a complete search", tc.question)
		}
	}
}

func TestCutSearchIsDegraded(t *testing.T) {
	t.Parallel()
	result := ask(t, fakeRepo{"a.go": strings.Repeat("widget\n", maxMatches+1)}, Request{Question: "widget"})
	if !result.Degraded || len(result.Warnings) == 0 || len(result.Facts) == 0 {
		t.Errorf("got degraded %v, %d facts, warnings %q: want a degraded result that still has facts", result.Degraded,
			len(result.Facts), result.Warnings)
	}
}

func TestSearchErrorIsReturned(t *testing.T) {
	t.Parallel()
	cause := errors.New("git is gone")
	if _, err := Round(t.Context(), brokenRepo{err: cause}, Request{Question: "widget"}); !errors.Is(err, cause) {
		t.Errorf("Round = %v, want %v", err, cause)
	}
}

func TestMatchesBeforeAnErrorAreKept(t *testing.T) {
	t.Parallel()
	repo := brokenRepo{[]gitrepo.Match{{File: "a.go", Line: 1, Text: "widget"}}, errors.New("out of time")}
	result := ask(t, repo, Request{Question: "widget"})
	if len(result.Facts) != 1 || !result.Degraded || !strings.Contains(result.Warnings[0], "out of time") {
		t.Errorf("got %+v, want the one fact and a degraded result that says why", result)
	}
}

func TestLongLinesAreCutAtACharacter(t *testing.T) {
	t.Parallel()
	facts := ask(t, fakeRepo{"a.go": "widget " + strings.Repeat("é", 300) + "\n\twidget \xff"}, Request{Question: "widget"}).Facts
	for _, f := range facts {
		if len(f.Text) > maxTextBytes || strings.ToValidUTF8(f.Text, "") != f.Text {
			t.Errorf("text of %d bytes %q, want at most %d of valid UTF-8", len(f.Text), f.Text, maxTextBytes)
		}
	}
	if len(facts) != 2 {
		t.Errorf("got %d facts, want 2", len(facts))
	}
}
