package caseops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cortex/internal/casefile"
	"cortex/internal/code"
	"cortex/internal/tool"
)

const (
	routedSymbols = 2 // of one question
	shownSites    = 6
)

// route is what a question asks of the structure before anything is searched: what depends on some symbols.
type route struct {
	symbols []string // as they are written; the surest first
	guessed bool     // they are ordinary words, which mean a symbol only if the graph knows one
}

func (t route) structure() bool { return len(t.symbols) > 0 }

// routeOf reads a question. One about consequences asks for the symbols that it names, or else for the words in it that
// may be one; one that is nothing but a name asks for that.
func routeOf(question string) route {
	text := strings.ToLower(question)
	words := strings.FieldsFunc(question, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._:#/$", c)
	})
	for i := range words {
		words[i] = strings.Trim(words[i], ".:/#")
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	if len(words) == 1 && isSymbol(words[0]) && words[0] == strings.TrimSpace(question) {
		return route{symbols: words}
	}
	asks := slices.ContainsFunc(consequences(), func(phrase string) bool { return strings.Contains(text, phrase) })
	if !asks {
		return route{}
	}
	var named, plain []string
	for _, w := range words {
		switch {
		case isSymbol(w):
			named = append(named, w)
		case !code.IsStopWord(strings.ToLower(w)) && !slices.Contains(ofConsequence(), strings.ToLower(w)):
			plain = append(plain, w)
		}
	}
	if len(named) > 0 {
		return route{symbols: named[:min(len(named), routedSymbols)]}
	}
	slices.Reverse(plain) // "what breaks if I change the parser of add": what is changed stands last
	return route{symbols: plain, guessed: len(plain) > 0}
}

// consequences are the phrases of a question about what a change reaches.
func consequences() []string {
	return []string{"what breaks", "impact", "blast radius", "if i change", "callers of", "who calls", "what calls", "affected by", "depends on"}
}

// ofConsequence are their words, which name no symbol in such a question.
func ofConsequence() []string {
	return strings.Fields("break breaks impact impacts blast radius change changes changed changing caller callers call calls affected depend depends function method class type")
}

// isSymbol reports whether a word is written as a name of the code: with an inner joint or capital.
func isSymbol(word string) bool {
	if strings.ContainsAny(word, ".:/#_") {
		return true
	}
	for i, c := range word {
		if i > 0 && unicode.IsUpper(c) {
			return true
		}
	}
	return false
}

// route answers what the question asks of the structure: by codemap where it is installed and knows the symbol, otherwise
// by the embedded graph.
func (r *round) route(ctx context.Context, asks route, structure *code.Structure) {
	answered := 0
	for _, symbol := range asks.symbols {
		known := structure != nil && len(structure.Find(symbol)) > 0
		if answered == routedSymbols || asks.guessed && (answered > 0 || !known) {
			continue
		}
		if r.routedByCodemap(ctx, symbol) || known && r.routedByGraph(ctx, symbol, structure) {
			answered++
		}
	}
}

func (r *round) routedByCodemap(ctx context.Context, symbol string) bool {
	if !r.asks(tool.Codemap) {
		return false
	}
	t := r.impact(ctx, symbol)
	r.heard(t.answer)
	if len(t.facts) == 0 {
		return false
	}
	r.add(t.facts...)
	if !slices.Contains(r.then, tool.Codemap) {
		r.then = append(r.then, tool.Codemap)
	}
	return true
}

// routedByGraph records who names a symbol, one fact for each tier: they are not equally sure.
func (r *round) routedByGraph(ctx context.Context, symbol string, structure *code.Structure) bool {
	sites, err := structure.Callers(ctx, symbol, false)
	if err != nil {
		r.degraded = true
		r.warnings = append(r.warnings, fmt.Sprintf("the callers of %s were not all read: %v", symbol, err))
	}
	place := structure.Find(symbol)[0]
	location := casefile.Location{File: r.s.relative(place.File), StartLine: place.StartLine, EndLine: place.EndLine, Symbol: symbol}
	defined := fmt.Sprintf("%s at %s:%d", place.Kind, location.File, place.StartLine)
	for _, tier := range []struct {
		name       code.SiteTier
		confidence casefile.Confidence
	}{{code.SiteResolved, casefile.ConfidenceMedium}, {code.SiteLikely, casefile.ConfidenceLow}} {
		of := slices.DeleteFunc(slices.Clone(sites), func(s code.Site) bool { return s.Tier != tier.name })
		if len(of) == 0 && (tier.name != code.SiteResolved || len(sites) > 0) {
			continue
		}
		r.add(casefile.Evidence{
			Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: toolCode}, Confidence: tier.confidence, Location: &location,
			Claim: fmt.Sprintf("%d call sites name %s in files that import its package (%s; %s)%s", len(of), symbol, defined, tier.name, r.listed(of)),
		})
	}
	r.note("%d call sites of %s\n", len(sites), symbol)
	if !slices.Contains(r.then, "call sites") {
		r.then = append(r.then, "call sites")
	}
	return true
}

// listed names the first of some sites.
func (r *round) listed(sites []code.Site) string {
	var names []string
	for _, s := range sites[:min(len(sites), shownSites)] {
		names = append(names, fmt.Sprintf("%s:%d", r.s.relative(s.File), s.Line))
	}
	if len(names) == 0 {
		return ""
	}
	if len(sites) > len(names) {
		names = append(names, "…")
	}
	return ": " + strings.Join(names, ", ")
}

// review records what the change touches: by codemap where it is installed and sure, otherwise by the embedded review.
func (r *round) review(ctx context.Context) {
	e := casefile.Evidence{Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: toolCode}, Confidence: casefile.ConfidenceLow}
	if r.tools.Installed(tool.Codemap) {
		found, a := r.tools.CodemapReview(ctx, r.base)
		r.heard(a)
		if a.Class == tool.Authoritative {
			e.Source.Tool = tool.Codemap
			e.Confidence = casefile.FactConfidence(tool.Codemap, casefile.KindCodeGraph, found.CallGraph, false)
			e.Claim = codemapReviewWords(found)
			r.add(e)
			r.then = append(r.then, tool.Codemap)
			return
		}
	}
	found, err := r.s.readReview(ctx, r.base)
	if err != nil {
		r.degraded = true
		r.warnings = append(r.warnings, fmt.Sprintf("what the change touches could not be read: %v", err))
		return
	}
	e.Claim = reviewWords(found)
	r.add(e)
	r.then = append(r.then, "review")
}

// codemapReviewWords are a review of codemap in one sentence.
func codemapReviewWords(v tool.CodemapReview) string {
	words := fmt.Sprintf("codemap review: %d files and %d definitions differ; %d symbols reach them, %d tests cover them, %d are untested (call graph %s)",
		len(v.Files), len(v.Symbols), len(v.Radius), len(v.Tests), v.Untested.Count, orWord(v.CallGraph, "not named"))
	if v.Risk != nil {
		words += "; diff risk " + v.Risk.Level
	}
	return words
}
