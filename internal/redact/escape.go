package redact

import "strings"

// begins reports whether a token can begin at s[at]: no letter or digit is before it, or one that ends an escape
// sequence. Output that was written as JSON, as a URL or for a terminal has such sequences where its words end.
func begins(s string, at int) bool {
	return at == 0 || !isAlnum(s[at-1]) || escapeEnds(s, at)
}

// behindEscapes returns the offset in s[from:to] behind the last escape sequence that ends there, from when none does.
func behindEscapes(s string, from, to int) int {
	for at := to; at > from; at-- {
		if escapeEnds(s, at) {
			return at
		}
	}
	return from
}

// escapeEnds reports whether an escape sequence ends before s[at]: \n, \x1b, \u000a, %3D, or a terminal's colour.
func escapeEnds(s string, at int) bool {
	switch {
	case at >= 2 && s[at-2] == '\\' && strings.IndexByte("abefnrtv0", s[at-1]) >= 0,
		at >= 3 && s[at-3] == '%' && allHex(s[at-2:at]),
		at >= 4 && s[at-4:at-2] == `\x` && allHex(s[at-2:at]),
		at >= 6 && s[at-6:at-4] == `\u` && allHex(s[at-4:at]):
		return true
	case at >= 2 && s[at-1] == 'm':
		i := at - 2
		for i > 0 && (isDigit(s[i]) || s[i] == ';') {
			i--
		}
		return s[i] == '['
	}
	return false
}

func allHex(s string) bool { return run(s, 0, isHex) == len(s) }
