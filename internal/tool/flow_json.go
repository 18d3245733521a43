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
