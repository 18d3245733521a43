package code

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"strings"
)

// extractorVersion is part of every key of cached facts. It changes whenever Extract gives other facts for the same bytes.
const extractorVersion = 6

// FactsKey names the facts of a content: the version of the extractor, the language as the name's ending tells it, and
// the blob. Every branch and worktree has the same key for the same file.
func FactsKey(name, blob string) string {
	return fmt.Sprintf("%d%s:%s", extractorVersion, strings.ToLower(path.Ext(path.Base(name))), blob)
}

// manyKeys is from how many keys on the whole table is read instead of one row after another.
const manyKeys = 1000

// Facts returns what is cached of keys; a key that is not, or cannot be read, is missing. The counts of identifiers are
// never cached: Idents is nil.
func (c *Cache) Facts(ctx context.Context, keys []string) (map[string]Facts, error) {
	out := make(map[string]Facts, len(keys))
	err := c.view(ctx, func(tx *sql.Tx) error {
		if len(keys) >= manyKeys {
			return allFacts(ctx, tx, keys, out)
		}
		find, err := tx.PrepareContext(ctx, "SELECT data FROM facts WHERE key = ?")
		if err != nil {
			return err
		}
		defer func() { _ = find.Close() }() // the transaction closes it as well
		for _, key := range keys {
			var data sql.RawBytes
			rows, err := find.QueryContext(ctx, key)
			if err != nil {
				return err
			}
			for rows.Next() {
				if err = rows.Scan(&data); err == nil {
					keepFacts(out, key, data)
				}
			}
			if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read cached facts: %w", err)
	}
	return out, nil
}

func allFacts(ctx context.Context, tx *sql.Tx, keys []string, out map[string]Facts) error {
	wanted := make(map[string]bool, len(keys))
	for _, key := range keys {
		wanted[key] = true
	}
	rows, err := tx.QueryContext(ctx, "SELECT key, data FROM facts")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err says what went wrong
	var key, data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&key, &data); err != nil {
			return err
		}
		if wanted[string(key)] {
			keepFacts(out, string(key), data)
		}
	}
	return rows.Err()
}

func keepFacts(out map[string]Facts, key string, data []byte) {
	if f, ok := decodeFacts(data); ok {
		out[key] = f
	}
}

// SaveFacts keeps facts by key, all of them or none; without those that have what looks like a secret in them, such as an
// import from an address with a password.
func (c *Cache) SaveFacts(ctx context.Context, facts map[string]Facts) error {
	if len(facts) == 0 {
		return nil
	}
	err := c.update(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO facts (key, data) VALUES (?, ?)")
		if err != nil {
			return err
		}
		defer func() { _ = insert.Close() }() // the transaction closes it as well
		for key, f := range facts {
			if c.redact != nil && c.redact.Changed(f.names()) {
				continue
			}
			if _, err := insert.ExecContext(ctx, key, encodeFacts(f)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep facts: %w", err)
	}
	return nil
}

// names are the texts that a file gave to its facts, each on a line.
func (f Facts) names() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(s); b.WriteByte('\n') }
	line(f.Package)
	for _, i := range f.Imports {
		line(i.Path)
		line(i.Alias)
		line(strings.Join(i.Names, "\n"))
	}
	for _, d := range f.Definitions {
		line(d.Name)
		line(d.Parent)
	}
	return b.String()
}

// encodeFacts writes the fields in order: a text as its length and bytes, a number as a uvarint, a list as its length and
// elements.
func encodeFacts(f Facts) []byte {
	var b []byte
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	text := func(s string) { number(len(s)); b = append(b, s...) }
	for _, s := range []string{f.Language, string(f.Tier), f.Package, f.Partial} {
		text(s)
	}
	generated := 0
	if f.Generated {
		generated = 1
	}
	number(generated)
	number(len(f.Imports))
	for _, i := range f.Imports {
		text(i.Path)
		text(i.Alias)
		number(i.Line)
		number(len(i.Names))
		for _, name := range i.Names {
			text(name)
		}
	}
	number(len(f.Definitions))
	for _, d := range f.Definitions {
		text(d.Name)
		text(d.Kind)
		text(d.Parent)
		number(d.StartLine)
		number(d.EndLine)
	}
	return b
}

// factsReader reads what encodeFacts wrote; after a fault everything is empty.
type factsReader struct {
	rest  string
	fault bool
}

func (r *factsReader) number() int {
	n, size := uint64(0), 0
	for shift := 0; size < len(r.rest) && shift < 63; shift += 7 {
		b := r.rest[size]
		size++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			r.rest = r.rest[size:]
			return int(n)
		}
	}
	r.fault, r.rest = true, ""
	return 0
}

func (r *factsReader) text() string {
	n := r.number()
	if n > len(r.rest) {
		r.fault, r.rest = true, ""
		return ""
	}
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

// count is the length of a list, whose elements take a byte at least.
func (r *factsReader) count() int {
	n := r.number()
	if n > len(r.rest) {
		r.fault, r.rest = true, ""
		return 0
	}
	return n
}

func decodeFacts(data []byte) (Facts, bool) {
	r := factsReader{rest: string(data)}
	f := Facts{Language: r.text(), Tier: Tier(r.text()), Package: r.text(), Partial: r.text()}
	f.Generated = r.number() == 1
	if n := r.count(); n > 0 {
		f.Imports = make([]Import, n)
		for i := range f.Imports {
			f.Imports[i] = Import{Path: r.text(), Alias: r.text(), Line: r.number()}
			if names := r.count(); names > 0 {
				f.Imports[i].Names = make([]string, names)
				for j := range f.Imports[i].Names {
					f.Imports[i].Names[j] = r.text()
				}
			}
		}
	}
	if n := r.count(); n > 0 {
		f.Definitions = make([]Definition, n)
		for i := range f.Definitions {
			f.Definitions[i] = Definition{Name: r.text(), Kind: r.text(), Parent: r.text(), StartLine: r.number(), EndLine: r.number()}
		}
	}
	return f, !r.fault && r.rest == ""
}
