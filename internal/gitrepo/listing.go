package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// node is one path that the worktree or the index has.
type node struct {
	path     string
	tracked  bool
	nested   bool // git lists it as an untracked directory that is a repository of its own
	unmerged bool
	intent   bool // added without content (git add -N)
	skip     bool // marked skip-worktree: absent by choice
	mode     string
	id       string    // blob, or commit of a submodule, in the index
	recorded indexStat // what the index remembers of the file; zero when unknown

	found lookup
	stat  fileStat
}

func (n *node) gitlink() bool { return n.tracked && n.mode == gitlinkMode }

// indexStat is the part of a file's stat that the index keeps, truncated to 32 bits as git does.
type indexStat struct {
	ctimeSec, ctimeNsec, mtimeSec, mtimeNsec, ino, size uint32
}

// listing is what one `git ls-files` says.
type listing struct {
	nodes      []node // sorted by path, unique
	own        bool   // there was Cortex state among them, left out
	unreadable []string
	indexTime  int64 // mtime of the index in ns before it was read; 0 when there is none
}

var listArgs = []string{"-z", "-v", "-t", "-s", "-c", "-o", "--exclude-standard", "--debug"}

// list asks git for every tracked path and every untracked one that is not ignored. Git reads no file content for it, so
// no filter runs.
func (r *Repo) list(ctx context.Context) (listing, error) {
	var l listing
	if info, err := os.Stat(filepath.Join(r.GitDir, "index")); err == nil {
		l.indexTime = info.ModTime().UnixNano()
	}
	out, stderr, err := r.output(ctx, "ls-files", listArgs...)
	if err != nil {
		return l, fmt.Errorf("list files: %w", err)
	}
	nodes, err := parseListing(out)
	if err != nil {
		return l, fmt.Errorf("list files: %w", err)
	}
	l.unreadable = unreadableDirs(stderr)
	l.nodes = slices.DeleteFunc(nodes, func(n node) bool {
		own := isOwn(n.path)
		l.own = l.own || own
		return own
	})
	return l, nil
}

// unreadableDirs takes from git's warnings the directories that it could not list.
func unreadableDirs(stderr string) []string {
	var dirs []string
	for line := range strings.Lines(stderr) {
		if rest, ok := strings.CutPrefix(line, "warning: could not open directory '"); ok {
			name, _, _ := strings.Cut(rest, "'")
			dirs = append(dirs, strings.TrimSuffix(name, "/"))
		}
	}
	return dirs
}

var errListing = errors.New("git answered in an unknown form")

// parseListing reads the output of `git ls-files` with listArgs: untracked "? path NUL", tracked
// "TAG mode id stage TAB path NUL" followed by five lines of what the index remembers. The nodes come sorted by path and
// merged: the stages of a conflict, and a tracked file that has become a repository, are one node.
func parseListing(out string) ([]node, error) {
	nodes := make([]node, 0, strings.Count(out, "\x00"))
	for out != "" {
		record, rest, ok := strings.Cut(out, "\x00")
		if !ok || len(record) < 3 || record[1] != ' ' {
			return nil, errListing
		}
		out = rest
		n := node{path: record[2:]}
		if record[0] == '?' {
			n.path = strings.TrimSuffix(n.path, "/")
			n.nested = n.path != record[2:]
		} else {
			if !n.parseTracked(record[0], record[2:]) {
				return nil, errListing
			}
			out = n.parseDebug(out)
		}
		if !validPath(n.path) {
			return nil, errListing
		}
		nodes = append(nodes, n)
	}
	slices.SortStableFunc(nodes, func(a, b node) int { return strings.Compare(a.path, b.path) })
	return mergeNodes(nodes), nil
}

// validPath refuses what would lead out of the worktree; git never lists such a path.
func validPath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// parseTracked reads "mode id stage TAB path".
func (n *node) parseTracked(tag byte, text string) bool {
	head, path, ok := strings.Cut(text, "\t")
	fields := strings.Split(head, " ")
	if !ok || len(fields) != 3 || len(fields[0]) != 6 || !isFullID(fields[1]) {
		return false
	}
	n.tracked, n.mode, n.id, n.path = true, fields[0], fields[1], path
	n.unmerged = fields[2] != "0"
	n.skip = tag == 'S' || tag == 's'
	return true
}

// parseDebug reads the lines that --debug adds and returns what follows them. Another form is no error: the index then
// remembers nothing and files are compared by content.
func (n *node) parseDebug(out string) string {
	if !strings.HasPrefix(out, "  ctime: ") {
		return out
	}
	var lines [5]string
	for i := range lines {
		line, rest, ok := strings.Cut(out, "\n")
		if !ok {
			return out
		}
		lines[i], out = line, rest
	}
	var s indexStat
	var flags uint64
	ok := scanPair(lines[0], "  ctime: ", ":", &s.ctimeSec, &s.ctimeNsec) &&
		scanPair(lines[1], "  mtime: ", ":", &s.mtimeSec, &s.mtimeNsec)
	_, ino, _ := strings.Cut(lines[2], "\tino: ")
	size, hex, _ := strings.Cut(strings.TrimPrefix(lines[4], "  size: "), "\tflags: ")
	ok = ok && scanNumber(ino, &s.ino) && scanNumber(size, &s.size)
	if f, err := strconv.ParseUint(hex, 16, 64); err == nil {
		flags = f
	}
	if ok {
		n.recorded = s
	}
	n.intent = flags&(1<<29) != 0
	return out
}

func scanPair(line, prefix, sep string, a, b *uint32) bool {
	left, right, ok := strings.Cut(strings.TrimPrefix(line, prefix), sep)
	return ok && scanNumber(left, a) && scanNumber(right, b)
}

func scanNumber(text string, to *uint32) bool {
	v, err := strconv.ParseUint(text, 10, 32)
	*to = uint32(v)
	return err == nil
}

// mergeNodes makes one node of neighbours with the same path.
func mergeNodes(nodes []node) []node {
	out := nodes[:0]
	for _, n := range nodes {
		if len(out) == 0 || out[len(out)-1].path != n.path {
			out = append(out, n)
			continue
		}
		last := &out[len(out)-1]
		nested, unmerged := last.nested || n.nested, last.unmerged || n.unmerged
		if n.tracked && !last.tracked {
			*last = n
		}
		last.nested, last.unmerged = nested, unmerged
	}
	return out
}
