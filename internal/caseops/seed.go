package caseops

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/problem"
)

// seed is a text file of the workspace that a case starts with.
type seed struct {
	path      string // relative to the workspace, with slashes
	text      string // masked
	sensitive bool   // something had to be masked
}

// readSeeds reads and checks all seeds of a call: regular UTF-8 files inside the workspace, also behind links. Paths are
// relative to the workspace; one given twice counts once.
func (s *Service) readSeeds(paths []string) ([]seed, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if len(paths) > casefile.MaxSeeds {
		return nil, problem.New(problem.TooLarge, "%d seeds were given, at most %d are allowed.", len(paths), casefile.MaxSeeds).
			On("seedPaths", nil, fmt.Sprintf("at most %d", casefile.MaxSeeds))
	}
	root, err := os.OpenRoot(s.Workspace)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	defer root.Close()
	var out []seed
	for _, given := range paths {
		one, err := s.readSeed(root, given)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(o seed) bool { return o.path == one.path }) {
			out = append(out, one)
		}
	}
	return out, nil
}

func (s *Service) readSeed(root *os.Root, given string) (seed, error) {
	name, err := casefile.CheckLocator("seedPaths", given)
	if err != nil {
		return seed{}, err
	}
	if filepath.IsAbs(name) {
		name = s.insideWorkspace(name)
	}
	if !filepath.IsLocal(name) {
		return seed{}, seedFault(problem.PathOutside, given, "is outside the workspace; seeds are files of it")
	}
	name = filepath.Clean(name)
	data, err := readRegular(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return seed{}, seedFault(problem.InvalidInput, given, "does not exist in the workspace")
	case err != nil:
		return seed{}, seedFault(problem.PathOutside, given, fmt.Sprintf("cannot be read as a file of the workspace (%v)", reason(err)))
	case data == nil:
		return seed{}, seedFault(problem.InvalidInput, given, "is not a regular file")
	case len(data) > casefile.MaxSeed:
		return seed{}, seedFault(problem.TooLarge, given, fmt.Sprintf("is over its limit of %d bytes", casefile.MaxSeed))
	case !utf8.Valid(data) || slices.Contains(data, 0):
		return seed{}, seedFault(problem.InvalidInput, given, "is not UTF-8 text")
	case strings.TrimSpace(string(data)) == "":
		return seed{}, seedFault(problem.InvalidInput, given, "is empty")
	}
	masked := s.Redact.Text(string(data))
	return seed{path: filepath.ToSlash(name), text: masked, sensitive: masked != string(data)}, nil
}

// insideWorkspace turns an absolute path into one from the workspace, also one that leads there through links. A path
// outside stays as it is.
func (s *Service) insideWorkspace(name string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		dir = filepath.Dir(name)
	}
	for _, full := range []string{name, filepath.Join(dir, filepath.Base(name))} {
		if rel, err := filepath.Rel(s.Workspace, full); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return name
}

// readRegular returns the bytes of a regular file, one more than a seed may have at most; nil when it is none.
func readRegular(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name) // before opening: a named pipe would block
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, casefile.MaxSeed+1))
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// reason is what went wrong without the path, which the message names as it was given.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func seedFault(code problem.Code, given, what string) error {
	return problem.New(code, "seed %q %s; no case was opened.", clipRunes(given, casefile.MaxProofRef), what).
		On("seedPaths", clipRunes(given, casefile.MaxProofRef), "a UTF-8 text file of the workspace, at most 16 KiB")
}

// hash identifies the seed by its path.
func (d seed) hash() string {
	sum := sha256.Sum256([]byte(d.path))
	return hex.EncodeToString(sum[:8])
}

// evidence is the seed as a record of c: its beginning, with the whole text behind it.
func (d seed) evidence(c *casefile.Case, commit string, now time.Time) casefile.Evidence {
	record := casefile.Evidence{
		ID: "ev_seed_" + d.hash(), Timestamp: now, Kind: casefile.KindModelInference, Source: casefile.Source{Tool: "seed", Actor: c.Actor},
		Claim:    casefile.SeedClaim(path.Base(d.path), d.text),
		Location: &casefile.Location{File: d.path}, Confidence: casefile.ConfidenceMedium, Sensitivity: casefile.SensitivityNormal,
		RawRef: "case://" + c.ID + "/raw/" + d.raw().ID, Commit: commit,
	}
	if d.sensitive {
		record.Sensitivity = casefile.SensitivitySensitive
	}
	return record
}

func (d seed) raw() casestore.Raw { return casestore.Raw{ID: "raw_seed_" + d.hash(), Text: d.text} }

// changedSeeds says which seeds of a repeated call are not what the case was opened with: they are ignored.
func changedSeeds(r *casestore.Reader, seeds []seed) (warnings []string, err error) {
	for _, d := range seeds {
		before, err := r.Raw(d.raw().ID)
		switch {
		case problem.Is(err, problem.EvidenceNotFound):
			warnings = append(warnings, fmt.Sprintf("seed %s is ignored: the case was opened before without it; add it as a note", d.path))
		case err != nil:
			return nil, err
		case string(before) != d.text:
			warnings = append(warnings, fmt.Sprintf("seed %s is ignored: the case was opened before with another text of it; add what is new as a note", d.path))
		}
	}
	return warnings, nil
}
