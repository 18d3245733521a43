package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestJSONMasksInsideStringsOnly(t *testing.T) {
	t.Parallel()
	key := "AKIA" + fill(16, upper)
	escaped := fmt.Sprintf(`\u0041%s`, key[1:])
	for _, c := range []struct{ in, want string }{
		{`{"a": "x ` + key + ` y"}`, `{"a": "x ` + Mask + ` y"}`},
		{`{"a": "` + escaped + `", "b": "\u003c"}`, `{"a": "` + Mask + `", "b": "\u003c"}`},
		{`{"` + key + `": 1}`, `{"` + Mask + `": 1}`},
		{`{"password": "hunter2", "n": 1.50}`, `{"password": "` + Mask + `", "n": 1.50}`},
		{`{"pass\u0077ord" : "hunter2"}`, `{"pass\u0077ord" : "` + Mask + `"}`},
		{`{"password": 123456789012, "token": null}`, `{"password": 123456789012, "token": null}`},
		{`{"password": {"hint": "none"}, "other": "value"}`, `{"password": {"hint": "none"}, "other": "value"}`},
		{`["run", "--password", "hunter2", "x"]`, `["run", "--password", "` + Mask + `", "x"]`},
		{`[["--password"], "hunter2"]`, `[["--password"], "hunter2"]`},
		{`{"revision": "` + fill(40, lowHex) + `"}`, `{"revision": "` + fill(40, lowHex) + `"}`},
		{`{"a": "line\n-----BEGIN PRIVATE KEY-----\nMIIE", "b": "kept"}`, `{"a": "line\n` + Mask + `", "b": "kept"}`},
		{`{"a": "{\"token\":\"abc\"}"}`, `{"a": "{\"token\":\"` + Mask + `\"}"}`},
		{`"the word literal"`, `"the word ` + Mask + `"`},
		{`{"a": "lit\u0065ral"}`, `{"a": "` + Mask + `"}`},
		{`not json, password=hunter2hunter2`, `not json, password=` + Mask},
		{` [ ] `, ` [ ] `},
	} {
		in := []byte(c.in)
		if got := New([]string{"literal"}).JSON(in); string(got) != c.want {
			t.Errorf("JSON(%s)\n got %s\nwant %s", c.in, got, c.want)
		}
		if string(in) != c.in {
			t.Errorf("JSON changed its argument: %s, want %s", in, c.in)
		}
	}
}

func TestJSONMasksEachKindOfToken(t *testing.T) {
	t.Parallel()
	for _, p := range plantedSecrets() {
		in, err := json.Marshal(map[string]any{"claim": "seen " + p.text, "argv": []string{p.text}, p.text: "<&>"})
		if err != nil {
			t.Fatal(err)
		}
		got := New(nil).JSON(in)
		var back map[string]any
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%s: JSON(%s) = %s: %v", p.kind, in, got, err)
		}
		if leaks(fmt.Sprint(back), p.text) {
			t.Errorf("%s: JSON(%s) = %s", p.kind, in, got)
		}
	}
}

func TestCleanJSONIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	b := []byte(`{"a": ["b", 1e3, "\u00e9"], "taskId": "task_06H2VPRM4KDG25WQ"}`)
	if got := New(nil).JSON(b); &got[0] != &b[0] {
		t.Errorf("JSON(%s) = %s, want the same bytes", b, got)
	}
}

func TestJSONStaysValidAndIsMaskedOnce(t *testing.T) {
	t.Parallel()
	r := New([]string{"literal"})
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{randomText(t): randomText(t), "list": []any{randomText(t), 1.5, randomText(t)}}
		in, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		once := r.JSON(in)
		if !json.Valid(once) {
			t.Fatalf("JSON(%s) = %s, which is not valid", in, once)
		}
		if twice := r.JSON(once); !bytes.Equal(once, twice) {
			t.Fatalf("masking %s again gives %s", once, twice)
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"password": "hunter2", "a": ["--token", "\u0041KIA0123456789ABCDEF"]}`))
	f.Add([]byte(`["` + strings.Repeat(`\\`, 9) + `", "\ud800"]`))
	f.Add([]byte("token=\"a"))
	r := New(nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		got := r.JSON(b)
		if json.Valid(b) && !json.Valid(got) {
			t.Errorf("JSON(%q) = %q, which is not valid", b, got)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	record := `{"id":"ev_06H2VPRM4KDG25WQ","claim":"internal/token/token.go:12 matches \"token\" — token := lexer.next()","source":{"tool":"git"}}`
	in := []byte("[" + strings.Repeat(record+",", 1<<13) + record + "]")
	r := New(nil)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		r.JSON(in)
	}
}
