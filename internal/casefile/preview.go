package casefile

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"strings"
	"unicode/utf8"

	"cortex/internal/problem"
)

// Preview is the part of an artifact that is shown.
type Preview struct {
	Content       string `json:"content"`
	Encoding      string `json:"encoding,omitempty"` // EncodingText or EncodingBase64
	Sensitive     bool   `json:"sensitive,omitempty"`
	Truncated     bool   `json:"truncated"`     // there is more than Content
	MaxBytes      int    `json:"maxBytes"`      // of the artifact that Content may show
	BytesReturned int    `json:"bytesReturned"` // of the artifact, before any encoding
}

// The encodings of a preview.
const (
	EncodingText   = "text"
	EncodingBase64 = "base64"
)

// PreviewLimit returns the bytes that a preview may show: 0 asks for the default, and more than MaxPreview for that.
func PreviewLimit(asked int) (int, error) {
	switch {
	case asked < 0:
		return 0, invalid("maxBytes", asked, "1 to 131072", "maxBytes must be above zero (got %d).", asked)
	case asked == 0:
		return DefaultPreview, nil
	}
	return min(asked, MaxPreview), nil
}

// TextPreview shows the first limit bytes of a text, cut at a character. more says that the text goes on behind what is
// given. It must be masked: half a secret would not be found.
func TextPreview(masked string, limit int, more bool) Preview {
	shown := clip(masked, limit)
	return Preview{
		Content: shown, Encoding: EncodingText, Truncated: more || len(shown) < len(masked), MaxBytes: limit, BytesReturned: len(shown),
	}
}

// BinaryPreview shows the first limit bytes of data, which nobody can read and so nobody has judged: it is sensitive.
func BinaryPreview(data []byte, limit int, more bool) Preview {
	shown := data[:min(len(data), limit)]
	return Preview{
		Content: base64.StdEncoding.EncodeToString(shown), Encoding: EncodingBase64, Sensitive: true,
		Truncated: more || len(shown) < len(data), MaxBytes: limit, BytesReturned: len(shown),
	}
}

// Shrink cuts the content so that its JSON becomes at least excess bytes shorter, or empty.
func (p *Preview) Shrink(excess int) {
	if p.Encoding == EncodingBase64 {
		p.Content = p.Content[:max(0, len(p.Content)-excess)/4*4]
		p.BytesReturned = base64.StdEncoding.DecodedLen(len(p.Content))
		p.Truncated = true
		return
	}
	left, end := 0, 0
	for _, r := range p.Content {
		left += jsonBytes(r)
	}
	for left -= excess; end < len(p.Content); {
		r, size := utf8.DecodeRuneInString(p.Content[end:])
		if left -= jsonBytes(r); left < 0 {
			break
		}
		end += size
	}
	p.Content, p.BytesReturned, p.Truncated = p.Content[:end], end, true
}

// jsonBytes is the length of a character inside a JSON string whose HTML characters stay as they are.
func jsonBytes(r rune) int {
	switch {
	case strings.ContainsRune("\"\\\n\r\t\b\f", r):
		return 2
	case r < ' ' || r == '\u2028' || r == '\u2029':
		return 6
	}
	return utf8.RuneLen(r)
}

// Binary reports whether data is no text: it is not UTF-8, holds a NUL or another control character that no terminal
// output has, or begins like a file format that is binary even where its first bytes are letters.
func Binary(data []byte) bool {
	for _, magic := range []string{"GIF87a", "GIF89a", "%PDF-"} { // the other formats show themselves by control bytes
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return !utf8.Valid(data) || bytes.ContainsFunc(data, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\a\b\t\n\v\f\r\x1b", r) || r == 0x7f
	})
}

// WholeRunes drops an incomplete character from the end of data.
func WholeRunes(data []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if start := len(data) - back; utf8.RuneStart(data[start]) {
			if !utf8.FullRune(data[start:]) {
				return data[:start]
			}
			break
		}
	}
	return data
}

// BinaryRefused says that an artifact is no text and how it can be had all the same.
func BinaryRefused(taskID, ref, path string) error {
	args := map[string]any{"taskId": taskID, "ref": ref, "allowBinary": true}
	what := ref
	if path != "" {
		args["path"] = path
		what = path + " of " + ref
	}
	return problem.New(problem.BinaryArtifact, "%s is binary and is not shown as text.", what).About(taskID, "").
		With(problem.Step{Op: "read-artifact", Args: args, Why: "have its first bytes in base64, as sensitive data"})
}

// CheckArtifactPath refuses a path into anything but a stash, and one that is not plainly below it: absolute, with "." or
// "..", with backslashes.
func CheckArtifactPath(path string, ref Reference) error {
	if len(path) > MaxArtifactPath {
		return tooLarge("path", len(path), MaxArtifactPath, "bytes")
	}
	drive := len(path) > 1 && path[1] == ':'
	if !fs.ValidPath(path) || path == "." || drive || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == '\\' }) {
		return invalid("path", path, "a relative path such as logs/run.txt", "path %q does not lie plainly below the artifact.", clip(path, MaxIdentifier))
	}
	if ref.Kind != RefStash {
		return invalid("path", path, "no path", "path is for stashes: %s is one file.", ref.Text)
	}
	return nil
}
