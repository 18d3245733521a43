package verifier

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxReport bounds a report in bytes: some 100,000 tests.
const maxReport = 64 << 20

// reportFile is a file that the run has to write.
type reportFile struct {
	within string // when set, path is below this directory and no link leads out of it
	path   string
	before fs.FileInfo // as it was before the run; nil when it was not there
}

func newReportFile(within, path string) reportFile {
	f := reportFile{within: within, path: path}
	f.before, _ = f.stat() // one that cannot be looked at now is judged when it is read
	return f
}

func (f reportFile) stat() (fs.FileInfo, error) {
	if f.within == "" {
		return os.Stat(f.path)
	}
	root, err := os.OpenRoot(f.within)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(filepath.FromSlash(f.path))
}

func (f reportFile) open() (*os.File, error) {
	if f.within == "" {
		return os.Open(f.path)
	}
	root, err := os.OpenRoot(f.within)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(f.path))
}

// read opens the file when this run wrote it. A file with the identity, size and time of before is one of an earlier run.
func (f reportFile) read() (io.ReadCloser, error) {
	info, err := f.stat() // before opening: a named pipe would block
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("no file was written")
	case err != nil:
		return nil, fmt.Errorf("look at the report: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", f.path)
	case info.Size() > maxReport:
		return nil, fmt.Errorf("the report is over %d bytes", maxReport)
	case f.before != nil && os.SameFile(info, f.before) && info.Size() == f.before.Size() && info.ModTime().Equal(f.before.ModTime()):
		return nil, fmt.Errorf("%s is from before the run, which did not write it", f.path)
	}
	opened, err := f.open()
	if err != nil {
		return nil, fmt.Errorf("open the report: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(opened, maxReport), opened}, nil
}

// fileParser reads a report that is written to a file; what the runner prints is for people.
type fileParser struct {
	runner string // empty when it was not recognised
	kind   string // what the report is called
	file   reportFile
	decode func(text io.Reader) (report, error)
	absent absence
}

func newFileParser(runner string, file reportFile, decode func(io.Reader) (report, error)) *fileParser {
	return &fileParser{runner: runner, kind: runner, file: file, decode: decode}
}

func (p *fileParser) line(b []byte) []byte {
	p.absent.look(b)
	return b
}

func (p *fileParser) errLine(b []byte) { p.absent.look(b) }

func (p *fileParser) finish(exit int) report {
	text, err := p.file.read()
	if err != nil {
		return p.absent.explain(report{broken: fmt.Sprintf("%s gave no report (exit status %d): %v", p.kind, exit, err)}, p.runner)
	}
	defer text.Close()
	r, err := p.decode(text)
	if err != nil {
		return report{broken: fmt.Sprintf("the report of %s could not be read: %v", p.kind, err)}
	}
	r.seen, r.known, r.runner = true, r.broken == "", first(p.runner, r.runner)
	return r
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
	if a.said != "" && runner != "" {
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
