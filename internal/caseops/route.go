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
	symbols  []string // as they are written; the surest first
	guessed  bool     // they are ordinary words, which mean a symbol only if the graph knows one
	relation string   // to the symbols: impact, callers or callees
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
		return route{symbols: words, relation: "impact"}
	}
	relation := relationOf(text)
	if relation == "" {
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
		return route{symbols: named[:min(len(named), routedSymbols)], relation: relation}
	}
	slices.Reverse(plain) // "what breaks if I change the parser of add": what is changed stands last
	return route{symbols: plain, guessed: len(plain) > 0, relation: relation}
}

// relationOf reads from a question in lower case how what it asks for is related to the symbols that it names; "" where it
// asks for no such thing.
func relationOf(text string) string {
	for _, row := range [][]string{
		{"callers", "callers of", "who calls", "what calls"}, {"callees", "callees of", "called by"},
		{"impact", "what breaks", "impact", "blast radius", "if i change", "affected by", "depends on"},
	} {
		if slices.ContainsFunc(row[1:], func(phrase string) bool { return strings.Contains(text, phrase) }) {
			return row[0]
		}
	}
	return ""
}

// ofConsequence are the words of those phrases, which name no symbol in such a question.
func ofConsequence() []string {
	return strings.Fields("break breaks impact impacts blast radius change changes changed changing caller callers callees call calls called affected depend depends function method class type")
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

// route answers what the question asks of the structure: by codemap where it is installed and knows the symbol, and by the
// embedded graph, which an index that is behind the files does not silence.
func (r *round) route(ctx context.Context, asks route, structure *code.Structure) {
	answered := 0
	for _, symbol := range asks.symbols {
		known := structure != nil && len(structure.Find(symbol)) > 0
		if answered == routedSymbols || asks.guessed && (answered > 0 || !known) {
			continue
		}
		keepSites := func() bool { return false }
		if known && asks.relation != "callees" {
			keepSites = r.sitesOf(ctx, symbol, structure) // read before a tool may use up the time of the round
		}
		byCodemap := r.routedByCodemap(ctx, symbol, asks.relation)
		if keepSites() || byCodemap {
			answered++
		}
	}
	if answered > 0 { // what was asked is told by the structure, whatever the words of the question hold
		r.warnings = slices.DeleteFunc(r.warnings, func(w string) bool { return w == code.NoStrongCandidate })
	}
}

func (r *round) routedByCodemap(ctx context.Context, symbol, relation string) bool {
	if !r.asks(tool.Codemap) {
		return false
	}
	t := r.related(ctx, symbol, relation)
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

// related asks codemap for one relation of a symbol.
func (r *round) related(ctx context.Context, symbol, relation string) told {
	ask := r.tools.CodemapCallers
	switch relation {
	case "impact":
		return r.impact(ctx, symbol)
	case "callees":
		ask = r.tools.CodemapCallees
	}
	found, a := ask(ctx, symbol)
	t := told{answer: a}
	if a.OK() && found.Found {
		t.facts = []casefile.Evidence{{
			Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: tool.Codemap},
			Confidence: casefile.FactConfidence(tool.Codemap, casefile.KindCodeGraph, found.Resolution, a.Class != tool.Authoritative),
			Claim:      fmt.Sprintf("%d %s of %s%s (call graph %s)", found.Places.Count, relation, symbol, namesOf(found.Places.List), orWord(found.Resolution, "not named")),
		}}
	}
	return t
}

// sitesOf reads who names a symbol. keep records that, and reports whether there was anything to record.
func (r *round) sitesOf(ctx context.Context, symbol string, structure *code.Structure) (keep func() bool) {
	sites, err := structure.Callers(ctx, symbol, false)
	if err == nil {
		return func() bool { r.keepSites(symbol, sites, structure, ""); return true }
	}
	return func() bool {
		r.degraded = true
		r.warnings = append(r.warnings, fmt.Sprintf("the callers of %s were not all read: %v", symbol, err))
		if len(sites) > 0 { // none is not known to be none
			r.keepSites(symbol, sites, structure, "at least ")
		}
		return len(sites) > 0
	}
}

// keepSites records sites, one fact for each tier: they are not equally sure.
func (r *round) keepSites(symbol string, sites []code.Site, structure *code.Structure, least string) {
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
			Claim: least + sitesWords(len(of), symbol) + fmt.Sprintf(" (%s; %s)%s", defined, tier.name, r.listed(of)),
		})
	}
	r.note("%d call sites of %s\n", len(sites), symbol)
	if !slices.Contains(r.then, "call sites") {
		r.then = append(r.then, "call sites")
	}
}

func sitesWords(n int, symbol string) string {
	if n == 1 {
		return fmt.Sprintf("1 call site names %s in a file that imports its package", symbol)
	}
	return fmt.Sprintf("%d call sites name %s in files that import its package", n, symbol)
}

// listed names the first of some sites, those in tests last.
func (r *round) listed(sites []code.Site) string {
	slices.SortStableFunc(sites, func(a, b code.Site) int {
		switch {
		case a.Test == b.Test:
			return 0
		case b.Test:
			return -1
		}
		return 1
	})
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

// review records what the change touches: by codemap where it is installed and sure, and by the embedded review.
func (r *round) review(ctx context.Context) {
	embedded, err := r.s.readReview(ctx, r.where.Base) // before a tool may use up the time of the round
	e := casefile.Evidence{Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: toolCode}, Confidence: casefile.ConfidenceLow}
	if r.tools.Installed(tool.Codemap) {
		found, a := r.tools.CodemapReview(ctx, r.since())
		if missed := r.s.unreviewed(r.where.Changed, found); a.Class == tool.Authoritative && len(missed) > 0 {
			a.Class, a.Cause = tool.Partial, "its review does not list what git says changed: "+strings.Join(missed, ", ")
		}
		r.heard(a)
		if a.Class == tool.Authoritative {
			e := e
			e.Source.Tool = tool.Codemap
			e.Confidence = casefile.FactConfidence(tool.Codemap, casefile.KindCodeGraph, found.CallGraph, false)
			e.Claim = codemapReviewWords(found)
			r.add(e)
			r.then = append(r.then, tool.Codemap)
		}
	}
	if err != nil {
		r.degraded = true
		r.warnings = append(r.warnings, fmt.Sprintf("what the change touches could not be read: %v", err))
		return
	}
	e.Claim = reviewWords(embedded)
	r.add(e)
	r.then = append(r.then, "review")
}

// since is the commit that a review of the change starts at; "" where the worktree alone differs.
func (r *round) since() string {
	if r.where.Base == r.where.Commit {
		return ""
	}
	return r.where.Base
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
