package gitrepo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"cortex/internal/durable"
)

// The stat cache of a worktree is one file:
//
//	magic · when the run that wrote it began, ns · records sorted by key · SHA-256 of all that
//
// A record is the SHA-256 of the path (a path may be a secret), dev, ino, size, mtime, ctime, and the SHA-256 of the
// content. Numbers are 8 bytes, big-endian. A file that is anything else is ignored, and so is one of another worktree.
const (
	cacheMagic       = "cortex stat cache 1\n"
	cacheHeadBytes   = len(cacheMagic) + 8
	cacheRecordBytes = sha256.Size + 5*8 + sha256.Size
	maxCacheBytes    = 256 << 20 // about 2.4 million files
)

// settleTime is how much older than the run that hashed it a file's times must be for its hash to be kept: within one tick
// of the file system's clock two edits leave the same times. FAT has the coarsest tick, two seconds.
const settleTime = 2 * time.Second

type cacheKey [sha256.Size]byte

type cacheRecord struct {
	key  cacheKey
	stat fileStat
	sum  [sha256.Size]byte
}

// statCache is the content of a cache file. A nil cache has nothing.
type statCache struct {
	settled int64 // times before this one are trusted, ns
	records []byte
}

func cacheKeyOf(path string) cacheKey { return sha256.Sum256([]byte(path)) }

func (r *Repo) cachePath() string {
	id := sha256.Sum256([]byte(r.Root))
	return filepath.Join(r.cacheDir, "worktree-"+hex.EncodeToString(id[:16]))
}

func loadCache(r *Repo) *statCache {
	if r.cacheDir == "" {
		return nil
	}
	return decodeCache(readRegular(r.cachePath(), maxCacheBytes))
}

// decodeCache returns nil for anything but an intact cache.
func decodeCache(data []byte) *statCache {
	body := len(data) - sha256.Size
	if body < cacheHeadBytes || (body-cacheHeadBytes)%cacheRecordBytes != 0 || !bytes.HasPrefix(data, []byte(cacheMagic)) {
		return nil
	}
	if sum := sha256.Sum256(data[:body]); !bytes.Equal(sum[:], data[body:]) {
		return nil
	}
	began := int64(binary.BigEndian.Uint64(data[len(cacheMagic):]))
	return &statCache{settled: began - int64(settleTime), records: data[cacheHeadBytes:body]}
}

// find returns the hash of a file that has not changed since it was hashed.
func (c *statCache) find(key cacheKey, stat fileStat) (sum [sha256.Size]byte, ok bool) {
	if c == nil || !stat.whole || max(stat.mtime, stat.ctime) >= c.settled {
		return sum, false
	}
	record := func(i int) []byte { return c.records[i*cacheRecordBytes:][:cacheRecordBytes] }
	n := len(c.records) / cacheRecordBytes
	i := sort.Search(n, func(i int) bool { return bytes.Compare(record(i)[:len(key)], key[:]) >= 0 })
	var want [sha256.Size + 5*8]byte
	if i == n || !bytes.HasPrefix(record(i), appendIdentity(want[:0], key, stat)) {
		return sum, false
	}
	copy(sum[:], record(i)[len(want):])
	return sum, true
}

func appendIdentity(b []byte, key cacheKey, s fileStat) []byte {
	b = append(b, key[:]...)
	for _, v := range []uint64{s.dev, s.ino, uint64(s.size), uint64(s.mtime), uint64(s.ctime)} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return b
}

// remember collects a hash for save.
func (d *digester) remember(rec cacheRecord, hit bool) {
	if !rec.stat.whole {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.records = append(d.records, rec)
	d.missed = d.missed || !hit
}

// save replaces the cache of r's worktree by what this run found, unless it found nothing new. A failure costs the next
// run its time and nothing else, and so does a crash.
func (d *digester) save(r *Repo) {
	if r.cacheDir == "" || !d.missed {
		return
	}
	if os.MkdirAll(r.cacheDir, 0o700) == nil {
		_ = durable.WriteCache(r.cachePath(), d.encodeCache()) // see above
	}
}

func (d *digester) encodeCache() []byte {
	slices.SortFunc(d.records, func(a, b cacheRecord) int { return bytes.Compare(a.key[:], b.key[:]) })
	data := make([]byte, 0, cacheHeadBytes+len(d.records)*cacheRecordBytes+sha256.Size)
	data = append(data, cacheMagic...)
	data = binary.BigEndian.AppendUint64(data, uint64(d.began.UnixNano()))
	for _, rec := range d.records {
		data = append(appendIdentity(data, rec.key, rec.stat), rec.sum[:]...)
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}
