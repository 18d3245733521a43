package op

import (
	"context"
	"fmt"
	"reflect"
	"sync"
)

// Effect is what a verb does to the state it works on. Fronts derive hints and annotations from it.
type Effect string

// The effects, from harmless to final.
const (
	Reads   Effect = "reads"   // changes nothing
	Adds    Effect = "adds"    // only adds records; nothing existing is changed
	Changes Effect = "changes" // moves or edits existing state
	Ends    Effect = "ends"    // ends something that cannot be taken up again
)

// Profile is a set of MCP servers on which a verb is served.
type Profile uint8

// The MCP profiles. A verb of Agent is also served in All.
const (
	CLIOnly Profile = iota
	Agent
	All
)

// Spec declares a verb.
type Spec struct {
	Name       string // command path below the program, such as "lease renew"
	Aliases    []string
	Tool       string // MCP tool; verbs that name the same tool are served as one with an "operation" argument
	Operation  string // this verb's value of "operation", when it shares its tool
	Title      string // a few words, for lists
	Help       string // what it does and when to use it; a second paragraph for people only: what it refuses, details
	Example    string // command lines, one each line
	Effect     Effect
	Profiles   Profile
	Idempotent bool // calling again with the same arguments changes nothing more
	OpenWorld  bool // runs tools or checks whose effects Cortex does not control

	OwnDeadline bool // sets its deadline from its input; see Deadline for the others
	MaxJSON     int  // bytes that --json prints at most; 0 for no such promise. MCP results are always bounded
}

// Def is a declared verb: its Spec, its input type, and how to run it.
type Def struct {
	Spec
	Input reflect.Type // a struct; see Fields for its tags
	run   func(ctx context.Context, service, in any) (any, error)

	once   sync.Once // a program with many verbs starts without reading the tags of all
	fields []Field
}

// Define declares a verb implemented by a method expression such as (*Service).Open. It panics on a Spec that no front
// could serve, so that a program with one does not start.
func Define[S, I, O any](spec Spec, method func(S, context.Context, I) (O, error)) *Def {
	in := reflect.TypeFor[I]()
	if spec.Name == "" || spec.Title == "" || spec.Help == "" || spec.Effect == "" || in.Kind() != reflect.Struct {
		panic(fmt.Sprintf("op: incomplete declaration of %q", spec.Name))
	}
	if (spec.Tool == "") != (spec.Profiles == CLIOnly) {
		panic(fmt.Sprintf("op: %q must have both a tool and a profile, or neither", spec.Name))
	}
	return &Def{Spec: spec, Input: in, run: func(ctx context.Context, service, input any) (any, error) {
		return method(service.(S), ctx, input.(I))
	}}
}
