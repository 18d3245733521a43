package cli

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"cortex/internal/op"
)

// showProgress tells on stderr that a command is still working once it has taken a second: at a terminal as a line that
// counts and is wiped at the end, otherwise as one line. It is silent with --json. What runs under the returned context
// can say what it is doing; the returned function ends it.
func (a *App) showProgress(ctx context.Context, what string) (watched context.Context, stop func()) {
	if a.asJSON {
		return ctx, func() {}
	}
	var doing atomic.Pointer[string]
	doing.Store(&what)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		a.progress(&doing, done)
	}()
	report := func(text string) {
		text = what + ": " + op.Clean(a.call.Text(text))
		doing.Store(&text)
	}
	return op.WithProgress(ctx, report), func() {
		close(done)
		<-ended
	}
}

func (a *App) progress(doing *atomic.Pointer[string], done <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	line := ""
	for seconds := 1; ; seconds++ {
		select {
		case <-done:
			if line != "" && a.ErrIsTTY {
				_, _ = fmt.Fprintf(a.Err, "\r%s\r", strings.Repeat(" ", len(line))) // cosmetic
			}
			return
		case <-tick.C:
		}
		switch {
		case a.ErrIsTTY:
			before := len(line) // which the next one may be shorter than
			line = fmt.Sprintf("%s: %d s", *doing.Load(), seconds)
			_, _ = fmt.Fprintf(a.Err, "\r%s%s", line, strings.Repeat(" ", max(0, before-len(line)))) // cosmetic
		case line == "":
			line = *doing.Load() + ": working"
			_, _ = fmt.Fprintln(a.Err, line) // cosmetic
		}
	}
}
