package casestore

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// member is one name and value of a JSON object, the value as it was written.
type member struct {
	name  string
	value json.RawMessage
}

// merge returns next, the compact JSON of a value of type typ, with those members of prev that typ does not know added
// behind the known ones, at every level: nested structs by name, array elements by their "id". Members that typ knows
// come from next alone, so that an omitted field is gone. Values are carried as bytes; no number loses precision. A prev
// of another shape than next contributes nothing.
func merge(prev, next json.RawMessage, typ reflect.Type) json.RawMessage {
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.Struct:
		if typ != reflect.TypeFor[time.Time]() {
			return mergeObject(prev, next, typ)
		}
	case reflect.Slice:
		return mergeArray(prev, next, typ.Elem())
	}
	return next
}

func mergeObject(prev, next json.RawMessage, typ reflect.Type) json.RawMessage {
	before, err := members(prev)
	if err != nil || len(before) == 0 {
		return next
	}
	after, err := members(next)
	if err != nil {
		return next
	}
	for i, m := range after {
		field, known := fieldNamed(typ, m.name)
		old, had := valueOf(before, m.name)
		if known && had {
			after[i].value = merge(old, m.value, field)
		}
	}
	for _, m := range before {
		if _, known := fieldNamed(typ, m.name); !known {
			after = append(after, m)
		}
	}
	return object(after)
}

func mergeArray(prev, next json.RawMessage, elem reflect.Type) json.RawMessage {
	var before, after []json.RawMessage
	if elem.Kind() != reflect.Struct || json.Unmarshal(prev, &before) != nil || json.Unmarshal(next, &after) != nil {
		return next
	}
	byID := map[string][]json.RawMessage{}
	for _, raw := range before {
		if id := idOf(raw); id != "" {
			byID[id] = append(byID[id], raw)
		}
	}
	for i, raw := range after {
		if olds := byID[idOf(raw)]; len(olds) > 0 {
			after[i] = merge(olds[0], raw, elem)
			byID[idOf(raw)] = olds[1:]
		}
	}
	out := []byte{'['}
	for i, raw := range after {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	return append(out, ']')
}

// members splits a JSON object into its members in the order of the text.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil || open != json.Delim('{') {
		return nil, err
	}
	var all []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // the decoder accepts nothing else before a colon
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	_, err = dec.Token()
	return all, err
}

func object(all []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quote(m.name)...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// quote writes s as a JSON string without the escapes that HTML wants.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("casestore: a string is always encodable: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func valueOf(all []member, name string) (json.RawMessage, bool) {
	for _, m := range all {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// fieldNamed returns the type of the field that the JSON decoder would fill from name. Like the decoder it ignores case:
// a member such as "Status" would otherwise be carried along and overrule the real one when the file is read again.
func fieldNamed(typ reflect.Type, name string) (reflect.Type, bool) {
	for i := range typ.NumField() {
		if strings.EqualFold(jsonName(typ.Field(i)), name) {
			return typ.Field(i).Type, true
		}
	}
	return nil, false
}

// jsonName returns the name in a field's json tag; all record types give one.
func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

func idOf(raw json.RawMessage) string {
	var v struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &v) != nil {
		return "" // an element that is no object, or whose id is no string, matches nothing
	}
	return v.ID
}
