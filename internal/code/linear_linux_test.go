package code

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What takes more than in proportion to its length takes 64 times as long for 8 times as much. The processor's time of
// the thread is measured, which other processes do not lengthen.
func TestExtractIsLinear(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.go", "a.tsx", "a.py", "a.java", "a.rs", "a.cpp"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runtime.LockOSThread()
			var e extractor // its buffers grow once
			for _, unit := range seeds()[1:] {
				const small, large, slack = 64 << 10, 512 << 10, 50 * time.Millisecond
				if extractTime(t, &e, name, unit, small, 2) < slack/8 {
					continue
				}
				took, base := extractTime(t, &e, name, unit, large, 3), extractTime(t, &e, name, unit, small, 3)
				if took > 24*base+slack {
					t.Errorf("%q in %s: %d KiB took %s, %d KiB %s", unit, name, small>>10, base, large>>10, took)
				}
			}
		})
	}
}

// extractTime is the least time of some tries to read a unit again and again up to a size.
func extractTime(t *testing.T, e *extractor, name, unit string, size, tries int) time.Duration {
	t.Helper()
	src := []byte(strings.Repeat(unit, size/len(unit)))
	best := time.Hour
	for range tries {
		start := threadTime(t)
		e.extract(name, src, false)
		best = min(best, threadTime(t)-start)
	}
	return best
}

func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
