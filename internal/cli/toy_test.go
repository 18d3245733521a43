package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// The toy program of these tests: notes on a wall.

type tone string

func (tone) Values() []string { return []string{"calm", "loud"} }

type tag struct {
	ID   string `json:"id" op:"required" jsonschema:"a word"`
	Text string `json:"text" op:"required" jsonschema:"what it says"`
}

func (t *tag) UnmarshalText(text []byte) error {
	id, rest, ok := strings.Cut(string(text), "=")
	if !ok {
		return fmt.Errorf("must be id=text (got %q)", text)
	}
	*t = tag{id, rest}
	return nil
}

type noteInput struct {
	TaskID string            `json:"taskId,omitempty" op:"task" jsonschema:"the wall; may be left out"`
	Claim  string            `json:"claim" op:"args,required" jsonschema:"what to write"`
	Tone   tone              `json:"tone,omitempty" op:"short=t,default=calm" jsonschema:"how to say it"`
	Line   int               `json:"line,omitempty" jsonschema:"where"`
	Urgent bool              `json:"urgent,omitempty" jsonschema:"now"`
	Tags   []tag             `json:"tags,omitempty" op:"flag=tag" jsonschema:"tags as id=text"`
	Limits map[string]string `json:"limits,omitempty" op:"flag=limit" jsonschema:"limits by name"`
	Parts  []struct {
		Name string `json:"name" op:"required" jsonschema:"a name"`
	} `json:"parts,omitempty" jsonschema:"nested parts"`
}

type pickInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"the wall"`
	Note   string `json:"noteId" op:"arg,required" jsonschema:"the note"`
}

type wallInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"the wall"`
}

// echo is a result with the input it came from.
type echo struct {
	op.Envelope
	Input any `json:"input"`
}

type verdict struct {
	op.Envelope
	green bool
}

func (v verdict) Green() bool { return v.green }

type wall struct{ dir string }

func (w *wall) Note(_ context.Context, in noteInput) (echo, error) {
	return echo{Envelope: op.Envelope{Summary: "noted " + in.Claim}, Input: in}, nil
}

func (w *wall) Pick(ctx context.Context, in pickInput) (echo, error) {
	switch in.Note {
	case "held":
		step := problem.Step{Op: "pick", Args: map[string]any{"taskId": "task_1"}, Inputs: []string{"noteId"}, Why: "take another"}
		return echo{}, problem.New(problem.LeaseConflict, "The note is held by \x1b[31mb and password=hunter2.").About("task_1", "planned").With(step)
	case "gone":
		return echo{}, problem.New(problem.EvidenceNotFound, "There is no such note.").Without("it never was there")
	case "broken":
		return echo{}, errors.New("disk on fire")
	case "undeclared":
		return echo{}, problem.New(problem.Busy, "Busy.").With(problem.Step{Op: "no such verb"})
	case "slow":
		time.Sleep(1100 * time.Millisecond)
	case "wait":
		<-ctx.Done()
		return echo{}, ctx.Err()
	}
	return echo{Envelope: op.Envelope{Summary: "picked \x1b]0;title\x07" + in.Note}, Input: in}, nil
}

func (w *wall) Judge(_ context.Context, in wallInput) (verdict, error) {
	return verdict{Envelope: op.Envelope{Summary: "0/1 proven"}, green: in.TaskID == "green"}, nil
}

func (w *wall) List(context.Context, struct{}) ([]string, error) { return []string{w.dir}, nil }

func toyRegistry() *op.Registry {
	return op.New(
		op.Define(op.Spec{Name: "note", Aliases: []string{"write"}, Title: "Write a note", Help: "Writes it.", Example: "cortex note hello", Effect: op.Adds}, (*wall).Note),
		op.Define(op.Spec{Name: "note-free pick", Title: "Pick", Help: "Picks.", Effect: op.Reads}, (*wall).Pick),
		op.Define(op.Spec{Name: "pick", Title: "Pick a note", Help: "Picks it.", Effect: op.Reads}, (*wall).Pick),
		op.Define(op.Spec{Name: "judge", Title: "Judge the wall", Help: "Judges.", Effect: op.Reads}, (*wall).Judge),
		op.Define(op.Spec{Name: "list", Title: "List", Help: "Lists.", Effect: op.Reads}, (*wall).List),
	)
}

func mask(b []byte) []byte { return bytes.ReplaceAll(b, []byte("hunter2"), []byte("***")) }

func toyServices(_ context.Context, workspace string, d *op.Def) (any, func([]byte) []byte, []string, error) {
	if strings.HasSuffix(workspace, "nowhere") {
		return nil, mask, nil, problem.New(problem.NotARepository, "hunter2 is no repository.").Without("go elsewhere")
	}
	return &wall{dir: workspace}, mask, []string{"the configuration is broken"}, nil
}

type outcome struct {
	exit     int
	out, err string
}

// world is what a test may change about the process.
type world struct {
	in       string
	env      map[string]string
	terminal bool
}

func (w world) run(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	p := Program{Registry: toyRegistry(), Services: toyServices, Info: Info{"1.2", "abc", "today"}, Redact: func(string) func([]byte) []byte { return mask },
		Commands: func(a *App) []*cobra.Command {
			return []*cobra.Command{{Use: "serve", RunE: func(*cobra.Command, []string) error {
				return problem.New(problem.Busy, "Somebody serves %s already.", a.Workspace()).Without("stop it first")
			}}}
		}}
	exit := p.Run(args, Streams{In: strings.NewReader(w.in), Out: &out, Err: &errs, OutIsTTY: w.terminal, ErrIsTTY: w.terminal,
		Env: func(k string) string { return w.env[k] }, Dir: "/home/me"})
	return outcome{exit, out.String(), errs.String()}
}

func run(t *testing.T, args ...string) outcome {
	t.Helper()
	return world{}.run(t, args...)
}
