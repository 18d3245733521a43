package code

import (
	"bytes"
	"hash/fnv"
	"math"
	"slices"
	"strings"
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

func exactHash(word []byte) termHash { return hashOf("", word) }
func stemHash(word []byte) termHash  { return hashOf("~", stemOf(word)) }

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

// A document's weight of a term is its frequency with the fields folded in, as BM25F has it; k1 is applied when a
// question is asked. The numbers were chosen on questions about seven repositories.
const (
	lengthFree    = 0.25 // of the body's weight does not depend on its length
	typicalWords  = 350
	inDirectory   = 1.0
	inBase        = 2.0
	asDefinition  = 1.5
	typicalNames  = 20
	exactShare    = 1.0
	stemShare     = 0.4
	saturation    = 1.2 // k1
	quantSteps    = 20  // for each doubling of a weight
	quantOctaves  = 6   // below 1
	minimumLength = 0.4
)

// quantize packs a weight into a byte, within two per cent.
func quantize(tf float64) byte {
	return byte(max(0, min(255, math.Round(quantSteps*(math.Log2(tf)+quantOctaves)))))
}

// unquantize is the inverse of quantize, as a table.
func unquantize() *[256]float32 {
	var table [256]float32
	for i := range table {
		table[i] = float32(math.Exp2(float64(i)/quantSteps - quantOctaves))
	}
	return &table
}

// vocabulary turns files into weighted terms. Each worker has its own.
type vocabulary struct {
	index   map[string]int32
	words   []vocabWord
	touched []int32
}

type vocabWord struct {
	exact, stem termHash
	count       float64 // in the file at hand: occurrences in the body
	extra       float64 // weight of the other fields
	used        bool
}

func newVocabulary() *vocabulary { return &vocabulary{index: map[string]int32{}} }

// word returns the entry of a word, noted as part of the file at hand.
func (v *vocabulary) word(text []byte) *vocabWord {
	at, known := v.index[string(text)]
	if !known {
		at = int32(len(v.words))
		v.index[string(text)] = at
		v.words = append(v.words, vocabWord{exact: exactHash(text), stem: stemHash(text)})
	}
	w := &v.words[at]
	if !w.used {
		w.used = true
		v.touched = append(v.touched, at)
	}
	return w
}

// weight is one term of a file with its packed weight.
type weight struct {
	term termHash
	q    byte
}

// file returns the terms of a file, sorted and unique.
func (v *vocabulary) file(path string, body []byte, names []string) []weight {
	total := 0
	eachWord(body, func(word []byte) {
		v.word(word).count++
		total++
	})
	slash := strings.LastIndexByte(path, '/') + 1
	eachWord([]byte(path[:slash]), func(word []byte) { v.word(word).extra += inDirectory })
	eachWord([]byte(path[slash:]), func(word []byte) { v.word(word).extra += inBase })
	perName := asDefinition / (minimumLength + (1-minimumLength)*float64(len(names))/typicalNames)
	for _, name := range names {
		eachWord([]byte(name), func(word []byte) { v.word(word).extra += perName })
	}
	return v.take(lengthFree + (1-lengthFree)*float64(total)/typicalWords)
}

// take collects what was noted and forgets it.
func (v *vocabulary) take(length float64) []weight {
	type sum struct {
		term termHash
		tf   float64
	}
	sums := make([]sum, 0, 2*len(v.touched))
	for _, at := range v.touched {
		w := &v.words[at]
		tf := w.count/length + w.extra
		sums = append(sums, sum{w.exact, tf}, sum{w.stem, tf})
		w.count, w.extra, w.used = 0, 0, false
	}
	v.touched = v.touched[:0]
	if len(v.words) > maxVocabulary {
		*v = *newVocabulary()
	}
	slices.SortFunc(sums, func(a, b sum) int { return int(int64(a.term) - int64(b.term)) })
	out := make([]weight, 0, len(sums))
	for i := 0; i < len(sums); {
		term, tf := sums[i].term, 0.0
		for ; i < len(sums) && sums[i].term == term; i++ {
			tf += sums[i].tf
		}
		out = append(out, weight{term, quantize(tf)})
	}
	return out
}
