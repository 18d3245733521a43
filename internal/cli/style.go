package cli

import (
	"strings"

	"cortex/internal/op"
)

// Styled text carries Unicode noncharacters as marks until it has been cleaned of control characters; only then paint
// turns them into escape sequences. So text from a case can bring no sequence but these, and none into a pipe.
const (
	markBold = "\uFDD0"
	markDim  = "\uFDD1"
	markGood = "\uFDD2"
	markBad  = "\uFDD3"
	markWarn = "\uFDD4"
	markEnd  = "\uFDD5"
)

func markedStyle() op.Style {
	with := func(mark string) func(string) string {
		return func(s string) string { return mark + s + markEnd }
	}
	return op.Style{Bold: with(markBold), Dim: with(markDim), Good: with(markGood), Bad: with(markBad), Warn: with(markWarn)}
}

func paint(text string) string {
	return strings.NewReplacer(
		markBold, "\x1b[1m", markDim, "\x1b[2m", markGood, "\x1b[32m", markBad, "\x1b[31m", markWarn, "\x1b[33m",
		markEnd, "\x1b[0m").Replace(text)
}

// colours reports whether a stream may carry escape sequences (https://no-color.org).
func (a *App) colours(tty bool) bool {
	return tty && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb"
}
