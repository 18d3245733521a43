package op

import (
	"context"
	"time"
)

// The deadlines of one call by effect. A read takes milliseconds and three git processes; half a minute is a repository
// that does not answer. A change may wait for a lock on top of that.
const (
	ReadDeadline   = 30 * time.Second
	ChangeDeadline = time.Minute
)

// Deadline is how long one call of the verb may take, on every front. It is zero for a verb that sets its own from its
// input (OwnDeadline), and for one that is no tool: a person waits in front of it and can interrupt it.
func (d *Def) Deadline() time.Duration {
	switch {
	case d.OwnDeadline, d.Tool == "":
		return 0
	case d.Effect == Reads:
		return ReadDeadline
	}
	return ChangeDeadline
}

// Bound returns ctx with the verb's deadline. The caller calls cancel when the call has ended.
func (d *Def) Bound(ctx context.Context) (bounded context.Context, cancel context.CancelFunc) {
	if limit := d.Deadline(); limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}
