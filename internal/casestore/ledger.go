package casestore

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"cortex/internal/casefile"
)

// The ledgers of a case.
const (
	evidenceFile = "evidence.jsonl"
	phasesFile   = "phases.jsonl"
	commandsFile = "commands.jsonl"
)

// scanBuffer holds a few hundred usual records, so that a ledger of 9 MB is read in some forty calls.
const scanBuffer = 256 << 10

// line is one line of a ledger, without its newline.
type line struct {
	text       []byte // valid until the next line; empty when overlong
	number     int    // from 1
	offset     int64
	length     int64
	terminated bool // a newline follows; only the last line can lack it
	overlong   bool // over casefile.MaxLedgerLine
}

// eachLine calls fn for the lines of r until fn returns false. Memory is bounded by casefile.MaxLedgerLine.
func eachLine(r io.Reader, fn func(line) bool) error {
	in := bufio.NewReaderSize(r, scanBuffer)
	var offset int64
	for number := 1; ; number++ {
		l, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if l.length == 0 && !l.terminated {
			return nil
		}
		l.number, l.offset = number, offset
		offset += l.length + 1
		if !fn(l) || !l.terminated {
			return nil
		}
	}
}

// readLine reads up to the next newline or the end. A line over the bound is passed over without being kept.
func readLine(in *bufio.Reader) (line, error) {
	part, err := in.ReadSlice('\n')
	if err == nil {
		text := part[:len(part)-1]
		return line{text: text, length: int64(len(text)), terminated: true}, nil
	}
	l := line{text: bytes.Clone(part), length: int64(len(part))}
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = in.ReadSlice('\n')
		l.length += int64(len(part))
		if l.overlong = l.overlong || l.length > casefile.MaxLedgerLine+1; l.overlong {
			l.text = nil
			continue
		}
		l.text = append(l.text, part...)
	}
	if err == nil {
		l.terminated = true
		l.length--
		if !l.overlong {
			l.text = l.text[:l.length]
		}
	}
	return l, err
}

// fault says why the line is no record, or "" when it looks like one. It decodes only lines that are not of the usual
// form: one object that begins with its id, with balanced braces. That makes counting 20,000 records cheap; a line that
// deceives it is found when it is decoded.
func (l line) fault() string {
	switch {
	case l.overlong:
		return fmt.Sprintf("is longer than %d bytes", casefile.MaxLedgerLine)
	case !l.terminated:
		return "is cut off: its end was never written"
	case bytes.IndexByte(l.text, 0) >= 0:
		return "holds zero bytes where a power loss took its text"
	case !utf8.Valid(l.text):
		return "is not UTF-8"
	case l.beginsLike(`{"id":"`), l.beginsLike(`{"timestamp":"`), l.isObject():
		return ""
	}
	return "is not one JSON object"
}

// blank lines are neither records nor faults.
func (l line) blank() bool { return l.terminated && !l.overlong && len(bytes.TrimSpace(l.text)) == 0 }

// beginsLike reports whether the line has the form in which records are written, the given beginning once and in front.
func (l line) beginsLike(beginning string) bool {
	start := []byte(beginning)
	return bytes.HasPrefix(l.text, start) && l.text[len(l.text)-1] == '}' && bytes.Count(l.text, start) == 1 &&
		bytes.Count(l.text, []byte{'{'}) == bytes.Count(l.text, []byte{'}'})
}

func (l line) isObject() bool {
	trimmed := bytes.TrimSpace(l.text)
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// id returns the "id" of a record, decoding it only when it does not stand in front.
func (l line) id() string {
	if rest, ok := bytes.CutPrefix(l.text, []byte(`{"id":"`)); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
			return string(rest[:end])
		}
	}
	return idOf(l.text)
}

// span is where a record lies in its ledger.
type span struct {
	id     string
	number int
	offset int64
	length int64
}

// index is what one pass over a ledger learns.
type index struct {
	spans  []span
	faults []fault
}

// fault is a line of a ledger that is no record.
type fault struct {
	file   string
	line   int
	reason string
}

// String names the line as warnings do.
func (f fault) String() string {
	return fmt.Sprintf("%s line %d %s; it is skipped and its bytes are kept", f.file, f.line, f.reason)
}

// indexOf reads the ledger once.
func indexOf(name string, r io.Reader) (*index, error) {
	ix := &index{}
	err := eachLine(r, func(l line) bool {
		if l.blank() {
			return true
		}
		if why := l.fault(); why != "" {
			ix.faults = append(ix.faults, fault{name, l.number, why})
			return true
		}
		s := span{number: l.number, offset: l.offset, length: l.length}
		if name == evidenceFile {
			s.id = l.id()
		}
		ix.spans = append(ix.spans, s)
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return ix, nil
}

// tornTail returns the offset at which an unterminated last line begins, or size when the ledger ends well. It reads
// backwards from the end, so a sound ledger costs one byte.
func tornTail(r io.ReaderAt, size int64) (int64, error) {
	for end, want := size, int64(1); end > 0; want = 64 << 10 {
		start := max(0, end-want)
		part, err := readAt(r, start, end-start)
		if err != nil {
			return 0, err
		}
		if at := bytes.LastIndexByte(part, '\n'); at >= 0 {
			return start + int64(at) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// readAt returns exactly length bytes from offset.
func readAt(r io.ReaderAt, offset, length int64) ([]byte, error) {
	buf := make([]byte, length)
	_, err := io.ReadFull(io.NewSectionReader(r, offset, length), buf)
	return buf, err
}
