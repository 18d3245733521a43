package op

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"cortex/internal/problem"
)

// Decode reads the JSON arguments of a call strictly into the verb's input type and applies the defaults. A null stands
// for an argument that is not given. Every error is a Problem that names the argument.
func (d *Def) Decode(raw json.RawMessage) (any, error) {
	values, err := ParseObject(raw)
	if err != nil {
		return nil, err
	}
	return d.Bind(values)
}

// Bind puts values, by wire name, into the verb's input type: values of ParseObject, of Field.FromText, or of the
// field's own type. It returns the input by value, or a Problem of code invalid_input that names the argument and offers
// the corrected call.
func (d *Def) Bind(values map[string]any) (any, error) {
	in := reflect.New(d.Input).Elem()
	if bad := bindStruct(in, d.Fields(), values, ""); bad != nil {
		return nil, d.refuse(values, bad)
	}
	return in.Interface(), nil
}

// fault is one argument that cannot be used.
type fault struct {
	path     string // wire name, dotted and indexed below the top: hypotheses[0].statement
	message  string // without the path
	received any
	expected string
	enum     []string
}

func bindStruct(dst reflect.Value, fields []Field, values map[string]any, prefix string) *fault {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, known := fieldNamed(fields, name); !known {
			return &fault{path: prefix + clip(name, 80), message: "is not an argument here; known are: " + names(fields),
				expected: "one of: " + names(fields)}
		}
	}
	for _, f := range fields {
		value := values[f.Name]
		if value == nil && f.Default != "" {
			value = f.defaultValue()
		}
		if blank(value) && f.Required {
			return &fault{path: prefix + f.Name, message: "is required: " + f.Help, expected: f.Help, enum: f.Enum}
		}
		if value == nil {
			continue
		}
		if bad := assign(dst.FieldByIndex(f.index), value, prefix+f.Name); bad != nil {
			return bad
		}
	}
	return nil
}

func (f Field) defaultValue() any {
	v, err := f.FromText(f.Default)
	if err != nil {
		return nil // checkFields has refused such a default
	}
	if f.Slice() {
		return []any{v}
	}
	return v
}

func blank(v any) bool {
	s, isString := v.(string)
	return v == nil || isString && strings.TrimSpace(s) == ""
}

func names(fields []Field) string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return strings.Join(out, ", ")
}

// assign puts one value into dst.
func assign(dst reflect.Value, value any, path string) *fault {
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		return assign(dst.Elem(), value, path)
	}
	v := reflect.ValueOf(value)
	switch kind := dst.Kind(); {
	case kind == reflect.String:
		return assignString(dst, value, path)
	case kind == reflect.Slice && v.Kind() == reflect.Slice:
		return assignSlice(dst, v, path)
	case v.Type() == dst.Type():
		dst.Set(v)
		return nil
	case kind == reflect.Map && v.Kind() == reflect.Map:
		return assignMap(dst, v, path)
	case kind >= reflect.Int && kind <= reflect.Int64:
		return assignInt(dst, value, path)
	case kind == reflect.Float64:
		return assignFloat(dst, value, path)
	case kind == reflect.Struct:
		if members, ok := value.(map[string]any); ok {
			return bindStruct(dst, structFields(dst.Type(), nil), members, path+".")
		}
	}
	return wrongType(dst, value, path)
}

func wrongType(dst reflect.Value, value any, path string) *fault {
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "an array",
		reflect.Map: "an object", reflect.Struct: "an object", reflect.Float64: "a number"}[dst.Kind()]
	if want == "" {
		want = "an integer"
	}
	return &fault{path: path, message: fmt.Sprintf("must be %s (got %s)", want, jsonType(value)), received: value, expected: want}
}

func assignString(dst reflect.Value, value any, path string) *fault {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.String || v.Type() == reflect.TypeFor[json.Number]() {
		return wrongType(dst, value, path)
	}
	s := v.String()
	if !utf8.ValidString(s) {
		return &fault{path: path, message: "is not valid UTF-8", expected: "UTF-8 text"}
	}
	if enum := enumOf(dst.Type()); enum != nil && !slices.Contains(enum, s) {
		list := strings.Join(enum, ", ")
		return &fault{path: path, message: fmt.Sprintf("must be one of: %s (got %s)", list, quoted(s)),
			received: clip(s, 80), expected: "one of: " + list, enum: enum}
	}
	dst.SetString(s)
	return nil
}

func assignSlice(dst, v reflect.Value, path string) *fault {
	out := reflect.MakeSlice(dst.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		at := fmt.Sprintf("%s[%d]", path, i)
		element := v.Index(i).Interface()
		if element == nil {
			return wrongType(out.Index(i), nil, at)
		}
		if bad := assign(out.Index(i), element, at); bad != nil {
			if bad.path == at && bad.enum != nil {
				bad.path = path // a list of words is corrected as a whole
			}
			return bad
		}
	}
	dst.Set(out)
	return nil
}

func assignMap(dst, v reflect.Value, path string) *fault {
	out := reflect.MakeMapWithSize(dst.Type(), v.Len())
	for _, key := range v.MapKeys() {
		at := path + "." + key.String()
		if !utf8.ValidString(key.String()) {
			return &fault{path: path, message: "has a name that is not valid UTF-8", expected: "UTF-8 text"}
		}
		element := reflect.New(dst.Type().Elem()).Elem()
		value := v.MapIndex(key).Interface()
		if value == nil {
			return wrongType(element, nil, at)
		}
		if bad := assign(element, value, at); bad != nil {
			return bad
		}
		out.SetMapIndex(key.Convert(dst.Type().Key()), element)
	}
	dst.Set(out)
	return nil
}

func assignInt(dst reflect.Value, value any, path string) *fault {
	number, ok := value.(json.Number)
	if !ok {
		return wrongType(dst, value, path)
	}
	n, err := number.Int64()
	if err != nil { // 5.0 and 5e0 are integers of JSON too
		x, ferr := number.Float64()
		if ferr != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return &fault{path: path, message: fmt.Sprintf("must be an integer (got %s)", clip(number.String(), 80)),
				received: number, expected: "an integer"}
		}
		n = int64(x)
	}
	if dst.OverflowInt(n) {
		return &fault{path: path, message: "is too large", received: number, expected: "a smaller integer"}
	}
	dst.SetInt(n)
	return nil
}

func assignFloat(dst reflect.Value, value any, path string) *fault {
	number, ok := value.(json.Number)
	if !ok {
		return wrongType(dst, value, path)
	}
	x, err := number.Float64()
	if err != nil {
		return &fault{path: path, message: "is out of range", received: number, expected: "a number"}
	}
	dst.SetFloat(x)
	return nil
}

// refuse turns a fault into the Problem with the call that would be accepted.
func (d *Def) refuse(values map[string]any, bad *fault) *problem.Problem {
	top, known := d.Field(topOf(bad.path))
	step := d.retry(values, top.Name)
	switch {
	case !known:
		step.Why = "call again without " + topOf(bad.path)
	case values[top.Name] == nil:
		step.Why = "call again with what is missing"
	}
	if known && top.Enum != nil {
		step.Candidates = map[string][]string{top.Name: top.Enum}
	}
	return problem.New(problem.InvalidInput, "%s %s", bad.path, bad.message).
		On(bad.path, bad.received, bad.expected).About(d.namedTask(values), "").With(step)
}

// namedTask is the case that a call names, "" for none.
func (d *Def) namedTask(values map[string]any) string {
	for _, f := range d.Fields() {
		if id, ok := values[f.Name].(string); ok && f.Role == Task {
			return id
		}
	}
	return ""
}

// brief reports whether a value is short enough to be repeated in a refusal.
func brief(value any) bool {
	raw, err := json.Marshal(value)
	return err == nil && len(raw) <= 2048
}
