package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// GrepRequest asks for lines that contain a term.
type GrepRequest struct {
	Terms      []string // literal, case ignored for ASCII letters; a term with a line break or NUL finds nothing
	MaxPerFile int      // matching lines of one file; default 3
	Under      string   // only below this path, relative to the top level; empty means everywhere
	Limit      int      // matches in all; default 1000
}

// Match is one matching line.
type Match struct {
	File string // relative to the top level
	Line int    // from 1
	Text string // the line as it is in the file, cut to 400 bytes
	Term string // the first term of the request that it contains
}

// Bounds of Grep.
const (
	defaultGrepPerFile = 3
	defaultGrepLimit   = 1000
	maxGrepBytes       = 8 << 20 // of git's output that are looked at; a minified file may have lines of megabytes
	maxMatchBytes      = 400
)

// Grep searches tracked files and untracked ones that are not ignored, binary files left out, in one git process. Matches
// come in git's order, by path and line; ranking is the caller's. Submodules are not searched. When git runs out of time,
// the matches until then come with the error.
func (r *Repo) Grep(ctx context.Context, req GrepRequest) ([]Match, error) {
	terms := slices.DeleteFunc(slices.Clone(req.Terms), func(t string) bool {
		return t == "" || strings.ContainsAny(t, "\n\r\x00")
	})
	if len(terms) == 0 {
		return nil, nil
	}
	args := []string{"-F", "-I", "-i", "-n", "-z", "--untracked", "--no-color", "--no-column", "--full-name",
		"--no-textconv", "--no-recurse-submodules", "-m", strconv.Itoa(orDefault(req.MaxPerFile, defaultGrepPerFile))}
	for _, t := range terms {
		args = append(args, "-e", t)
	}
	args = append(args, "--", ":(top,exclude,glob)**/.cortex/**", ":(top,exclude,glob)**/.codex/cortex/**")
	if req.Under != "" {
		args = append(args, ":(top,literal)"+req.Under)
	}
	out := buffer{limit: maxGrepBytes}
	_, err := r.git(ctx, &out, "grep", args...)
	matches := parseGrep(string(out.data), terms, orDefault(req.Limit, defaultGrepLimit))
	var failed *gitError
	if errors.As(err, &failed) && failed.exit == 1 { // nothing found
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("search: %w", err)
	}
	return matches, err
}

func orDefault(value, fallback int) int {
	if value <= 0 {
		return fallback
	}
	return value
}

// parseGrep reads records of "file NUL line NUL text LF" and leaves out an unfinished last one.
func parseGrep(out string, terms []string, limit int) []Match {
	lower := make([]string, len(terms))
	for i, t := range terms {
		lower[i] = strings.ToLower(t)
	}
	var matches []Match
	for len(matches) < limit {
		file, rest, ok := strings.Cut(out, "\x00")
		number, rest, ok2 := strings.Cut(rest, "\x00")
		text, rest, ok3 := strings.Cut(rest, "\n")
		line, err := strconv.Atoi(number)
		if !ok || !ok2 || !ok3 || err != nil {
			break
		}
		out = rest
		if isOwn(file) {
			continue
		}
		folded := strings.ToLower(text)
		term := slices.IndexFunc(lower, func(t string) bool { return strings.Contains(folded, t) })
		matches = append(matches, Match{File: file, Line: line, Text: cutText(text), Term: terms[max(term, 0)]})
	}
	return matches
}

// cutText cuts at a character.
func cutText(text string) string {
	text = strings.TrimSuffix(text, "\r")
	if len(text) <= maxMatchBytes {
		return text
	}
	end := maxMatchBytes
	for end > maxMatchBytes-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
