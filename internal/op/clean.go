package op

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Clean makes text from anywhere safe to print: control characters except newline and tab, and characters that reorder
// or hide what is shown, are written as escapes such as \x1b and \u202e. Bytes that are no UTF-8 become \xNN.
func Clean(s string) string {
	if !strings.ContainsFunc(s, unprintable) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unprintable(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// Line is Clean of text that has to stay on its line, such as a path: line ends and tabs are escapes as well.
func Line(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Clean(s))
}

// CleanJSON writes what Clean would change as escapes of JSON. The value stays the same; a terminal that it is printed to
// obeys nothing in it.
func CleanJSON(raw []byte) []byte {
	if !bytes.ContainsFunc(raw, unprintable) {
		return raw
	}
	out := make([]byte, 0, len(raw)+len(raw)/8)
	for _, r := range string(raw) {
		switch high, low := utf16.EncodeRune(r); {
		case !unprintable(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func unprintable(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r <= 0x9f: // C0, DEL, C1
		return true
	}
	switch {
	case r == 0x200B || r == 0x2060 || r == 0xFEFF || r >= 0xE0000 && r <= 0xE007F: // of no width, and tags
		return true
	case r == 0x2028 || r == 0x2029: // ends of lines
		return true
	}
	// Marks, embeddings, overrides and isolates that change the order of what is shown.
	return r == 0x061C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
