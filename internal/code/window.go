package code

import (
	"bytes"
	"math"
)

// Sizes of the lines that a hit shows.
const (
	windowLines = 40
	windowStep  = 20
	maxHitLines = 80
	nameWeight  = 3   // occurrences that a term in the name of a definition counts for
	lengthDrag  = 0.1 // a passage twice as long must hold a little more
)

// passage is a run of lines of a file.
type passage struct {
	start, end int // from 1, the end included
	symbol     string
	score      float64
}

// bestPassage finds the lines of a file that hold most of a question: a definition, or a window where none is better.
func bestPassage(body []byte, facts Facts, terms []queryTerm, rarity func(queryTerm) float64) passage {
	lines := lineCounts(body, terms)
	if len(lines) == 0 {
		return passage{start: 1, end: 1}
	}
	weights := make([]float64, len(terms))
	for i, t := range terms {
		weights[i] = rarity(t)
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
		consider(passage{start: d.StartLine, end: d.EndLine, symbol: d.Name}, nameCounts(d.Name, terms))
	}
	for start := 1; start <= len(lines); start += windowStep {
		consider(passage{start: start, end: min(start+windowLines-1, len(lines))}, nil)
	}
	if best.symbol == "" {
		best.symbol = enclosing(facts.Definitions, best)
	}
	return best
}

// lineCounts says for each line how often it has each term, by its stem. A line without any is nil.
func lineCounts(body []byte, terms []queryTerm) [][]float64 {
	stems := map[string]int{}
	for i, t := range terms {
		stems[t.stemText] = i
	}
	var lines [][]float64
	for line := range bytes.Lines(body) {
		var counts []float64
		eachWord(line, func(word []byte) {
			if i, ok := stems[string(stemOf(word))]; ok {
				if counts == nil {
					counts = make([]float64, len(terms))
				}
				counts[i]++
			}
		})
		lines = append(lines, counts)
	}
	return lines
}

func nameCounts(name string, terms []queryTerm) []float64 {
	counts := lineCounts([]byte(name), terms)
	if len(counts) == 0 || counts[0] == nil {
		return nil
	}
	for i := range counts[0] {
		counts[0][i] *= nameWeight
	}
	return counts[0]
}

// weigh is the score of lines: how much of the question they hold, each term with less for every repetition.
func weigh(lines [][]float64, weights, extra []float64) float64 {
	sums := make([]float64, len(weights))
	copy(sums, extra)
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

// enclosing names the smallest definition that holds the middle of a passage.
func enclosing(definitions []Definition, p passage) string {
	middle := (p.start + p.end) / 2
	name, size := "", math.MaxInt
	for _, d := range definitions {
		if d.StartLine <= middle && middle <= d.EndLine && d.EndLine-d.StartLine < size {
			name, size = d.Name, d.EndLine-d.StartLine
		}
	}
	return name
}
