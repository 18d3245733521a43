package discovery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cortex/internal/code"
)

const (
	literalShare = 0.75 // of the facts may be quoted text when the rest of the question has answers too
	maxParts     = 5
	minPartWords = 3
)

// indexed asks the index for what a question means and git grep for what it quotes.
func indexed(ctx context.Context, repo Grepper, req Request) (Result, error) {
	var quotes collector
	rest := quotes.quoted(req.Question)
	var literal Result
	if len(quotes.terms) > 0 {
		var err error
		if literal, err = grepped(ctx, repo, req, quotes.terms); err != nil {
			return Result{}, err
		}
	}
	if req.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, req.Within, fmt.Errorf("it was not ready within %s", req.Within))
		defer cancel()
	}
	result, err := ranked(ctx, req, rest)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return literal, err
	}
	if len(quotes.terms) == 0 {
		return result, nil
	}
	return joined(literal, result, req.Limit), nil
}

// Tool names what answered: "code" when the index did, else "git".
func (r Result) Tool() string {
	if slices.ContainsFunc(r.Facts, func(f Fact) bool { return f.Tool == "code" }) {
		return "code"
	}
	return "git"
}

// joined puts what was found word for word first.
func joined(literal, ranked Result, limit int) Result {
	out := literal
	most := limit
	if len(ranked.Facts) > 0 {
		most = max(1, int(literalShare*float64(limit)))
	}
	out.Facts = out.Facts[:min(len(out.Facts), most)]
	for _, f := range ranked.Facts {
		known := slices.ContainsFunc(out.Facts, func(l Fact) bool { return l.File == f.File && f.Start <= l.Line && l.Line <= f.End })
		if !known && len(out.Facts) < limit {
			out.Facts = append(out.Facts, f)
		}
	}
	out.pinned = min(len(literal.Facts), most)
	out.Terms = append(out.Terms, ranked.Terms...)
	out.Skipped, out.Strong = ranked.Skipped, ranked.Strong
	if len(literal.Facts) == 0 {
		out.Warnings = append(out.Warnings, ranked.Warnings...)
	}
	return out
}

// ranked asks the index, a deep round also for the parts of the question. Answers to the whole come first where they are
// as good in their own list.
func ranked(ctx context.Context, req Request, question string) (Result, error) {
	questions := []string{question}
	if req.Deep {
		questions = append(questions, partsOf(question)...)
	}
	var out Result
	var lists [][]Fact
	for i, q := range questions {
		found, err := req.Index.Search(ctx, code.SearchRequest{Question: q, Module: req.Under, Limit: req.Limit, Stale: i > 0})
		if err != nil && i == 0 {
			return Result{}, err
		}
		if err != nil {
			out.cutShort(fmt.Sprintf("the parts of the question were not all asked (%v)", err))
			break
		}
		if i == 0 {
			out.Terms, out.Warnings, out.Skipped, out.Strong = found.Terms, found.Warnings, found.Skipped, found.Strong
		}
		var facts []Fact
		for _, hit := range found.Hits {
			if i == 0 || found.Strong {
				facts = append(facts, factOf(hit, found.Terms))
			}
		}
		lists = append(lists, facts)
	}
	out.Facts = interleaved(lists, req.Limit)
	return out, nil
}

// interleaved takes the first of each list, then the second of each, each file once.
func interleaved(lists [][]Fact, limit int) []Fact {
	var out []Fact
	taken := map[string]bool{}
	for place := 0; ; place++ {
		more := false
		for _, list := range lists {
			if place >= len(list) {
				continue
			}
			more = true
			if f := list[place]; !taken[f.File] && len(out) < limit {
				taken[f.File] = true
				out = append(out, f)
			}
		}
		if !more || len(out) == limit {
			return out
		}
	}
}

// factOf shows a passage by its line that says most: the one that defines it, or the one with most of the terms.
func factOf(hit code.Hit, words []string) Fact {
	f := Fact{Tool: "code", File: hit.File, Line: hit.StartLine, Start: hit.StartLine, End: hit.EndLine, Symbol: hit.Symbol,
		Coverage: hit.Coverage, Score: hit.Score}
	var terms []term
	for _, w := range words {
		terms = append(terms, term{text: w, lower: strings.ToLower(w), needle: stem(strings.ToLower(w))})
	}
	best, number := -1.0, hit.StartLine
	for line := range strings.Lines(hit.Text) {
		x, value, rarest := newText(line), 0.0, ""
		for _, t := range terms {
			if q := onPart(x.quality(t)); q > 0 {
				value += q
				rarest = t.text
			}
		}
		if hit.Symbol != "" && definedName(line) == hit.Symbol {
			value += aDefinition
		}
		if value > best {
			best, f.Line, f.Text, f.Term = value, number, clip(line), rarest
		}
		number++
	}
	return f
}

// partsOf splits a long question into questions of their own, at most five: at question marks, semicolons, and colons,
// and before an interrogative that follows a comma or an "and".
func partsOf(question string) []string {
	const cut = "\x00"
	text := strings.NewReplacer("?", cut, ";", cut, ": ", cut).Replace(question)
	for _, joint := range []string{", ", " and ", " y ", " e "} {
		for _, word := range interrogatives() {
			text = strings.ReplaceAll(text, joint+word+" ", cut+word+" ")
		}
	}
	var parts []string
	for part := range strings.SplitSeq(text, cut) {
		part = strings.Trim(part, " ,")
		if len(strings.Fields(part)) >= minPartWords && part != strings.TrimSpace(question) && len(parts) < maxParts {
			parts = append(parts, part)
		}
	}
	if len(parts) < 2 {
		return nil // it was the whole question
	}
	return parts
}

func interrogatives() []string {
	return strings.Fields("how what where when which who why cómo como qué que dónde donde cuándo cuando cuál cual quién quien")
}
