package op

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"cortex/internal/problem"
)

// maxInput bounds the arguments of one call in bytes of JSON: one mebibyte of text with room for its escapes. No verb
// takes a longer text, so what is larger is a mistake.
const maxInput = 2 << 20

// maxDepth bounds nesting; the deepest input of a verb has three levels.
const maxDepth = 32

// ParseObject reads one JSON object strictly: valid UTF-8, no key twice at any depth, nothing behind it. Numbers stay
// json.Number. It returns a Problem of code invalid_input or too_large.
func ParseObject(raw []byte) (map[string]any, error) {
	if len(raw) > maxInput {
		return nil, problem.New(problem.TooLarge, "The arguments are %d bytes; the limit is %d. Send less in one call.",
			len(raw), maxInput).Without("the same call with shorter texts succeeds")
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return map[string]any{}, nil
	}
	if !utf8.Valid(raw) {
		return nil, notUTF8(raw)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := parseValue(dec, 0)
	if err == nil {
		err = atEnd(dec)
	}
	if err != nil {
		return nil, badJSON(err)
	}
	object, ok := v.(map[string]any)
	if !ok && v != nil {
		return nil, badJSON(fmt.Errorf("want an object, got %s", jsonType(v)))
	}
	return object, nil
}

func badJSON(err error) *problem.Problem {
	return problem.New(problem.InvalidInput, "The arguments are no JSON object that can be used: %v.", err).
		Without("send the arguments as one JSON object")
}

// notUTF8 names the argument with the bad bytes, when the object can be read that far.
func notUTF8(raw []byte) *problem.Problem {
	p := problem.New(problem.InvalidInput, "The arguments are not valid UTF-8.")
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(raw, &fields) // best effort: without fields the message stays general
	for name, value := range fields {
		if !utf8.Valid(value) {
			p = problem.New(problem.InvalidInput, "%s is not valid UTF-8.", name).On(name, nil, "UTF-8 text")
		}
	}
	return p.Without("send the text encoded as UTF-8")
}

func atEnd(dec *json.Decoder) error {
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("something follows the value")
	}
	return nil
}

func parseValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return parseMembers(dec, depth)
	case json.Delim('['):
		return parseElements(dec, depth)
	}
	return token, nil
}

func parseMembers(dec *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("a member has no name")
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("%s is given twice", quoted(name))
		}
		if object[name], err = parseValue(dec, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := dec.Token()
	return object, err
}

func parseElements(dec *json.Decoder, depth int) (any, error) {
	list := []any{}
	for dec.More() {
		v, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := dec.Token()
	return list, err
}

// jsonType names a parsed value's type for messages.
func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	}
	return "an object"
}
