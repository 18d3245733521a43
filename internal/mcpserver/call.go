package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// progressEvery is how often a call with a progress token reports. Hosts expect to hear something within two seconds, so
// that a report may be late by one.
const progressEvery = time.Second

type handler struct {
	Options
	life context.Context // ends with the server; the SDK does not tell calls
}

// tool serves one tool.
func (h handler) tool(t op.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(h.life, cancel)()
		call := op.Call{Registry: h.Registry, Debug: h.Debug, Served: h.Profile}
		var doing atomic.Pointer[string]
		defer h.showProgress(ctx, req, t.Name, &doing)()
		defer func() {
			if cause := recover(); cause != nil {
				p := problem.New(problem.Internal, "Cortex failed in %s: %v.", t.Name, cause).Without("this is a fault in Cortex")
				result, err = h.refusal(call, p, "")
			}
		}()
		ctx = op.WithProgress(ctx, func(text string) { text = call.Text(text); doing.Store(&text) })
		return h.serve(ctx, &call, t, req.Params.Arguments)
	}
}

func (h handler) serve(ctx context.Context, call *op.Call, t op.Tool, arguments []byte) (*mcp.CallToolResult, error) {
	req, err := t.Decode(arguments)
	workspace := h.workspace(req.Workspace)
	if err != nil {
		return h.refusal(*call, err, workspace)
	}
	ctx, cancel := req.Def.Bound(ctx)
	defer cancel()
	service, redact, warnings, err := h.Services(ctx, workspace, req.Def)
	if redact != nil {
		call.Redact = redact
	}
	if err != nil {
		return h.refusal(*call, err, workspace)
	}
	result, refused := call.Run(ctx, req.Def, service, req.Input, workspace, warnings...)
	if refused != nil {
		return h.refusal(*call, refused, workspace, warnings...)
	}
	return answer(*call, op.Object(result))
}

func (h handler) workspace(asked string) string {
	if asked == "" || filepath.IsAbs(asked) || h.DefaultWorkspace == "" {
		if asked == "" {
			return h.DefaultWorkspace
		}
		return filepath.Clean(asked)
	}
	return filepath.Join(h.DefaultWorkspace, asked)
}

// mask masks secrets in an error of the protocol, which may repeat a name that the client sent.
func (h handler) mask(message string) string {
	if h.Redact == nil {
		return message
	}
	return op.Call{Redact: h.Redact(h.DefaultWorkspace)}.Text(message)
}

// refusal is the envelope of an error as a result that the model sees.
func (h handler) refusal(call op.Call, err error, workspace string, warnings ...string) (*mcp.CallToolResult, error) {
	if call.Redact == nil && h.Redact != nil {
		call.Redact = h.Redact(workspace)
	}
	envelope := call.Refusal(err, workspace, warnings...)
	result, encodeErr := answer(call, &envelope)
	if result != nil {
		result.IsError = true
	}
	return result, encodeErr
}

// answer serves one value as text and as structured content; both are the same masked JSON.
func answer(call op.Call, value any) (*mcp.CallToolResult, error) {
	raw, err := call.JSONWithin(value, maxText)
	if err != nil {
		return nil, err
	}
	if raw, err = fit(bytes.TrimSpace(raw)); err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(raw)}},
		StructuredContent: json.RawMessage(raw),
	}, nil
}

// showProgress reports a running call to a client that gave a token, with what it last said it is doing. The returned
// function ends it, and no report follows it.
func (h handler) showProgress(ctx context.Context, req *mcp.CallToolRequest, name string, doing *atomic.Pointer[string]) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for beats := 1; ; beats++ {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			what := name
			if now := doing.Load(); now != nil {
				what = *now
			}
			seconds := (time.Duration(beats) * progressEvery).Seconds()
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a report may get lost
				ProgressToken: token, Progress: seconds, Message: fmt.Sprintf("%s: %.0f s", what, seconds),
			})
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
