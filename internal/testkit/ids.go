package testkit

import (
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"cortex/internal/ids"
)

// Tick is how far a Clock moves with each reading, so that no two records share a timestamp or the millisecond of an
// identifier.
const Tick = time.Millisecond

// Clock is a clock that stands still between readings. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at 2026-01-02T03:04:05Z.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// Now moves the clock by Tick and returns the time.
func (c *Clock) Now() time.Time {
	return c.Advance(Tick)
}

// Advance moves the clock by d, which may be negative, and returns the time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}

// IDs returns a source on a clock of its own: the same identifiers and times in every run.
func IDs() ids.Source { return NewClock().IDs() }

// IDs returns a source that reads its time from c and whose randomness is the same in every run.
func (c *Clock) IDs() ids.Source {
	return ids.Source{Now: c.Now, Rand: &lockedReader{r: rand.NewChaCha8([32]byte{'c', 'o', 'r', 't', 'e', 'x'})}}
}

type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}
