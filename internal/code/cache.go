package code

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite" // registers the driver
	sqlitecodes "modernc.org/sqlite/lib"

	"cortex/internal/redact"
)

// cacheVersion is that of the tables and of what is counted in them. fileVersion is the user_version of the file: names of
// definitions are counted as well, so an index of another extractor is another index. A file of another version is
// emptied, whoever wrote it.
const (
	cacheVersion = 4
	fileVersion  = cacheVersion<<16 | extractorVersion
)

// maxCacheBytes is where a cache file is started anew instead of grown. Four copies of the Go standard library with all
// their facts are about 130 MB.
const maxCacheBytes = 1 << 30

// Cache is the one cache file of a repository, shared by its worktrees, branches and processes. What it holds can be
// computed again, so it may be deleted at any time; a damaged file is replaced. It is safe for concurrent use.
type Cache struct {
	db     *sql.DB
	path   string
	redact *redact.Redactor
}

// OpenCache opens, or makes, the cache file of the repository whose shared git directory is commonDir, below dir. Only
// the owner can read it, and what secrets masks is in none of its tables; nil masks nothing. Close it after use.
func OpenCache(ctx context.Context, dir, commonDir string, secrets *redact.Redactor) (*Cache, error) {
	dir = filepath.Join(dir, "code")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open code cache: %w", err)
	}
	id := sha256.Sum256([]byte(commonDir))
	c := &Cache{path: filepath.Join(dir, hex.EncodeToString(id[:16])+".sqlite3"), redact: secrets}
	err := c.openInTurn(ctx)
	if damaged(err) {
		c.remove()
		err = c.openInTurn(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open code cache: %w", err)
	}
	return c, nil
}

// SQLite does not wait for others that make the same file at the same time, as it does for a lock; a file is made within
// milliseconds.
const (
	openWait  = 5 * time.Second
	openPause = 10 * time.Millisecond
)

// openInTurn opens the file, again when others are just making it.
func (c *Cache) openInTurn(ctx context.Context) error {
	late := time.After(openWait)
	for {
		err := c.open(ctx)
		if faultOf(err) != sqlitecodes.SQLITE_BUSY {
			return err
		}
		select {
		case <-time.After(openPause):
		case <-late:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close ends the use of the file.
func (c *Cache) Close() error { return c.db.Close() }

func (c *Cache) open(ctx context.Context) error {
	if info, err := os.Stat(c.path); err == nil && info.Size() > maxCacheBytes {
		c.remove()
	}
	db, err := sql.Open("sqlite", cacheURI(c.path))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	c.db = db
	if err := c.prepare(ctx); err != nil {
		return errors.Join(err, db.Close())
	}
	return nil
}

// cacheURI names the file and how it is opened. Writers take the lock when they begin, so that none is refused half-way.
// It is not mapped into memory: one that another program cuts short would end the process.
func cacheURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=page_size(8192)" +
		"&_pragma=synchronous(NORMAL)"}
	return u.String()
}

// prepare brings the file to the current version.
func (c *Cache) prepare(ctx context.Context) error {
	var version int
	if err := c.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == fileVersion {
		return nil
	}
	if err := os.Chmod(c.path, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if _, err := c.db.ExecContext(ctx, "PRAGMA journal_mode=WAL"); err != nil {
		return err
	}
	return c.update(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil || version == fileVersion {
			return err // somebody else was first
		}
		return execAll(ctx, tx, schema()...)
	})
}

// schema makes every table anew. What a row of each holds is said where it is written.
func schema() []string {
	return []string{
		"DROP TABLE IF EXISTS facts", "DROP TABLE IF EXISTS doc", "DROP TABLE IF EXISTS segment",
		"DROP TABLE IF EXISTS post", "DROP TABLE IF EXISTS live", "DROP TABLE IF EXISTS epoch",
		"CREATE TABLE facts (key TEXT PRIMARY KEY, data BLOB NOT NULL)",
		"CREATE TABLE doc (id INTEGER PRIMARY KEY, path TEXT NOT NULL, blob TEXT NOT NULL, skip TEXT NOT NULL, fwd BLOB)",
		"CREATE UNIQUE INDEX docpath ON doc (path, blob)",
		"CREATE INDEX docfwd ON doc (id) WHERE fwd IS NOT NULL",
		"CREATE TABLE segment (id INTEGER PRIMARY KEY, base INTEGER NOT NULL, posts INTEGER NOT NULL)",
		"CREATE TABLE post (segment INTEGER, first INTEGER, data BLOB NOT NULL, PRIMARY KEY (segment, first)) WITHOUT ROWID",
		"CREATE TABLE live (worktree TEXT PRIMARY KEY, stamp BLOB NOT NULL, docs BLOB NOT NULL, warnings TEXT NOT NULL)",
		"CREATE TABLE epoch (number INTEGER NOT NULL)", "INSERT INTO epoch (number) VALUES (1)",
		fmt.Sprintf("PRAGMA user_version=%d", fileVersion),
	}
}

func execAll(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// update runs fn in one write transaction.
func (c *Cache) update(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// view runs fn on one snapshot. It takes no write lock.
func (c *Cache) view(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it changed nothing
	return fn(tx)
}

// damaged reports whether an error says that the file is no database, or a broken one.
func damaged(err error) bool {
	code := faultOf(err)
	return code == sqlitecodes.SQLITE_CORRUPT || code == sqlitecodes.SQLITE_NOTADB || errors.Is(err, errBlock)
}

// IsUnusable reports whether an error says that the cache's disk is full, read-only or failing, or that another process
// has held the file for longer than is waited.
func IsUnusable(err error) bool {
	switch faultOf(err) {
	case sqlitecodes.SQLITE_FULL, sqlitecodes.SQLITE_READONLY, sqlitecodes.SQLITE_IOERR, sqlitecodes.SQLITE_CANTOPEN, sqlitecodes.SQLITE_BUSY:
		return true
	}
	return false
}

// masked is text with a mask in place of what looks like a secret.
func (c *Cache) masked(text string) string {
	if c.redact == nil {
		return text
	}
	return c.redact.Text(text)
}

// searchable is text without what looks like a secret.
func (c *Cache) searchable(body []byte) []byte {
	if c.redact == nil {
		return body
	}
	masked := c.redact.Bytes(body)
	if len(body) == 0 || len(masked) == len(body) && &masked[0] == &body[0] {
		return body
	}
	return bytes.ReplaceAll(masked, []byte(redact.Mask), []byte(" "))
}

// faultOf is SQLite's code for an error, 0 for an error of anything else.
func faultOf(err error) int {
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return 0
	}
	return fault.Code() & 0xff
}

// remove deletes the file. A process that has it open goes on with what it has. The file itself is last: once it is gone,
// what stands beside the name belongs to the next one.
func (c *Cache) remove() {
	for _, suffix := range []string{"-wal", "-shm", ""} {
		_ = os.Remove(c.path + suffix) // what is left shows when the file is opened again
	}
}
