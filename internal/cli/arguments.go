package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// flagValue collects one flag's values by wire name. What a flag cannot take is kept in bad, the first of all flags, so
// that the refusal can repeat the rest of the command line.
type flagValue struct {
	field  op.Field
	values map[string]any
	bad    *badFlag
}

// badFlag is a value that its flag cannot take; err is nil for none.
type badFlag struct {
	field op.Field
	err   error
}

func (b badFlag) refusal(d *op.Def, values map[string]any) error {
	message := b.err.Error()
	if !strings.HasPrefix(message, "must ") {
		message = "cannot be used: " + message // not from op, so a sentence of its own
	}
	return d.Refuse(values, b.field.Name, "--"+b.field.Flag+" "+message)
}

// String is the default as help shows it; the help text names it already.
func (v *flagValue) String() string { return "" }

// Type names the value in help.
func (v *flagValue) Type() string {
	switch {
	case v.field.Switch():
		return "bool"
	case v.field.Map():
		return "NAME=VALUE"
	}
	return "value"
}

// Set takes one value; repeated flags add to a list or a map, otherwise the last one wins.
func (v *flagValue) Set(word string) error {
	if err := v.set(word); err != nil && v.bad.err == nil {
		*v.bad = badFlag{v.field, err}
	}
	return nil
}

func (v *flagValue) set(word string) error {
	f := v.field
	name := ""
	if f.Map() {
		var named bool
		if name, word, named = strings.Cut(word, "="); !named || name == "" {
			return fmt.Errorf("must be NAME=VALUE (got %q)", name)
		}
	}
	value, err := f.FromText(word)
	if err != nil {
		return err
	}
	switch {
	case f.Slice():
		list, _ := v.values[f.Name].([]any) // nil at first
		v.values[f.Name] = append(list, value)
	case f.Map():
		if v.values[f.Name] == nil {
			v.values[f.Name] = map[string]any{}
		}
		v.values[f.Name].(map[string]any)[name] = value
	default:
		v.values[f.Name] = value
	}
	return nil
}

// arguments merges --input, positionals and flags, the later over the earlier.
func (a *App) arguments(d *op.Def, input string, flags map[string]any, args []string) (map[string]any, error) {
	all := map[string]any{}
	if input != "" {
		raw, err := a.readInput(input)
		if err != nil {
			return nil, err
		}
		if all, err = op.ParseObject(raw); err != nil {
			return nil, err
		}
		if all == nil {
			all = map[string]any{}
		}
	}
	maps.Copy(all, flags)
	if err := positionals(d, args, all); err != nil {
		return nil, err
	}
	return all, nil
}

// readInput reads the object of --input: a file, - for stdin, or the object itself as next steps write it.
func (a *App) readInput(input string) ([]byte, error) {
	const most = 4 << 20 // bytes; above the limit of ParseObject, which then names it
	if strings.HasPrefix(input, "{") {
		return []byte(input), nil
	}
	from := a.In
	if input != "-" {
		path := input
		if !filepath.IsAbs(path) {
			path = filepath.Join(a.Dir, path)
		}
		file, err := os.Open(path)
		if err != nil {
			return nil, inputProblem(input, err)
		}
		defer file.Close()
		from = file
	}
	raw, err := io.ReadAll(io.LimitReader(from, most))
	if err != nil {
		return nil, inputProblem(input, err)
	}
	return raw, nil
}

func inputProblem(input string, err error) *problem.Problem {
	reason := err
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		reason = path.Err // its path is cleaned, and may no longer look like the secret that it is
	}
	return problem.New(problem.InvalidInput, "--input %s cannot be read: %v.", input, reason).Because(err).
		Without("name a readable file with one JSON object, or - for stdin")
}

// positionals puts args into values by the verb's roles.
func positionals(d *op.Def, args []string, values map[string]any) error {
	var fields []op.Field
	for _, f := range d.Fields() {
		if f.Role != op.Flag {
			fields = append(fields, f)
		}
	}
	if len(fields) > 0 && fields[0].Role == op.Task && !takesTask(fields, args) {
		fields = fields[1:]
	}
	for _, f := range fields {
		if len(args) == 0 {
			return nil
		}
		if f.Role == op.Rest && f.Slice() {
			values[f.Name] = args
			return nil
		}
		word := args[0]
		args = args[1:]
		if f.Role == op.Rest {
			word = strings.Join(append([]string{word}, args...), " ")
			args = nil
		}
		value, err := f.FromText(word)
		if err != nil {
			return d.Refuse(values, f.Name, f.Name+" "+err.Error())
		}
		values[f.Name] = value
	}
	if len(args) > 0 {
		return problem.New(problem.InvalidInput, "cortex %s takes no argument %q.", d.Name, args[0]).
			With(problem.Step{Command: "cortex " + d.Name + " --help", Why: "see what it takes"})
	}
	return nil
}

// takesTask reports whether the first word is the case rather than the argument behind it.
func takesTask(fields []op.Field, args []string) bool {
	if len(args) == 0 || fields[0].Required || len(fields) == 1 {
		return true
	}
	if strings.HasPrefix(args[0], "task_") && !strings.ContainsAny(args[0], " \t\n") {
		return true
	}
	return fields[len(fields)-1].Role != op.Rest && len(args) == len(fields)
}
