package code

import "strings"

// pyBlock is a def or class whose body is still open.
type pyBlock struct {
	indent     int
	definition int // index among the facts' definitions
	name       string
	class      bool
}

// readPython reads imports anywhere, and functions and classes with the extent of their indentation.
func readPython(r *reader) {
	var open []pyBlock
	for i := 0; i < len(r.tokens); {
		indent := pyIndent(r, i)
		for n := len(open); n > 0 && open[n-1].indent >= indent; n-- {
			pyClose(r, open[n-1], i-1)
			open = open[:n-1]
		}
		next := pyLineEnd(r, i)
		open = pyLine(r, i, next, indent, open)
		i = next
	}
	for _, b := range open {
		pyClose(r, b, len(r.tokens)-1)
	}
}

func pyClose(r *reader, b pyBlock, at int) {
	if b.definition >= 0 {
		d := &r.facts.Definitions[b.definition]
		d.EndLine = max(d.StartLine, r.endLine(at))
	}
}

// pyIndent is the column of a token, which is the first of its line; a tab goes to the next multiple of eight.
func pyIndent(r *reader, i int) int {
	start := int(r.tokens[i].start)
	begin := start
	for begin > 0 && (r.src[begin-1] == ' ' || r.src[begin-1] == '\t' || r.src[begin-1] == '\f') {
		begin--
	}
	column := 0
	for _, c := range r.src[begin:start] {
		if c == '\t' {
			column = column/8*8 + 8
			continue
		}
		column++
	}
	return column
}

// pyLineEnd is the first token of the next logical line: brackets and a backslash continue one.
func pyLineEnd(r *reader, i int) int {
	j := r.past(i)
	for j < len(r.tokens) && (r.endLine(j-1) >= r.line(j) || r.at(j-1) == '\\') {
		j = r.past(j)
	}
	return j
}

// pyLine reads the logical line from i up to next.
func pyLine(r *reader, i, next, indent int, open []pyBlock) []pyBlock {
	start := i
	if r.is(i, "async") {
		i++
	}
	switch {
	case r.is(i, "import"):
		pyImport(r, i, next)
	case r.is(i, "from"):
		pyFrom(r, i, next)
	case (r.is(i, "def") || r.is(i, "class")) && r.kind(i+1) == word:
		kind, parent := "func", ""
		if n := len(open); n > 0 && open[n-1].class {
			kind, parent = "method", open[n-1].name
		}
		class := r.is(i, "class")
		if class {
			kind = "class"
		}
		before := len(r.facts.Definitions)
		r.define(kind, parent, i+1, start, next-1)
		b := pyBlock{indent: indent, definition: before, name: r.text(i + 1), class: class}
		if len(r.facts.Definitions) == before {
			b.definition = -1
		}
		return append(open, b)
	case indent == 0 && r.kind(i) == word && (r.at(i+1) == '=' && r.at(i+2) != '=' || r.at(i+1) == ':'):
		if !pyKeyword(r.text(i)) {
			r.define("var", "", i, i, next-1)
		}
	}
	return open
}

func pyKeyword(s string) bool {
	switch s {
	case "else", "try", "finally", "lambda", "if", "for", "while", "with":
		return true
	}
	return false
}

// dotted reads a name with dots from i and returns the index behind it.
func (r *reader) dotted(i, limit int) (string, int) {
	var b strings.Builder
	for i < limit && (r.kind(i) == word || r.at(i) == '.') {
		if r.kind(i) == word && r.kind(i-1) == word && b.Len() > 0 {
			break
		}
		if r.is(i, "import") {
			break
		}
		b.WriteString(r.text(i))
		i++
	}
	return b.String(), i
}

func pyImport(r *reader, i, next int) {
	for j := i + 1; j < next; {
		path, after := r.dotted(j, next)
		r.require(path, r.line(j))
		if r.is(after, "as") && after+1 < next {
			if n := len(r.facts.Imports); n > 0 && path != "" {
				r.facts.Imports[n-1].Alias = r.text(after + 1)
			}
			after += 2
		}
		if r.at(after) != ',' {
			return
		}
		j = after + 1
	}
}

func pyFrom(r *reader, i, next int) {
	path, j := r.dotted(i+1, next)
	if !r.is(j, "import") {
		return
	}
	var names []string
	for k := j + 1; k < next; k++ {
		if r.is(k, "as") {
			k++
			continue
		}
		if r.kind(k) == word || r.at(k) == '*' {
			names = append(names, r.text(k))
		}
	}
	r.require(path, r.line(i), names...)
}
