package cli

import (
	"fmt"
	"strings"
	"time"
)

// showProgress tells on stderr that a command is still working once it has taken a second: at a terminal as a line that
// counts and is wiped at the end, otherwise as one line. It is silent with --json. The returned function ends it.
func (a *App) showProgress(what string) (stop func()) {
	if a.asJSON {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		a.progress(what, done)
	}()
	return func() {
		close(done)
		<-ended
	}
}

func (a *App) progress(what string, done <-chan struct{}) {
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
			line = fmt.Sprintf("%s: %d s", what, seconds)
			_, _ = fmt.Fprintf(a.Err, "\r%s", line) // cosmetic
		case line == "":
			line = what + ": working"
			_, _ = fmt.Fprintln(a.Err, line) // cosmetic
		}
	}
}
