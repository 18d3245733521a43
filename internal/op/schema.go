package op

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema describes the verb's arguments as a model sees them: an object that allows nothing else.
func (d *Def) Schema() *jsonschema.Schema { return objectSchema(d.Fields()) }

func objectSchema(fields []Field) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, f := range fields {
		if f.HideMCP {
			continue
		}
		s.Properties[f.Name] = f.schema()
		s.PropertyOrder = append(s.PropertyOrder, f.Name)
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// commandLineNote begins the part of a description that is for the command line only. A model, which carries all
// descriptions in its context, is not shown it.
const commandLineNote = "; on the command line"

func (f Field) schema() *jsonschema.Schema {
	s := typeSchema(f.value())
	s.Description, _, _ = strings.Cut(f.Help, commandLineNote)
	if f.Default != "" {
		s.Default = f.defaultJSON()
	}
	return s
}

func (f Field) defaultJSON() json.RawMessage {
	v, err := f.FromText(f.Default)
	if err != nil {
		panic("op: default of " + f.Name + ": " + err.Error()) // checkFields has read it already
	}
	if f.Slice() {
		v = []any{v}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic("op: default of " + f.Name + ": " + err.Error())
	}
	return raw
}

func typeSchema(t reflect.Type) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: typeSchema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: typeSchema(t.Elem())}
	case reflect.Struct:
		return objectSchema(structFields(t, nil))
	case reflect.Pointer:
		return typeSchema(t.Elem())
	}
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range enumOf(t) {
		s.Enum = append(s.Enum, v)
	}
	return s
}
