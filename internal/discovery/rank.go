package discovery

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"cortex/internal/code"
	"cortex/internal/gitrepo"
)

// Weights, in units of a term's rarity. A file that mentions a term without end comes to saturation + 1 by that.
const (
	saturation    = 1.2 // k1 of BM25: the third mention adds little
	inDirectory   = 0.8
	inFileName    = 1.6
	aDefinition   = 0.5 // of a file that defines something of the name
	onItsLine     = 1.5 // of the line that does
	otherCase     = 0.8 // a hit that differs in capitals
	longLine      = 300 // bytes; longer ones are data
	longLineShare = 0.4
)

// ranking is every matched line, best first, and the share of the question that the best file holds.
type ranking struct {
	lines    []Fact
	coverage float64
}

// file is what one file has of the terms.
type file struct {
	path     string
	lines    []line
	mentions []float64 // per term, on its lines
	named    []float64 // per term, in its path
	defines  []float64 // per term, the best of the names that it defines
	score    float64
}

type line struct {
	match   gitrepo.Match
	quality []float64 // per term
	defines []float64 // per term: quality within the name that the line defines
}

// rank scores matches against terms.
func rank(matches []gitrepo.Match, terms []term, who code.Audience) ranking {
	files := group(matches, terms)
	rarity := rarities(files, terms)
	var out ranking
	best := -1.0
	for _, f := range files {
		factor := who.Factor(code.ClassOf(f.path))
		f.score = factor * f.weigh(terms, rarity)
		if f.score > best {
			best, out.coverage = f.score, f.coverage(terms, rarity)
		}
		for _, l := range f.lines {
			if fact, ok := l.fact(terms, rarity); ok {
				fact.Score = f.score + factor*fact.Score
				out.lines = append(out.lines, fact)
			}
		}
	}
	slices.SortFunc(out.lines, byScore)
	return out
}

// byScore puts the better fact first; equal ones are in the order of the repository.
func byScore(a, b Fact) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// group collects the matches by file, in order of first appearance, each line once.
func group(matches []gitrepo.Match, terms []term) []*file {
	index := map[string]*file{}
	type place struct {
		file string
		line int
	}
	seen := map[place]bool{}
	var files []*file
	for _, m := range matches {
		at := place{m.File, m.Line}
		if seen[at] {
			continue
		}
		seen[at] = true
		f := index[m.File]
		if f == nil {
			f = newFile(m.File, terms)
			index[m.File], files = f, append(files, f)
		}
		f.add(m, terms)
	}
	return files
}

func newFile(name string, terms []term) *file {
	f := &file{path: name, mentions: make([]float64, len(terms)), named: make([]float64, len(terms)), defines: make([]float64, len(terms))}
	dir, base, whole := newText(path.Dir(name)), newText(path.Base(name)), newText(name)
	for i, t := range terms {
		if strings.Contains(t.needle, "/") {
			f.named[i] = (inDirectory + inFileName) * whole.quality(t)
			continue
		}
		f.named[i] = inDirectory*onPart(dir.quality(t)) + inFileName*onPart(base.quality(t))
	}
	return f
}

// onPart leaves out hits inside a word: in a path they are coincidences.
func onPart(quality float64) float64 {
	if quality <= insideWord {
		return 0
	}
	return quality
}

func (f *file) add(m gitrepo.Match, terms []term) {
	l := line{match: m, quality: make([]float64, len(terms)), defines: make([]float64, len(terms))}
	body, name := newText(m.Text), newText(definedName(m.Text))
	for i, t := range terms {
		l.quality[i] = body.quality(t)
		if name.original != "" {
			l.defines[i] = onPart(name.quality(t))
		}
		f.mentions[i] += l.quality[i]
		f.defines[i] = max(f.defines[i], l.defines[i])
	}
	f.lines = append(f.lines, l)
}

// rarities returns the inverse document frequency of each term over the matched files. A term that no file has is as
// rare as can be.
func rarities(files []*file, terms []term) []float64 {
	out := make([]float64, len(terms))
	n := float64(len(files)) + 1
	for i := range terms {
		with := 0.0
		for _, f := range files {
			if f.has(i) {
				with++
			}
		}
		out[i] = math.Log(1 + (n-with+0.5)/(with+0.5))
	}
	return out
}

func (f *file) has(term int) bool { return f.mentions[term]+f.named[term] > 0 }

func (f *file) weigh(terms []term, rarity []float64) float64 {
	sum := 0.0
	for i, t := range terms {
		body := f.mentions[i] * (saturation + 1) / (f.mentions[i] + saturation)
		sum += t.weight * rarity[i] * (body + f.named[i] + aDefinition*f.defines[i])
	}
	return sum
}

// coverage is the share of the question's weight that the file holds.
func (f *file) coverage(terms []term, rarity []float64) float64 {
	have, all := 0.0, 0.0
	for i, t := range terms {
		all += t.weight * rarity[i]
		if f.has(i) {
			have += t.weight * rarity[i]
		}
	}
	if all == 0 {
		return 0
	}
	return have / all
}

// fact returns the line with its own score, and false when no term is on it after all.
func (l line) fact(terms []term, rarity []float64) (Fact, bool) {
	fact := Fact{File: l.match.File, Line: l.match.Line, Text: l.match.Text}
	rarest := -1.0
	for i, t := range terms {
		if l.quality[i] == 0 {
			continue
		}
		value := t.weight * rarity[i] * l.quality[i]
		if !strings.Contains(l.match.Text, t.text) {
			value *= otherCase
		}
		fact.Score += value + onItsLine*t.weight*rarity[i]*l.defines[i]
		if value > rarest {
			rarest, fact.Term = value, t.text
		}
	}
	if len(l.match.Text) > longLine {
		fact.Score *= longLineShare
	}
	return fact, fact.Term != ""
}
