package discovery

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"cortex/internal/code"
	"cortex/internal/tool"
)

// rankConstant is that of reciprocal rank fusion: it keeps the first places of one list from outweighing agreement.
const rankConstant = 60

// maxListening bounds a round that sets no time of its own; vecgrep's own limits are shorter.
const maxListening = 2 * time.Minute

// Vecgrep answers a question by meaning, as tool.Runner.VecgrepSearch does.
type Vecgrep func(context.Context, tool.VecgrepQuery) (tool.VecgrepFound, tool.Answer)

// heard is what vecgrep said to one question.
type heard struct {
	found  tool.VecgrepFound
	answer tool.Answer
}

// listen asks vecgrep while something else is done, in a deep round for the parts of the question too. answer waits for it,
// and gives nothing when there was nothing to ask; stop ends the asking, and returns when it has ended.
func (r Request) listen(ctx context.Context) (answer func() []heard, stop func()) {
	if r.Vecgrep == nil || !hasProse(r.Question) {
		return func() []heard { return nil }, func() {}
	}
	within := cmp.Or(r.Within, maxListening)
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("timed out after %s, its share of the round", within))
	var all []heard
	done := make(chan struct{})
	go func() {
		defer close(done)
		all = []heard{r.ask(ctx, r.Question)}
		if r.Deep && all[0].answer.Class == tool.Authoritative {
			all = append(all, r.askAll(ctx, partsOf(r.Question))...)
		}
	}()
	return func() []heard { <-done; return all }, func() { cancel(); <-done }
}

func (r Request) ask(ctx context.Context, question string) heard {
	found, a := r.Vecgrep(ctx, tool.VecgrepQuery{Text: question, Limit: r.Hits, Keyword: r.ByWords})
	return heard{found, a}
}

// askAll asks several questions, at most Parallel at a time.
func (r Request) askAll(ctx context.Context, questions []string) []heard {
	out := make([]heard, len(questions))
	tool.Each(len(questions), r.Parallel, func(i int) { out[i] = r.ask(ctx, questions[i]) })
	return out
}

// hasProse reports whether a question is more than text to be found as it stands.
func hasProse(question string) bool {
	var c collector
	return slices.ContainsFunc(strings.Fields(c.quoted(question)), func(word string) bool { return !strings.HasPrefix(word, "sym:") })
}

// fuse adds what vecgrep found. Whole answers are ranked with what is there; of one in part only those passages are added,
// behind the others, that hold enough of the question's words, for nothing else speaks for them.
func (r *Result) fuse(req Request, all []heard) {
	terms := termsOf(req.Question)
	var lists [][]Fact
	var rest []Fact
	for i, h := range all {
		r.Calls = append(r.Calls, h.answer)
		facts := req.meant(h, terms)
		switch {
		case h.answer.Class == tool.Authoritative:
			lists = append(lists, facts)
			continue
		case i == 0:
			r.Warnings = append(r.Warnings, "vecgrep: "+h.answer.Cause)
		default:
			r.Warnings = append(r.Warnings, "vecgrep, to a part of the question: "+h.answer.Cause)
		}
		r.Degraded = true
		rest = append(rest, facts...)
	}
	pinned := r.Facts[:min(r.pinned, len(r.Facts))]
	r.Facts = slices.Concat(pinned, fused(r.Facts[len(pinned):], inTurn(lists)))
	r.Facts = r.Facts[:min(len(r.Facts), req.Limit)]
	r.append(rest, req.Limit)
}

// meant are the passages of an answer that may be facts.
func (r Request) meant(h heard, terms []term) []Fact {
	var facts []Fact
	for _, hit := range h.found.Hits {
		hit.Text, hit.Symbol = r.Mask(hit.Text), r.Mask(hit.Symbol)
		f := meantFact(hit, terms)
		switch {
		case code.IsJunk(f.File):
		case h.answer.Class == tool.Authoritative || shareOf(f, hit.Text, terms) >= minCoverage:
			f.File = path.Join(r.Under, f.File)
			facts = append(facts, f)
		}
	}
	return facts
}

// inTurn takes the first of each list, then the second of each, each place once.
func inTurn(lists [][]Fact) []Fact {
	var out []Fact
	for place, more := 0, true; more; place++ {
		more = false
		for _, list := range lists {
			if place >= len(list) {
				continue
			}
			more = true
			if !slices.ContainsFunc(out, list[place].samePlace) {
				out = append(out, list[place])
			}
		}
	}
	return out
}

// append puts facts of new places behind the others.
func (r *Result) append(facts []Fact, limit int) {
	for _, f := range facts {
		if len(r.Facts) < limit && !slices.ContainsFunc(r.Facts, f.samePlace) {
			r.Facts = append(r.Facts, f)
		}
	}
}

// meantFact shows a passage that vecgrep found by its line that says most.
func meantFact(hit tool.VecgrepHit, terms []term) Fact {
	text := strings.TrimLeft(hit.Text, "\r\n")
	start := hit.Start + strings.Count(hit.Text[:len(hit.Text)-len(text)], "\n")
	f := factOf(code.Hit{File: hit.File, StartLine: start, EndLine: max(start, hit.End), Symbol: hit.Symbol, Score: hit.Score, Text: text}, texts(terms))
	f.Tool, f.Symbol = "vecgrep", clip(hit.Symbol)
	f.Line = min(f.Line, f.End)
	return f
}

// shareOf is the share of the terms that a passage holds, its path and definition included.
func shareOf(f Fact, passage string, terms []term) float64 {
	x, held := newText(passage+"\n"+f.File+"\n"+f.Symbol), 0
	for _, t := range terms {
		if onPart(x.quality(t)) > 0 {
			held++
		}
	}
	return float64(held) / float64(max(1, len(terms)))
}

// samePlace reports whether two facts show the same lines.
func (f Fact) samePlace(g Fact) bool {
	lines := func(f Fact) (int, int) {
		if f.Start == 0 {
			return f.Line, f.Line
		}
		return f.Start, max(f.Start, f.End)
	}
	from, to := lines(f)
	first, last := lines(g)
	return f.File == g.File && from <= last && first <= to
}

// fused ranks two lists by the sum of their reciprocal ranks. A place that both found is one fact, shown as the embedded
// search has read it, which names the other: what a tool says of a file may be old. Among equals the embedded list is first.
func fused(embedded, meant []Fact) []Fact {
	type place struct {
		fact  Fact
		score float64
	}
	rank := func(i int) float64 { return 1 / float64(rankConstant+i+1) }
	var places []place
	for i, f := range embedded {
		places = append(places, place{f, rank(i)})
	}
	both := map[int]bool{}
	for i, f := range meant {
		at := slices.IndexFunc(places, func(p place) bool { return p.fact.samePlace(f) })
		switch {
		case at < 0:
			places = append(places, place{f, rank(i)})
		case at < len(embedded) && !both[at]:
			both[at] = true
			places[at].score += rank(i)
			places[at].fact.Also = fmt.Sprintf("vecgrep (score %.2f)", f.Score)
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.score, a.score) })
	var out []Fact
	for _, p := range places {
		out = append(out, p.fact)
	}
	return out
}
