package discovery

import (
	"os"
	"testing"

	"cortex/internal/gitrepo"
	"cortex/internal/testkit"
)

func TestRoundInARepository(t *testing.T) {
	t.Parallel()
	r := testkit.NewRepo(t)
	for name, text := range project() {
		r.Write(name, text)
	}
	r.Write(".gitignore", "ignored.go\n")
	r.Commit("shop")
	r.Write("cart/tax.go", "package cart\n\nfunc discountTax() {}\n") // untracked files count
	r.Write("ignored.go", "package x\n\nfunc discountTax() {}\n")
	repo, err := gitrepo.Open(t.Context(), r.Dir, gitrepo.Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ question, under, file string }{
		{"where is the discountTax computed?", "", "cart/tax.go"},
		{"how does the discount change the price?", "", "cart/discount.go"},
		{"where are leases renewed", "store", "store/lease.go"},
		{"quagga", "vendor", "vendor/lib/only.go"},
	} {
		result := ask(t, repo, Request{Question: tc.question, Under: tc.under})
		if len(result.Facts) == 0 || result.Facts[0].File != tc.file {
			t.Errorf("%q under %q: got %+v, want %s first", tc.question, tc.under, result.Facts, tc.file)
		}
		for _, fact := range result.Facts {
			if fact.File == "ignored.go" {
				t.Errorf("%q: fact from an ignored file", tc.question)
			}
		}
	}
}
