package op

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCleanShowsWhatWouldHideOrReorder(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\u200bb": `a\u200bb`, "a\u2028b": `a\u2028b`, "a\ufeffb": `a\ufeffb`, "a\U000e0041b": `a\ue0041b`,
		"a\u202eb": `a\u202eb`, "a\u009bb": `a\x9bb`, "\U0001f468\u200d\U0001f469": "\U0001f468\u200d\U0001f469",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanJSONKeepsTheValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\u009b\u202e\u2066\u200b\u2028\x7f\U000e0041\"\\")))).Draw(t, "text")
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		clean := CleanJSON(raw)
		var got, want string
		if json.Unmarshal(clean, &got) != nil || json.Unmarshal(raw, &want) != nil || got != want {
			t.Fatalf("CleanJSON(%q) = %q, which reads %q; want %q", raw, clean, got, want)
		}
		if strings.ContainsFunc(string(clean), unprintable) {
			t.Fatalf("CleanJSON(%q) = %q still holds what must not be printed", raw, clean)
		}
	})
}
