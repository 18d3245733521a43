package durable

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sampleEntries() []entry {
	return []entry{
		{kind: kindPut, name: "case.json", old: []byte{}, data: []byte("{}\n")},
		{kind: kindAppend, audit: true, name: "commands.jsonl", off: 12, old: []byte{}, data: []byte("x\n")},
		{kind: kindAppend, name: "evidence.jsonl", off: 1 << 40, old: []byte("torn"), data: []byte("y\n")},
		{kind: kindRemove, name: "raw/x.txt", old: []byte{}, data: []byte{}},
	}
}

func TestRecordRoundTrips(t *testing.T) {
	t.Parallel()
	want := sampleEntries()
	got, err := decodeRecord(encodeRecord(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("decode(encode) differs (-want +got):\n%s", diff)
	}
}

// A sound record with any bytes changed, cut or added is torn: nothing is ever half believed.
func TestDamagedRecordIsTorn(t *testing.T) {
	t.Parallel()
	whole := encodeRecord(sampleEntries())
	rapid.Check(t, func(rt *rapid.T) {
		damaged := bytes.Clone(whole)
		switch rapid.SampledFrom([]string{"flip", "cut", "zero"}).Draw(rt, "damage") {
		case "flip":
			at := rapid.IntRange(lengthStart, len(damaged)-1).Draw(rt, "at")
			damaged[at] ^= byte(rapid.IntRange(1, 255).Draw(rt, "bits"))
		case "cut":
			damaged = damaged[:rapid.IntRange(0, len(damaged)-1).Draw(rt, "length")]
		case "zero":
			at := rapid.IntRange(0, len(damaged)-16).Draw(rt, "at")
			clear(damaged[at:min(at+64, len(damaged))])
		}
		if bytes.Equal(damaged, whole) {
			return
		}
		if entries, err := decodeRecord(damaged); !errors.Is(err, errTorn) {
			rt.Fatalf("decode = %v, %v, want errTorn for %q", entries, err, damaged)
		}
	})
}

func TestRecordOfLaterVersionIsRefused(t *testing.T) {
	t.Parallel()
	later := encodeRecord(sampleEntries())
	later[len(recordMagic)] = recordVersion + 1
	if _, err := decodeRecord(later); !errors.Is(err, ErrTooNew) {
		t.Errorf("decode of version %d = %v, want ErrTooNew", recordVersion+1, err)
	}
}

func FuzzDecodeBody(f *testing.F) {
	f.Add(encodeRecord(sampleEntries())[headerBytes:])
	f.Add([]byte("p\x00\x01a\x00\x00\x00"))
	f.Add([]byte("p\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("p\x00\x04.env\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		entries, err := decodeBody(body)
		if err != nil {
			return
		}
		for _, e := range entries {
			if nameErr := checkName(e.name); nameErr != nil || e.off < 0 {
				t.Errorf("decodeBody(%q) let %q at %d through: %v", body, e.name, e.off, nameErr)
			}
		}
		again, err := decodeRecord(encodeRecord(entries))
		if diff := cmp.Diff(entries, again, cmp.AllowUnexported(entry{})); err != nil || diff != "" {
			t.Errorf("body %q does not round-trip: %v\n%s", body, err, diff)
		}
	})
}

func TestNamesThatCannotBeStoredAreRefused(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"case.json": true, "raw/x.txt": true, "raw/torn_evidence.jsonl_120.txt": true, "ä.md": true,
		"": false, ".": false, "..": false, "../x": false, "/x": false, "x/": false, "a/b/c": false, "a//b": false,
		".lock": false, ".intent": false, "raw/.tmp-1": false, ".git/x": false, `a\b`: false, "a:b": false, "a\x00": false,
		"a\nb": false, "raw/..": false, string(bytes.Repeat([]byte("x"), 256)): false, "\xff": false,
	} {
		if err := checkName(name); (err == nil) != ok || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("checkName(%q) = %v, want accepted %t", name, err, ok)
		}
	}
}
