package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON returns b with secrets masked inside its strings, keys included, and every other byte as it was. A string is
// judged by its decoded text, so an escaped secret is found; one that holds a secret is written anew. The value of a key
// that is a secret's name, and the element after one like "--token", are masked whole. Bytes that are not valid JSON are
// masked as text. It returns b itself when nothing matches, never changes b, and keeps valid JSON valid.
func (r *Redactor) JSON(b []byte) []byte {
	if !json.Valid(b) {
		return r.Bytes(b)
	}
	w := walk{redactor: r, in: string(b)}
	for from, end := 0, 0; ; from = end {
		quote := strings.IndexByte(w.in[from:], '"')
		if quote < 0 {
			break
		}
		end = stringEnd(w.in, from+quote)
		w.token(from+quote, end)
	}
	if w.out == nil {
		return b
	}
	return append(w.out, b[w.copied:]...)
}

// walk is a pass over the strings of a valid JSON document.
type walk struct {
	redactor   *Redactor
	in         string
	out        []byte
	copied     int  // bytes of in that out holds, masked
	secretKey  bool // the last key is a secret's name
	secretFlag bool // the last string is a command-line flag that takes a secret
	last       int  // end of the last string
}

// token handles the string in[from:to], quotes included.
func (w *walk) token(from, to int) {
	text := decode(w.in[from:to])
	var masked string
	switch before := w.before(from); {
	case before == ':' && w.secretKey, before == ',' && w.secretFlag && w.adjacent(from):
		masked = maskWhole(text)
	default:
		masked = w.redactor.Text(text)
	}
	w.secretFlag = false
	if isKey := w.after(to) == ':'; isKey || strings.HasPrefix(text, "--") {
		secret := SecretName(text) || SecretName(masked) // masked too: masking again must find nothing new
		w.secretKey, w.secretFlag = isKey && secret, !isKey && secret
	}
	w.last = to
	if masked == text {
		return
	}
	w.out = append(w.out, w.in[w.copied:from]...)
	w.out = append(w.out, encode(masked)...)
	w.copied = to
}

// before returns the byte before from that is no white space; 0 at the beginning.
func (w *walk) before(from int) byte {
	for i := from - 1; i >= 0; i-- {
		if w.in[i] > ' ' {
			return w.in[i]
		}
	}
	return 0
}

// after returns the byte from to on that is no white space; 0 at the end.
func (w *walk) after(to int) byte {
	for i := to; i < len(w.in); i++ {
		if w.in[i] > ' ' {
			return w.in[i]
		}
	}
	return 0
}

// adjacent reports whether only a comma separates the last string from the one at from.
func (w *walk) adjacent(from int) bool {
	return strings.TrimSpace(w.in[w.last:from]) == ","
}

// stringEnd returns the offset behind the string that begins at s[from].
func stringEnd(s string, from int) int {
	for i := from + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// decode returns the text of a JSON string.
func decode(quoted string) string {
	inner := quoted[1 : len(quoted)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var text string
	if err := json.Unmarshal([]byte(quoted), &text); err != nil {
		return inner // not reached: the document is valid
	}
	return text
}

// encode writes text as a JSON string without escaping HTML.
func encode(text string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return []byte(`"` + Mask + `"`) // not reached: a string always encodes
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// maskWhole masks a value whose key says that it is a secret.
func maskWhole(text string) string {
	if len(text) < minQuoted || text == Mask || isHarmless(text, "") {
		return text
	}
	return Mask
}

// SecretName reports whether a key, a flag or a variable is named like a secret: what it holds is masked whatever its
// shape.
func SecretName(name string) bool {
	if len(name) > 2*maxName {
		return false
	}
	found := false
	engine().each(name, func(o output, _ int) { found = found || o.rule == assignedRule })
	return found && !isHarmlessName(name)
}
