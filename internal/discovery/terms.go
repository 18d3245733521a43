package discovery

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cortex/internal/code"
)

const (
	maxTerms      = 8
	maxTermRunes  = 100
	minIdentifier = 3 // runes; shorter ones match everywhere
	minWord       = 3 // zip, dns, tls say more than most long words
)

// term is one thing to search for.
type term struct {
	text   string // as it stands in the question
	lower  string // text in lower case
	needle string // what is searched for: the stem of a plain word, otherwise lower
	weight float64
}

// termsOf returns the terms of a question, at most maxTerms: quoted phrases, then tokens that look like identifiers or
// paths, then the parts of those, then the longest plain words that carry meaning.
func termsOf(question string) []term {
	var c collector
	rest := c.quoted(question)
	var words, parts []string
	for _, token := range tokens(rest) {
		switch {
		case !carriesMeaning(token):
		case isIdentifier(token):
			c.add(token, strings.ToLower(token), minIdentifier, 1.5)
			parts = append(parts, identifierParts(token)...)
		default:
			words = append(words, token)
		}
	}
	for _, part := range parts {
		c.add(part, strings.ToLower(part), minIdentifier, 1)
	}
	slices.SortStableFunc(words, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	for _, word := range words {
		c.add(word, stem(strings.ToLower(word)), minRunes(word), 1)
	}
	return c.terms
}

// collector gathers terms without repeating one.
type collector struct{ terms []term }

func (c *collector) add(text, needle string, least int, weight float64) {
	n := utf8.RuneCountInString(text)
	if len(c.terms) == maxTerms || n < least || n > maxTermRunes {
		return
	}
	for _, have := range c.terms {
		if have.needle == needle {
			return
		}
	}
	c.terms = append(c.terms, term{text: text, lower: strings.ToLower(text), needle: needle, weight: weight})
}

// quoted takes the phrases in double quotes or backticks and returns the question without them.
func (c *collector) quoted(question string) string {
	var rest strings.Builder
	for question != "" {
		open := strings.IndexAny(question, "\"`")
		if open < 0 {
			break
		}
		end := strings.IndexByte(question[open+1:], question[open])
		if end < 0 {
			break
		}
		phrase := strings.TrimSpace(question[open+1 : open+1+end])
		if !strings.ContainsFunc(phrase, unicode.IsControl) {
			c.add(phrase, strings.ToLower(phrase), 2, 2)
		}
		rest.WriteString(question[:open] + " ")
		question = question[open+1+end+1:]
	}
	rest.WriteString(question)
	return rest.String()
}

// tokens splits at everything that cannot be part of an identifier or a path, and strips what only punctuates.
func tokens(question string) []string {
	fields := strings.FieldsFunc(question, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("._/-:#", r)
	})
	for i, field := range fields {
		field = strings.TrimRight(strings.TrimLeft(field, "-:#/"), "._/-:#")
		fields[i] = strings.TrimPrefix(field, "./")
	}
	return fields
}

// isIdentifier reports whether a token looks like a name of the code: an inner capital, dot, underscore, slash or colon.
func isIdentifier(token string) bool {
	if strings.ContainsAny(token, "._/:#") {
		return true
	}
	for i, r := range token {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// carriesMeaning reports whether a token has a letter and is not made of stop words only ("and/or", "e.g").
func carriesMeaning(token string) bool {
	for _, part := range strings.FieldsFunc(strings.ToLower(token), isJoint) {
		if strings.ContainsFunc(part, unicode.IsLetter) && !isStopWord(part) && utf8.RuneCountInString(part) > 1 {
			return true
		}
	}
	return false
}

// identifierParts returns what a compound name may be written as where it is defined: the last element of a path
// without its extension, and the names around a dot or colon.
func identifierParts(token string) []string {
	base := path.Base(token)
	if strings.Contains(token, "/") {
		base = strings.TrimSuffix(base, path.Ext(base))
	}
	var parts []string
	for _, part := range strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == ':' || r == '#' }) {
		if part != token && !isStopWord(strings.ToLower(part)) && code.ClassOf("x."+strings.ToLower(part)) == code.OtherFile {
			parts = append(parts, part)
		}
	}
	return parts
}

func isJoint(r rune) bool { return strings.ContainsRune("._/:#-", r) }

// minRunes is the least length of a plain word: languages written without blanks need two characters for a word.
func minRunes(word string) int {
	if strings.ContainsFunc(word, func(r rune) bool { return r >= 0x2E80 }) {
		return 2
	}
	return minWord
}

// stem cuts an English ending so that "retries" finds "retry" and "stopped" finds "stop". What is left is a prefix of
// the word and at least four characters long, three after a doubled consonant.
func stem(word string) string {
	for _, ending := range []string{"ies", "ing", "ed", "s"} {
		root, found := strings.CutSuffix(word, ending)
		if !found || ending == "s" && strings.HasSuffix(root, "s") || !strings.ContainsAny(root, "aeiouy") {
			continue
		}
		if n := len(root); n >= 4 && ending != "s" && root[n-1] == root[n-2] && root[n-1] < utf8.RuneSelf && !strings.ContainsAny(root[n-1:], "aeiouls") {
			return root[:n-1]
		}
		for _, sibilant := range []string{"che", "she", "xe", "sse", "ze"} {
			if ending == "s" && strings.HasSuffix(root, sibilant) {
				root = strings.TrimSuffix(root, "e")
			}
		}
		if len(root) >= 4 {
			return root
		}
	}
	return word
}

func texts(terms []term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.text
	}
	return out
}

func needles(terms []term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.needle
	}
	return out
}
