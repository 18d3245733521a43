package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// Streams is everything the program takes from its process.
type Streams struct {
	In                          io.Reader
	Out, Err                    io.Writer
	InIsTTY, OutIsTTY, ErrIsTTY bool
	Env                         func(string) string
	Dir                         string // the working directory, absolute
}

// Info says which build this is.
type Info struct {
	Version, Commit, Built string
}

// String is the line that --version prints.
func (i Info) String() string {
	return fmt.Sprintf("cortex version %s (commit %s, built %s)", i.Version, i.Commit, i.Built)
}

// Program is a command line over a registry of verbs.
type Program struct {
	Registry *op.Registry
	Services op.Services
	Redact   op.Masker // masks secrets in refusals that come before any service; nil for none
	Info     Info

	// Commands returns the commands that are no verbs, such as serve. Their errors are reported like a verb's.
	Commands func(*App) []*cobra.Command
}

// App is one run of a Program.
type App struct {
	Program
	Streams

	asJSON   bool
	dir      string // -C as given, "" for none
	call     op.Call
	warnings []string // what may explain a refusal
	maxJSON  int      // bytes that --json may print, 0 for any number
	exit     int
}

// Run executes one command line and returns its exit status. SIGINT and SIGTERM cancel the command's context; a second
// one ends the process.
func (p Program) Run(args []string, std Streams) (exit int) {
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-v") {
		_, _ = fmt.Fprintln(std.Out, p.Info) // nothing can be told to anybody when this fails
		return problem.ExitOK
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	a := &App{Program: p, Streams: std, asJSON: asksForJSON(args)}
	a.call = op.Call{Registry: p.Registry}
	if std.Env("CORTEX_DEBUG") != "" {
		a.call.Debug = std.Err
	}
	defer func() {
		if cause := recover(); cause != nil {
			exit = a.crash(cause)
		}
	}()
	root := a.tree()
	root.SetArgs(append([]string{}, args...))
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	a.addCompletion(root)
	if err := root.ExecuteContext(ctx); err != nil {
		return a.refuse(err)
	}
	return a.exit
}

// crash reports a panic outside of a verb, such as a step that names what is not declared.
func (a *App) crash(cause any) int {
	if a.call.Debug != nil {
		_, _ = fmt.Fprintf(a.Err, "panic: %v\n%s", cause, debug.Stack()) // diagnostics only
	}
	return a.refuse(problem.New(problem.Internal, "Cortex failed: %v. Set CORTEX_DEBUG=1 to see where.", cause).
		Without("this is a fault in Cortex; state that was written before stays valid"))
}

// asksForJSON looks for --json before the flags are parsed, since parsing may be what fails.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// Workspace is the directory the command works in, absolute.
func (a *App) Workspace() string {
	if filepath.IsAbs(a.dir) {
		return filepath.Clean(a.dir)
	}
	return filepath.Join(a.Dir, a.dir)
}

// runVerb runs one verb with arguments by wire name and prints what it returns.
func (a *App) runVerb(ctx context.Context, d *op.Def, values map[string]any) error {
	ctx, stop := a.showProgress(ctx, "cortex "+d.Name)
	result, warnings, err := a.perform(ctx, d, values)
	stop()
	if err != nil {
		a.warnings = warnings
		return err
	}
	if _, carries := result.(op.Warned); !carries {
		a.warn(warnings)
	}
	a.maxJSON = d.MaxJSON
	return a.Print(result)
}

// perform runs one verb. The warnings are for a result that carries none, and for a refusal.
func (a *App) perform(ctx context.Context, d *op.Def, values map[string]any) (result any, warnings []string, err error) {
	input, err := d.Bind(values)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := d.Bound(ctx)
	defer cancel()
	service, redact, warnings, err := a.Services(ctx, a.Workspace(), d)
	if redact != nil {
		a.call.Redact = redact
	}
	if err != nil {
		return nil, nil, err
	}
	a.call.Dir = a.dir
	result, refused := a.call.Run(ctx, d, service, input, a.Workspace(), warnings...)
	if refused != nil {
		return nil, warnings, refused
	}
	return result, warnings, nil
}
