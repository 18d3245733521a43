package code

import (
	"bytes"
	"math"
	"path"
	"strings"
)

// Sizes of the lines that a hit shows.
const (
	windowLines = 40
	windowStep  = 20
	maxHitLines = 80
	nameWeight  = 3   // occurrences that a term in the name of a definition counts for
	lengthDrag  = 0.1 // a passage twice as long must hold a little more
	denseLines  = 12  // in which the words of a question stand together
)

// passage is a run of lines of a file.
type passage struct {
	start, end int // from 1, the end included
	symbol     string
	score      float64
}

// matcher finds the words of a question by their stems.
type matcher struct {
	terms  int
	index  map[string]int
	begins []bool // by the first two bytes of a word; a stem begins as its words do
}

func newMatcher(terms []queryTerm) *matcher {
	m := &matcher{terms: len(terms), index: map[string]int{}, begins: make([]bool, 1<<16)}
	for i, t := range terms {
		for _, stem := range t.stems {
			m.index[stem] = i
			m.begins[int(stem[0])<<8|int(stem[1])] = true
		}
	}
	return m
}

// term is the place of a word in the question.
func (m *matcher) term(word []byte) (int, bool) {
	if !m.begins[int(word[0])<<8|int(word[1])] {
		return 0, false
	}
	i, ok := m.index[string(stemOf(word))]
	return i, ok
}

// lines says for each line how often it has each term. A line without any is nil.
func (m *matcher) lines(body []byte) [][]float64 {
	lines := make([][]float64, 0, bytes.Count(body, []byte{'\n'})+1)
	for line := range bytes.Lines(body) {
		lines = append(lines, m.counts(line))
	}
	return lines
}

func (m *matcher) counts(text []byte) []float64 {
	var counts []float64
	eachWord(text, func(word []byte) {
		if i, ok := m.term(word); ok {
			if counts == nil {
				counts = make([]float64, m.terms)
			}
			counts[i]++
		}
	})
	return counts
}

// densest is the greatest weight of a question's words that stand within a few lines. Those of the file's path stand
// beside every line.
func (m *matcher) densest(file string, lines [][]float64, weights []float64) float64 {
	counts, sum := make([]int, m.terms), 0.0
	add := func(line []float64, by int) {
		for i, n := range line {
			if n == 0 {
				continue
			}
			if counts[i] += by; by > 0 && counts[i] == 1 {
				sum += weights[i]
			} else if counts[i] == 0 {
				sum -= weights[i]
			}
		}
	}
	add(m.counts([]byte(strings.TrimSuffix(file, path.Ext(file)))), 1)
	best := sum
	for i, line := range lines {
		add(line, 1)
		if i >= denseLines {
			add(lines[i-denseLines], -1)
		}
		best = max(best, sum)
	}
	return best
}

// passage finds the lines of a file that hold most of a question: a definition, or a window where none is better.
func (m *matcher) passage(lines [][]float64, facts Facts, weights []float64) passage {
	if len(lines) == 0 {
		return passage{start: 1, end: 1}
	}
	best := passage{start: 1, end: min(windowLines, len(lines)), score: -1}
	consider := func(p passage, extra []float64) {
		if p.start < 1 || p.end > len(lines) || p.end < p.start {
			return
		}
		p.end = min(p.end, p.start+maxHitLines-1)
		p.score = weigh(lines[p.start-1:p.end], weights, extra)
		if p.score > best.score {
			best = p
		}
	}
	for _, d := range facts.Definitions {
		consider(passage{start: d.StartLine, end: d.EndLine, symbol: d.Name}, m.counts([]byte(d.Name)))
	}
	for start := 1; start <= len(lines); start += windowStep {
		consider(passage{start: start, end: min(start+windowLines-1, len(lines))}, nil)
	}
	if best.symbol == "" {
		best.symbol = enclosing(facts.Definitions, best)
	}
	return best
}

// weigh is the score of lines below a name: how much of the question they hold, each term with less for every repetition.
func weigh(lines [][]float64, weights, name []float64) float64 {
	sums := make([]float64, len(weights))
	for i, n := range name {
		sums[i] = nameWeight * n
	}
	for _, counts := range lines {
		for i, n := range counts {
			sums[i] += n
		}
	}
	score := 0.0
	for i, n := range sums {
		score += weights[i] * n / (n + saturation)
	}
	return score / (1 + lengthDrag*math.Log2(float64(len(lines))))
}

// enclosing names the smallest definition that holds all of a passage.
func enclosing(definitions []Definition, p passage) string {
	name, size := "", math.MaxInt
	for _, d := range definitions {
		if d.StartLine <= p.start && p.end <= d.EndLine && d.EndLine-d.StartLine < size {
			name, size = d.Name, d.EndLine-d.StartLine
		}
	}
	return name
}
