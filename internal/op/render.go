package op

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// Render returns the function that turns steps into actions for a workspace, "" for none. It panics on a step that names
// a verb or an argument that is not declared: the declarations are the only source of what can be offered.
func (r *Registry) Render(workspace string) func([]problem.Step) []Action {
	return func(steps []problem.Step) []Action {
		var out []Action
		for _, s := range steps {
			out = append(out, r.action(s, workspace))
		}
		return out
	}
}

func (r *Registry) action(s problem.Step, workspace string) Action {
	a := Action{Reason: s.Why, BlockedBy: s.BlockedBy}
	if s.Op == "" {
		a.Command, a.Usage = s.Command, s.Command
		return a
	}
	d := r.byName[s.Op]
	if d == nil {
		panic(fmt.Sprintf("op: a step names the undeclared verb %q", s.Op))
	}
	d.checkStep(s)
	s.Inputs = d.missing(s)
	args := d.commandArgs(s.Args)
	prefix := []string{"cortex"}
	if workspace != "" {
		prefix = append(prefix, "-C", workspace)
	}
	a.Verb, a.Tool, a.Inputs, a.Candidates = d.Name, d.Tool, s.Inputs, s.Candidates
	a.Command = quoteWords(append(append(prefix, strings.Fields(d.Name)...), args...))
	a.Usage = d.usage(s, args)
	if d.Tool != "" {
		a.Arguments = d.toolArguments(s.Args, workspace)
	}
	return a
}

func (d *Def) checkStep(s problem.Step) {
	named := slices.Concat(slices.Collect(maps.Keys(s.Args)), s.Inputs, slices.Collect(maps.Keys(s.Candidates)))
	for _, name := range named {
		if _, ok := d.Field(name); !ok {
			panic(fmt.Sprintf("op: a step of %q names the undeclared argument %q", d.Name, name))
		}
	}
}

func (d *Def) toolArguments(args map[string]any, workspace string) map[string]any {
	out := map[string]any{}
	for name, value := range args {
		if f, _ := d.Field(name); !f.HideMCP {
			out[name] = value
		}
	}
	if workspace != "" {
		out["workspace"] = workspace
	}
	if d.Operation != "" {
		out["operation"] = d.Operation
	}
	return out
}

// usage is the command line for people, with a placeholder for each input that is still missing: that of the case stands
// first, for it would be taken for another argument behind one.
func (d *Def) usage(s problem.Step, args []string) string {
	line, missing := "cortex "+d.Name, ""
	for _, name := range s.Inputs {
		if f, _ := d.Field(name); f.Role == Task {
			line += " " + f.placeholder()
		} else {
			missing += " " + f.placeholder()
		}
	}
	if len(args) > 0 {
		line += " " + quoteWords(args)
	}
	return line + missing
}

func (f Field) placeholder() string {
	const most = 5 // values that can be shown in a line
	what := f.Flag
	switch {
	case f.HideCLI:
		return `--input '{"` + f.Name + `": …}'`
	case f.Role != Flag:
		return "<" + f.Name + ">"
	case f.Switch():
		return "--" + f.Flag
	case f.Map():
		what = "NAME=VALUE"
	case f.Enum != nil && len(f.Enum) <= most:
		what = strings.Join(f.Enum, "|")
	}
	return "--" + f.Flag + " <" + what + ">"
}
