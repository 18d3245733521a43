package discovery

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quality of a hit, from the whole word to a coincidence of letters.
const (
	wholeWord  = 1.0
	sameStem   = 0.6
	insideWord = 0.1
)

// text is a line or a path prepared for matching.
type text struct {
	original string
	lower    string
}

func newText(s string) text { return text{original: s, lower: strings.ToLower(s)} }

// quality returns how well t's term stands in the text, 0 when it does not.
func (x text) quality(t term) float64 {
	best := 0.0
	for from := 0; best < wholeWord; {
		at := strings.Index(x.lower[from:], t.needle)
		if at < 0 {
			break
		}
		at += from
		best = max(best, x.qualityAt(t, at))
		from = at + len(t.needle)
	}
	return best
}

func (x text) qualityAt(t term, at int) float64 {
	if !x.startsPart(at) {
		return insideWord
	}
	if strings.HasPrefix(x.lower[at:], t.lower) && x.endsPart(at+len(t.lower)) {
		return wholeWord
	}
	return sameStem
}

// startsPart reports whether a word, or a word inside a compound identifier, begins at byte i.
func (x text) startsPart(i int) bool {
	before, _ := utf8.DecodeLastRuneInString(x.lower[:i])
	if !unicode.IsLetter(before) {
		return true
	}
	if len(x.lower) != len(x.original) { // lower case moved the bytes; inner capitals cannot be found
		return false
	}
	r, _ := utf8.DecodeRuneInString(x.original[i:])
	was, _ := utf8.DecodeLastRuneInString(x.original[:i])
	return unicode.IsUpper(r) && !unicode.IsUpper(was)
}

func (x text) endsPart(i int) bool {
	r, _ := utf8.DecodeRuneInString(x.lower[i:])
	if !unicode.IsLetter(r) {
		return true
	}
	if len(x.lower) != len(x.original) {
		return false
	}
	r, _ = utf8.DecodeRuneInString(x.original[i:])
	return unicode.IsUpper(r)
}

// definedName returns the name that a line defines ("func (s *Store) Open(" defines Open), or "".
func definedName(line string) string {
	rest := strings.TrimLeft(line, " \t")
	for {
		word, after, _ := strings.Cut(rest, " ")
		switch word {
		case "export", "default", "pub", "pub(crate)", "public", "private", "protected", "internal", "static", "async",
			"abstract", "final", "override", "unsafe", "extern", "inline", "sealed", "data", "open":
			rest = strings.TrimLeft(after, " ")
			continue
		case "func", "function", "function*", "def", "class", "type", "const", "var", "let", "fn", "struct", "enum",
			"interface", "trait", "module", "mod", "impl", "fun", "record", "protocol", "object", "macro_rules!":
			return firstName(withoutReceiver(word, after))
		}
		return ""
	}
}

// withoutReceiver strips the receiver of a Go method.
func withoutReceiver(keyword, rest string) string {
	rest = strings.TrimLeft(rest, " ")
	if keyword != "func" || !strings.HasPrefix(rest, "(") {
		return rest
	}
	_, after, found := strings.Cut(rest, ")")
	if !found {
		return ""
	}
	return strings.TrimLeft(after, " ")
}

func firstName(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if end < 0 {
		return s
	}
	return s[:end]
}
