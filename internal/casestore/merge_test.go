package casestore

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cortex/internal/casefile"
)

func TestMergeKeepsWhatTheTypeDoesNotKnow(t *testing.T) {
	t.Parallel()
	caseType, receipts := reflect.TypeFor[casefile.Case](), reflect.TypeFor[[]casefile.Receipt]()
	for name, tc := range map[string]struct {
		prev, next, want string
		typ              reflect.Type
	}{
		"top level, behind the known fields": {`{"zz":1e400,"id":"a","aa":[1,2]}`, `{"id":"b"}`, `{"id":"b","zz":1e400,"aa":[1,2]}`, caseType},
		"nested object":                      {`{"changeBoundary":{"owner":"x","files":["a"]}}`, `{"changeBoundary":{}}`, `{"changeBoundary":{"owner":"x"}}`, caseType},
		"nested pointer":                     {`{"changeLease":{"actor":"a","via":"x"}}`, `{"changeLease":{"actor":"b"}}`, `{"changeLease":{"actor":"b","via":"x"}}`, caseType},
		"array elements by id":               {`[{"id":"1","x":1},{"id":"2","x":2}]`, `[{"id":"2"},{"id":"3"}]`, `[{"id":"2","x":2},{"id":"3"}]`, receipts},
		"nested array":                       {`{"acceptanceCriteria":[{"id":"c","weight":9007199254740993}]}`, `{"acceptanceCriteria":[{"id":"c"}]}`, `{"acceptanceCriteria":[{"id":"c","weight":9007199254740993}]}`, caseType},
		"known field that was emptied":       {`{"actor":"a","x":0}`, `{"id":"b"}`, `{"id":"b","x":0}`, caseType},
		"known field in other case":          {`{"Status":"new"}`, `{"status":"planned"}`, `{"status":"planned"}`, caseType},
		"maps are values":                    {`{"timeoutOverrides":{"git":"1s"}}`, `{"timeoutOverrides":{"rg":"2s"}}`, `{"timeoutOverrides":{"rg":"2s"}}`, caseType},
		"another shape":                      {`[1]`, `{"id":"b"}`, `{"id":"b"}`, caseType},
		"nothing before":                     {``, `{"id":"b"}`, `{"id":"b"}`, caseType},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(merge(json.RawMessage(tc.prev), json.RawMessage(tc.next), tc.typ)); got != tc.want {
				t.Errorf("merge(%s, %s) = %s, want %s", tc.prev, tc.next, got, tc.want)
			}
		})
	}
}

// strangers draws members that no record type has.
func strangers(t *rapid.T, label string) map[string]any {
	return rapid.MapOfN(rapid.StringMatching(`x-[a-z<&é]{1,6}`),
		rapid.OneOf(rapid.Just(any("v<")), rapid.Just(any([]any{"a", json.Number("12345678901234567890")})), rapid.Just(any(nil))), 0, 3).Draw(t, label)
}

func TestRewriteKeepsStrangersAtEveryLevel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		top, space, crit := strangers(t, "top"), strangers(t, "workspace"), strangers(t, "criterion")
		prev := map[string]any{"workspace": with(space, "root", "/r"), "acceptanceCriteria": []any{with(crit, "id", "c1")}}
		for k, v := range top {
			prev[k] = v
		}
		raw, err := json.Marshal(prev)
		if err != nil {
			t.Fatal(err)
		}
		next, err := json.Marshal(casefile.Case{ID: "b", AcceptanceCriteria: []casefile.Criterion{{ID: "c1"}}})
		if err != nil {
			t.Fatal(err)
		}
		once := merge(raw, next, reflect.TypeFor[casefile.Case]())
		var got map[string]json.RawMessage
		if err := json.Unmarshal(once, &got); err != nil {
			t.Fatalf("merge(%s, %s) = %s: %v", raw, next, once, err)
		}
		holds(t, got, top)
		holds(t, inside(t, got["workspace"]), space)
		var criteria []json.RawMessage
		if err := json.Unmarshal(got["acceptanceCriteria"], &criteria); err != nil {
			t.Fatal(err)
		}
		holds(t, inside(t, criteria[0]), crit)
		if twice := merge(once, next, reflect.TypeFor[casefile.Case]()); string(twice) != string(once) {
			t.Fatalf("a second merge gives %s, want %s", twice, once)
		}
	})
}

func with(m map[string]any, key, value string) map[string]any {
	out := map[string]any{key: value}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func inside(t *rapid.T, raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return m
}

func holds(t *rapid.T, got map[string]json.RawMessage, want map[string]any) {
	for k, v := range want {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if string(got[k]) != string(text) {
			t.Fatalf("member %q = %s, want %s", k, got[k], text)
		}
	}
}

func FuzzMerge(f *testing.F) {
	f.Add(`{"id":"a","x":{"y":1}}`, `{"id":"b","workspace":{"root":"/"}}`)
	f.Add(`{"workspace":[],"changeLease":null,"id":7}`, `{"changeLease":{"actor":"a"}}`)
	f.Add(`{"a":1,"a":2`, `{}`)
	f.Fuzz(func(t *testing.T, prev, next string) {
		if !json.Valid([]byte(next)) {
			t.Skip()
		}
		got := merge(json.RawMessage(prev), json.RawMessage(next), reflect.TypeFor[casefile.Case]())
		if !json.Valid(got) {
			t.Fatalf("merge(%q, %q) = %q, which is no JSON", prev, next, got)
		}
		before, err := members(json.RawMessage(next))
		if err != nil {
			return
		}
		after, err := members(got)
		if err != nil || len(after) < len(before) {
			t.Fatalf("merge(%q, %q) = %q lost members: %v", prev, next, got, err)
		}
		names := func(all []member) (out []string) {
			for _, m := range all {
				out = append(out, m.name)
			}
			return out
		}
		if !slices.Equal(names(after)[:len(before)], names(before)) {
			t.Fatalf("merge(%q, %q) = %q changed the order", prev, next, got)
		}
	})
}

func TestQuoteLeavesHTMLAlone(t *testing.T) {
	t.Parallel()
	if got := string(quote(`<a> & "b"`)); got != `"<a> & \"b\""` || strings.Contains(got, "\n") {
		t.Errorf("quote = %s", got)
	}
}
