package casestore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"cortex/internal/casefile"
)

func TestLedgerFaultsAreNamedByLine(t *testing.T) {
	t.Parallel()
	good := `{"id":"ev_1","claim":"a"}`
	for name, tc := range map[string]struct {
		text    string
		records int
		fault   string
	}{
		"sound":                   {good + "\n" + good + "\n", 2, ""},
		"blank lines":             {good + "\n\n \n" + good + "\n", 2, ""},
		"spaces before the id":    {`{ "id" : "ev_1" }` + "\n", 1, ""},
		"braces in text":          {`{"id":"ev_1","claim":"} {{"}` + "\n", 1, ""},
		"unterminated but whole":  {good + "\n" + good, 1, "line 2 is cut off"},
		"unterminated":            {good + "\n" + good[:9], 1, "line 2 is cut off"},
		"garbage in the middle":   {good + "\ngarbage\n" + good + "\n", 2, "line 2 is not one JSON object"},
		"two records in one line": {`{"id":"ev_1","cl` + good + "\n" + good + "\n", 1, "line 1 is not one JSON object"},
		"two whole records":       {good + good + "\n", 0, "line 1 is not one JSON object"},
		"an array":                {"[1]\n" + good + "\n", 1, "line 1 is not one JSON object"},
		"not UTF-8":               {"{\"id\":\"ev_\xff\"}\n" + good + "\n", 1, "line 1 is not UTF-8"},
		"zero bytes":              {good + "\n" + strings.Repeat("\x00", 9) + "\n", 1, "line 2 holds zero bytes"},
		"zero bytes inside":       {`{"id":"ev_1","claim":"` + "\x00\x00" + `"}` + "\n" + good + "\n", 1, "line 1 holds zero bytes"},
		"cut off and ended":       {good[:20] + "\n" + good + "\n", 1, "line 1 is not one JSON object"},
		"over the bound":          {good + "\n{\"id\":\"" + strings.Repeat("x", casefile.MaxLedgerLine) + "\"}\n" + good + "\n", 2, "line 2 is longer than"},
		"over the bound, no end":  {good + "\n" + strings.Repeat("x", casefile.MaxLedgerLine+9), 1, "line 2 is longer than"},
		"empty":                   {"", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ix, err := indexOf(evidenceFile, strings.NewReader(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if len(ix.spans) != tc.records {
				t.Errorf("%d records, want %d", len(ix.spans), tc.records)
			}
			got := fmt.Sprint(ix.faults)
			if tc.fault == "" && len(ix.faults) > 0 || !strings.Contains(got, tc.fault) || len(ix.faults) > 1 {
				t.Errorf("faults = %.200s, want one with %q", got, tc.fault)
			}
		})
	}
}

func TestLinesAcrossTheBufferKeepTheirOffsets(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	var want []span
	for i, pad := range []int{10, scanBuffer - 40, scanBuffer, scanBuffer + 1, 3 * scanBuffer, 5} {
		l := fmt.Sprintf(`{"id":"ev_%d","claim":"%s"}`, i, strings.Repeat("y", pad))
		want = append(want, span{fmt.Sprintf("ev_%d", i), i + 1, int64(text.Len()), int64(len(l))})
		text.WriteString(l + "\n")
	}
	ix, err := indexOf(evidenceFile, bytes.NewReader(text.Bytes()))
	if err != nil || fmt.Sprint(ix.spans) != fmt.Sprint(want) {
		t.Errorf("spans = %v, %v; want %v", ix.spans, err, want)
	}
}

func TestTornTailBeginsBehindTheLastNewline(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200<<10)
	for _, tc := range []struct {
		text string
		want int64
	}{{"", 0}, {"a", 0}, {"a\n", 2}, {"a\nb", 2}, {"\n\nbc", 2}, {long, 0}, {long + "\n" + long, int64(len(long)) + 1}} {
		got, err := tornTail(strings.NewReader(tc.text), int64(len(tc.text)))
		if err != nil || got != tc.want {
			t.Errorf("tornTail of %d bytes = %d, %v; want %d", len(tc.text), got, err, tc.want)
		}
	}
}

func FuzzLedger(f *testing.F) {
	f.Add([]byte("{\"id\":\"ev_1\"}\n{\"id\":\"ev_2\",\"claim\":\"{\"}\n"))
	f.Add([]byte("{\"id\":\"ev_1\"}{\"id\":\"ev_2\"}\n\xff\n\n{\"timestamp\":\"x\"}"))
	f.Add([]byte("{\"id\":\"\\u0065v\"}\n{\"id\":7}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		ix, err := indexOf(evidenceFile, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range ix.spans {
			l := text[s.offset : s.offset+s.length]
			if bytes.IndexByte(l, '\n') >= 0 || !utf8.Valid(l) {
				t.Fatalf("span %v of %q is no line", s, text)
			}
			if json.Valid(l) && !bytes.Contains(l, []byte(`\`)) && s.id != idOf(l) && bytes.Count(l, []byte(`"id"`)) == 1 {
				t.Fatalf("span %v of %q: id %q, want %q", s, text, s.id, idOf(l))
			}
		}
		whole := 0
		for i, l := range bytes.Split(text, []byte("\n")) {
			terminated := i < bytes.Count(text, []byte("\n"))
			if terminated && utf8.Valid(l) && json.Valid(l) && bytes.HasPrefix(bytes.TrimSpace(l), []byte("{")) {
				whole++
			}
		}
		if len(ix.spans) < whole {
			t.Fatalf("%d records of %q, want at least the %d that decode", len(ix.spans), text, whole)
		}
	})
}
