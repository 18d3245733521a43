package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxText bounds the text of one result in bytes, so that none can fill a model's context. Verbs page their results and
// op.Call shortens what is still over it; fit is for what neither could.
const maxText = 131072

// fit returns a JSON object in at most maxText bytes: as it is, without blanks, or with long texts and lists cut, which
// it then says in "warnings". What does not fit even so is left out member by member.
func fit(raw []byte) ([]byte, error) {
	if len(raw) <= maxText {
		return raw, nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, fmt.Errorf("compact the result: %w", err)
	}
	if compact.Len() <= maxText {
		return compact.Bytes(), nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil {
		return nil, fmt.Errorf("cut the result: %w", err)
	}
	for limit := 16 << 10; limit >= 16; limit /= 4 {
		out, err := encode(withWarning(cut(object, limit).(map[string]any)))
		if err != nil || len(out) <= maxText {
			return out, err
		}
	}
	return encode(withWarning(map[string]any{"ok": object["ok"]}))
}

// cut shortens texts to limit bytes and lists to limit/16 elements, at every depth.
func cut(v any, limit int) any {
	switch v := v.(type) {
	case string:
		if len(v) <= limit {
			return v
		}
		end := limit
		for !utf8.RuneStart(v[end]) {
			end--
		}
		return v[:end] + "…"
	case []any:
		out := make([]any, 0, len(v))
		for _, element := range v[:min(len(v), max(limit/16, 1))] {
			out = append(out, cut(element, limit))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = cut(member, limit)
		}
		return out
	}
	return v
}

func withWarning(object map[string]any) map[string]any {
	warnings, _ := object["warnings"].([]any) // absent, or not ours to keep
	object["warnings"] = append(warnings, fmt.Sprintf(
		"this answer was cut to %d bytes: long texts end in … and lists are shortened; read single records for the rest", maxText))
	return object
}

func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the cut result: %w", err)
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}
