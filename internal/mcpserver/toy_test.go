package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// The toy program of these tests: a bell.

type pitch string

func (pitch) Values() []string { return []string{"high", "low"} }

type ringInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"the bell"`
	How    string `json:"how" op:"args,required" jsonschema:"how to ring"`
	Pitch  pitch  `json:"pitch,omitempty" op:"default=low" jsonschema:"the pitch"`
}

type noInput struct{}

// bell blocks calls until they are let go.
type bell struct {
	workspace string
	started   chan string
	canceled  chan string
	forever   chan struct{}
}

func newBell() *bell {
	return &bell{started: make(chan string, 16), canceled: make(chan string, 16), forever: make(chan struct{})}
}

func (b *bell) Ring(ctx context.Context, in ringInput) (op.Envelope, error) {
	b.started <- in.How
	switch in.How {
	case "wait":
		<-ctx.Done()
		b.canceled <- in.How
		return op.Envelope{}, ctx.Err()
	case "deaf":
		<-b.forever
	case "shortly":
		time.Sleep(100 * time.Millisecond)
	case "long":
		op.Progress(ctx, "running check %s, hunter2", "unit")
		time.Sleep(2*progressEvery + 300*time.Millisecond)
	case "panic":
		panic("the rope tore")
	case "undeclared":
		return op.Envelope{}, problem.New(problem.Busy, "Busy.").With(problem.Step{Op: "no such verb"})
	case "deadline":
		at, bounded := ctx.Deadline()
		return op.Envelope{Summary: fmt.Sprint(bounded, time.Until(at).Round(10*time.Second))}, nil
	case "list":
		return op.Envelope{}, problem.New(problem.TaskNotFound, "No such bell.").With(problem.Step{Op: "list", Why: "see them"})
	case "refuse":
		step := problem.Step{Op: "ring", Inputs: []string{"how"}, Why: "ring softly"}
		return op.Envelope{}, problem.New(problem.WrongPhase, "Not in phase \"night\", hunter2.").About("task_1", "night").With(step)
	}
	return op.Envelope{TaskID: "task_1", Summary: fmt.Sprintf("rang %d bytes <%s>", len(in.How), in.Pitch)}, nil
}

func (b *bell) Melt(context.Context, noInput) (op.Envelope, error) {
	return op.Envelope{Summary: "melted"}, nil
}

func (b *bell) Where(context.Context, noInput) ([]string, error) { return []string{b.workspace}, nil }

func toyRegistry() *op.Registry {
	return op.New(
		op.Define(op.Spec{Name: "ring", Tool: "toy_ring", Title: "Ring the bell", Help: "Rings it.", Effect: op.Adds, Profiles: op.Agent, OpenWorld: true}, (*bell).Ring),
		op.Define(op.Spec{Name: "bell melt", Tool: "toy_bell", Operation: "melt", Title: "Melt the bell", Help: "Melts it.", Effect: op.Ends, Profiles: op.Agent}, (*bell).Melt),
		op.Define(op.Spec{Name: "bell where", Tool: "toy_bell", Operation: "where", Title: "Find the bell", Help: "Finds it.", Effect: op.Reads, Profiles: op.Agent}, (*bell).Where),
		op.Define(op.Spec{Name: "list", Tool: "toy_list", Title: "List bells", Help: "Lists them.", Effect: op.Reads, Profiles: op.All}, (*bell).Where),
	)
}

// client talks to a served bell line by line.
type client struct {
	t       *testing.T
	bell    *bell
	in      *io.PipeWriter
	answers chan answerLine
	done    chan error
}

type answerLine struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type toolResult struct {
	Content           []struct{ Type, Text string }
	StructuredContent map[string]any
	IsError           bool
}

// serve starts a server of profile and completes the handshake.
func serve(t *testing.T, profile op.Profile) *client {
	t.Helper()
	return serveWithin(t.Context(), t, profile)
}

func serveWithin(ctx context.Context, t *testing.T, profile op.Profile) *client {
	t.Helper()
	b := newBell()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, bell: b, in: inW, answers: make(chan answerLine, 64), done: make(chan error, 1)}
	mask := func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte("hunter2"), []byte("***")) }
	services := func(_ context.Context, workspace string, _ *op.Def) (any, func([]byte) []byte, []string, error) {
		if strings.HasSuffix(workspace, "nowhere") {
			return nil, nil, nil, problem.New(problem.NotARepository, "There is no repository.").Without("go elsewhere")
		}
		copied := *b
		copied.workspace = workspace
		return &copied, mask, nil, nil
	}
	go func() {
		c.done <- Serve(ctx, inR, outW, Options{Registry: toyRegistry(), Services: services, Profile: profile, Version: "1.2",
			DefaultWorkspace: "/home/me", Redact: func(string) func([]byte) []byte { return mask }})
		_ = outW.Close()
	}()
	go c.collect(outR)
	t.Cleanup(func() { _ = inW.Close(); close(b.forever) })
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if got := c.next(); got.ID != "init" || !strings.Contains(string(got.Result), `"name":"cortex"`) {
		t.Fatalf("handshake answered %+v", got)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) collect(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a answerLine
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil || !strings.Contains(lines.Text(), `"jsonrpc":"2.0"`) {
			c.t.Errorf("output line is no JSON-RPC: %.200q", lines.Text())
			continue
		}
		c.answers <- a
	}
	close(c.answers)
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("send %.80s: %v", line, err)
	}
}

func (c *client) next() answerLine {
	c.t.Helper()
	select {
	case a := <-c.answers:
		return a
	case <-time.After(time.Minute):
		c.t.Fatal("no answer within a minute")
		return answerLine{}
	}
}

// start sends a tool call and does not wait for its answer.
func (c *client) start(id int, tool, arguments string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
}

func (c *client) call(tool, arguments string) toolResult {
	c.t.Helper()
	c.start(7, tool, arguments)
	return c.result(c.next())
}

func (c *client) result(a answerLine) toolResult {
	c.t.Helper()
	var r toolResult
	if err := json.Unmarshal(a.Result, &r); err != nil || a.Error != nil {
		c.t.Fatalf("answer %+v has no result: %v", a, err)
	}
	return r
}
