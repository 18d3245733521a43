package caseops

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/code"
	"cortex/internal/discovery"
	"cortex/internal/op"
	"cortex/internal/tool"
)

const (
	shownCallers   = 4
	mostMemories   = 3
	excerptShown   = 240 // characters of a text of a tool that a claim shows
	recallTag      = "cortex"
	hitsOfARawFind = 8
)

// details records the candidates and what else is known of them: the modules that they lie in, what codemap says, and what
// is remembered. Half of the facts that a round may keep are candidates, where there are so many.
func (r *round) details(ctx context.Context, found discovery.Result, asks route, structure *code.Structure) {
	room := max(1, r.most-(len(r.evidence)-1))
	spare := room - max(1, (room+1)/2)
	candidates := r.candidates(found.Facts)
	kept := min(len(candidates), room-spare) // whatever else is told
	modules := func(most, shown int) []discovery.ModuleFact {
		if structure == nil || !found.Strong || most < 1 {
			return nil
		}
		return discovery.Modules(found.Facts[:min(len(candidates), max(1, shown))], structure.Graph, most)
	}
	reserved := min(r.depth.expansions(), max(2, r.most/4), spare)
	reserved = len(modules(reserved, room-reserved))
	spare -= reserved

	var resolved []casefile.Evidence
	if r.depth.expansions() > 0 && r.asks(tool.Codemap) {
		most := min(max(2, r.most/4), spare)
		if len(candidates) == 0 {
			most = room
		}
		op.Progress(ctx, "asking codemap")
		resolved = r.codemapFacts(ctx, found.Facts[:kept], candidates, asks, most)
		spare -= len(resolved)
	}
	graphed := r.graphFacts(ctx, found.Facts[:kept], candidates, spare)
	spare -= len(graphed)
	remembered := r.memories(ctx, min(spare, mostMemories))
	room -= len(resolved) + len(graphed) + len(remembered)
	among := modules(reserved, room-reserved) // of what is left of the candidates
	shown := min(len(candidates), max(1, room-len(among)))
	r.spare = candidates[shown:]
	r.add(candidates[:shown]...)
	for _, m := range among {
		r.note("%s\n", m.Claim)
		r.add(dependants(m, candidates))
	}
	r.add(resolved...)
	r.add(graphed...)
	r.add(remembered...)
}

// candidates are the places that were found, as evidence.
func (r *round) candidates(found []discovery.Fact) []casefile.Evidence {
	var out []casefile.Evidence
	for _, f := range found {
		e := r.s.candidate(f)
		e.ID = r.s.IDs.New("ev")
		out = append(out, e)
	}
	return out
}

// candidate is a place that a round found, as evidence.
func (s *Service) candidate(f discovery.Fact) casefile.Evidence {
	file := s.relative(f.File)
	e := casefile.Evidence{
		Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: f.Tool}, Confidence: casefile.ConfidenceLow,
		Claim:    fmt.Sprintf("%s:%d matches %q — %s", file, f.Line, f.Term, f.Text),
		Location: &casefile.Location{File: file, StartLine: f.Line, EndLine: f.Line},
	}
	if f.Start > 0 {
		e.Location.StartLine, e.Location.EndLine = f.Start, f.End
	}
	within := ""
	if f.Symbol != "" {
		within = " in " + f.Symbol
	}
	switch {
	case f.Tool == tool.Vecgrep:
		e.Kind = casefile.KindSemanticSearch
		where := fmt.Sprintf("%s:%d", file, f.Line)
		if f.Symbol != "" {
			where = f.Symbol + " in " + file
		}
		e.Claim = fmt.Sprintf("%s (score %.2f): %s", where, f.Score, f.Text)
	case f.Start > 0:
		e.Claim = fmt.Sprintf("%s:%d%s holds %.0f %% of the question — %s", file, f.Line, within, 100*f.Coverage, f.Text)
	}
	if f.Also != "" {
		e.Claim += " — found by " + f.Also + " too"
	}
	return e
}

// dependants is what the graph says of a module, as evidence derived from the candidates in it.
func dependants(m discovery.ModuleFact, candidates []casefile.Evidence) casefile.Evidence {
	e := casefile.Evidence{
		Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: toolCode}, Claim: m.Claim, Confidence: casefile.ConfidenceMedium,
	}
	if m.Tier != code.TierHigh {
		e.Confidence = casefile.ConfidenceLow
	}
	for _, i := range m.From {
		e.DerivedFrom = append(e.DerivedFrom, candidates[i].ID)
	}
	return e
}

// told is what codemap said to one question.
type told struct {
	facts  []casefile.Evidence
	answer tool.Answer
}

// codemapFacts asks codemap about the candidates: for what a change of their symbol reaches, or for symbols by the name of
// their file. Without candidates it is asked the question itself.
func (r *round) codemapFacts(ctx context.Context, found []discovery.Fact, candidates []casefile.Evidence, asks route, most int) []casefile.Evidence {
	var questions []func() told
	asked := slices.Clone(asks.symbols)
	for i, f := range found {
		name := f.Symbol
		if name == "" {
			name = strings.TrimSuffix(path.Base(f.File), path.Ext(f.File))
		}
		if len(questions) == r.depth.expansions() || !codemapReads(f.File) || slices.Contains(asked, name) {
			continue
		}
		asked = append(asked, name)
		from := candidates[i].ID
		if f.Symbol == "" {
			questions = append(questions, func() told { return r.finds(ctx, name, 1, from) })
		} else {
			questions = append(questions, func() told { return r.impact(ctx, name, from) })
		}
	}
	if len(questions) == 0 && len(r.then) == 0 && r.words() != "" {
		questions = append(questions, func() told { return r.finds(ctx, r.words(), hitsOfARawFind) })
	}
	var out []casefile.Evidence
	for _, t := range firstThenTheRest(questions, r.s.Config.Budget.MaxParallelCalls) {
		r.heard(t.answer)
		out = append(out, t.facts...)
	}
	if len(out) > 0 {
		r.then = append(r.then, tool.Codemap)
	}
	return out[:min(len(out), max(0, most))]
}

// firstThenTheRest asks one question, and the others at the same time if that was answered: a tool without an index is not
// asked again and again.
func firstThenTheRest(questions []func() told, parallel int) []told {
	if len(questions) == 0 {
		return nil
	}
	out := make([]told, len(questions))
	if out[0] = questions[0](); !out[0].answer.OK() || out[0].answer.TimedOut {
		return out[:1]
	}
	rest := questions[1:]
	tool.Each(len(rest), parallel, func(i int) { out[1+i] = rest[i]() })
	return out
}

// codemapReads knows the languages that codemap has a graph of.
func codemapReads(file string) bool {
	return slices.Contains(strings.Fields(".go .ts .tsx .js .jsx .mjs .cjs .py .rs .java .rb .lua .vue .c .h .cc .cpp .hpp .cs .kt .swift .php .scala .gd"),
		strings.ToLower(path.Ext(file)))
}

// finds asks codemap for symbols by a name, or by the words of a question.
func (r *round) finds(ctx context.Context, words string, most int, from ...string) told {
	hits, dropped, a := r.tools.CodemapFind(ctx, words, max(most, hitsOfARawFind))
	t := told{answer: a}
	if dropped > 0 && len(hits) == 0 && a.Class == tool.Authoritative {
		t.answer.Cause = fmt.Sprintf("its %d hits lie in no file of the workspace", dropped)
		t.answer.Class = tool.Partial
	}
	for _, h := range hits[:min(len(hits), most)] {
		e := casefile.Evidence{
			Kind: casefile.KindSemanticSearch, Source: casefile.Source{Tool: tool.Codemap}, Confidence: casefile.ConfidenceMedium,
			Claim: fmt.Sprintf("%s (%s) at %s", h.Symbol, orWord(h.Kind, "symbol"), placed(h)), Location: locationOf(h), DerivedFrom: from,
		}
		t.facts = append(t.facts, e)
	}
	return t
}

func placed(p tool.CodemapPlace) string {
	if p.Start > 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Start)
	}
	return p.File
}

func locationOf(p tool.CodemapPlace) *casefile.Location {
	if p.File == "" {
		return nil
	}
	return &casefile.Location{File: p.File, StartLine: p.Start, EndLine: p.End, Symbol: p.Symbol}
}

// impact asks codemap what a change of a symbol reaches.
func (r *round) impact(ctx context.Context, symbol string, from ...string) told {
	i, a := r.tools.CodemapImpact(ctx, symbol)
	t := told{answer: a}
	if !a.OK() || !i.Found {
		return t
	}
	resolution := i.Resolution
	e := casefile.Evidence{
		Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: tool.Codemap}, DerivedFrom: from,
		Confidence: casefile.FactConfidence(tool.Codemap, casefile.KindCodeGraph, resolution, a.Class != tool.Authoritative),
		Claim: fmt.Sprintf("impact of %s: %s direct callers%s, %s symbols reach it, %s tests (call graph %s)", symbol, numberOf(i.Callers),
			namesOf(i.Callers.List), numberOf(i.Radius), numberOf(i.Tests), orWord(resolution, "not named")),
	}
	if len(i.Locations.List) > 0 {
		e.Location = locationOf(i.Locations.List[0])
	}
	t.facts = []casefile.Evidence{e}
	return t
}

// numberOf is how many places there are, as far as that was told.
func numberOf(p tool.CodemapPlaces) string {
	if p.Count < 0 {
		return "an unknown number of"
	}
	return strconv.Itoa(p.Count)
}

// namesOf lists the first of some places in brackets.
func namesOf(places []tool.CodemapPlace) string {
	var names []string
	for _, p := range places[:min(len(places), shownCallers)] {
		name := orWord(p.Symbol, "?")
		if p.File != "" {
			name += " at " + placed(p)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	if len(places) > len(names) {
		names = append(names, "…")
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// excerpt is the beginning of a text in one line. It masks before it cuts: half a secret is not recognised.
func (s *Service) excerpt(text string) string {
	return clipRunes(oneLine(s.Redact.Text(text)), excerptShown)
}

// memories asks vecgrep what earlier work of this repository left to be remembered, unless its search has just failed.
func (r *round) memories(ctx context.Context, most int) []casefile.Evidence {
	if most < 1 || r.depth == "quick" || r.words() == "" || !r.asks(tool.Vecgrep) {
		return nil
	}
	all, a := r.tools.VecgrepRecall(ctx, r.words(), mostMemories, []string{recallTag, "repo:" + r.c.Workspace.Repository})
	r.heard(a)
	var out []casefile.Evidence
	for _, m := range all[:min(len(all), most)] {
		out = append(out, casefile.Evidence{
			Kind: casefile.KindModelInference, Source: casefile.Source{Tool: tool.Vecgrep}, Confidence: casefile.ConfidenceLow,
			Claim: "remembered: " + r.s.excerpt(m.Content),
		})
	}
	return out
}
