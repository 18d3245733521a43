package cli

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// watched is the verb that takes --watch.
const watched = "show"

// watchEvery is how often a watched case is read. A frame takes up to three git processes.
const watchEvery = time.Second

// watchable is a result that can be read again and again: the case it is about, and whether nothing more is to come.
type watchable interface {
	op.Texter
	Watching() (taskID string, ended bool)
}

// watch shows a case until it ends or the program is interrupted. Each frame is what the verb returns, one consistent
// state of the case. A frame is printed when it differs from the one before: at a terminal in its place, else below it.
func (a *App) watch(cmd *cobra.Command, d *op.Def, values map[string]any) error {
	if a.asJSON {
		return usageProblem(cmd, "--watch shows text again and again, --json is one value; leave out one of the two.")
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	ctx := cmd.Context()
	return a.redraw(ctx, tick.C, func() (watchable, error) {
		result, _, err := a.perform(ctx, d, values)
		if err != nil {
			return nil, err
		}
		frame := result.(watchable)
		values["taskId"], _ = frame.Watching() // the only active case stays the one that is shown
		return frame, nil
	})
}

// redraw prints frames, the next one whenever next gives a time. An interrupt is its ordinary end.
func (a *App) redraw(ctx context.Context, next <-chan time.Time, frame func() (watchable, error)) error {
	shown := ""
	for {
		result, err := frame()
		switch {
		case ctx.Err() != nil:
			return nil
		case problem.Is(err, problem.Busy) && shown != "": // somebody writes; the next frame shows what
		case err != nil:
			return err
		default:
			if shown, err = a.draw(result, shown); err != nil {
				return err
			}
			if _, ended := result.Watching(); ended {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-next:
		}
	}
}

// draw prints a frame unless it is the one that is shown, and returns its text.
func (a *App) draw(frame op.Texter, shown string) (string, error) {
	var text bytes.Buffer
	if err := a.printText(&text, frame, a.colours(a.OutIsTTY)); err != nil {
		return shown, err
	}
	now := text.String()
	if now == shown {
		return shown, nil
	}
	const clear = "\x1b[H\x1b[2J" // to the upper left corner, and erase
	switch {
	case a.OutIsTTY && a.Env("TERM") != "dumb":
		_, err := io.WriteString(a.Out, clear+now)
		return now, err
	case shown != "":
		_, err := io.WriteString(a.Out, "\n"+now)
		return now, err
	}
	_, err := io.WriteString(a.Out, now)
	return now, err
}
