package cli

import (
	"bytes"
	"errors"
	"path/filepath"

	"cortex/internal/durable"
	"cortex/internal/op"
	"cortex/internal/problem"
)

// filed is a result that the caller may want in a file instead of on standard output: File is its path, "" or "-" for
// none. Only the command line looks at it.
type filed interface{ File() string }

// fileResult says where a result was written.
type fileResult struct {
	Path string `json:"path"`
}

// Text is the path alone, for scripts.
func (r fileResult) Text(op.Style) string { return r.Path }

// printFile writes what would have been printed to a file, a new one readable by its owner alone, and
// prints the path.
func (a *App) printFile(path string, result any) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	var content bytes.Buffer
	to := *a
	to.Out, to.OutIsTTY = &content, false
	if err := to.render(result); err != nil {
		return err
	}
	if err := durable.WriteFile(path, content.Bytes(), 0o600); err != nil {
		p := problem.New(problem.InvalidInput, "%s cannot be written: %v.", path, err).Because(err).
			On("output", path, "a file that can be written").Without("name a file in a directory that exists and can be written")
		if errors.Is(err, durable.ErrNoSpace) {
			p.Code = problem.DiskFull
		}
		return p
	}
	return a.render(fileResult{Path: path})
}
