package code

import "bytes"

// mode is what a piece of JavaScript stands in: a template, a JSX tag, the text of an element, or the code inside one of
// them, which ends where the count of braces is depth again.
type mode struct {
	kind  modeKind
	depth int
}

type modeKind uint8

const (
	inTemplate modeKind = iota
	inElement           // between < and > of an opening tag
	inText              // between the tags of an element
	inCode              // between { and } of one of the others
)

// maxModes bounds the nesting that is followed.
const maxModes = 500

func (s *scanner) push(kind modeKind) {
	if len(s.modes) < maxModes {
		s.modes = append(s.modes, mode{kind, s.braces})
	}
}

func (s *scanner) pop() { s.modes = s.modes[:max(0, len(s.modes)-1)] }

func (s *scanner) inTag() bool {
	n := len(s.modes)
	return n > 0 && s.modes[n-1].kind == inElement
}

// inMarkup reports whether an element is open.
func (s *scanner) inMarkup() bool {
	for _, m := range s.modes {
		if m.kind == inElement || m.kind == inText {
			return true
		}
	}
	return false
}

// brace reads { and }, and returns from code to the template or element that holds it.
func (s *scanner) brace(c byte) {
	if c == '{' {
		if s.inTag() {
			s.push(inCode)
		}
		s.braces++
		s.emit(mark, s.at+1)
		return
	}
	s.braces--
	s.emit(mark, s.at+1)
	n := len(s.modes)
	if n == 0 || s.modes[n-1].kind != inCode || s.modes[n-1].depth < s.braces {
		return
	}
	s.pop()
	if n > 1 && s.modes[n-2].kind == inTemplate {
		s.templateText()
	}
}

// templateText reads the text of a template up to its end or to the code in it.
func (s *scanner) templateText() {
	for i := s.at; i < len(s.src); i++ {
		switch s.src[i] {
		case '\\':
			i++
		case '`':
			s.emit(literal, i+1)
			s.pop()
			return
		case '$':
			if i+1 < len(s.src) && s.src[i+1] == '{' {
				s.emit(literal, i+1)
				s.push(inCode)
				s.braces++
				s.emit(mark, s.at+1)
				return
			}
		}
	}
	s.emit(literal, len(s.src))
	s.pop()
}

// expectsValue reports whether an operand, not an operator, may come next.
func (s *scanner) expectsValue() bool {
	n := len(s.tokens)
	if n == 0 {
		return true
	}
	last := s.tokens[n-1]
	switch last.kind {
	case mark:
		c := s.src[last.start]
		return c != ')' && c != ']' && c != '}'
	case word:
		return valueFollows(string(s.src[last.start:last.end]))
	}
	return false
}

func valueFollows(keyword string) bool {
	switch keyword {
	case "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "instanceof", "yield", "await", "default":
		return true
	}
	return false
}

func (s *scanner) regularExpression() {
	if s.at < s.noEnd['/'] {
		s.emit(mark, s.at+1)
		return
	}
	inClass := false
	for i := s.at + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		switch c := s.src[i]; {
		case c == '\\' && i+1 < len(s.src) && s.src[i+1] != '\n':
			i++
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '/' && !inClass:
			s.emit(literal, i+1)
			return
		}
	}
	s.noEnd['/'] = s.lineEnd(s.at)
	s.emit(mark, s.at+1)
}

// opensElement reports whether the "<" here begins a JSX element rather than a comparison or type parameters.
func (s *scanner) opensElement() bool {
	if s.inTag() || len(s.modes) >= maxModes-2 {
		return false
	}
	c := s.peek(1)
	if c != '>' && (classOf(c) != letterByte) || !s.expectsValue() {
		return false
	}
	rest := s.src[s.at+1 : min(len(s.src), s.at+200)]
	name := 0
	for name < len(rest) && classOf(rest[name]) >= letterByte {
		name++
	}
	after := bytes.TrimLeft(rest[name:], " \t")
	return !bytes.HasPrefix(after, []byte(",")) && !bytes.HasPrefix(after, []byte("extends ")) && !bytes.HasPrefix(after, []byte(">("))
}

// tagEnd reads the end of an opening tag; the text of the element follows unless the tag closes itself.
func (s *scanner) tagEnd(c byte) {
	if c == '/' {
		if s.peek(1) == '>' {
			s.pop()
			s.at++
		}
		s.emit(mark, s.at+1)
		return
	}
	s.modes[len(s.modes)-1].kind = inText
	s.emit(mark, s.at+1)
}

// markupText skips the text of an element up to a tag or to code.
func (s *scanner) markupText() {
	n := bytes.IndexAny(s.src[s.at:], "<{")
	if n < 0 {
		s.skip(len(s.src))
		return
	}
	s.skip(s.at + n)
	if s.src[s.at] == '{' {
		s.push(inCode)
		s.braces++
		s.emit(mark, s.at+1)
		return
	}
	if s.peek(1) == '/' {
		end := bytes.IndexByte(s.src[s.at:], '>')
		if end < 0 {
			s.skip(len(s.src))
			return
		}
		s.skip(s.at + end + 1)
		s.pop()
		return
	}
	if len(s.modes) >= maxModes-2 {
		s.at++
		return
	}
	s.push(inElement)
	s.emit(mark, s.at+1)
}
