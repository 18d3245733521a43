package verifier

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxReport bounds a report that is read as a whole: some 50,000 tests.
const maxReport = 32 << 20

// fileParser reads a report that the runner writes to a file; what it prints is for people.
type fileParser struct {
	runner string
	path   string
	before time.Time // when path was written before the run; zero when it was not there
	decode func(text []byte) (report, error)
	absent absence
}

func newFileParser(runner, path string, decode func([]byte) (report, error)) *fileParser {
	p := &fileParser{runner: runner, path: path, decode: decode}
	if info, err := os.Stat(path); err == nil {
		p.before = info.ModTime()
	}
	return p
}

func (p *fileParser) line(b []byte) []byte {
	p.absent.look(b)
	return b
}

func (p *fileParser) errLine(b []byte) { p.absent.look(b) }

func (p *fileParser) finish(exit int) report {
	text, err := p.read()
	if err != nil {
		return p.absent.explain(report{broken: fmt.Sprintf("%s gave no report (exit status %d): %v", p.runner, exit, err)}, p.runner)
	}
	r, err := p.decode(text)
	if err != nil {
		return report{broken: fmt.Sprintf("the report of %s could not be read: %v", p.runner, err)}
	}
	r.seen, r.known, r.runner = true, r.broken == "", p.runner
	return r
}

func (p *fileParser) read() ([]byte, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return nil, fmt.Errorf("no file was written")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at the report: %w", err)
	}
	if info.ModTime().Equal(p.before) {
		return nil, fmt.Errorf("%s is from before the run", p.path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	if len(text) > maxReport {
		return nil, fmt.Errorf("the report is over %d bytes", maxReport)
	}
	return text, nil
}

// absence recognises that a launcher did not find the runner, or the runner no project.
type absence struct{ said string }

func (a *absence) look(line []byte) {
	text := string(line[:min(len(line), maxHint)])
	for _, sign := range []string{
		"No module named pytest", "could not determine executable to run", "canceled due to missing packages",
		"could not find `Cargo.toml`", "no such command: `test`", "command not found",
	} {
		if a.said == "" && strings.Contains(text, sign) {
			a.said = strings.TrimSpace(text)
		}
	}
}

// explain turns a missing report into a blocked one where the reason was said.
func (a *absence) explain(r report, runner string) report {
	if a.said != "" {
		r.blocked, r.install = runner+" cannot run here: "+a.said, install(runner)
	}
	return r
}

// within makes a path of the report relative to the directory of the check, as other paths are.
func within(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsAbs(path) && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
