package ids

import (
	"bytes"
	"testing"
	"time"
)

func TestNewMatchesRecordedID(t *testing.T) {
	// 06H2VPRM4K… was recorded at 2026-11-30T19:07:41.988Z by another program of the same form.
	at := time.Date(2026, 11, 30, 19, 7, 41, 988_000_000, time.UTC)
	s := Source{Now: func() time.Time { return at }, Rand: bytes.NewReader(make([]byte, 4))}
	got := s.New("task")
	if want := "task_06H2VPRM4G"; got[:len(want)] != want {
		t.Errorf("New = %q, want prefix %q", got, want)
	}
	if len(got) != len("task_")+16 {
		t.Errorf("New = %q: want 16 characters after the prefix", got)
	}
}

func TestIDsSortByTime(t *testing.T) {
	at := time.UnixMilli(1_000_000)
	s := System()
	s.Now = func() time.Time { at = at.Add(time.Millisecond); return at }
	last := ""
	for range 1000 {
		id := s.New("ev")
		if id <= last {
			t.Fatalf("%q does not sort after %q", id, last)
		}
		last = id
	}
}
