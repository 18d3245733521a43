package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrUnknownRevision says that git knows no commit of a name.
var ErrUnknownRevision = errors.New("no commit of that name")

// Resolve returns the full id of the commit that a name means: a branch, a tag, an id, HEAD~2. A name that git does not
// know, or that looks like an option, is ErrUnknownRevision.
func (r *Repo) Resolve(ctx context.Context, name string) (string, error) {
	if name == "" || name[0] == '-' || strings.ContainsAny(name, "\x00\n") {
		return "", ErrUnknownRevision
	}
	out, _, err := r.output(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	var failed *gitError
	switch id := strings.TrimSpace(out); {
	case errors.As(err, &failed):
		return "", ErrUnknownRevision
	case err != nil:
		return "", fmt.Errorf("resolve %s: %w", name, err)
	case !isFullID(id):
		return "", ErrUnknownRevision
	default:
		return id, nil
	}
}

// maxPastBytes bounds what Contents keeps of all files.
const maxPastBytes = 256 << 20

// Contents returns the files of a commit by path, in one git process. A path that the commit does not have as a file, or
// that holds a line end, is missing from the answer, and so is a file of more than limit bytes.
func (r *Repo) Contents(ctx context.Context, commit string, paths []string, limit int) (map[string][]byte, error) {
	out := map[string][]byte{}
	var ask strings.Builder
	var asked []string
	for _, p := range paths {
		if validPath(p) && !strings.ContainsAny(p, "\n\x00") {
			fmt.Fprintf(&ask, "%s:%s\n", commit, p)
			asked = append(asked, p)
		}
	}
	if len(asked) == 0 || !isFullID(commit) {
		return out, nil
	}
	answer := buffer{limit: maxPastBytes}
	if _, err := r.gitWithInput(ctx, strings.NewReader(ask.String()), &answer, "cat-file", "--batch"); err != nil {
		return nil, fmt.Errorf("read commit: %w", err)
	}
	rest := answer.data
	for _, p := range asked {
		head, body, ok := bytes.Cut(rest, []byte{'\n'})
		if !ok {
			break // more than can be kept: the others are missing
		}
		rest = body
		fields := strings.Fields(string(head))
		if len(fields) != 3 || !isFullID(fields[0]) { // "… missing"
			continue
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size < 0 || size+1 > len(rest) {
			break
		}
		if fields[1] == "blob" && size <= limit {
			out[p] = rest[:size:size]
		}
		rest = rest[size+1:]
	}
	return out, nil
}
