package code

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/gitrepo"
	"cortex/internal/redact"
	"cortex/internal/testkit"
)

func shop() map[string]string {
	return map[string]string{
		"cart/discount.go":      "package cart\n\n// applyDiscount lowers the price.\nfunc applyDiscount(price int) int {\n\treturn price * 9 / 10\n}\n",
		"cart/discount_test.go": "package cart\n\nfunc TestApplyDiscount() { discount(); discount(); discount() }\n",
		"store/lease.go":        "package store\n\ntype LeaseHolder struct{} // leases are renewed here\n\nfunc (l *LeaseHolder) Renew() {}\n\nfunc (l *LeaseHolder) renewalDue() bool { return false }\n",
		"store/journal.go":      "package store\n\nfunc appendJournal() { /* no such task */ }\n",
		"docs/leases.md":        "Leases are renewed by the holder. Renewing a lease renews the lease.\n",
		".gitignore":            "ignored.go\n",
	}
}

func newIndex(t *testing.T, dir, cache string) *Index {
	t.Helper()
	repo, err := gitrepo.Open(t.Context(), dir, gitrepo.Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenCache(t.Context(), cache, repo.CommonDir, redact.New([]string{"hunter2hunter"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // nothing is left to write
	return &Index{Cache: c, Repo: repo}
}

func shopIndex(t *testing.T) (*testkit.Repo, *Index) {
	t.Helper()
	r := testkit.NewRepo(t)
	for name, text := range shop() {
		r.Write(name, text)
	}
	r.Commit("shop")
	return r, newIndex(t, r.Dir, t.TempDir())
}

func find(t *testing.T, x *Index, req SearchRequest) SearchResult {
	t.Helper()
	result, err := x.Search(t.Context(), req)
	if err != nil {
		t.Fatalf("search %+v: %v", req, err)
	}
	return result
}

func files(r SearchResult) string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.File)
	}
	return strings.Join(out, " ")
}

func TestSearchRanksWhatAnswers(t *testing.T) {
	t.Parallel()
	_, x := shopIndex(t)
	for _, tc := range []struct {
		req    SearchRequest
		first  string
		symbol string
		line   int
	}{
		{SearchRequest{Question: "how does the discount change the price?"}, "cart/discount.go", "applyDiscount", 4},
		{SearchRequest{Question: "where are leases renewed"}, "store/lease.go", "", 1},
		{SearchRequest{Question: "where are leases renewed in the docs"}, "docs/leases.md", "", 1},
		{SearchRequest{Question: "test of the discount"}, "cart/discount_test.go", "TestApplyDiscount", 3},
		{SearchRequest{Question: "discount", Module: "store"}, "", "", 0},
		{SearchRequest{Question: "holder", Module: "store/"}, "store/lease.go", "LeaseHolder", 3},
		{SearchRequest{Question: `"no such task"`}, "store/journal.go", "appendJournal", 3},
		{SearchRequest{Question: "sym:renewalDue"}, "store/lease.go", "renewalDue", 7},
		{SearchRequest{Question: "sym:LeaseHolder.Renew"}, "store/lease.go", "Renew", 5},
		{SearchRequest{Question: "sym:renewal"}, "", "", 0},
	} {
		result := find(t, x, tc.req)
		if tc.first == "" {
			if len(result.Hits) != 0 || result.Strong || len(result.Warnings) == 0 {
				t.Errorf("%+v: got %s, want nothing and a warning", tc.req, files(result))
			}
			continue
		}
		if len(result.Hits) == 0 || result.Hits[0].File != tc.first || !result.Strong {
			t.Errorf("%+v: got %s (strong %v), want %s first", tc.req, files(result), result.Strong, tc.first)
			continue
		}
		if h := result.Hits[0]; tc.symbol != "" && (h.Symbol != tc.symbol || h.StartLine != tc.line) {
			t.Errorf("%+v: got %s at line %d, want %s at %d", tc.req, h.Symbol, h.StartLine, tc.symbol, tc.line)
		}
	}
}

func TestSearchSaysWhenNothingIsStrong(t *testing.T) {
	t.Parallel()
	_, x := shopIndex(t)
	for question, warning := range map[string]string{
		"bitcoin mining difficulty of the price": "no strong candidate",
		"quagga":                                 "nothing matches",
		"the of and":                             "no word to search for",
		"":                                       "no word to search for",
	} {
		result := find(t, x, SearchRequest{Question: question})
		if got := strings.Join(result.Warnings, "; "); result.Strong || !strings.Contains(got, warning) {
			t.Errorf("%q: strong %v, warnings %q, want %q", question, result.Strong, got, warning)
		}
	}
}

func TestSearchReflectsTheWorktree(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	find(t, x, SearchRequest{Question: "discount"})
	r.Write("cart/tax.go", "package cart\n\nfunc zanzibarTax() {}\n")
	r.Write("ignored.go", "package x // zanzibar\n")
	r.Write(".cortex/state.go", "package x // zanzibar\n")
	if got := find(t, x, SearchRequest{Question: "zanzibar", Stale: true}); len(got.Hits) != 0 {
		t.Errorf("without a refresh: got %s, want nothing", files(got))
	}
	if got := files(find(t, x, SearchRequest{Question: "zanzibar"})); got != "cart/tax.go" {
		t.Errorf("untracked: got %q, want cart/tax.go only", got)
	}
	r.Write("cart/tax.go", "package cart\n\nfunc madagascarTax() {}\n")
	if got := files(find(t, x, SearchRequest{Question: "zanzibar"})); got != "" {
		t.Errorf("after the edit: got %q, want nothing", got)
	}
	if err := os.Remove(filepath.Join(r.Dir, "cart/tax.go")); err != nil {
		t.Fatal(err)
	}
	if got := files(find(t, x, SearchRequest{Question: "madagascar"})); got != "" {
		t.Errorf("after removal: got %q, want nothing", got)
	}
}

// A worktree that was refreshed edit by edit ranks as one whose index was made at once.
func TestRefreshedIndexEqualsAFreshOne(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	for i := range 3 * deltaDocuments {
		r.Write(fmt.Sprintf("many/file%d.go", i), fmt.Sprintf("package many\n\nfunc discountLease%d() { price() }\n", i))
		if i%deltaDocuments == 5 {
			find(t, x, SearchRequest{Question: "price"})
		}
	}
	for i := range 5 {
		r.Write("cart/discount.go", fmt.Sprintf("package cart\n\nfunc applyDiscount%d() { price(); journal() }\n", i))
		find(t, x, SearchRequest{Question: "price"})
	}
	fresh := newIndex(t, r.Dir, t.TempDir())
	for _, question := range []string{"how does the discount change the price", "lease", "journal price", "holder renews a lease"} {
		req := SearchRequest{Question: question, Limit: 20}
		if diff := cmp.Diff(find(t, fresh, req), find(t, x, req)); diff != "" {
			t.Errorf("%q (-fresh +refreshed)\n%s", question, diff)
		}
	}
}

func TestManyEditsAreFolded(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	find(t, x, SearchRequest{Question: "price"})
	const step = deltaDocuments / 2
	for i := 0; i <= maxDelta; i += step {
		for j := range step {
			r.Write(fmt.Sprintf("many/f%d.go", i+j), fmt.Sprintf("package many // unique%c%c\n", 'a'+i/step, 'a'+j%26))
		}
		if err := x.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var forward, segments int
	if err := x.Cache.db.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM doc WHERE fwd IS NOT NULL), (SELECT count(*) FROM segment)").
		Scan(&forward, &segments); err != nil || forward > maxDelta || segments < 1 {
		t.Errorf("%d forward rows, %d segments, %v: want at most %d rows", forward, segments, err, maxDelta)
	}
	if got := find(t, x, SearchRequest{Question: "uniqueab"}); len(got.Hits) == 0 {
		t.Error("a folded document is not found")
	}
}

func TestSecretsAreInNoIndex(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	r.Write("config.go", "package x\n\nconst password = \"zanzibar-madagascar-9\"\nconst other = \"hunter2hunter\" // plainword\n")
	for _, word := range []string{"zanzibar", "madagascar", "hunter"} {
		if got := files(find(t, x, SearchRequest{Question: word})); got != "" {
			t.Errorf("%q is found in %s, want nowhere", word, got)
		}
	}
	if got := files(find(t, x, SearchRequest{Question: "plainword"})); got != "config.go" {
		t.Errorf("the word beside the secret: got %q, want config.go", got)
	}
}

func TestUnreadableFilesAreNamed(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	r.Write("big.go", strings.Repeat("// zanzibar\n", maxFileBytes/12+1))
	r.Write("nul.go", "zanzibar\x00")
	r.Write("bundle.js", strings.Repeat("zanzibar();", minifiedBytes/11+100))
	r.Write("latin.go", "package x // zanzibar \xe9\xff\xfe\n\"unterminated")
	if err := os.Symlink("loop", filepath.Join(r.Dir, "loop")); err != nil {
		t.Log("no symbolic links here")
	}
	result := find(t, x, SearchRequest{Question: "zanzibar"})
	if got := files(result); got != "latin.go" {
		t.Errorf("got %q, want latin.go only", got)
	}
	warnings := strings.Join(result.Skipped, "\n")
	for _, want := range []string{"larger than 2 MiB: big.go", "binary: nul.go", "minified: bundle.js"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("warnings %q, want %q", warnings, want)
		}
	}
	if again := find(t, x, SearchRequest{Question: "zanzibar"}); cmp.Diff(result, again) != "" {
		t.Errorf("the second search differs:\n%s", cmp.Diff(result, again))
	}
}

func TestManySearchesAtOnce(t *testing.T) {
	t.Parallel()
	r, first := shopIndex(t)
	cache := filepath.Dir(filepath.Dir(first.Cache.path))
	var wg sync.WaitGroup
	for i := range 6 {
		x := newIndex(t, r.Dir, cache)
		wg.Go(func() {
			for j := range 5 {
				name := fmt.Sprintf("made/by%d.go", i)
				r.Write(name, fmt.Sprintf("package made // zanzibar%c round %d\n", 'a'+i, j))
				result, err := x.Search(t.Context(), SearchRequest{Question: "discount price"})
				if err != nil || len(result.Hits) == 0 || result.Hits[0].File != "cart/discount.go" {
					t.Errorf("search beside others: %s, %v", files(result), err)
				}
			}
		})
	}
	wg.Wait()
	for i := range 6 {
		word := fmt.Sprintf("zanzibar%c", 'a'+i)
		if got, want := files(find(t, first, SearchRequest{Question: word})), fmt.Sprintf("made/by%d.go", i); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	var twice int
	if err := first.Cache.db.QueryRowContext(t.Context(), "SELECT count(*) FROM (SELECT 1 FROM doc GROUP BY path, blob HAVING count(*) > 1)").Scan(&twice); err != nil || twice != 0 {
		t.Errorf("%d documents are there twice, %v", twice, err)
	}
}

func TestWorktreesShareTheCacheAndNotTheirFiles(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	find(t, x, SearchRequest{Question: "discount"})
	other := filepath.Join(t.TempDir(), "other")
	r.Git("worktree", "add", "-q", other)
	y := newIndex(t, other, filepath.Dir(filepath.Dir(x.Cache.path)))
	if y.Cache.path != x.Cache.path {
		t.Fatalf("caches %s and %s, want one", x.Cache.path, y.Cache.path)
	}
	r.Write("only.go", "package x // zanzibar\n")
	if got := files(find(t, x, SearchRequest{Question: "zanzibar"})); got != "only.go" {
		t.Errorf("in the worktree that has it: got %q", got)
	}
	if got := files(find(t, y, SearchRequest{Question: "zanzibar"})); got != "" {
		t.Errorf("in the other worktree: got %q, want nothing", got)
	}
	var documents int
	if err := x.Cache.db.QueryRowContext(t.Context(), "SELECT count(*) FROM doc").Scan(&documents); err != nil || documents != len(shop())+1 {
		t.Errorf("%d documents, %v, want %d: equal files are read once", documents, err, len(shop())+1)
	}
}

func TestDeletedCacheIsMadeAgain(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	want := find(t, x, SearchRequest{Question: "discount"})
	cache := filepath.Dir(filepath.Dir(x.Cache.path))
	_ = x.Cache.Close() // Windows deletes no open file
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, find(t, newIndex(t, r.Dir, cache), SearchRequest{Question: "discount", Stale: true})); diff != "" {
		t.Errorf("after the cache was deleted (-before +after)\n%s", diff)
	}
}

func TestDamageInsideTheFileIsFoundAndEnded(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	find(t, x, SearchRequest{Question: "discount"})
	if _, err := x.Cache.db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	cache, path := filepath.Dir(filepath.Dir(x.Cache.path)), x.Cache.path
	_ = x.Cache.Close() // Windows deletes no open file
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 8192; i < len(data); i++ {
		data[i] = 0xA5
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	y := newIndex(t, r.Dir, cache)
	if _, err := y.Search(t.Context(), SearchRequest{Question: "discount"}); !errors.Is(err, ErrDamaged) {
		t.Errorf("search of a damaged index = %v, want %v", err, ErrDamaged)
	}
	_ = y.Cache.Close() // see above
	if got := files(find(t, newIndex(t, r.Dir, cache), SearchRequest{Question: "applyDiscount"})); !strings.HasPrefix(got, "cart/discount.go") {
		t.Errorf("after the damage: got %q, want cart/discount.go first", got)
	}
}

func TestSearchSaysWhatOfAQuestionItCannotAnswer(t *testing.T) {
	t.Parallel()
	_, x := shopIndex(t)
	for req, want := range map[SearchRequest]string{
		{Question: "sym:T"}:                       "T has no word of two letters",
		{Question: "discount", Module: "no/such"}: "no file that is searched lies below no/such",
	} {
		if told := strings.Join(find(t, x, req).Warnings, "\n"); !strings.Contains(told, want) {
			t.Errorf("%+v: warnings %q, want %q", req, told, want)
		}
	}
}

// A file that nobody may read is named as such, and one that was closed since costs its own hits only.
func TestFileThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	lock := func(name string) {
		t.Helper()
		if err := os.Chmod(r.Path(name), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(r.Path(name)); err == nil {
			t.Skip("nothing is locked for this user")
		}
	}
	r.Write("cart/locked.go", "package cart // discount\n")
	lock("cart/locked.go")
	if told := strings.Join(find(t, x, SearchRequest{Question: "discount"}).Skipped, "\n"); !strings.Contains(told, "not searched, unreadable: cart/locked.go") {
		t.Errorf("skipped: %q", told)
	}
	lock("cart/discount.go")
	found := find(t, x, SearchRequest{Question: "discount price", Stale: true})
	if got := files(found); got != "cart/discount_test.go" {
		t.Errorf("got %q, want the test alone", got)
	}
}
