package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// decode reads what a tool printed into v and requires that the named members are there. A refusal is the cause of the
// answer, whatever the exit status. Anything else that is not what the tool documents is a partial answer: an absent list
// is not an empty one, and half an answer, or a member that is there twice, is none.
func (a *Answer) decode(v any, required ...string) bool {
	if a.TimedOut || a.Truncated || a.Class == Unavailable || a.declined() || !a.OK() {
		return false // the cause says why
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
			if raw, ok := members[name]; !ok || isNull(raw) {
				a.partly("its answer has no %q", name)
				return false
			}
		}
	}
	if err := json.Unmarshal(text, v); err != nil {
		a.partly("its answer is not the JSON that it documents: %s", clip(err.Error(), 120))
		return false
	}
	if saysTwice(text) {
		a.partly("its answer has a member twice")
		return false
	}
	return true
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

// listOf reads an answer that is a list and nothing around it. No list is not an empty one.
func listOf[T any](a *Answer) ([]T, bool) {
	var list []T
	if !a.decode(&list) {
		return nil, false
	}
	if list == nil {
		a.partly("its answer is not the list that it documents")
		return nil, false
	}
	return list, true
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

// declined makes a refusal the cause of an answer.
func (a *Answer) declined() bool {
	if a.TimedOut {
		return false
	}
	said, no := a.refused()
	if no {
		a.downgrade(Failed, "%s", said.words())
	}
	return no
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

// saysTwice reports whether an object in a valid text has a member twice, in any case of its letters: which of them would
// count is chance.
func saysTwice(text []byte) bool {
	type level struct {
		names map[string]bool // nil in an array
		value bool            // the next text is a value
	}
	var open []level
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		top := len(open) - 1
		if name, ok := token.(string); ok && top >= 0 && open[top].names != nil && !open[top].value {
			name = strings.ToLower(name)
			if open[top].names[name] {
				return true
			}
			open[top].names[name], open[top].value = true, true
			continue
		}
		if top >= 0 {
			open[top].value = false // what follows is a name, or a value of an array
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:top]
		}
	}
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
