package code

import (
	"bytes"
	"slices"
)

// Facts are what the tokens of one source file say. They depend on its name and bytes alone.
type Facts struct {
	Language    string       `json:"language"`
	Tier        Tier         `json:"tier,omitempty"`
	Package     string       `json:"package,omitempty"` // what the file declares to belong to (Go, Java)
	Generated   bool         `json:"generated,omitempty"`
	Partial     string       `json:"partial,omitempty"` // why not everything was read
	Imports     []Import     `json:"imports,omitempty"`
	Definitions []Definition `json:"definitions,omitempty"`

	Idents map[string]int `json:"-"` // how often each identifier and keyword occurs
}

// Import is a dependency as it is written: an import path, a module name, a path of names, an included file.
type Import struct {
	Path  string   `json:"path"`
	Names []string `json:"names,omitempty"` // what a Python file takes from the module
	Alias string   `json:"alias,omitempty"`
	Line  int      `json:"line"`
}

// Definition is a named piece of source; its lines count from 1 and include the last.
type Definition struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`             // func, method, type, class, interface, enum, struct, trait, const, var, macro, module …
	Parent    string `json:"parent,omitempty"` // the type that a method belongs to
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
}

const (
	// maxParseBytes bounds a file that is read whole: larger ones are generated tables and bundles.
	maxParseBytes = 2 << 20
	// maxImportBytes is what is read of a larger file: its imports stand at the top.
	maxImportBytes = 256 << 10
	// binaryProbe is how much of a file is searched for a NUL byte; git looks as far.
	binaryProbe = 8000
	// maxDefinitions and maxImports bound what one file can add.
	maxDefinitions = 20_000
	maxImports     = 10_000
	maxIdents      = 50_000
	maxNameBytes   = 300
	maxPathBytes   = 1024 // of an import: resolving one takes its length squared
)

// Extract reads one file. A file in no known language gives zero Facts; one that is binary or too large says so in Partial.
// It never fails, and its time is linear in the bytes.
func Extract(name string, src []byte) Facts {
	var e extractor
	return e.extract(name, src, true)
}

// extractor holds the buffers that are used again from file to file. It is for one goroutine.
type extractor struct {
	tokens  []token
	closing []int32
	outer   []int32
}

// extract is Extract, with the count of identifiers only where it is wanted: it is the dearer half.
func (e *extractor) extract(name string, src []byte, idents bool) Facts {
	row := languageOf(name)
	if row == nil {
		return Facts{}
	}
	facts := Facts{Language: row.name, Tier: row.tier}
	if isBinary(src) {
		facts.Partial = "binary"
		return facts
	}
	if len(src) > maxParseBytes {
		facts.Partial = "larger than 2 MiB: only the imports at its top were read"
		src = src[:maxImportBytes]
	}
	facts.Generated = isGenerated(src)
	r := e.reader(row, src)
	r.facts = &facts
	row.read(&r)
	if facts.Partial != "" {
		facts.Definitions = nil
	}
	slices.SortStableFunc(facts.Definitions, func(a, b Definition) int { return a.StartLine - b.StartLine })
	if idents {
		facts.Idents = r.idents()
	}
	return facts
}

// reader cuts src into tokens; the reader is good until the next call.
func (e *extractor) reader(row *language, src []byte) reader {
	e.tokens = scan(row, src, e.tokens)
	e.pair(src)
	return reader{row: row, src: src, tokens: e.tokens, closing: e.closing}
}

func isBinary(src []byte) bool { return bytes.IndexByte(src[:min(len(src), binaryProbe)], 0) >= 0 }

// isGenerated looks for the marker that Go's tools and many others write at the top of what they generate.
func isGenerated(src []byte) bool {
	head := src[:min(len(src), 2<<10)]
	at := bytes.Index(head, []byte("Code generated "))
	return at >= 0 && bytes.Contains(head[at:], []byte("DO NOT EDIT"))
}

// openBrackets is a stack kept as a list through outer, so that it can be taken back to what it was.
type openBrackets struct {
	top    int32 // -1 when none is open
	braces int
}

// pair finds for every opening bracket the one that closes it; the number of tokens stands for none. Where the
// preprocessor offers alternatives, each begins with the brackets that were open before the first.
func (e *extractor) pair(src []byte) {
	n := len(e.tokens)
	e.closing = slices.Grow(e.closing[:0], n)[:n]
	e.outer = slices.Grow(e.outer[:0], n)[:n]
	open := openBrackets{top: -1}
	var alternatives []openBrackets
	for i, t := range e.tokens {
		e.closing[i] = int32(n)
		switch t.kind {
		case mark:
			open = e.bracket(src, int32(i), open)
		case directive:
			switch name := string(src[t.start:t.end]); name {
			case "if", "ifdef", "ifndef":
				alternatives = append(alternatives, open)
			case "else", "elif", "elifdef", "elifndef":
				if len(alternatives) > 0 {
					open = alternatives[len(alternatives)-1]
				}
			case "endif":
				alternatives = alternatives[:max(0, len(alternatives)-1)]
			}
		}
	}
}

func (e *extractor) bracket(src []byte, i int32, open openBrackets) openBrackets {
	switch c := src[e.tokens[i].start]; c {
	case '(', '[', '{':
		e.outer[i] = open.top
		open.top = i
		if c == '{' {
			open.braces++
		}
	case ')', ']':
		if open.top >= 0 && src[e.tokens[open.top].start] == opener(c) {
			e.closing[open.top] = i
			open.top = e.outer[open.top]
		}
	case '}':
		for open.braces > 0 { // what stands open inside the braces was never closed
			last := open.top
			open.top = e.outer[last]
			if src[e.tokens[last].start] == '{' {
				e.closing[last] = i
				open.braces--
				break
			}
		}
	}
	return open
}

func opener(closing byte) byte {
	if closing == ')' {
		return '('
	}
	return '['
}

// idents counts the words.
func (r *reader) idents() map[string]int {
	out := map[string]int{}
	for _, t := range r.tokens {
		if t.kind != word || t.end-t.start > maxNameBytes {
			continue
		}
		text := r.src[t.start:t.end]
		if n, known := out[string(text)]; known || len(out) < maxIdents {
			out[string(text)] = n + 1
		}
	}
	return out
}
