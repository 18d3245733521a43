package config

import (
	"fmt"
	"strings"
)

const maxShownValue = 80 // bytes of a wrong value that a message repeats

// sentence says what is wrong, where, and what would be right.
func (f fault) sentence(others int) string {
	var b strings.Builder
	b.WriteString(strings.ToUpper(f.file[:1]) + f.file[1:])
	if f.line > 0 {
		fmt.Fprintf(&b, ":%d", f.line)
	}
	switch {
	case f.key == "":
		fmt.Fprintf(&b, " cannot be used: %s", f.received)
	case f.wrong != "":
		fmt.Fprintf(&b, ": %s %s", f.key, f.wrong)
	case f.received == "":
		fmt.Fprintf(&b, ": %s has no usable value", f.key)
	default:
		fmt.Fprintf(&b, ": %s is %q", f.key, clip(f.received))
	}
	if f.expected != "" {
		fmt.Fprintf(&b, "; give %s", f.expected)
	}
	b.WriteByte('.')
	if others > 0 {
		fmt.Fprintf(&b, " (%d more after this one.)", others)
	}
	return b.String()
}

func clip(s string) string {
	if len(s) <= maxShownValue {
		return s
	}
	return strings.ToValidUTF8(s[:maxShownValue], "") + "…"
}
