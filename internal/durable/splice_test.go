package durable

import (
	"bytes"
	"errors"
	"testing"
)

func TestSpliceFinishesWhatItsAppendCanHaveLeft(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		have      string
		off       int64
		old, data string
		want      string
		err       error
	}{
		{name: "not begun", have: "a\n", off: 2, data: "b\n", want: "a\nb\n"},
		{name: "begun", have: "a\nb", off: 2, data: "bb\n", want: "a\nbb\n"},
		{name: "done", have: "a\nb\n", off: 2, data: "b\n", want: "a\nb\n"},
		{name: "done, and more lines after it", have: "a\nb\nc\n", off: 2, data: "b\n", want: "a\nb\nc\n"},
		{name: "a block lost", have: "a\n\x00\x00b\n", off: 2, data: "bbb\n", want: "a\nbbb\n"},
		{name: "end lost", have: "a\nx", off: 8, data: "b\n", want: "a\nx\x00\x00\x00\x00\nb\n"},
		{name: "cut not begun", have: "a\nto\nrn", off: 2, old: "to\nrn", data: "b\n", want: "a\nb\n"},
		{name: "cut, tail begins with the data", have: "a\nb\nrn", off: 2, old: "b\nrn", data: "b\n", want: "a\nb\n"},
		{name: "cut, data over the tail", have: "a\nb\n\nrn", off: 2, old: "to\nrn", data: "b\n", want: "a\nb\n"},
		{name: "cut only", have: "a\nto", off: 2, old: "to", want: "a\n"},
		{name: "another program's fragment", have: "a\nzz", off: 2, data: "b\n", want: "a\nb\n"},
		{name: "another program's line", have: "a\nz\n", off: 2, data: "b\n", err: ErrNeedsFsck},
		{name: "another program's line after a part", have: "a\nbz\n", off: 2, data: "bb\n", err: ErrNeedsFsck},
		{name: "another program's line after a cut", have: "a\nz\n", off: 2, old: "to", data: "b\n", err: ErrNeedsFsck},
		{name: "more missing than can be", have: "", off: maxTailBytes + 1, data: "b\n", err: ErrNeedsFsck},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := entry{kind: kindAppend, name: "x", off: tt.off, old: []byte(tt.old), data: []byte(tt.data)}
			keep, tail, err := e.splice(bytes.NewReader([]byte(tt.have)), int64(len(tt.have)))
			if !errors.Is(err, tt.err) {
				t.Fatalf("splice(%q) error = %v, want %v", tt.have, err, tt.err)
			}
			if err != nil {
				return
			}
			if got := tt.have[:keep] + string(tail); got != tt.want {
				t.Errorf("splice(%q) = %q, want %q", tt.have, got, tt.want)
			}
			joined := spliced{h: bytes.NewReader([]byte(tt.have)), keep: keep, tail: tail}
			for size := 1; size <= len(tt.want); size++ {
				if got := readInPieces(t, joined, size); got != tt.want {
					t.Errorf("read in pieces of %d = %q, want %q", size, got, tt.want)
				}
			}
		})
	}
}

func readInPieces(t *testing.T, s spliced, size int) string {
	t.Helper()
	var out []byte
	for {
		piece := make([]byte, size)
		n, err := s.ReadAt(piece, int64(len(out)))
		out = append(out, piece[:n]...)
		if n < size {
			if err == nil {
				t.Errorf("short read of %d at %d without error", n, len(out))
			}
			return string(out)
		}
	}
}
