package proc

import (
	"bytes"
	"fmt"
	"strconv"
)

// Window is a writer that keeps the first and the last bytes of a stream in bounded memory. It is not safe for concurrent
// use. The zero value keeps nothing and counts.
type Window struct {
	keepHead, keepTail int
	head, tail         []byte // tail is a ring of keepTail bytes once it is full
	at                 int    // where the oldest byte of a full tail is
	total              int64
}

// NewWindow keeps the first head and the last tail bytes.
func NewWindow(head, tail int) *Window {
	return &Window{keepHead: max(head, 0), keepTail: max(tail, 0)}
}

// Write takes every byte and never fails.
func (w *Window) Write(p []byte) (int, error) {
	n := len(p)
	w.total += int64(n)
	if room := w.keepHead - len(w.head); room > 0 {
		room = min(room, len(p))
		w.head = append(w.head, p[:room]...)
		p = p[room:]
	}
	w.writeTail(p)
	return n, nil
}

func (w *Window) writeTail(p []byte) {
	if len(p) >= w.keepTail {
		w.tail = append(w.tail[:0], p[len(p)-w.keepTail:]...)
		w.at = 0
		return
	}
	room := min(w.keepTail-len(w.tail), len(p))
	w.tail = append(w.tail, p[:room]...)
	for p = p[room:]; len(p) > 0; {
		n := copy(w.tail[w.at:], p)
		w.at = (w.at + n) % w.keepTail
		p = p[n:]
	}
}

// Output is what was kept so far; later writes do not change it.
func (w *Window) Output() Output {
	head := bytes.Clone(w.head)
	tail := append(bytes.Clone(w.tail[w.at:]), w.tail[:w.at]...)
	out := Output{Total: w.total, head: head, tail: tail}
	if w.total > int64(len(head)+len(tail)) {
		out.head = throughLastLine(head)
		out.tail = afterFirstLine(tail)
		out.Dropped = w.total - int64(len(out.head)+len(out.tail))
	}
	return out
}

// throughLastLine cuts an unfinished last line, so that what is kept of a cut stream is whole lines: half a secret would not
// be recognised by a redactor. A window without a line end is kept as it is.
func throughLastLine(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return b
}

func afterFirstLine(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 && i+1 < len(b) {
		return b[i+1:]
	}
	return b
}

// Output is one stream of a process: its size, and its first and last bytes.
type Output struct {
	Total   int64 // bytes that the process wrote
	Dropped int64 // bytes of these that were not kept; 0 means that Bytes is the whole stream

	head, tail []byte
}

// Bytes is the kept text: all of it, or the first lines, a line that says how many bytes were dropped, and the last lines.
func (o Output) Bytes() []byte {
	if o.Dropped == 0 {
		return append(bytes.Clone(o.head), o.tail...)
	}
	b := bytes.Clone(o.head)
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	b = fmt.Appendf(b, "… %s bytes dropped …\n", grouped(o.Dropped))
	return append(b, o.tail...)
}

// grouped writes n with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
