package tool

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"cortex/internal/problem"
)

// Bounds of what is taken from fcheap.
const (
	maxStashHits  = 50
	maxStashFiles = 10_000
	maxStashID    = 256 // bytes
)

// StashInfo is what fcheap knows of one stash.
type StashInfo struct {
	ID    string
	Files []File // paths relative to the stash, with slashes
}

// StashLine is one stash of a list.
type StashLine struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Tool  string   `json:"tool"`
	Tags  []string `json:"tags"`
	Files int      `json:"file_count"`
}

// StashHit is one passage of a stash that a search found.
type StashHit struct {
	Stash string  `json:"stash_id"`
	Score float64 `json:"score"`
	Text  string  `json:"text"`
	File  string  `json:"file"`
}

// StashLink is one place of a directory that a stash is connected with.
type StashLink struct {
	File  string  `json:"file"`
	Line  int     `json:"line"`
	Score float64 `json:"score"`
	Text  string  `json:"text"`
}

// FcheapInfo asks what a stash holds. An answer about another stash, or with a path that is none, is partial.
func (r Runner) FcheapInfo(ctx context.Context, id string) (StashInfo, Answer) {
	if !stashID(id) {
		return StashInfo{}, notAStash("info", id)
	}
	a := r.run(ctx, call{tool: Fcheap, operation: "info", args: []string{"info", id, "--json"}, repeat: true})
	return parseStashInfo(&a, id), a
}

func parseStashInfo(a *Answer, id string) StashInfo {
	var said struct {
		ID    string `json:"id"`
		Files []struct {
			Path string `json:"path"`
			Size *int64 `json:"size"`
		} `json:"files"`
	}
	if !a.decode(&said, "id", "files") {
		return StashInfo{}
	}
	if said.ID != id {
		a.partly("it was asked about the stash %s and answered about %q", id, clip(said.ID, 60))
		return StashInfo{}
	}
	info := StashInfo{ID: id}
	for _, f := range said.Files {
		if len(info.Files) == maxStashFiles || !fs.ValidPath(f.Path) || f.Path == "." || f.Size == nil || *f.Size < 0 {
			a.partly("not every one of the %d files that it names has a path and a size that can be used", len(said.Files))
			continue
		}
		info.Files = append(info.Files, File{Path: f.Path, Size: *f.Size})
	}
	return info
}

// FcheapSave keeps a file or directory as a stash that a tool made and returns its id. It is never tried again.
func (r Runner) FcheapSave(ctx context.Context, path, maker string, tags []string, index bool) (string, Answer) {
	args := []string{"save", path, "--json", "--tool", maker}
	for _, tag := range tags {
		args = append(args, "--tag", tag)
	}
	if index {
		args = append(args, "--index")
	}
	if !filepath.IsAbs(path) {
		a := Answer{Tool: Fcheap, Operation: "save", Exit: -1}
		a.downgrade(Failed, "the path to keep must be absolute, not %q", clip(path, 120))
		return "", a
	}
	a := r.run(ctx, call{tool: Fcheap, operation: "save", args: args})
	return parseSaved(&a), a
}

func parseSaved(a *Answer) string {
	var said struct {
		ID string `json:"id"`
	}
	if !a.decode(&said, "id") {
		return ""
	}
	if !stashID(said.ID) {
		a.partly("it names the stash %q, which is no plain name", clip(said.ID, 60))
		return ""
	}
	return said.ID
}

// FcheapSearch asks all stashes that are indexed for text, best first. Nothing indexed is the same as nothing found.
func (r Runner) FcheapSearch(ctx context.Context, query string, limit int) ([]StashHit, Answer) {
	limit = min(max(limit, 1), maxStashHits)
	a := r.run(ctx, call{tool: Fcheap, operation: "search", args: []string{"search", operand(query), "--limit", strconv.Itoa(limit), "--json"}, repeat: true})
	return parseStashHits(&a), a
}

func parseStashHits(a *Answer) []StashHit {
	hits, ok := listOf[StashHit](a)
	if !ok {
		return nil
	}
	var kept []StashHit
	for _, h := range hits[:min(len(hits), maxStashHits)] {
		if !stashID(h.Stash) {
			a.partly("a hit names the stash %q, which is no plain name", clip(h.Stash, 60))
			continue
		}
		kept = append(kept, h)
	}
	return kept
}

// FcheapList lists the stashes with a tag; "" lists all.
func (r Runner) FcheapList(ctx context.Context, tag string) ([]StashLine, Answer) {
	args := []string{"list", "--json"}
	if tag != "" {
		args = append(args, "--tag", tag)
	}
	a := r.run(ctx, call{tool: Fcheap, operation: "list", args: args, repeat: true})
	return parseStashList(&a), a
}

func parseStashList(a *Answer) []StashLine {
	lines, ok := listOf[StashLine](a)
	if !ok {
		return nil
	}
	var kept []StashLine
	for _, l := range lines {
		if !stashID(l.ID) {
			a.partly("it lists the stash %q, which is no plain name", clip(l.ID, 60))
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// FcheapConnect asks which places of the workspace a stash is about. Without an index of the workspace the answer is partial.
func (r Runner) FcheapConnect(ctx context.Context, id, query string, limit int) ([]StashLink, Answer) {
	if !stashID(id) {
		return nil, notAStash("connect", id)
	}
	limit = min(max(limit, 1), maxStashHits)
	args := []string{"connect", id, r.Workspace, "--limit", strconv.Itoa(limit), "--json"}
	if query != "" {
		args = append(args, "--query", operand(query))
	}
	a := r.run(ctx, call{tool: Fcheap, operation: "connect", args: args, repeat: true})
	return r.parseStashLinks(&a), a
}

func (r Runner) parseStashLinks(a *Answer) []StashLink {
	var said struct {
		Matches []StashLink `json:"matches"`
		Index   string      `json:"index_status"`
	}
	if !a.decode(&said, "matches", "index_status") {
		return nil
	}
	if said.Index != "indexed" {
		a.partly("its index of the workspace is %q", clip(said.Index, 40))
	}
	var kept []StashLink
	for _, m := range said.Matches[:min(len(said.Matches), maxStashHits)] {
		file, ok := r.within(m.File)
		if !ok || m.Line < 0 {
			a.partly("not every match is a place in the workspace")
			continue
		}
		m.File = file
		kept = append(kept, m)
	}
	return kept
}

// FcheapRestore has a stash restored into a new directory, which the caller closes; nil unless the answer is OK.
func (r Runner) FcheapRestore(ctx context.Context, id string) (*Stash, Answer) {
	if !stashID(id) {
		return nil, notAStash("restore", id)
	}
	s, err := newStash()
	if err != nil {
		a := Answer{Tool: Fcheap, Operation: "restore", Exit: -1}
		a.downgrade(Failed, "%v", err)
		return nil, a
	}
	a := r.run(ctx, call{
		tool: Fcheap, operation: "restore", args: []string{"restore", id, "--to", s.dir, "--json"}, dir: s.dir, repeat: true,
	})
	if !a.declined() && a.Exit == 0 && a.OK() { // what it says of the files does not matter: they are there
		a.Class, a.Cause = Authoritative, ""
		return s, a
	}
	if err := s.Close(); err != nil {
		a.Cause += fmt.Sprintf("; and %v", err)
	}
	return nil, a
}

// RestoreStash is FcheapRestore for a caller that can do nothing without the files. The error is a *problem.Problem, or
// that of ctx.
func (r Runner) RestoreStash(ctx context.Context, id string) (*Stash, error) {
	s, a := r.FcheapRestore(ctx, id)
	switch {
	case s != nil:
		return s, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case a.Class == Unavailable:
		return nil, unavailable("fcheap cannot be used: %s.", a.Cause).
			Without("install fcheap and have it on PATH, then call again; or restore the stash where it is installed")
	case a.TimedOut:
		return nil, unavailable("fcheap restore %s.", a.Cause).Without("call again when fcheap answers faster")
	}
	return nil, unavailable("fcheap restore failed: %s.", a.Cause).Without("see with fcheap list whether the stash is still there")
}

func unavailable(format string, args ...any) *problem.Problem {
	return problem.New(problem.ToolUnavailable, format, args...)
}

// stashID reports whether an id is a plain name: it can be neither an option nor a path.
func stashID(id string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return id != "" && len(id) <= maxStashID && strings.ContainsRune(letters, rune(id[0])) &&
		!strings.ContainsFunc(id, func(c rune) bool { return !strings.ContainsRune(letters+"-_.", c) })
}

func notAStash(operation, id string) Answer {
	a := Answer{Tool: Fcheap, Operation: operation, Exit: -1}
	a.downgrade(Failed, "%q is not the id of a stash", clip(id, 60))
	return a
}
