package code

import (
	"bytes"
	"strings"
)

// reader walks the tokens of one file and adds to its facts. Every method takes any index and answers for one outside the
// file as for a token that is nothing.
type reader struct {
	row     *language
	src     []byte
	tokens  []token
	closing []int32 // for each opening bracket the index of the one that closes it; len(tokens) when none does
	facts   *Facts
}

// window bounds, in tokens and bracketed groups, how far the head of a declaration is followed: a longer one is none.
// It keeps a walk linear that looks ahead from every token.
const window = 500

// ahead is the end of the window that begins at token i.
func (r *reader) ahead(i int) int { return min(len(r.tokens), i+window) }

// text is the source of a token.
func (r *reader) text(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return string(r.src[r.tokens[i].start:r.tokens[i].end])
}

// is reports whether a token is this word or mark. It does not allocate.
func (r *reader) is(i int, want string) bool {
	if i < 0 || i >= len(r.tokens) {
		return false
	}
	t := r.tokens[i]
	return (t.kind == word || t.kind == mark) && string(r.src[t.start:t.end]) == want
}

// at is the byte of a mark, 0 for any other token.
func (r *reader) at(i int) byte {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != mark {
		return 0
	}
	return r.src[r.tokens[i].start]
}

// oneOf reports whether a token is one of these marks.
func (r *reader) oneOf(i int, marks string) bool {
	c := r.at(i)
	return c != 0 && strings.IndexByte(marks, c) >= 0
}

func (r *reader) kind(i int) tokenKind {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	return r.tokens[i].kind
}

// line is the line of a token; of one behind the end, the last line.
func (r *reader) line(i int) int {
	if len(r.tokens) == 0 {
		return 1
	}
	return int(r.tokens[min(max(i, 0), len(r.tokens)-1)].line)
}

// first reports whether a token is the first of its line; one behind the end of a literal of many lines is not.
func (r *reader) first(i int) bool {
	if i == 0 || r.line(i) == r.line(i-1) {
		return i == 0
	}
	return r.kind(i-1) != literal || i >= len(r.tokens) || bytes.IndexByte(r.src[r.tokens[i-1].end:r.tokens[i].start], '\n') >= 0
}

// past is the index behind the bracket that closes the one at i, at least i+1.
func (r *reader) past(i int) int {
	if c := r.at(i); c != '(' && c != '[' && c != '{' {
		return i + 1
	}
	return min(int(r.closing[i])+1, len(r.tokens))
}

// quoted is the content of a literal, "" for any other token.
func (r *reader) quoted(i int) string {
	if r.kind(i) != literal {
		return ""
	}
	s := r.text(i)
	if len(s) < 2 {
		return ""
	}
	return s[1 : len(s)-1]
}

// define adds the definition that the name at i gives and that lasts from token from to token to. What is called "_" has
// no name, except in Python, where handlers of one dispatcher are called so.
func (r *reader) define(kind, parent string, i, from, to int) {
	name := r.text(i)
	if name == "" || name == "_" && r.row.name != "python" || len(name) > maxNameBytes || len(r.facts.Definitions) >= maxDefinitions {
		return
	}
	start := r.line(from)
	end := max(start, r.endLine(to))
	r.facts.Definitions = append(r.facts.Definitions, Definition{Name: name, Kind: kind, Parent: parent, StartLine: start, EndLine: end})
}

// endLine is the line on which a token ends.
func (r *reader) endLine(i int) int {
	line := r.line(i)
	if i >= 0 && i < len(r.tokens) && r.tokens[i].kind == literal {
		for _, c := range r.src[r.tokens[i].start:r.tokens[i].end] {
			if c == '\n' {
				line++
			}
		}
	}
	return line
}

// require adds an import.
func (r *reader) require(path string, line int, names ...string) {
	if path != "" && len(path) <= maxPathBytes && len(r.facts.Imports) < maxImports {
		r.facts.Imports = append(r.facts.Imports, Import{Path: path, Line: line, Names: names})
	}
}

// angles is the index behind the type parameters that begin with "<" at i, or i when they do not end where they should:
// before a semicolon, the end of what they stand in or the end of the window. Only the types of scripts have braces.
func (r *reader) angles(i int) int {
	depth := 0
	for j, steps := i, 0; j < len(r.tokens) && steps < window; j, steps = j+1, steps+1 {
		switch r.at(j) {
		case '<':
			depth++
		case '>':
			if r.at(j-1) == '-' || r.at(j-1) == '=' { // an arrow in a function type
				continue
			}
			if depth--; depth == 0 {
				return j + 1
			}
		case '{':
			if !r.row.template {
				return i
			}
			j = r.past(j) - 1
		case ';', '}':
			return i
		}
	}
	return i
}

// hole reports whether the brace at i opens the code in a template.
func (r *reader) hole(i int) bool {
	return r.kind(i-1) == literal && r.tokens[i-1].end == r.tokens[i].start && r.src[r.tokens[i].start-1] == '$'
}

// block is the kind of body that a walk is in.
type block struct {
	end  int    // index of the bracket that closes it
	name string // of the type whose body it is, "" for any other body
	body bool   // false for what holds declarations: a class, a namespace

	module    string // of a module of Rust with a body, its name
	constants bool   // the constants of an enumeration of Java
}
