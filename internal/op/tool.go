package op

import (
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"cortex/internal/problem"
)

// Tool is one MCP tool: a verb, or several that share its name and are told apart by an "operation" argument.
type Tool struct {
	Name string
	Defs []*Def
}

// Title names the tool in a few words; a shared one by what its verbs are about, and them.
func (t Tool) Title() string {
	if t.single() {
		return t.Defs[0].Title
	}
	about, _, _ := strings.Cut(t.Defs[0].Name, " ")
	return strings.ToUpper(about[:1]) + about[1:] + ": " + strings.Join(t.operations(), ", ")
}

// Description is the help a model reads: the first paragraph, for it carries all descriptions in its context, and what
// refuses says so when it does. A shared tool has one line for each operation.
func (t Tool) Description() string {
	lines := make([]string, len(t.Defs))
	for i, d := range t.Defs {
		lines[i], _, _ = strings.Cut(d.Help, "\n\n")
		if !t.single() {
			lines[i] = d.Operation + ": " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func (t Tool) single() bool { return t.Defs[0].Operation == "" }

// Every reports whether cond holds for all verbs of the tool.
func (t Tool) Every(cond func(*Def) bool) bool {
	for _, d := range t.Defs {
		if !cond(d) {
			return false
		}
	}
	return true
}

// Schema is the union of the verbs' schemas with "workspace" and, for a shared tool, "operation". Only what all verbs
// require is required; Decode checks the rest.
func (t Tool) Schema() *jsonschema.Schema {
	s := t.Defs[0].Schema()
	required := map[string]int{}
	for _, d := range t.Defs {
		one := d.Schema()
		for _, name := range one.PropertyOrder {
			if s.Properties[name] == nil {
				s.Properties[name] = one.Properties[name]
				s.PropertyOrder = append(s.PropertyOrder, name)
			}
		}
		for _, name := range one.Required {
			required[name]++
		}
	}
	s.Required = nil
	for _, name := range s.PropertyOrder {
		if required[name] == len(t.Defs) {
			s.Required = append(s.Required, name)
		}
	}
	if !t.single() {
		operation := &jsonschema.Schema{Type: "string"}
		for _, name := range t.operations() {
			operation.Enum = append(operation.Enum, name)
		}
		t.addProperty(s, "operation", operation)
		s.Required = append(s.Required, "operation")
	}
	t.addProperty(s, "workspace", &jsonschema.Schema{Type: "string", Description: "default: the server's"})
	return s
}

func (t Tool) addProperty(s *jsonschema.Schema, name string, property *jsonschema.Schema) {
	s.Properties[name] = property
	s.PropertyOrder = append(s.PropertyOrder, name)
}

func (t Tool) operations() []string {
	out := make([]string, len(t.Defs))
	for i, d := range t.Defs {
		out[i] = d.Operation
	}
	return out
}

// Request is a decoded tool call. Def is set even when the arguments were refused, if they named one verb; Workspace is
// "" when the call left it to the server.
type Request struct {
	Def       *Def
	Input     any
	Workspace string
}

// Decode reads the arguments of a call of the tool. A refusal is a Problem as of Def.Decode.
func (t Tool) Decode(raw []byte) (Request, error) {
	req := Request{Def: t.Defs[0]}
	values, err := ParseObject(raw)
	if err != nil {
		return req, err
	}
	if req.Workspace, err = t.take(values, "workspace"); err != nil {
		return req, err
	}
	if !t.single() {
		operation, err := t.take(values, "operation")
		if err != nil {
			return req, err
		}
		if req.Def = t.operation(operation); req.Def == nil {
			return Request{Def: t.Defs[0], Workspace: req.Workspace}, t.unknownOperation(operation)
		}
	}
	if err := req.Def.refuseHidden(values); err != nil {
		return req, err
	}
	req.Input, err = req.Def.Bind(values)
	return req, err
}

// take removes a string that belongs to the tool rather than to its verb.
func (t Tool) take(values map[string]any, name string) (string, error) {
	value := values[name]
	delete(values, name)
	text, ok := value.(string)
	if !ok && value != nil {
		return "", problem.New(problem.InvalidInput, "%s must be a string (got %s)", name, jsonType(value)).
			On(name, value, "a string").Without("call again with " + name + " as a string")
	}
	return text, nil
}

func (t Tool) operation(name string) *Def {
	for _, d := range t.Defs {
		if d.Operation == name {
			return d
		}
	}
	return nil
}

func (t Tool) unknownOperation(got string) *problem.Problem {
	list := strings.Join(t.operations(), ", ")
	message := "operation must be one of: " + list + " (got " + quoted(got) + ")"
	p := problem.New(problem.InvalidInput, "%s", message).On("operation", clip(got, 80), "one of: "+list)
	for _, d := range t.Defs {
		p = p.With(problem.Step{Op: d.Name, Why: strings.ToLower(d.Title)})
	}
	return p
}

// refuseHidden refuses arguments that no MCP call may use.
func (d *Def) refuseHidden(values map[string]any) error {
	for _, f := range d.Fields() {
		if _, given := values[f.Name]; given && f.HideMCP {
			return d.refuse(values, &fault{path: f.Name, message: "can be given on the command line only"})
		}
	}
	return nil
}
