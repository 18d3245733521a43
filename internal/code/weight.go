package code

import (
	"math"
	"path"
	"slices"
	"strings"
)

// A document's weight of a term is that of BM25F: its frequency with the fields folded in, of which every further
// occurrence adds less. What a name says comes on top: a word that a long text repeats has all the weight that repetition
// gives, and the file that is called so would be no better than the one that only uses it. The numbers were chosen on
// questions about seven repositories, those of names on questions about fourteen.
const (
	lengthFree    = 0.25 // of the body's weight does not depend on its length
	typicalWords  = 350
	inDirectory   = 1.0
	inBase        = 2.0
	asDefinition  = 1.5
	typicalNames  = 20
	minimumLength = 0.4
	saturation    = 1.2 // k1
	baseEvidence  = 1.5 // of a word in the file's name
	nameEvidence  = 0.7 // of a word in the names of definitions, at most
	quantSteps    = 57  // for a weight of 1, so that the greatest is packed into a byte
)

// saturate is the weight of a frequency: 1 for 1, and 1 + saturation at most.
func saturate(tf float64) float64 { return tf * (1 + saturation) / (tf + saturation) }

// quantize packs a weight into a byte.
func quantize(weight float64) byte {
	return byte(max(1, min(255, math.Round(quantSteps*weight))))
}

// unquantize is the inverse of quantize.
func unquantize(q byte) float64 { return float64(q) / quantSteps }

// vocabulary turns files into weighted terms. Each worker has its own.
type vocabulary struct {
	index   map[string]int32
	words   []vocabWord
	touched []int32
}

// vocabWord is a word with where the file at hand has it.
type vocabWord struct {
	exact, stem termHash
	where       occurrences
	used        bool
}

// occurrences count a word, or words that share a term, by field.
type occurrences struct {
	body, dir, base, names float64
}

func (o occurrences) plus(p occurrences) occurrences {
	return occurrences{o.body + p.body, o.dir + p.dir, o.base + p.base, o.names + p.names}
}

// weight is the weight of a term in a file of this length and spread of definitions.
func (o occurrences) weight(length, spread float64) float64 {
	names := o.names / spread
	w := saturate(o.body/length + inDirectory*o.dir + inBase*o.base + asDefinition*names)
	w += nameEvidence * names / (names + 1)
	if o.base > 0 {
		w += baseEvidence
	}
	return w
}

func newVocabulary() *vocabulary { return &vocabulary{index: map[string]int32{}} }

// word returns where the file at hand has a word, which it notes as part of the file.
func (v *vocabulary) word(text []byte) *occurrences {
	at, known := v.index[string(text)]
	if !known {
		at = int32(len(v.words))
		v.index[string(text)] = at
		v.words = append(v.words, vocabWord{exact: exactHash(text), stem: stemHash(stemOf(text))})
	}
	w := &v.words[at]
	if !w.used {
		w.used = true
		v.touched = append(v.touched, at)
	}
	return &w.where
}

// weight is one term of a file with its packed weight.
type weight struct {
	term termHash
	q    byte
}

// file returns the terms of a file, sorted and unique. The extension of its name counts as a directory does.
func (v *vocabulary) file(name string, body []byte, names []string) []weight {
	total := 0
	eachWord(body, func(word []byte) {
		v.word(word).body++
		total++
	})
	dir, base := path.Split(name)
	ext := path.Ext(base)
	eachWord([]byte(dir), func(word []byte) { v.word(word).dir++ })
	eachWord([]byte(ext), func(word []byte) { v.word(word).dir++ })
	eachWord([]byte(strings.TrimSuffix(base, ext)), func(word []byte) { v.word(word).base++ })
	for _, name := range names {
		eachWord([]byte(name), func(word []byte) { v.word(word).names++ })
	}
	length := lengthFree + (1-lengthFree)*float64(total)/typicalWords
	spread := minimumLength + (1-minimumLength)*float64(len(names))/typicalNames
	return v.take(length, spread)
}

// take collects what was noted and forgets it.
func (v *vocabulary) take(length, spread float64) []weight {
	type sum struct {
		term  termHash
		where *occurrences
	}
	sums := make([]sum, 0, 2*len(v.touched))
	for _, at := range v.touched {
		w := &v.words[at]
		sums = append(sums, sum{w.exact, &w.where}, sum{w.stem, &w.where})
	}
	slices.SortFunc(sums, func(a, b sum) int { return int(int64(a.term) - int64(b.term)) })
	out := make([]weight, 0, len(sums))
	for i := 0; i < len(sums); {
		term, where := sums[i].term, *sums[i].where
		for i++; i < len(sums) && sums[i].term == term; i++ {
			where = where.plus(*sums[i].where)
		}
		out = append(out, weight{term, quantize(where.weight(length, spread))})
	}
	for _, at := range v.touched {
		v.words[at].where, v.words[at].used = occurrences{}, false
	}
	v.touched = v.touched[:0]
	if len(v.words) > maxVocabulary {
		*v = *newVocabulary()
	}
	return out
}
