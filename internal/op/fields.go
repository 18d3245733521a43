package op

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// Role is where a field's value stands on a command line.
type Role uint8

// The roles. A verb has at most one Task and one Rest; Rest comes last.
const (
	Flag Role = iota
	Task      // the case: a leading positional that may be left out when the field is optional
	Arg       // one positional
	Rest      // all remaining positionals joined by one blank
)

// Field is one argument of a verb, read from a struct field:
//
//	Kind Category `json:"category,omitempty" op:"flag=kind,default=observation" jsonschema:"what the note is"`
//
// The json name is the wire name and the jsonschema tag the description. The op tag is a comma-separated list of: task,
// arg, args (the roles), required, flag=NAME (default: the wire name in kebab case), short=LETTER, default=VALUE,
// hide=cli and hide=mcp. Fields of embedded structs are promoted.
type Field struct {
	Name     string
	Flag     string
	Short    string
	Help     string
	Role     Role
	Required bool
	Default  string   // "" for none; written as on a command line
	Enum     []string // accepted values of a string or of a slice's elements; nil for any
	HideCLI  bool
	HideMCP  bool
	Type     reflect.Type

	index []int
}

// Fields lists the verb's arguments in the order of declaration. It panics on a tag that cannot be read.
func (d *Def) Fields() []Field {
	d.once.Do(func() {
		d.fields = structFields(d.Input, nil)
		if err := checkFields(d.fields); err != nil {
			panic(fmt.Sprintf("op: %s: %v", d.Name, err))
		}
	})
	return d.fields
}

// Field returns the argument of the given wire name.
func (d *Def) Field(name string) (Field, bool) { return fieldNamed(d.Fields(), name) }

func fieldNamed(fields []Field, name string) (Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

func structFields(t reflect.Type, index []int) []Field {
	var out []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(append([]int(nil), index...), i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && sf.Tag.Get("json") == "" {
			out = append(out, structFields(sf.Type, at)...)
			continue
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if !sf.IsExported() || name == "" || name == "-" {
			continue
		}
		out = append(out, newField(sf, name, at))
	}
	return out
}

func newField(sf reflect.StructField, name string, index []int) Field {
	f := Field{Name: name, Flag: kebab(name), Help: sf.Tag.Get("jsonschema"), Type: sf.Type, index: index}
	f.Enum = enumOf(f.elem())
	for word := range strings.SplitSeq(sf.Tag.Get("op"), ",") {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "":
		case "task":
			f.Role = Task
		case "arg":
			f.Role = Arg
		case "args":
			f.Role = Rest
		case "required":
			f.Required = true
		case "flag":
			f.Flag = value
		case "short":
			f.Short = value
		case "default":
			f.Default = value
		case "hide":
			f.HideCLI = f.HideCLI || value == "cli"
			f.HideMCP = f.HideMCP || value == "mcp"
		default:
			panic(fmt.Sprintf("op: field %s: unknown word %q in its op tag", name, word))
		}
	}
	if f.Role == Flag && !f.textual() {
		f.HideCLI = true // a nested object has no form on a command line; --input takes it
	}
	return f
}

func checkFields(fields []Field) error {
	seen := map[string]bool{}
	rest := false
	for _, f := range fields {
		if seen[f.Name] || f.Name == "workspace" || f.Name == "operation" {
			return fmt.Errorf("argument %q is declared twice or reserved", f.Name)
		}
		seen[f.Name] = true
		if f.Role != Flag && rest {
			return fmt.Errorf("positional %q comes after the rest", f.Name)
		}
		rest = rest || f.Role == Rest
		if f.Help == "" {
			return fmt.Errorf("argument %q has no description", f.Name)
		}
		if f.Default == "" {
			continue
		}
		if _, err := f.FromText(f.Default); err != nil {
			return fmt.Errorf("default of %q: %w", f.Name, err)
		}
	}
	return nil
}

// Slice reports whether the field holds several values.
func (f Field) Slice() bool { return f.value().Kind() == reflect.Slice }

// Map reports whether the field holds named values.
func (f Field) Map() bool { return f.value().Kind() == reflect.Map }

// Switch reports whether the field is a boolean.
func (f Field) Switch() bool { return f.value().Kind() == reflect.Bool }

// value is the field's type without a pointer.
func (f Field) value() reflect.Type {
	if f.Type.Kind() == reflect.Pointer {
		return f.Type.Elem()
	}
	return f.Type
}

// elem is the type of one value: the field's own, or that of its elements.
func (f Field) elem() reflect.Type {
	if t := f.value(); t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		return t.Elem()
	}
	return f.value()
}

// textual reports whether one value can be written as a single word.
func (f Field) textual() bool { return f.elem().Kind() != reflect.Struct || isText(f.elem()) }

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// enumOf returns the values of a named string type that lists them.
func enumOf(t reflect.Type) []string {
	if t.Kind() != reflect.String {
		return nil
	}
	lister, ok := reflect.Zero(t).Interface().(interface{ Values() []string })
	if !ok {
		return nil
	}
	return lister.Values()
}

// kebab turns a wire name such as idempotencyKey into a flag name such as idempotency-key.
func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
