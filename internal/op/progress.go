package op

import (
	"context"
	"fmt"
)

type progressKey struct{}

// WithProgress returns a context under which Progress calls report. report must be safe for concurrent use and fast.
func WithProgress(ctx context.Context, report func(doing string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Progress says in a few words what a long call is doing now, to whoever watches it; nobody need to.
func Progress(ctx context.Context, format string, args ...any) {
	if report, watched := ctx.Value(progressKey{}).(func(string)); watched {
		report(fmt.Sprintf(format, args...))
	}
}
