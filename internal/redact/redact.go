package redact

import (
	"slices"
	"strings"
)

// Mask stands where a secret was.
const Mask = "«redacted»"

const (
	minLiteralBytes = 4 // a shorter literal would mask ordinary words
	maxRounds       = 4 // masking one secret can uncover the next; two rounds are the rule
)

// Redactor masks secrets by shape and by name, and literals that the user configured. It is immutable and safe for
// concurrent use.
type Redactor struct {
	literals []string // longest first, so that a literal inside another never leaves a rest
}

// New returns a Redactor that masks the given literals besides everything that looks like a secret. Literals shorter
// than four bytes, and ones that contain Mask, are ignored.
func New(literals []string) *Redactor {
	r := &Redactor{}
	for _, l := range literals {
		if len(l) >= minLiteralBytes && !strings.Contains(l, Mask) {
			r.literals = append(r.literals, l)
		}
	}
	slices.SortFunc(r.literals, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	r.literals = slices.Compact(r.literals)
	return r
}

// Text returns s with every secret replaced by Mask, and s itself when there is none. It accepts any bytes.
func (r *Redactor) Text(s string) string {
	for _, l := range r.literals {
		s = maskLiteral(s, l)
	}
	for range maxRounds {
		found := secrets(s)
		if len(found) == 0 {
			return s
		}
		s = maskSpans(s, found)
	}
	return s
}

// Bytes is Text for bytes: it returns b itself when nothing matches and never changes b.
func (r *Redactor) Bytes(b []byte) []byte {
	s := string(b)
	if t := r.Text(s); t != s {
		return []byte(t)
	}
	return b
}

// Changed reports whether Text would change s.
func (r *Redactor) Changed(s string) bool {
	for _, l := range r.literals {
		if maskLiteral(s, l) != s {
			return true
		}
	}
	return len(secrets(s)) > 0
}

// Refuses reports whether s may not be used where masking is not enough, as in an identifier or in memory that others
// read: Text would change it, or a part of it looks as random as a generated key.
func (r *Redactor) Refuses(s string) bool {
	return r.Changed(s) || hasRandomRun(s)
}

// maskLiteral masks l in s outside of masks that are there already.
func maskLiteral(s, l string) string {
	if !strings.Contains(s, l) {
		return s
	}
	parts := strings.Split(s, Mask)
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, l, Mask)
	}
	return strings.Join(parts, Mask)
}

// span is a half-open range of bytes to be masked.
type span struct{ from, to int }

// maskSpans replaces spans by Mask; spans that overlap or touch become one.
func maskSpans(s string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var out strings.Builder
	out.Grow(len(s))
	done := 0
	for i := 0; i < len(spans); {
		from, to := spans[i].from, spans[i].to
		for i++; i < len(spans) && spans[i].from <= to; i++ {
			to = max(to, spans[i].to)
		}
		out.WriteString(s[done:from])
		out.WriteString(Mask)
		done = to
	}
	out.WriteString(s[done:])
	return out.String()
}

const (
	minRandomRun       = 32  // bytes; shorter runs are names as often as keys
	randomChangesPer16 = 7   // of 16 neighbours, how many differ in class: 10 in random base62, 5 in camel case
	minRandomDigits    = 2   // digits that a generated key of that length all but surely has
	maxRandomRun       = 256 // longer runs are data, not keys
)

// hasRandomRun finds a long run of letters and digits in which lower case, upper case and digits alternate as they do
// in generated keys. Hexadecimal of one case, UUIDs and Crockford identifiers have no such run.
func hasRandomRun(s string) bool {
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && (isAlnum(s[j]) || s[j] == '+' || s[j] == '/') {
			j++
		}
		if n := j - i; n >= minRandomRun && n <= maxRandomRun && looksRandom(s[i:j]) {
			return true
		}
		i = j + 1
	}
	return false
}

func looksRandom(run string) bool {
	var seen [3]int
	changes, last := 0, -1
	for i := range len(run) {
		class := alnumClass(run[i])
		if class < 0 {
			continue
		}
		seen[class]++
		if last >= 0 && class != last {
			changes++
		}
		last = class
	}
	return seen[0] > 0 && seen[1] > 0 && seen[2] >= minRandomDigits && changes*16 >= len(run)*randomChangesPer16
}

func alnumClass(b byte) int {
	switch {
	case isLower(b):
		return 0
	case isUpper(b):
		return 1
	case isDigit(b):
		return 2
	}
	return -1
}
