package verifier

import (
	"bytes"
	"fmt"
	"sync"

	"cortex/internal/proc"
)

// parser reads the output of one run, line by line while it runs. Lines come with their line end, except a last one without
// it and the parts of one longer than maxLine. The calls are serialised.
type parser interface {
	// line takes a line of stdout and returns what a person should see of it.
	line(b []byte) (show []byte)
	// errLine takes a line of stderr, which is always shown.
	errLine(b []byte)
	// finish ends the reading; exit is -1 when the process was killed.
	finish(exit int) report
}

// maxLine bounds a line in memory. `go test -json` breaks the lines of a test at 4 KiB; those of a compiler may be longer.
const maxLine = 1 << 20

// transcript splits the streams into lines for a parser and keeps the start and the end of what is shown.
type transcript struct {
	stdout, stderr lines
	parser         parser
}

func newTranscript(p parser) *transcript {
	t := &transcript{parser: p}
	lock := new(sync.Mutex)
	t.stdout = lines{lock: lock, kept: proc.NewWindow(keepHead, keepTail), take: p.line}
	t.stderr = lines{lock: lock, kept: proc.NewWindow(keepHead, keepTail), take: func(b []byte) []byte {
		p.errLine(b)
		return b
	}}
	return t
}

func (t *transcript) finish(exit int) report {
	t.stdout.flush()
	t.stderr.flush()
	return t.parser.finish(exit)
}

// output is the text that is kept of the run.
func (t *transcript) output(argv []string, e ending) (text []byte, truncated bool) {
	exit := fmt.Sprint(e.exit)
	if e.killed != "" {
		exit = "none (" + e.killed + ")"
	}
	out, err := t.stdout.kept.Output(), t.stderr.kept.Output()
	text = fmt.Appendf(nil, "$ %s\nexit: %s\nstdout:\n%s", CommandLine(argv), exit, out.Bytes())
	if text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	text = fmt.Appendf(text, "stderr:\n%s", err.Bytes())
	return text, out.Dropped+err.Dropped > 0
}

// lines is one stream.
type lines struct {
	lock    *sync.Mutex
	kept    *proc.Window
	take    func(line []byte) (show []byte)
	partial []byte
}

// Write never fails.
func (l *lines) Write(p []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		if end == 0 {
			end = len(p)
		}
		end = min(end, maxLine-len(l.partial))
		l.partial = append(l.partial, p[:end]...)
		p = p[end:]
		if b := l.partial; b[len(b)-1] == '\n' || len(b) == maxLine {
			l.deliver()
		}
	}
	return n, nil
}

func (l *lines) deliver() {
	_, _ = l.kept.Write(l.take(l.partial)) // a window never fails
	l.partial = l.partial[:0]
}

func (l *lines) flush() {
	l.lock.Lock()
	defer l.lock.Unlock()
	if len(l.partial) > 0 {
		l.deliver()
	}
}
