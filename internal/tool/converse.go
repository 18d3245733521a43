package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"cortex/internal/proc"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// A version that servers of any age know; a later one would begin with a request that old servers may never answer.
	protocolVersion = "2025-06-18"
	// leaveTime is how long a server may take to end once its input has ended; it is killed then.
	leaveTime  = time.Second
	keepErrors = 4 << 10 // bytes of what a server complains about
	// maxHeard bounds what a server may say in all, in bytes: each request of its own costs memory until it is answered.
	maxHeard = 1 << 20
	// keepTranscript bounds what is kept of a conversation, in bytes.
	keepTranscript = 256 << 10
)

// conversation is a session with a tool that is an MCP server on its standard streams.
type conversation struct {
	session    *mcp.ClientSession
	transcript strings.Builder
}

// converse starts a tool as an MCP server, lets talk ask it, and ends it with everything it started: a daemon too. For
// each call of the tool whose start failed it tries again, as run does; what was said is never said again.
func (r Runner) converse(ctx context.Context, c call, talk func(context.Context, *conversation) error) Answer {
	a, spec, err := r.prepare(c)
	if err != nil {
		return a
	}
	limit := spec.Timeout
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for a.Attempts < min(1+max(0, r.Retries), maxAttempts) {
		a.Attempts++
		said, talkErr, res, err := session(inner, spec, talk)
		a.Stdout, a.Stderr, a.Exit, a.Duration = []byte(said), res.Stderr.Bytes(), res.Exit, res.Duration
		switch {
		case errors.Is(err, proc.ErrNotFound):
			a.downgrade(Unavailable, "%v", err)
		case err != nil && ctx.Err() == nil:
			a.downgrade(Failed, "it could not be started: %v", err)
			continue
		case errors.Is(context.Cause(ctx), context.Canceled):
			a.downgrade(Partial, "it was ended with the call: %v", context.Cause(ctx))
		case talkErr == nil:
			a.Class = Authoritative
		case inner.Err() != nil:
			a.TimedOut = true
			a.downgrade(Partial, "%s", timeUp(ctx, res.Duration, limit))
		case res.Exit > 0:
			a.downgrade(Failed, "exit %d: %s", res.Exit, complaint(proc.Result{Stderr: res.Stderr}))
		default:
			a.downgrade(Failed, "%s", clip(talkErr.Error(), 300))
		}
		break
	}
	return a
}

// session is one attempt: err says that the process did not start, talkErr how the conversation ended.
func session(ctx context.Context, spec proc.Spec, talk func(context.Context, *conversation) error) (said string, talkErr error, res proc.Result, err error) {
	input, toInput, err := os.Pipe() // not an io.Pipe: nothing has to copy, so nothing waits when the tool ends first
	if err != nil {
		return "", nil, res, fmt.Errorf("open a pipe: %w", err)
	}
	defer input.Close()
	output, fromOutput := io.Pipe()
	running, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		spec.Stdin, spec.Stdout, spec.KeepHead, spec.KeepTail, spec.Timeout = input, fromOutput, keepErrors, 0, spec.Timeout+2*leaveTime
		res, err = proc.Run(running, spec)
		fromOutput.Close() // never fails
	}()
	// A server that does not read what it is told holds up whoever writes to it: then only the end of the pipes helps.
	stop := context.AfterFunc(ctx, func() {
		kill()
		toInput.Close()
		output.Close()
	})
	defer stop()
	conv := &conversation{}
	heard := struct {
		io.Reader
		io.Closer
	}{io.LimitReader(output, maxHeard), output}
	talkErr = conv.hold(ctx, mcp.IOTransport{Reader: heard, Writer: toInput, MaxLineLength: maxHeard}, talk)
	toInput.Close()
	output.Close()
	timer := time.NewTimer(leaveTime)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	case <-ctx.Done():
	}
	kill()
	<-ended
	return conv.transcript.String(), talkErr, res, err
}

// hold opens the session, talks and closes it.
func (c *conversation) hold(ctx context.Context, over mcp.IOTransport, talk func(context.Context, *conversation) error) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "cortex"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	var err error
	if c.session, err = client.Connect(ctx, &over, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion}); err != nil {
		return fmt.Errorf("it does not speak MCP: %w", err)
	}
	err = talk(ctx, c)
	_ = c.session.Close() // the process is ended whatever it says
	return err
}

// ask calls one tool of the server and returns what it said: JSON where it gave any, else text.
func (c *conversation) ask(ctx context.Context, name string, args map[string]any) (string, error) {
	res, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.note(name, args, err.Error())
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var text strings.Builder
	for _, part := range res.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	said := text.String()
	if res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		said = string(raw)
	}
	c.note(name, args, said)
	if res.IsError {
		return "", &toolRefusal{name, refusalIn(said)}
	}
	return said, nil
}

// toolRefusal is an answer of the server that says that it did not do what it was asked.
type toolRefusal struct{ name, reason string }

func (e *toolRefusal) Error() string { return e.name + " refused: " + e.reason }

func refusalIn(said string) string {
	var r struct {
		Error string `json:"error"`
		Hint  string `json:"hint"`
	}
	if json.Unmarshal([]byte(said), &r) != nil || r.Error == "" {
		return clip(strings.ToValidUTF8(said, "\uFFFD"), 200)
	}
	return refusal{Error: r.Error, Hint: r.Hint}.words()
}

func (c *conversation) note(name string, args map[string]any, said string) {
	asked, err := json.Marshal(args)
	if err != nil || c.transcript.Len() > keepTranscript {
		return
	}
	fmt.Fprintf(&c.transcript, "> %s %s\n%s\n", name, asked, clip(said, keepTranscript/4))
}
