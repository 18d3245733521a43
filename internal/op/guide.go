package op

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// Refuse is the Problem of a value that the argument name cannot take, with the call that would be accepted: the other
// values as they were given.
func (d *Def) Refuse(values map[string]any, name, message string) *problem.Problem {
	return problem.New(problem.InvalidInput, "%s", message).On(name, nil, "").With(d.retry(values, name))
}

// guide completes p, the refusal of a call with the given input. A step that repeats the verb keeps the case, the
// required arguments and the acknowledgements of the call, unless it names them itself; where an argument was at fault and
// no step says what to do, the step is the same call with that argument corrected; and where the case was not clear, the same
// call with its id.
func (d *Def) guide(p *problem.Problem, input any) *problem.Problem {
	given := d.given(input)
	out := *p
	out.Next = slices.Clone(p.Next)
	if out.TaskID == "" {
		out.TaskID = d.namedTask(given)
	}
	task := slices.IndexFunc(d.Fields(), func(f Field) bool { return f.Role == Task })
	for i, s := range out.Next {
		switch {
		case p.Code == problem.AmbiguousTask && task >= 0:
			out.Next[i] = d.retry(given, d.Fields()[task].Name)
			out.Next[i].Why, out.Next[i].Candidates = s.Why, s.Candidates
		case s.Op == d.Name:
			out.Next[i] = d.repeat(s, given)
		}
	}
	top := topOf(p.Field)
	if _, known := d.Field(top); known && len(out.Next) == 0 && problem.Exit(p.Code) == problem.ExitInput {
		out.Next = []problem.Step{d.retry(given, top)}
	}
	return &out
}

// given is a decoded input by wire name, without what is zero or the default.
func (d *Def) given(input any) map[string]any {
	values := map[string]any{}
	v := reflect.ValueOf(input)
	for _, f := range d.Fields() {
		value := v.FieldByIndex(f.index)
		if !value.IsZero() && (f.Default == "" || fmt.Sprint(value.Interface()) != f.Default) {
			values[f.Name] = value.Interface()
		}
	}
	return values
}

func (d *Def) repeat(s problem.Step, given map[string]any) problem.Step {
	args := map[string]any{}
	for name, value := range s.Args {
		args[name] = value
	}
	for _, f := range d.Fields() {
		value, has := given[f.Name]
		_, set := args[f.Name]
		kept := f.Role == Task || f.Required || strings.HasSuffix(f.Name, "Acknowledged")
		if has && kept && !set && !slices.Contains(s.Inputs, f.Name) && brief(value) {
			args[f.Name] = value
		}
	}
	s.Args = args
	return s
}

// retry is the call of values again with one argument corrected. Values that are too long to repeat are inputs.
func (d *Def) retry(values map[string]any, name string) problem.Step {
	step := problem.Step{Op: d.Name, Args: map[string]any{}, Why: "call again with " + name + " corrected"}
	for _, f := range d.Fields() {
		value := values[f.Name]
		switch {
		case value == nil && f.Required || f.Name == name || value != nil && !brief(value):
			step.Inputs = append(step.Inputs, f.Name)
		case value != nil:
			step.Args[f.Name] = value
		}
	}
	return step
}

// missing is the inputs of a step with the required arguments that it neither has nor asks for.
func (d *Def) missing(s problem.Step) []string {
	inputs := s.Inputs
	for _, f := range d.Fields() {
		if _, set := s.Args[f.Name]; f.Required && !set && !slices.Contains(inputs, f.Name) {
			inputs = append(inputs[:len(inputs):len(inputs)], f.Name)
		}
	}
	return inputs
}

// topOf is the argument that a dotted and indexed path leads into.
func topOf(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}
