package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// kind is what an entry does to its file.
type kind byte

const (
	kindPut    kind = 'p' // the file becomes data
	kindAppend kind = 'a' // the file becomes its first off bytes and data
	kindRemove kind = 'r' // the file goes away
)

// entry is the change of one file, as staged and as recorded. All entries of a record have different names.
type entry struct {
	kind  kind
	audit bool // not worth a sync of its own: the record carries it
	name  string
	off   int64  // append: where data begins
	old   []byte // append: what stood behind off and is cut away
	data  []byte
}

// The form of a record: magic, version, length of the body in 8 bytes, SHA-256 over length and body, body.
const (
	recordMagic   = "PCX"
	recordVersion = 1
	lengthStart   = len(recordMagic) + 1
	sumStart      = lengthStart + 8
	headerBytes   = sumStart + sha256.Size

	// maxBodyBytes bounds a record, and so a transaction; the public program's journal has the same bound.
	maxBodyBytes = 64 << 20
	// entryBytes is an upper bound of what an entry takes beside its name and its bytes.
	entryBytes = 2 + 4*binary.MaxVarintLen64
)

// errTorn says that bytes are no complete record.
var errTorn = errors.New("incomplete record")

func encodeRecord(entries []entry) []byte {
	capacity := headerBytes
	for _, e := range entries {
		capacity += entryBytes + len(e.name) + len(e.old) + len(e.data)
	}
	out := make([]byte, headerBytes, capacity)
	copy(out, recordMagic)
	out[len(recordMagic)] = recordVersion
	for _, e := range entries {
		flags := byte(0)
		if e.audit {
			flags = 1
		}
		out = append(out, byte(e.kind), flags)
		out = appendBlob(out, []byte(e.name))
		out = binary.AppendUvarint(out, uint64(e.off))
		out = appendBlob(out, e.old)
		out = appendBlob(out, e.data)
	}
	binary.BigEndian.PutUint64(out[lengthStart:], uint64(len(out)-headerBytes))
	sum := recordSum(out)
	copy(out[sumStart:], sum[:])
	return out
}

func appendBlob(out, blob []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(blob))), blob...)
}

func recordSum(record []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(record[lengthStart:sumStart])
	h.Write(record[headerBytes:])
	return [sha256.Size]byte(h.Sum(nil))
}

// recordBytes returns the whole length that a header announces; errTorn when it is none, ErrTooNew when a later
// version wrote it.
func recordBytes(header []byte) (int64, error) {
	if len(header) < headerBytes || string(header[:len(recordMagic)]) != recordMagic {
		return 0, errTorn
	}
	if v := header[len(recordMagic)]; v > recordVersion {
		return 0, fmt.Errorf("%w: %s has version %d, this program knows %d", ErrTooNew, slotName, v, recordVersion)
	}
	n := binary.BigEndian.Uint64(header[lengthStart:sumStart])
	if header[len(recordMagic)] != recordVersion || n > maxBodyBytes {
		return 0, errTorn
	}
	return int64(headerBytes) + int64(n), nil
}

// decodeRecord reads one whole record; errTorn when its bytes are not what was written. The entries share its memory.
func decodeRecord(record []byte) ([]entry, error) {
	n, err := recordBytes(record)
	if err != nil {
		return nil, err
	}
	if n != int64(len(record)) {
		return nil, errTorn
	}
	sum := recordSum(record)
	if !bytes.Equal(sum[:], record[sumStart:headerBytes]) {
		return nil, errTorn
	}
	return decodeBody(record[headerBytes:])
}

func decodeBody(body []byte) ([]entry, error) {
	entries := []entry{}
	seen := map[string]bool{}
	for r := (bodyReader{rest: body}); len(r.rest) > 0; {
		e := r.entry()
		if r.bad || checkName(e.name) != nil || seen[e.name] {
			return nil, fmt.Errorf("%w: %s has a sound checksum and an unsound entry", ErrNeedsFsck, slotName)
		}
		seen[e.name] = true
		entries = append(entries, e)
	}
	return entries, nil
}

// bodyReader takes entries off a body; bad is set when they do not fit.
type bodyReader struct {
	rest []byte
	bad  bool
}

func (r *bodyReader) entry() entry {
	head := r.take(2)
	if r.bad {
		return entry{}
	}
	e := entry{kind: kind(head[0]), audit: head[1] == 1, name: string(r.blob())}
	e.off, e.old, e.data = int64(r.number()), r.blob(), r.blob()
	known := e.kind == kindPut || e.kind == kindAppend || e.kind == kindRemove
	r.bad = r.bad || !known || head[1] > 1 || e.off < 0
	return e
}

func (r *bodyReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *bodyReader) blob() []byte { return r.take(r.number()) }

func (r *bodyReader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out
}
