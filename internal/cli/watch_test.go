package cli

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"cortex/internal/op"
	"cortex/internal/problem"
)

// frame is one state of a watched case, or an error.
type frame struct {
	text  string
	ended bool
	err   error
}

func (f frame) Text(s op.Style) string { return s.Bold(f.text) }

func (f frame) Watching() (string, bool) { return "task_1", f.ended }

// watchFrames shows frames, one each time a clock that never waits ticks, and interrupts after the last.
func watchFrames(terminal bool, frames ...frame) (string, error) {
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	var out bytes.Buffer
	a := &App{Streams: Streams{Out: &out, OutIsTTY: terminal, Env: func(string) string { return "" }}}
	clock := make(chan time.Time)
	close(clock)
	err := a.redraw(ctx, clock, func() (watchable, error) {
		if len(frames) == 0 {
			interrupt()
			return nil, context.Canceled
		}
		f := frames[0]
		frames = frames[1:]
		return f, f.err
	})
	return out.String(), err
}

func TestWatchPrintsOnlyWhatChangedUntilTheEnd(t *testing.T) {
	t.Parallel()
	busy := problem.New(problem.Busy, "Busy.").Without("wait")
	gone := errors.New("gone")
	tests := map[string]struct {
		terminal bool
		frames   []frame
		want     string
		err      error
	}{
		"piped":       {false, []frame{{text: "one"}, {text: "one"}, {text: "two"}}, "one\n\ntwo\n", nil},
		"terminal":    {true, []frame{{text: "one"}, {text: "one"}, {text: "two"}}, "\x1b[H\x1b[2J\x1b[1mone\x1b[0m\n\x1b[H\x1b[2J\x1b[1mtwo\x1b[0m\n", nil},
		"ended":       {false, []frame{{text: "one"}, {text: "two", ended: true}, {text: "three"}}, "one\n\ntwo\n", nil},
		"busy":        {false, []frame{{text: "one"}, {err: busy}, {text: "two"}}, "one\n\ntwo\n", nil},
		"busy at all": {false, []frame{{err: busy}, {text: "two"}}, "", busy},
		"gone":        {false, []frame{{text: "one"}, {err: gone}, {text: "two"}}, "one\n", gone},
		"interrupted": {false, nil, "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := watchFrames(test.terminal, test.frames...)
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("got %q and %v, want %q and %v", got, err, test.want, test.err)
			}
		})
	}
}
