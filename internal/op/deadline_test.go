package op

import (
	"testing"
	"time"
)

func TestDeadlineIsThatOfTheEffect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		spec Spec
		want time.Duration
	}{
		{Spec{Tool: "t", Effect: Reads}, ReadDeadline},
		{Spec{Tool: "t", Effect: Adds}, ChangeDeadline},
		{Spec{Tool: "t", Effect: Changes}, ChangeDeadline},
		{Spec{Tool: "t", Effect: Ends}, ChangeDeadline},
		{Spec{Tool: "t", Effect: Changes, OwnDeadline: true}, 0},
		{Spec{Effect: Reads}, 0},
	} {
		d := &Def{Spec: tt.spec}
		ctx, cancel := d.Bound(t.Context())
		at, bounded := ctx.Deadline()
		if got := d.Deadline(); got != tt.want || bounded != (tt.want > 0) || bounded && time.Until(at) > tt.want {
			t.Errorf("%+v: deadline %v, bounded %t until %v; want %v", tt.spec, got, bounded, at, tt.want)
		}
		cancel()
		if ctx.Err() == nil {
			t.Errorf("%+v: cancel did not end the context", tt.spec)
		}
	}
}
