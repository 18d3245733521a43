package proc

import (
	"fmt"
	"io"
	"os"
	"time"
)

// stream carries one output of a child to a window and, optionally, a writer.
type stream struct {
	to                io.Writer
	kept              *Window
	readEnd, childEnd *os.File
	done              chan struct{} // closed when the copying goroutine has ended; nil before start
}

func (st *stream) open(head, tail int) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	st.readEnd, st.childEnd, st.kept = r, w, NewWindow(head, tail)
	return nil
}

// start begins to read, once the child has its end.
func (st *stream) start() {
	st.childEnd.Close()
	st.done = make(chan struct{})
	go func() {
		defer close(st.done)
		_, _ = io.Copy(st, st.readEnd) // ends at the end of the stream, or when close takes the pipe away
	}()
}

// Write keeps p and passes it on; it never fails, so that a child is read to its end whatever the other writer does.
func (st *stream) Write(p []byte) (int, error) {
	if st.to != nil {
		if _, err := st.to.Write(p); err != nil {
			st.to = nil
		}
	}
	return st.kept.Write(p)
}

// close ends the copying and waits for its goroutine. It may be called again.
func (st *stream) close() {
	st.childEnd.Close()
	st.readEnd.Close()
	if st.done != nil {
		<-st.done
	}
}

// drain waits for the end of the streams, at most drainTime for all of them, and closes them.
func drain(streams ...*stream) {
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	for _, st := range streams {
		if st.done == nil {
			continue
		}
		select {
		case <-st.done:
		case <-timer.C:
			timer.Reset(0)
		}
	}
	for _, st := range streams {
		st.close()
	}
}
