package proc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWindowKeepsTheFirstAndTheLastBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		head, tail := rapid.IntRange(0, 20).Draw(t, "head"), rapid.IntRange(0, 20).Draw(t, "tail")
		w := NewWindow(head, tail)
		var all []byte
		for _, chunk := range rapid.SliceOf(rapid.SliceOfN(rapid.ByteRange('a', 'z'), 0, 30)).Draw(t, "chunks") {
			w.Write(chunk)
			all = append(all, chunk...)
		}
		got, want := w.Output(), string(all)
		dropped := max(len(all)-head-tail, 0)
		if dropped > 0 {
			first := string(all[:head])
			if head > 0 {
				first += "\n"
			}
			want = first + fmt.Sprintf("… %d bytes dropped …\n", dropped) + string(all[len(all)-tail:])
		}
		if string(got.Bytes()) != want || got.Total != int64(len(all)) || got.Dropped != int64(dropped) {
			t.Fatalf("got %q, total %d, dropped %d, want %q", got.Bytes(), got.Total, got.Dropped, want)
		}
	})
}

func TestCutStreamIsWholeLines(t *testing.T) {
	t.Parallel()
	w := NewWindow(20, 20)
	for i := range 1000 {
		fmt.Fprintf(w, "line %d\n", i)
	}
	got := w.Output()
	const want = "line 0\nline 1\n… 8,858 bytes dropped …\nline 998\nline 999\n"
	if string(got.Bytes()) != want || got.Total != 8890 || got.Dropped != 8858 {
		t.Errorf("got %q, total %d, dropped %d, want %q", got.Bytes(), got.Total, got.Dropped, want)
	}
}

func TestOutputIsNotChangedByLaterWrites(t *testing.T) {
	t.Parallel()
	w := NewWindow(4, 4)
	w.Write([]byte("abcdefgh"))
	before := w.Output()
	w.Write([]byte(strings.Repeat("z", 50)))
	if got := before.Bytes(); !bytes.Equal(got, []byte("abcdefgh")) {
		t.Errorf("got %q, want abcdefgh", got)
	}
}

func TestGroupedPutsCommasBetweenThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", 123456: "123,456"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
