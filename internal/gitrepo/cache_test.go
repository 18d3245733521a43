package gitrepo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const second = int64(time.Second)

// sampleCache is the encoding of one record in a run that began at second 1000.
func sampleCache(stat fileStat) []byte {
	d := &digester{began: time.Unix(1000, 0)}
	d.records = []cacheRecord{{key: cacheKeyOf("a"), stat: stat, sum: [32]byte{1}}}
	return d.encodeCache()
}

func sampleStat() fileStat {
	return fileStat{kind: kindFile, dev: 1, ino: 2, size: 3, mtime: 900 * second, ctime: 901 * second, whole: true}
}

func TestCacheAnswersOnlyForTheSameSettledFile(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(*fileStat)
		known  bool // the change was there when the record was made
		want   bool
	}{
		{"the same", func(*fileStat) {}, false, true},
		{"another device", func(s *fileStat) { s.dev++ }, false, false},
		{"another inode", func(s *fileStat) { s.ino++ }, false, false},
		{"another size", func(s *fileStat) { s.size++ }, false, false},
		{"another mtime", func(s *fileStat) { s.mtime++ }, false, false},
		{"another ctime", func(s *fileStat) { s.ctime++ }, false, false},
		{"no change time", func(s *fileStat) { s.whole = false }, true, false},
		{"settled", func(s *fileStat) { s.ctime = 998*second - 1 }, true, true},
		{"changed within the settle time", func(s *fileStat) { s.ctime = 998 * second }, true, false},
		{"modified within the settle time", func(s *fileStat) { s.mtime = 998 * second }, true, false},
		{"from the future", func(s *fileStat) { s.mtime = 2000 * second }, true, false},
	} {
		now := sampleStat()
		row.change(&now)
		recorded := sampleStat()
		if row.known {
			recorded = now
		}
		sum, got := decodeCache(sampleCache(recorded)).find(cacheKeyOf("a"), now)
		if got != row.want || got && sum != [32]byte{1} {
			t.Errorf("%s: find = %v, %v, want %v", row.name, sum[0], got, row.want)
		}
	}
	if _, ok := decodeCache(sampleCache(sampleStat())).find(cacheKeyOf("b"), sampleStat()); ok {
		t.Error("the cache answers for another path")
	}
}

func TestDamagedCacheIsIgnored(t *testing.T) {
	t.Parallel()
	whole := sampleCache(sampleStat())
	if decodeCache(whole) == nil {
		t.Fatal("an intact cache is not read")
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1
		if decodeCache(flipped) != nil || decodeCache(whole[:i]) != nil {
			t.Fatalf("a cache with byte %d of %d flipped or cut is read", i, len(whole))
		}
	}
}

func FuzzDecodeCache(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(sampleCache(sampleStat()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c := decodeCache(data); c != nil {
			c.find(cacheKeyOf("a"), sampleStat())
		}
	})
}

// stateLater is State one hour from now, when every file is settled: the change time of a file cannot be set.
func stateLater(t testing.TB, r *Repo) State {
	t.Helper()
	ctx := context.Background()
	head, err := r.head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.list(ctx)
	if err != nil {
		t.Fatal(err)
	}
	d, budget, cancel := newDigester(ctx, r, StateOptions{SaveCache: true})
	defer cancel()
	d.began = d.began.Add(time.Hour)
	entries := d.repository(budget, r, "", l, 0)
	d.save(r)
	return State{Head: head.Commit, Digest: digestText(digestOf(entries)), entries: entries, Complete: true}
}

func TestCacheSavesReadingAndNeverHidesAnEdit(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt", "token=hunter2.txt")
	g.Git("init", "--quiet", "nest")
	g.Write("nest/a.txt", "another a")
	r := open(t, g.Dir)
	first := stateLater(t, r)
	data, err := os.ReadFile(r.cachePath())
	if err != nil || bytes.Contains(data, []byte("hunter2")) {
		t.Fatalf("cache: %v; %q", err, data)
	}
	if got := stateLater(t, r); got.Digest != first.Digest {
		t.Errorf("with the cache: %s, want %s", got.Digest, first.Digest)
	}
	d, _, cancel := newDigester(context.Background(), r, StateOptions{})
	defer cancel()
	info, err := os.Lstat(g.Path("nest/a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if stat := statOf(info); stat.whole {
		if _, hit := d.cache.find(cacheKeyOf("nest/a.txt"), stat); !hit {
			t.Error("a file of a nested repository is not in the cache")
		}
	}
	rewriteQuietly("token=hunter2.txt")(t, g)
	if got := stateLater(t, r); got.Digest == first.Digest {
		t.Error("an edit with the old size and modification time is hidden by the cache")
	}
}

func TestReadsWriteNoCache(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	r := open(t, g.Dir)
	if _, _, err := r.Survey(context.Background(), "HEAD"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.State(context.Background(), StateOptions{}); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(r.cacheDir, "*"))
	if err != nil || len(names) != 0 {
		t.Errorf("cache directory holds %q (%v), want nothing", names, err)
	}
}
