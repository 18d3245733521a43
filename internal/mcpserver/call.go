package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cortex/internal/op"
	"cortex/internal/problem"
)

const (
	// callDeadline ends a call that nothing else ended. It is above the sum of the deadlines that the slowest verb sets
	// for its tools.
	callDeadline = time.Hour

	// progressEvery is how often a call with a progress token reports that it is alive.
	progressEvery = 2 * time.Second
)

type handler struct {
	Options
	life context.Context // ends with the server; the SDK does not tell calls
}

// tool serves one tool.
func (h handler) tool(t op.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		ctx, cancel := context.WithTimeout(ctx, callDeadline)
		defer cancel()
		defer context.AfterFunc(h.life, cancel)()
		defer h.showProgress(ctx, req, t.Name)()
		call := op.Call{Registry: h.Registry, Debug: h.Debug}
		defer func() {
			if cause := recover(); cause != nil {
				p := problem.New(problem.Internal, "Cortex failed in %s: %v.", t.Name, cause).Without("this is a fault in Cortex")
				result, err = h.refusal(call, p, "")
			}
		}()
		return h.serve(ctx, &call, t, req.Params.Arguments)
	}
}

func (h handler) serve(ctx context.Context, call *op.Call, t op.Tool, arguments []byte) (*mcp.CallToolResult, error) {
	req, err := t.Decode(arguments)
	workspace := h.workspace(req.Workspace)
	if err != nil {
		return h.refusal(*call, err, workspace)
	}
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
	result, encodeErr := answer(call, call.Refusal(err, workspace, warnings...))
	if result != nil {
		result.IsError = true
	}
	return result, encodeErr
}

// answer serves one value as text and as structured content; both are the same masked JSON.
func answer(call op.Call, value any) (*mcp.CallToolResult, error) {
	raw, err := call.JSON(value)
	if shrinker, can := value.(op.Shrinker); can && len(raw) > maxText {
		shrinker.Shrink(len(raw) - maxText)
		raw, err = call.JSON(value)
	}
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

// showProgress reports a running call to a client that gave a token. The returned function ends it, and no report
// follows it.
func (h handler) showProgress(ctx context.Context, req *mcp.CallToolRequest, name string) (stop func()) {
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
			seconds := (time.Duration(beats) * progressEvery).Seconds()
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a report may get lost
				ProgressToken: token, Progress: seconds, Message: fmt.Sprintf("%s: %.0f s", name, seconds),
			})
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
