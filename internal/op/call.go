package op

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"slices"

	"cortex/internal/problem"
)

// Services gives a verb the service it runs on, for one call in one workspace ("" means the program's default). redact
// masks secrets inside the string tokens of encoded JSON; it may be set beside an error too. Warnings are added to the
// result.
type Services func(ctx context.Context, workspace string, def *Def) (service any, redact func([]byte) []byte, warnings []string, err error)

// Masker returns what masks secrets in the answers about a workspace: those that come before any service, such as the
// refusal of an argument.
type Masker func(workspace string) func([]byte) []byte

// Call runs verbs and encodes what they return, the same for every front.
type Call struct {
	Registry *Registry
	Redact   func([]byte) []byte // nil for none
	Dir      string              // -C as the caller wrote it, repeated in command lines for people; "" for none
	Debug    io.Writer           // where the stack of a panic goes; nil for nowhere
	Served   Profile             // the tools that the caller has; CLIOnly, which has none, for all
}

// Run runs a verb and projects its result: steps become actions, warnings are added. It returns a pointer to the result.
// A panic in the verb becomes a Problem of code internal, an end of ctx one of code canceled. A refusal's steps are
// completed from the call.
func (c Call) Run(ctx context.Context, def *Def, service, input any, workspace string, warnings ...string) (any, *problem.Problem) {
	result, err := c.invoke(ctx, def, service, input)
	if err != nil {
		return nil, def.guide(asProblem(err), input)
	}
	v := reflect.ValueOf(result)
	if v.Kind() != reflect.Pointer {
		p := reflect.New(v.Type()) // Project and Warn have pointer receivers
		p.Elem().Set(v)
		result = p.Interface()
	}
	if projected, ok := result.(Projected); ok {
		projected.Project(c.render(workspace))
	}
	if warned, ok := result.(Warned); ok {
		warned.Warn(warnings...)
	}
	return result, nil
}

func (c Call) invoke(ctx context.Context, def *Def, service, input any) (result any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			if c.Debug != nil {
				_, _ = fmt.Fprintf(c.Debug, "panic in %s: %v\n%s", def.Name, cause, debug.Stack()) // diagnostics only
			}
			err = problem.New(problem.Internal, "Cortex failed in %s: %v. Set CORTEX_DEBUG=1 to see where.", def.Name, cause).
				Without("this is a fault in Cortex; state that was written before stays valid")
		}
	}()
	return def.run(ctx, service, input)
}

func asProblem(err error) *problem.Problem {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return problem.New(problem.Canceled, "The call did not end before its deadline and was stopped: %v.", err).Because(err).
			Without("the same call can be made again")
	}
	if errors.Is(err, context.Canceled) {
		return problem.New(problem.Canceled, "The call was canceled: %v.", err).Because(err).
			Without("the same call can be made again")
	}
	return problem.From(err)
}

// render is Registry.Render as the caller can use it: command lines repeat its -C, and tools that its server does not
// have are left out, so that their command line remains.
func (c Call) render(workspace string) func([]problem.Step) []Action {
	plain := c.Registry.Render(workspace)
	return func(steps []problem.Step) []Action {
		actions := plain(steps)
		for i, a := range actions {
			if a.Verb == "" {
				continue
			}
			if c.Dir != "" {
				actions[i].Usage = "cortex -C " + quoteWord(c.Dir) + a.Usage[len("cortex"):]
			}
			if c.Served != CLIOnly && c.Registry.Lookup(a.Verb).Profiles > c.Served {
				actions[i].Tool, actions[i].Arguments = "", nil
			}
		}
		return actions
	}
}

// Refusal is the envelope of an error, with warnings that may explain it.
func (c Call) Refusal(err error, workspace string, warnings ...string) Envelope {
	e := c.Registry.refusal(err, c.render(workspace))
	e.Warn(slices.DeleteFunc(slices.Clone(warnings), func(w string) bool { return w == e.Error })...)
	return e
}

// Refusal is the envelope of an error: not ok, with the problem's code, case and phase, and its steps as actions.
func (r *Registry) Refusal(err error, workspace string) Envelope {
	return r.refusal(err, r.Render(workspace))
}

func (r *Registry) refusal(err error, render func([]problem.Step) []Action) Envelope {
	p := asProblem(err)
	e := Envelope{TaskID: p.TaskID, Phase: p.Phase, Summary: p.Message, Error: p.Message, Code: p.Code}
	e.Actions = render(p.Next)
	e.NextActions = Prose(e.Actions)
	switch {
	case len(e.NextActions) > 0:
	case p.NoStep != "":
		e.NextActions = []string{p.NoStep}
	default:
		if r.Unguided != nil {
			r.Unguided(p)
		}
		e.NextActions = []string{"no other call can help; the message says what is wrong"}
	}
	return e
}

// JSON encodes v with an indent of two blanks, HTML characters as they are, and secrets masked.
func (c Call) JSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	if c.Redact == nil {
		return buf.Bytes(), nil
	}
	return c.Redact(buf.Bytes()), nil
}

// Text masks secrets in text for people.
func (c Call) Text(s string) string {
	if c.Redact == nil {
		return s
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return "" // unreachable for a string; nothing is safer than unmasked text
	}
	var out string
	if err := json.Unmarshal(c.Redact(raw), &out); err != nil {
		return ""
	}
	return out
}

// Object returns what is served where JSON demands an object: result itself, its Object form, or a list under "items".
func Object(result any) any {
	if w, ok := result.(Wrapped); ok {
		return w.Object()
	}
	v := reflect.ValueOf(result)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if k := v.Kind(); k == reflect.Struct || k == reflect.Map {
		return result
	}
	return map[string]any{"items": result}
}
