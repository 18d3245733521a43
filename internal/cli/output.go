package cli

import (
	"fmt"
	"io"
	"strings"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// Print writes a result in the mode of the call and sets the exit status.
func (a *App) Print(result any) error {
	if verdict, judged := result.(op.Verdict); judged && !verdict.Green() {
		a.exit = problem.ExitNotGreen
	}
	if to, ok := result.(filed); ok && to.File() != "" && to.File() != "-" {
		return a.printFile(to.File(), result)
	}
	return a.render(result)
}

// render writes a result to standard output.
func (a *App) render(result any) error {
	texter, hasText := result.(op.Texter)
	if a.asJSON || !hasText {
		return a.printJSON(result)
	}
	return a.printText(a.Out, texter, a.colours(a.OutIsTTY))
}

func (a *App) printJSON(v any) error {
	raw, err := a.encode(v)
	if err != nil {
		return err
	}
	if _, err := a.Out.Write(raw); err != nil {
		return fmt.Errorf("write to standard output: %w", err)
	}
	return nil
}

// encode is a result as --json prints it, within the bound that its verb promises.
func (a *App) encode(v any) ([]byte, error) {
	if a.maxJSON == 0 {
		raw, err := a.call.JSON(v)
		return op.CleanJSON(raw), err
	}
	limit := a.maxJSON
	for {
		raw, err := a.call.JSONWithin(v, limit)
		cleaned := op.CleanJSON(raw)
		excess := len(cleaned) - a.maxJSON
		if err != nil || excess <= 0 || limit < excess || len(raw) > limit {
			return cleaned, err
		}
		limit -= excess // escapes have made it longer
	}
}

func (a *App) printText(w io.Writer, t op.Texter, coloured bool) error {
	style := op.PlainStyle()
	if coloured {
		style = markedStyle()
	}
	text := op.Clean(a.call.Text(t.Text(style)))
	if coloured {
		text = paint(text)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// refuse reports an error in the mode of the call and returns its exit status. In text mode everything goes to stderr.
func (a *App) refuse(err error) int {
	a.call.Dir = a.dir
	if a.call.Redact == nil && a.Redact != nil {
		a.call.Redact = a.Redact(a.Workspace())
	}
	envelope := a.call.Refusal(err, a.Workspace(), a.warnings...)
	message := op.Clean(a.call.Text(envelope.Error))
	_, _ = fmt.Fprintf(a.Err, "Error: %s\n", message) // the exit status tells it too
	if a.asJSON {
		if err := a.printJSON(envelope); err != nil {
			return problem.ExitInternal
		}
		return problem.Exit(envelope.Code)
	}
	if err := a.printText(a.Err, footer{envelope}, a.colours(a.ErrIsTTY)); err != nil {
		return problem.ExitInternal
	}
	return problem.Exit(envelope.Code)
}

// footer shows the end of an envelope only: the message of a refusal is printed already.
type footer struct{ op.Envelope }

func (f footer) Text(s op.Style) string { return f.Footer(s) }

func (a *App) warn(warnings []string) {
	for _, w := range warnings {
		_, _ = fmt.Fprintf(a.Err, "warning: %s\n", op.Clean(a.call.Text(w))) // advice only
	}
}
