package mcpserver

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cortex/internal/op"
)

// Options says what is served. Registry, Services and Version are required.
type Options struct {
	Registry         *op.Registry
	Services         op.Services
	Profile          op.Profile
	Version          string
	DefaultWorkspace string    // absolute; for calls that name none
	Redact           op.Masker // masks secrets in refusals that come before any service; nil for none
	Debug            io.Writer // where the stack of a panic in a verb goes; nil for nowhere
}

// At the end of the input the server first lets short calls finish, then cancels the rest and gives them time to end
// their children; both together stay below the second within which a host expects it to be gone.
const (
	finishGrace = 250 * time.Millisecond
	cancelGrace = 300 * time.Millisecond
	closeGrace  = 100 * time.Millisecond
)

// Serve answers MCP requests from in on out until in ends or ctx is done. It then cancels the calls still running and
// returns within a second, also when one of them does not end. A goroutine may stay blocked in a read of in.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	server := mcp.NewServer(&mcp.Implementation{Name: "cortex", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		PageSize:     1000, // all tools in one answer
	})
	h := handler{Options: o, life: ctx}
	for _, tool := range o.Registry.Tools(o.Profile) {
		server.AddTool(describe(tool), h.tool(tool))
	}
	conn := newConn(in, out, cancel)
	conn.mask = h.mask
	session, err := server.Connect(ctx, transport{conn}, nil)
	if err != nil {
		return fmt.Errorf("start the MCP server: %w", err)
	}
	conn.awaitEnd(ctx)
	cancel(errInputEnded)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = session.Close() // the peer is gone; there is nobody to tell
	}()
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
	return nil
}

// describe is the tool as tools/list shows it.
func describe(t op.Tool) *mcp.Tool {
	reads := t.Every(func(d *op.Def) bool { return d.Effect == op.Reads })
	ends := !t.Every(func(d *op.Def) bool { return d.Effect != op.Ends })
	open := !t.Every(func(d *op.Def) bool { return !d.OpenWorld })
	return &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title(),
		Description: t.Description(),
		InputSchema: t.Schema(),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    reads,
			DestructiveHint: &ends,
			IdempotentHint:  t.Every(func(d *op.Def) bool { return d.Idempotent || d.Effect == op.Reads }),
			OpenWorldHint:   &open,
		},
	}
}
