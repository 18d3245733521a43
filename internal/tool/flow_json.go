package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// flowVersion is the schema of an answer about flows: glyph counts, cairn has a string, and earlier ones have none.
type flowVersion struct {
	SchemaVersion *int            `json:"schemaVersion"`
	Version       json.RawMessage `json:"version"`
}

// first reports whether it is the one that is understood.
func (v flowVersion) first() bool {
	text := strings.Trim(string(v.Version), `"`)
	return (v.SchemaVersion == nil || *v.SchemaVersion == 1) && (text == "" || text == "1")
}

func (v flowVersion) words() string {
	if v.SchemaVersion != nil && *v.SchemaVersion != 1 {
		return fmt.Sprintf("the schema version %d", *v.SchemaVersion)
	}
	return "the version " + printable(cmp.Or(string(v.Version), "of another shape"), 40)
}

// readFlow decodes one run: an object, or the only element of "results".
func readFlow(stdout []byte) (flowAnswer, error) {
	text := bytes.TrimSpace(stdout)
	var many struct {
		Results *[]flowAnswer `json:"results"`
	}
	var one flowAnswer
	switch {
	case len(text) == 0:
		return one, fmt.Errorf("it printed nothing")
	case text[0] != '{':
		return one, fmt.Errorf("its answer is not the JSON object that it documents")
	case json.Unmarshal(text, &many) != nil:
		return one, fmt.Errorf("its answer is not the JSON that it documents")
	case saysTwice(text):
		return one, fmt.Errorf("its answer has a member twice")
	case many.Results != nil && len(*many.Results) != 1:
		return one, fmt.Errorf("its answer tells of %d runs instead of one", len(*many.Results))
	case many.Results != nil:
		return (*many.Results)[0], nil
	}
	if err := json.Unmarshal(text, &one); err != nil {
		return one, fmt.Errorf("its answer is not the JSON that it documents: %s", clip(err.Error(), 120))
	}
	return one, nil
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
