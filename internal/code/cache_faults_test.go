package code

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex/internal/testkit"
)

func cacheDir(x *Index) string { return filepath.Dir(filepath.Dir(x.Cache.path)) }

// A file that another program cuts short while it is open costs an error or nothing, never the process.
func TestFileCutShortUnderASearch(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	find(t, x, SearchRequest{Question: "discount"})
	if _, err := x.Cache.db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	for size := int64(7); size > 0; size -= 2 {
		if err := os.Truncate(x.Cache.path, size*8192); err != nil {
			t.Skipf("an open file cannot be cut here: %v", err)
		}
		found, err := x.Search(t.Context(), SearchRequest{Question: "discount", Stale: true})
		if err == nil && len(found.Hits) == 0 {
			t.Errorf("cut to %d pages: no hit and no error", size)
		}
	}
	for range 2 { // the damage is found, and then it is gone
		x = newIndex(t, r.Dir, cacheDir(x))
		if _, err := x.Search(t.Context(), SearchRequest{Question: "applyDiscount"}); err != nil && !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	}
	if got := files(find(t, x, SearchRequest{Question: "applyDiscount"})); !strings.HasPrefix(got, "cart/discount.go") {
		t.Errorf("opened again: got %q, want cart/discount.go first", got)
	}
}

// empty does what a refresh does that makes the index anew.
func empty(ctx context.Context, c *Cache) error {
	return c.update(ctx, func(tx *sql.Tx) error { return emptyIndex(ctx, tx) })
}

// A search that finds the index emptied by another process never answers that nothing matches.
func TestIndexEmptiedUnderASearch(t *testing.T) {
	t.Parallel()
	r, x := shopIndex(t)
	find(t, x, SearchRequest{Question: "discount"})
	other := newIndex(t, r.Dir, cacheDir(x))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := empty(ctx, other.Cache); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	for range 150 {
		found, err := x.Search(t.Context(), SearchRequest{Question: "discount", Stale: true})
		if err == nil && len(found.Hits) == 0 || err != nil && !errors.Is(err, errEpoch) {
			t.Errorf("got %d hits, %v, warnings %q", len(found.Hits), err, found.Warnings)
			break
		}
	}
	stop()
	<-done
}

// epochOf counts how often the index was made anew.
func epochOf(t *testing.T, x *Index) (number int) {
	t.Helper()
	if err := x.Cache.db.QueryRowContext(t.Context(), "SELECT number FROM epoch").Scan(&number); err != nil {
		t.Fatal(err)
	}
	return number
}

func TestIndexIsMadeAnewForWhatNobodyHasAndForPiecesOnly(t *testing.T) {
	t.Parallel()
	const many = deadAllowance + 1000
	numbers := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	documents := fmt.Sprintf(numbers+"INSERT INTO doc (id, path, blob, skip) SELECT 100 + i, 'x' || i, 'y', 'binary' FROM n", many)
	for name, tc := range map[string]struct {
		rows string
		live bool // another worktree has the documents
		anew bool
	}{
		"dead documents":               {rows: documents, anew: true},
		"documents of another":         {rows: documents, live: true},
		"full segments of a great one": {rows: fmt.Sprintf(numbers+"INSERT INTO segment (base, posts) SELECT i, %d FROM n", 3*maxSegments, maxSegmentPosts)},
		"many small segments":          {rows: fmt.Sprintf(numbers+"INSERT INTO segment (base, posts) SELECT i, 1 FROM n", maxSegments+1), anew: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, x := shopIndex(t)
			r.Write("more.go", strings.Repeat("package more\n", deltaDocuments))
			find(t, x, SearchRequest{Question: "discount"})
			if _, err := x.Cache.db.ExecContext(t.Context(), tc.rows); err != nil {
				t.Fatal(err)
			}
			if tc.live {
				docs := bytes.Repeat([]byte{0xff}, many/8)
				if _, err := x.Cache.db.ExecContext(t.Context(), "INSERT INTO live VALUES ('/other', x'', ?, '[]')", docs); err != nil {
					t.Fatal(err)
				}
			}
			before := epochOf(t, x)
			r.Write("cart/new.go", "package cart // zanzibar\n")
			if got := files(find(t, x, SearchRequest{Question: "zanzibar"})); got != "cart/new.go" {
				t.Errorf("got %q, want cart/new.go", got)
			}
			if anew := epochOf(t, x) != before; anew != tc.anew {
				t.Errorf("made anew: %t, want %t", anew, tc.anew)
			}
		})
	}
}

// A list that cannot be read is damage like any other, and ends with the file.
func TestUnreadableListIsDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"a block":    "UPDATE post SET data = x'ffffffffffffffffffff'",
		"a base":     "UPDATE segment SET base = -1000",
		"a document": "DELETE FROM doc",
		"warnings":   "UPDATE live SET warnings = '{'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, x := shopIndex(t)
			for i := range deltaDocuments {
				r.Write(fmt.Sprintf("many/f%d.go", i), "package many // discount\n")
			}
			find(t, x, SearchRequest{Question: "discount"})
			if _, err := x.Cache.db.ExecContext(t.Context(), damage); err != nil {
				t.Fatal(err)
			}
			_, err := x.Search(t.Context(), SearchRequest{Question: "discount", Stale: true})
			if name != "a base" && !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want %v", err, ErrDamaged)
			}
		})
	}
}

// secretFiles hold a secret wherever a file can have one.
func secretFiles() (files map[string]string, secrets []string) {
	const token, key, password = "ghp_0123456789abcdefghijABCDEFGHIJ012345", "AKIAQ3EGRBEXAMPLE7QX", "zanzibar-madagascar-9"
	return map[string]string{
		"a/config.go":            "package a\n\nconst password = \"" + password + "\"\n\n// hunter2hunter\nfunc F() {}\n",
		"a/remote.ts":            "import x from 'https://user:" + password + "@example.com/x.ts'\nimport y from './" + token + "'\nexport function f() {}\n",
		"a/named.py":             "def " + token + "(): pass\nclass " + key + ": pass\n",
		"keys/" + token + ".txt": "plain\n",
		"keys/" + token + ".bin": "\x00",
		"keys/" + token + ".go":  "package keys\n\nfunc Zulu() {}\n",
	}, []string{token, key, password, "hunter2hunter"}
}

func TestSecretsAreInNoByteOfTheCache(t *testing.T) {
	t.Parallel()
	g := testkit.NewRepo(t)
	texts, secrets := secretFiles()
	for name, text := range texts {
		g.Write(name, text)
	}
	x := newIndex(t, g.Dir, t.TempDir())
	s, err := ReadStructure(t.Context(), x.Repo, x.Cache)
	if err != nil || len(s.Find("Zulu")) != 1 {
		t.Fatalf("structure: %v, Zulu %v", err, s.Find("Zulu"))
	}
	found := find(t, x, SearchRequest{Question: "plain"})
	if told := strings.Join(found.Skipped, "\n"); !strings.Contains(told, "its path looks like a secret: keys/") {
		t.Errorf("skipped: %q, want the files whose path looks like a secret", told)
	}
	paths, err := filepath.Glob(x.Cache.path + "*")
	if err != nil || len(paths) < 2 {
		t.Fatalf("files of the cache: %q, %v", paths, err)
	}
	for _, name := range paths {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s has %s", filepath.Base(name), secret)
			}
		}
	}
}
