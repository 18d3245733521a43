package code

import (
	"bytes"
	"hash/fnv"
	"unicode"
	"unicode/utf8"
)

// Bounds of a term. Shorter words are everywhere, longer ones are data.
const (
	minTermBytes  = 2
	maxTermBytes  = 40
	maxVocabulary = 400_000 // words that a worker remembers before it starts again; Go's standard library has 150,000
)

// termHash names a term in the index. The index holds no word of the code, only these; among 150,000 terms two or three
// pairs share a hash.
type termHash uint32

// exactHash names a word. A plural is the word that it is the plural of.
func exactHash(word []byte) termHash { return hashOf("", singular(word)) }

// stemHash names what stemOf leaves of a word.
func stemHash(stem []byte) termHash { return hashOf("~", stem) }

func hashOf(mark string, word []byte) termHash {
	h := fnv.New32a()
	h.Write([]byte(mark))
	h.Write(word)
	return termHash(h.Sum32())
}

// eachWord calls visit for every word of text in lower case: parts of identifiers as case, digits and underscores split
// them. The slice is reused. Bytes that are not UTF-8 separate words.
func eachWord(text []byte, visit func(word []byte)) {
	var buf [maxTermBytes + utf8.UTFMax]byte
	for i := 0; i < len(text); {
		end, word := nextWord(text, i, buf[:0])
		if len(word) >= minTermBytes && len(word) <= maxTermBytes {
			visit(word)
		}
		i = end
	}
}

// nextWord reads the word that begins at text[i], in lower case, and returns where it ends. What is no word is empty.
func nextWord(text []byte, i int, buf []byte) (int, []byte) {
	b := text[i]
	switch {
	case isLowerByte(b) || b >= utf8.RuneSelf:
		return letters(text, i, buf)
	case isUpperByte(b):
		j := i + 1
		for j < len(text) && isUpperByte(text[j]) {
			j++
		}
		if j < len(text) && (isLowerByte(text[j]) || text[j] >= utf8.RuneSelf) {
			if j-i == 1 {
				return letters(text, j, append(buf, b|0x20))
			}
			j-- // the last capital begins the next word
		}
		return j, appendLower(buf, text[i:j])
	case isDigitByte(b):
		j := i + 1
		for j < len(text) && isDigitByte(text[j]) {
			j++
		}
		return j, appendLower(buf, text[i:j])
	}
	return i + 1, buf
}

// letters appends small letters, and letters beyond ASCII in lower case, from text[i] on.
func letters(text []byte, i int, buf []byte) (int, []byte) {
	start := i
	for i < len(text) {
		b := text[i]
		if isLowerByte(b) {
			if len(buf) <= maxTermBytes {
				buf = append(buf, b)
			}
			i++
			continue
		}
		if b < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		if len(buf) <= maxTermBytes {
			buf = utf8.AppendRune(buf, unicode.ToLower(r))
		}
		i += size
	}
	if i == start {
		i++
	}
	return i, buf
}

func appendLower(buf, word []byte) []byte {
	if len(word) > maxTermBytes {
		return buf
	}
	for _, b := range word {
		if isUpperByte(b) {
			b |= 0x20
		}
		buf = append(buf, b)
	}
	return buf
}

func isLowerByte(b byte) bool { return 'a' <= b && b <= 'z' }
func isUpperByte(b byte) bool { return 'A' <= b && b <= 'Z' }
func isDigitByte(b byte) bool { return '0' <= b && b <= '9' }

// stemOf cuts an English ending, so that "parsing", "parser" and "parsed" have the stem of "parse".
func stemOf(word []byte) []byte {
	word = singular(word)
	for _, ending := range [...]string{"ation", "ing", "ion", "ed", "er", "or", "ly"} {
		root, found := bytes.CutSuffix(word, []byte(ending))
		if !found || len(root) < 3 || !bytes.ContainsAny(root, "aeiouy") {
			continue
		}
		if n := len(root); n >= 4 && root[n-1] == root[n-2] && !bytes.ContainsAny(root[n-1:], "aeiouls") {
			return root[:n-1]
		}
		word = root
		break
	}
	if n := len(word); n >= 4 && (word[n-1] == 'e' || word[n-1] == 'y') {
		return word[:n-1]
	}
	return word
}

func singular(word []byte) []byte {
	n := len(word)
	switch {
	case n < 4 || word[n-1] != 's' || word[n-2] == 's' || word[n-2] == 'u' || word[n-2] == 'i':
		return word
	case word[n-2] == 'e' && n > 4 && word[n-3] == 'i':
		return word[:n-3] // as "y" does
	case word[n-2] == 'e' && (bytes.HasSuffix(word, []byte("ches")) || bytes.HasSuffix(word, []byte("shes")) || bytes.HasSuffix(word, []byte("xes")) ||
		bytes.HasSuffix(word, []byte("sses"))):
		return word[:n-2]
	}
	return word[:n-1]
}
