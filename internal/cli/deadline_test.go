package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"cortex/internal/op"
)

// clock tells how long its call may take.
type clock struct{}

type noInput struct{}

func (clock) Left(ctx context.Context, _ noInput) (op.Envelope, error) {
	at, bounded := ctx.Deadline()
	return op.Envelope{Summary: fmt.Sprint(bounded, " ", time.Until(at).Round(10*time.Second), strings.Repeat("!", 5000))}, nil
}

func TestCommandsHaveTheDeadlineAndTheBoundOfTheirVerb(t *testing.T) {
	t.Parallel()
	left := op.Define(op.Spec{Name: "left", Tool: "clock_left", Title: "Tell the time left", Help: "Tells it.", Effect: op.Reads, Profiles: op.Agent,
		MaxJSON: 2000}, clock.Left)
	program := Program{Registry: op.New(left), Services: func(context.Context, string, *op.Def) (any, func([]byte) []byte, []string, error) {
		return clock{}, nil, nil, nil
	}}
	var out, errs bytes.Buffer
	exit := program.Run([]string{"left", "--json"}, Streams{Out: &out, Err: &errs, Env: func(string) string { return "" }, Dir: t.TempDir()})
	if want := fmt.Sprint(true, " ", op.ReadDeadline); exit != 0 || !strings.Contains(out.String(), want) {
		t.Errorf("exit status %d, %.200s %s; want %q", exit, out.String(), errs.String(), want)
	}
	if out.Len() > 2000 || !strings.Contains(out.String(), "are cut in this answer") {
		t.Errorf("--json printed %d bytes, want at most 2000 and a warning: %.300s", out.Len(), out.String())
	}
}
