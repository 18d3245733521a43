package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"strings"
)

// maxTextBytes bounds a file whose line ends are compared; a larger one counts as changed.
const maxTextBytes = 16 << 20

// sameButLineEnds reports whether content is the blob of n with CRLF in place of LF.
func sameButLineEnds(n *node, content []byte) bool {
	return bytes.Contains(content, []byte("\r\n")) && blobID(n.id, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))) == n.id
}

// converted asks git's attributes which of the paths it checks out with CRLF in place of LF. It costs one process, which
// is needed only for files that differ in nothing else and were touched since git looked at them.
func (r *Repo) converted(ctx context.Context, paths []string) (map[string]bool, error) {
	out := buffer{limit: maxListingBytes}
	input := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	if _, err := r.gitWithInput(ctx, input, &out, "check-attr", "-z", "--stdin", "text", "eol"); err != nil {
		return nil, err
	}
	return parseAttributes(string(out.data), r.autoCRLF)
}

// parseAttributes reads records of "path NUL attribute NUL value NUL". A path is converted when it is text or has a line
// end, unless it is declared not to be text; auto is what holds without any attribute.
func parseAttributes(out string, auto bool) (map[string]bool, error) {
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(fields)%3 != 0 {
		return nil, errListing
	}
	values := map[string]map[string]string{}
	for ; len(fields) > 0; fields = fields[3:] {
		if values[fields[0]] == nil {
			values[fields[0]] = map[string]string{}
		}
		values[fields[0]][fields[1]] = fields[2]
	}
	converted := map[string]bool{}
	for path, v := range values {
		declared := v["text"] != "unspecified" || v["eol"] != "unspecified"
		converted[path] = v["text"] != "unset" && (declared || auto)
	}
	return converted, nil
}

// dropConverted clears the nodes that differ only by line ends that git itself writes. Without an answer
// from git they count as changed.
func (c *changes) dropConverted(ctx context.Context, nodes []node, verdicts []verdict) error {
	var paths []string
	for i, v := range verdicts {
		if v == lineEndsDiffer {
			paths = append(paths, nodes[i].path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	converted, err := c.repo.converted(ctx, paths)
	var failed *gitError
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	for i, v := range verdicts {
		if v == lineEndsDiffer && converted[nodes[i].path] {
			verdicts[i] = same
		}
	}
	return nil
}
