package op

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"cortex/internal/problem"
)

// The toy program of these tests: a shelf of jars.

type colour string

func (colour) Values() []string { return []string{"red", "green", "blue"} }

type label struct {
	ID   string `json:"id" op:"required" jsonschema:"a word"`
	Text string `json:"text" op:"required" jsonschema:"what it says"`
}

func (l *label) UnmarshalText(text []byte) error {
	id, rest, ok := strings.Cut(string(text), "=")
	if !ok {
		return fmt.Errorf("must be id=text (got %q)", text)
	}
	*l = label{id, rest}
	return nil
}

type part struct {
	Name string   `json:"name" op:"required" jsonschema:"its name"`
	Tags []string `json:"tags,omitempty" jsonschema:"words about it"`
}

type taskRef struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"the shelf; may be left out"`
}

type addInput struct {
	taskRef
	Claim   string            `json:"claim" op:"args,required" jsonschema:"what is in the jar"`
	Colour  colour            `json:"colour,omitempty" op:"flag=color,short=k,default=green" jsonschema:"its colour"`
	Colours []colour          `json:"colours,omitempty" jsonschema:"more colours"`
	Line    int               `json:"line,omitempty" jsonschema:"a line"`
	Weight  float64           `json:"weight,omitempty" op:"default=0.5" jsonschema:"a weight"`
	Sealed  bool              `json:"sealed,omitempty" jsonschema:"closed for good"`
	Limits  map[string]string `json:"limitOverrides,omitempty" op:"flag=limit" jsonschema:"named limits"`
	Labels  []label           `json:"labels,omitempty" op:"flag=label" jsonschema:"its labels"`
	Parts   []part            `json:"parts,omitempty" jsonschema:"what it is made of"`
	Maybe   *int              `json:"maybe,omitempty" jsonschema:"a number or nothing"`
	Yes     bool              `json:"yes,omitempty" op:"hide=mcp" jsonschema:"confirm"`
}

type dropInput struct {
	taskRef
	Jar string `json:"jarId" op:"arg,required" jsonschema:"the jar"`
}

type noInput struct{}

type shelf struct{ calls int }

func (s *shelf) Add(_ context.Context, in addInput) (Envelope, error) {
	s.calls++
	step := problem.Step{Op: "jar drop", Args: map[string]any{"taskId": "task_1"}, Inputs: []string{"jarId"}, Why: "undo it"}
	return Envelope{TaskID: "task_1", Summary: "added " + in.Claim, Steps: []problem.Step{step}, Hints: []string{"read the label"}}, nil
}

func (s *shelf) Drop(_ context.Context, in dropInput) (Envelope, error) {
	switch in.Jar {
	case "panic":
		panic("the jar fell")
	case "plain":
		return Envelope{}, errors.New("disk on fire")
	case "canceled":
		return Envelope{}, fmt.Errorf("read jar: %w", context.Canceled)
	}
	return Envelope{}, problem.New(problem.LeaseConflict, "The jar is held by b.").Without("b holds it until noon")
}

func (s *shelf) List(context.Context, noInput) ([]string, error) { return []string{"a", "b"}, nil }

var (
	jarAdd  = Define(Spec{Name: "jar add", Tool: "toy_jar", Operation: "add", Title: "Add a jar", Help: "Adds one.", Effect: Adds, Profiles: Agent}, (*shelf).Add)
	jarDrop = Define(Spec{Name: "jar drop", Aliases: []string{"smash"}, Tool: "toy_jar", Operation: "drop", Title: "Drop a jar", Help: "Drops one.", Effect: Ends, Profiles: Agent}, (*shelf).Drop)
	jarList = Define(Spec{Name: "list", Tool: "toy_list", Title: "List jars", Help: "Lists them.", Effect: Reads, Profiles: All}, (*shelf).List)
	wipe    = Define(Spec{Name: "wipe", Title: "Wipe the shelf", Help: "Wipes it.", Effect: Ends}, (*shelf).List)
)

func toys() *Registry { return New(jarAdd, jarDrop, jarList, wipe) }
