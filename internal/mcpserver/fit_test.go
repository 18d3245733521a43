package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestResultsFitTheirBudget(t *testing.T) {
	t.Parallel()
	many := make([]any, 4000)
	wide := map[string]any{"ok": true}
	for i := range many {
		many[i] = map[string]any{"id": "ev_1", "claim": strings.Repeat("ä", 40)}
		wide[fmt.Sprintf("%050d", i)] = "v"
	}
	nested := any("deep")
	for range 30 {
		nested = []any{nested, strings.Repeat("y", 9000)}
	}
	for name, v := range map[string]map[string]any{
		"small": {"ok": true}, "long list": {"ok": true, "facts": many}, "long text": {"ok": true, "summary": strings.Repeat("☺", 100000)},
		"many members": wide, "deep": {"ok": true, "nested": nested},
	} {
		raw, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got, err := fit(raw)
		var back map[string]any
		if err != nil || len(got) > maxText || !utf8.Valid(got) || json.Unmarshal(got, &back) != nil || back["ok"] != true {
			t.Errorf("%s: fit gave %d bytes, %v: %.100s", name, len(got), err, got)
		}
		if _, warned := back["warnings"]; warned != (len(raw) > maxText) {
			t.Errorf("%s: %d bytes came back as %d, warned %t", name, len(raw), len(got), warned)
		}
	}
}

func TestOnlyBlanksAreLostWhenThatIsEnough(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"ok":true,` + strings.Repeat(" ", maxText) + `"summary":"s"}`)
	if got, err := fit(raw); err != nil || string(got) != `{"ok":true,"summary":"s"}` {
		t.Errorf("fit = %.80s, %v", got, err)
	}
}
