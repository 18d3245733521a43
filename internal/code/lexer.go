package code

import (
	"bytes"
	"strings"
)

// tokenKind is what a token is.
type tokenKind uint8

const (
	word      tokenKind = iota + 1 // identifier or keyword
	literal                        // text with its quotes, or a regular expression
	number                         // numeric literal
	mark                           // one byte of punctuation
	directive                      // keyword of a preprocessor line
)

// token is a piece of source; offsets are in bytes and lines count from 1.
type token struct {
	start, end uint32
	line       uint32
	kind       tokenKind
}

// scanner cuts source into tokens. It takes any bytes, never goes back further than the line it is on, and tries an
// unterminated literal once, so it is linear.
type scanner struct {
	row    *language
	src    []byte
	at     int
	line   uint32
	tokens []token
	modes  []mode
	braces int
	noEnd  [256]int // for each quote: before this offset it is known to have no end on its line
}

// byteClass sorts the bytes that begin a token.
type byteClass uint8

const (
	otherByte byteClass = iota
	spaceByte
	letterByte
	digitByte
)

// classes is the class of each byte; every byte beyond ASCII counts as a letter.
var classes = byteClasses()

func byteClasses() (table [256]byteClass) {
	for i := range table {
		switch c := byte(i); {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			table[i] = spaceByte
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80:
			table[i] = letterByte
		case c >= '0' && c <= '9':
			table[i] = digitByte
		}
	}
	return table
}

func classOf(c byte) byteClass { return classes[c] }

// scan returns the tokens of src; into is used again for them.
func scan(row *language, src []byte, into []token) []token {
	s := scanner{row: row, src: src, line: 1, tokens: into[:0]}
	s.run()
	if s.row.markup && s.inMarkup() { // what looked like an element was none
		plain := *row
		plain.markup = false
		return scan(&plain, src, s.tokens)
	}
	return s.tokens
}

func (s *scanner) run() {
	for s.at < len(s.src) {
		if n := len(s.modes); n > 0 && s.modes[n-1].kind == inText {
			s.markupText()
			continue
		}
		c := s.src[s.at]
		switch classOf(c) {
		case spaceByte:
			if c == '\n' {
				s.line++
			}
			s.at++
		case letterByte:
			s.word()
		case digitByte:
			s.number()
		default:
			s.symbol(c)
		}
	}
}

// peek is the byte i places on, 0 behind the end.
func (s *scanner) peek(i int) byte {
	if s.at+i < len(s.src) {
		return s.src[s.at+i]
	}
	return 0
}

// emit adds the bytes up to end as a token and goes on behind them.
func (s *scanner) emit(kind tokenKind, end int) {
	s.tokens = append(s.tokens, token{start: uint32(s.at), end: uint32(end), line: s.line, kind: kind})
	s.skip(end)
}

// skip goes on at end and counts the lines on the way.
func (s *scanner) skip(end int) {
	s.line += uint32(bytes.Count(s.src[s.at:end], []byte{'\n'}))
	s.at = end
}

func (s *scanner) word() {
	end := s.at + 1
	for end < len(s.src) && classOf(s.src[end]) >= letterByte {
		end++
	}
	if end < len(s.src) && (s.src[end] == '"' || s.src[end] == '#') && end-s.at <= 3 && s.prefixed(end) {
		return
	}
	s.emit(word, end)
}

// prefixed reads a literal whose kind a prefix says, if there is one that ends at quote.
func (s *scanner) prefixed(quote int) bool {
	prefix := string(s.src[s.at:quote])
	switch {
	case s.row.rawPrefix && strings.HasSuffix(prefix, "r"):
		hashes := 0
		for quote+hashes < len(s.src) && s.src[quote+hashes] == '#' {
			hashes++
		}
		if quote+hashes >= len(s.src) || s.src[quote+hashes] != '"' {
			return false
		}
		s.until(quote+hashes+1, `"`+strings.Repeat("#", hashes))
		return true
	case s.row.delimited && strings.HasSuffix(prefix, "R") && s.src[quote] == '"':
		rest := s.src[quote+1 : min(len(s.src), quote+18)] // a delimiter has at most 16 characters
		open := bytes.IndexByte(rest, '(')
		if open < 0 {
			return false
		}
		s.until(quote+1+open, ")"+string(rest[:open])+`"`)
		return true
	}
	return false
}

// until emits a literal that ends with closing, searched from offset from, or with the file.
func (s *scanner) until(from int, closing string) {
	if n := bytes.Index(s.src[from:], []byte(closing)); n >= 0 {
		s.emit(literal, from+n+len(closing))
		return
	}
	s.emit(literal, len(s.src))
}

// number reads digits, letters and the points and quotes between them, and a point at the end. In Rust a name behind a
// point is a field's: self.0.name.
func (s *scanner) number() {
	end := s.at + 1
	for end < len(s.src) {
		c := s.src[end]
		if classOf(c) >= letterByte {
			end++
			continue
		}
		next := byte(0)
		if end+1 < len(s.src) {
			next = s.src[end+1]
		}
		switch inside := classOf(next) >= letterByte; {
		case c == '\'' && s.row.directives && inside:
			end++
			continue
		case c == '.' && inside && (classOf(next) == digitByte || !s.row.lifetimes):
			end++
			continue
		case c == '.' && !inside && next != '.':
			end++
		}
		break
	}
	s.emit(number, end)
}

// symbol reads whatever begins with a byte that is neither space, letter nor digit.
func (s *scanner) symbol(c byte) {
	row := s.row
	switch {
	case c == '/' && row.slashComments && s.peek(1) == '/' && !s.inTag():
		s.lineComment()
	case c == '/' && row.slashComments && s.peek(1) == '*':
		s.blockComment()
	case c == '#' && row.hashComments:
		s.lineComment()
	case c == '#' && row.directives && s.lineStart():
		s.directive()
	case c == '`' && row.template:
		s.push(inTemplate)
		s.at++
		s.templateText()
	case strings.IndexByte(row.quotes, c) >= 0:
		s.quoted(c)
	case c == '/' && row.regex && !s.inTag() && s.expectsValue():
		s.regularExpression()
	case c == '<' && row.markup && s.opensElement():
		s.push(inElement)
		s.emit(mark, s.at+1)
	case (c == '/' || c == '>') && s.inTag():
		s.tagEnd(c)
	case c == '{' || c == '}':
		s.brace(c)
	default:
		s.emit(mark, s.at+1)
	}
}

func (s *scanner) lineEnd(from int) int {
	if n := bytes.IndexByte(s.src[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(s.src)
}

func (s *scanner) lineComment() { s.at = s.lineEnd(s.at) }

func (s *scanner) blockComment() {
	end, depth := s.at+2, 1
	for depth > 0 {
		n := bytes.Index(s.src[end:], []byte("*/"))
		if n < 0 {
			s.skip(len(s.src))
			return
		}
		if s.row.nestComments {
			depth += bytes.Count(s.src[end:end+n], []byte("/*"))
		}
		end += n + 2
		depth--
	}
	s.skip(end)
}

// quoted reads a literal that begins with quote. One that does not end where it must is taken for a lone mark.
func (s *scanner) quoted(quote byte) {
	if s.row.triple && s.peek(1) == quote && s.peek(2) == quote {
		s.tripleQuoted(quote)
		return
	}
	if s.row.lifetimes && quote == '\'' && classOf(s.peek(1)) == letterByte && s.peek(1) < 0x80 && s.peek(2) != '\'' {
		s.emit(mark, s.at+1)
		return
	}
	multiline := strings.IndexByte(s.row.multiline, quote) >= 0 || s.inTag()
	raw := strings.IndexByte(s.row.raw, quote) >= 0 || s.inTag()
	if s.at < s.noEnd[quote] {
		s.emit(mark, s.at+1)
		return
	}
	i := s.at + 1
	for ; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == quote:
			s.emit(literal, i+1)
			return
		case c == '\\' && !raw:
			i++
		case c == '\n' && !multiline:
			s.noEnd[quote] = i
			s.emit(mark, s.at+1)
			return
		}
	}
	if multiline && !s.inTag() {
		s.emit(literal, len(s.src))
		return
	}
	s.noEnd[quote] = len(s.src)
	s.emit(mark, s.at+1)
}

func (s *scanner) tripleQuoted(quote byte) {
	for i := s.at + 3; i < len(s.src); i++ {
		switch {
		case s.src[i] == '\\':
			i++
		case s.src[i] == quote && i+2 < len(s.src) && s.src[i+1] == quote && s.src[i+2] == quote:
			s.emit(literal, i+3)
			return
		}
	}
	s.emit(literal, len(s.src))
}

// lineStart reports whether only blanks stand before the current byte on its line.
func (s *scanner) lineStart() bool {
	n := len(s.tokens)
	return n == 0 || s.tokens[n-1].line < s.line
}

// directive reads "#word" as one token. The rest of the line is read as code, except what #define puts in place of a name.
func (s *scanner) directive() {
	i := s.at + 1
	for i < len(s.src) && (s.src[i] == ' ' || s.src[i] == '\t') {
		i++
	}
	end := i
	for end < len(s.src) && classOf(s.src[end]) >= letterByte {
		end++
	}
	name := string(s.src[i:end])
	s.at = i
	s.emit(directive, end)
	switch name {
	case "include", "include_next", "import":
		s.includePath()
	case "define":
		for s.at < len(s.src) && (s.src[s.at] == ' ' || s.src[s.at] == '\t') {
			s.at++
		}
		if s.at < len(s.src) && classOf(s.src[s.at]) == letterByte {
			s.word()
		}
	}
	s.skip(s.logicalEnd())
}

// includePath reads "<path>" as one literal; a quoted one is a literal already.
func (s *scanner) includePath() {
	for s.at < len(s.src) && (s.src[s.at] == ' ' || s.src[s.at] == '\t') {
		s.at++
	}
	closing := byte('"')
	switch s.peek(0) {
	case '<':
		closing = '>'
	case '"':
	default:
		return
	}
	line := s.src[s.at:s.lineEnd(s.at)]
	if n := bytes.IndexByte(line[1:], closing); n >= 0 {
		s.emit(literal, s.at+n+2)
	}
}

// logicalEnd is the end of the line, which a backslash before the line end continues.
func (s *scanner) logicalEnd() int {
	end := s.lineEnd(s.at)
	for end < len(s.src) && end > s.at {
		last := end - 1
		if s.src[last] == '\r' && last > s.at {
			last--
		}
		if s.src[last] != '\\' {
			break
		}
		end = s.lineEnd(end + 1)
	}
	return end
}
