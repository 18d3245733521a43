package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// decode reads what a tool printed into v and requires that the named members are there. Anything else is a partial
// answer: an absent list is not an empty one.
func (a *Answer) decode(v any, required ...string) bool {
	if !a.OK() {
		return false
	}
	if a.Truncated || a.TimedOut {
		return false // half an answer is none; run has said so
	}
	text := bytes.TrimSpace(a.Stdout)
	if len(text) == 0 {
		a.partly("it printed nothing")
		return false
	}
	if len(required) > 0 {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			a.partly("its answer is not the JSON object that it documents")
			return false
		}
		for _, name := range required {
			if raw, ok := members[name]; !ok || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
				a.partly("its answer has no %q", name)
				return false
			}
		}
	}
	if err := json.Unmarshal(text, v); err != nil {
		a.partly("its answer is not the JSON that it documents: %s", clip(err.Error(), 120))
		return false
	}
	return true
}

// schema holds an answer to the versions that are understood. A later one is partial: what it means is not known.
func (a *Answer) schema(got int, understood ...int) bool {
	if slices.Contains(understood, got) {
		return true
	}
	a.partly("its answer has the schema version %d, which is not understood", got)
	return false
}

// refusal is the envelope in which codemap and others refuse under --json, on standard output.
type refusal struct {
	OK    *bool  `json:"ok"`
	Error string `json:"error"`
	Code  string `json:"code"`
	Hint  string `json:"hint"`
}

// refused reads a refusal, whatever the exit status.
func (a *Answer) refused() (refusal, bool) {
	var r refusal
	if a.Truncated || json.Unmarshal(bytes.TrimSpace(a.Stdout), &r) != nil {
		return refusal{}, false
	}
	return r, r.OK != nil && !*r.OK && (r.Error != "" || r.Code != "")
}

// words is the refusal as one clause.
func (r refusal) words() string {
	text := r.Error
	if r.Code != "" {
		text = strings.TrimSpace(fmt.Sprintf("%s: %s", r.Code, text))
	}
	if r.Hint != "" {
		text += " (" + r.Hint + ")"
	}
	return clip(strings.ToValidUTF8(text, "�"), 300)
}

// clip cuts text to at most n bytes at a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	cut := n - len("…")
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}
