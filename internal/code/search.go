package code

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"cortex/internal/gitrepo"
)

// Bounds of a search.
const (
	defaultHits    = 10
	maxHits        = 100
	symbolFiles    = 300 // files that have all words of a name and are read for its definition
	literalFiles   = 200
	scorePrecision = 1000

	// Measured on fourteen repositories: with this, two of 210 real questions and 238 of 267 others have no strong candidate.
	minCoverage = 0.4
	judgedHits  = 10  // the best, of which one must hold so much
	closeLook   = 20  // files that are read for how close together they have the words
	denseShare  = 1.0 // of the weight of the words that stand together
)

// NoStrongCandidate is the warning of an answer that is not strong.
const NoStrongCandidate = "no strong candidate: no file holds more than a small part of the question's words"

// SearchRequest is one question.
type SearchRequest struct {
	Question string
	Module   string // only files in this directory, relative to the repository; "" is everywhere
	Limit    int    // hits; 0 is 10, and 100 the most
	Stale    bool   // answer from the index as it is, if there is one
}

// Hit is a passage of one file.
type Hit struct {
	File      string  `json:"file"`
	StartLine int     `json:"startLine"`
	EndLine   int     `json:"endLine"`
	Symbol    string  `json:"symbol"` // the definition around it, "" when it is in none
	Score     float64 `json:"score"`
	Coverage  float64 `json:"coverage"` // share of the question's weight that the file holds
	Text      string  `json:"-"`        // of the lines
}

// SearchResult is what a question found, best first, one hit for each file.
type SearchResult struct {
	Hits     []Hit
	Strong   bool     // the best hit holds enough of the question to be worth reading
	Terms    []string // what was searched for
	Warnings []string // why there may be nothing, or better
	Skipped  []string // what was not searched, one sentence for each reason
}

// Search answers a question from the index, which it refreshes first. Quoted text is found as it stands and sym:Name by
// the definition of exactly that name; both go before what is ranked.
//
// A damaged cache file is ErrDamaged; it is deleted, so that the next Cache that is opened begins anew.
func (x *Index) Search(ctx context.Context, req SearchRequest) (SearchResult, error) {
	result, err := x.search(ctx, req)
	if damaged(err) {
		x.Cache.remove()
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return result, err
}

// ErrDamaged says that the cache file could not be read and was deleted.
var ErrDamaged = errors.New("the cache file was damaged")

func (x *Index) search(ctx context.Context, req SearchRequest) (SearchResult, error) {
	req = req.clean()
	q := parseQuestion(req.Question)
	var s *scoring
	var best []candidate
	var err error
	for range refreshRetries {
		if s, best, err = x.ranked(ctx, &q, req); !errors.Is(err, errEpoch) {
			break
		}
	}
	if err != nil {
		return SearchResult{}, fmt.Errorf("search: %w", err)
	}
	m := newMatcher(q.terms)
	if !q.exact() {
		if best, err = x.lookInto(ctx, s, m, best); err != nil {
			return SearchResult{}, err
		}
	}
	result := SearchResult{Skipped: s.live.warnings, Strong: strong(best), Warnings: q.warnings}
	if s.mask != nil && s.mask.size() == 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("no file that is searched lies below %s", req.Module))
	}
	best = best[:min(len(best), req.Limit)]
	for _, t := range q.terms {
		result.Terms = append(result.Terms, t.word)
	}
	result.Terms = append(append(result.Terms, q.literals...), q.symbols...)
	if result.Hits, err = x.hits(ctx, s, m, q, best); err != nil {
		return SearchResult{}, err
	}
	result.judge()
	return result, nil
}

// ranked brings the index up to date and ranks what one snapshot of it holds.
func (x *Index) ranked(ctx context.Context, q *question, req SearchRequest) (s *scoring, best []candidate, err error) {
	if err := x.ready(ctx, req.Stale); err != nil {
		return nil, nil, err
	}
	err = x.Cache.view(ctx, func(tx *sql.Tx) error {
		live, there, err := x.live(ctx, tx)
		if err == nil && !there {
			err = errEpoch
		}
		if err != nil {
			return err
		}
		if s, err = newScoring(ctx, tx, live, req.Module); err != nil {
			return err
		}
		best, err = x.candidates(ctx, s, q, req)
		return err
	})
	return s, best, err
}

// lookInto reads the best files, and sorts them again by what they have close together of the question's words.
func (x *Index) lookInto(ctx context.Context, s *scoring, m *matcher, best []candidate) ([]candidate, error) {
	near := best[:min(len(best), closeLook)]
	spread(len(near), func(_ *extractor, i int) {
		c := &near[i]
		body, err := x.read(ctx, c.path)
		if err != nil {
			return // hits leaves it out
		}
		c.body, c.lines = body, m.lines(body)
		c.score += denseShare * c.factor * m.densest(c.path, c.lines, s.rarities)
	})
	slices.SortFunc(near, byCandidate)
	return best, ctx.Err()
}

// strong reports whether one of the best candidates is worth reading.
func strong(best []candidate) bool {
	return slices.ContainsFunc(best[:min(len(best), judgedHits)], func(c candidate) bool { return c.coverage >= minCoverage })
}

func (r SearchRequest) clean() SearchRequest {
	if r.Limit <= 0 {
		r.Limit = defaultHits
	}
	r.Limit = min(r.Limit, maxHits)
	r.Module = path.Clean(strings.ReplaceAll(r.Module, "\\", "/"))
	if r.Module = strings.Trim(r.Module, "/"); r.Module == "." {
		r.Module = ""
	}
	return r
}

// judge says how good the hits are.
func (r *SearchResult) judge() {
	r.Strong = r.Strong && len(r.Hits) > 0
	switch {
	case len(r.Terms) == 0:
		r.Warnings = append(r.Warnings, "the question has no word to search for: name an identifier, a file or a phrase of the code")
	case len(r.Hits) == 0:
		r.Warnings = append(r.Warnings, "nothing matches the question's words")
	case !r.Strong:
		r.Warnings = append(r.Warnings, NoStrongCandidate)
	}
}

// ready makes sure that there is an index.
func (x *Index) ready(ctx context.Context, stale bool) error {
	if stale {
		var there bool
		err := x.Cache.view(ctx, func(tx *sql.Tx) (err error) {
			_, there, err = x.live(ctx, tx)
			return err
		})
		if err != nil || there {
			return err
		}
	}
	return x.Refresh(ctx)
}

// candidates are the files to look into.
func (x *Index) candidates(ctx context.Context, s *scoring, q *question, req SearchRequest) ([]candidate, error) {
	if !q.exact() {
		return s.rank(ctx, *q, max(req.Limit, closeLook))
	}
	ranked, err := s.rank(ctx, *q, literalFiles)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, symbol := range q.symbols {
		found, gap, err := x.defining(ctx, s, symbol)
		if err != nil {
			return nil, err
		}
		if gap != "" {
			q.warnings = append(q.warnings, gap)
		}
		out = append(out, found...)
	}
	for _, literal := range q.literals {
		matches, err := x.Repo.Grep(ctx, gitrepo.GrepRequest{Terms: []string{literal}, Under: req.Module, MaxPerFile: 1, Limit: literalFiles})
		if err != nil && len(matches) == 0 {
			return nil, err
		}
		for _, m := range matches {
			factor := pathFactor(m.File, q.audience)
			out = append(out, candidate{path: m.File, factor: factor, score: factor, coverage: 1})
		}
	}
	for i, c := range out {
		for _, r := range ranked {
			if r.path == c.path {
				out[i].score += r.score
			}
		}
	}
	slices.SortStableFunc(out, byCandidate)
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(c candidate) bool {
		again := seen[c.path]
		seen[c.path] = true
		return again
	})
	return out, nil
}

// defining finds the files that define exactly this name, and says when there may be others.
func (x *Index) defining(ctx context.Context, s *scoring, symbol string) (out []candidate, gap string, err error) {
	one := question{audience: Audience{tests: true, prose: true}}
	eachWord([]byte(symbol), func(word []byte) { one.terms = append(one.terms, newQueryTerm(word)) })
	if len(one.terms) == 0 {
		return nil, fmt.Sprintf("%s has no word of two letters, which a search needs: code callers finds its definitions", symbol), nil
	}
	only := &scoring{tx: s.tx, live: s.live, mask: s.mask, segments: s.segments, forward: s.forward}
	only.begin()
	files, err := only.rank(ctx, one, symbolFiles)
	if err != nil {
		return nil, "", err
	}
	name := symbol[strings.LastIndexAny(symbol, ".:#")+1:]
	for _, c := range files {
		body, err := x.read(ctx, c.path)
		if err != nil || !bytes.Contains(body, []byte(name)) {
			continue // it changed since it was listed, or only has the parts of the name
		}
		var e extractor
		for _, d := range e.extract(c.path, body, false).Definitions {
			if d.Name == name {
				out = append(out, candidate{path: c.path, score: c.score, coverage: 1})
				break
			}
		}
	}
	if len(files) == symbolFiles {
		gap = fmt.Sprintf("%s: only the %d files that have its words most were read", symbol, symbolFiles)
	}
	return out, gap, nil
}

func (x *Index) read(ctx context.Context, file string) ([]byte, error) {
	f, err := x.Repo.File(file)
	if err != nil {
		return nil, err
	}
	if f.Size > maxFileBytes {
		return nil, gitrepo.ErrChanged
	}
	return x.Repo.ReadFile(ctx, f)
}

// hits are the best passages of candidates. A file that cannot be read any more has none.
func (x *Index) hits(ctx context.Context, s *scoring, m *matcher, q question, best []candidate) ([]Hit, error) {
	found, failures := make([]Hit, len(best)), make([]error, len(best))
	spread(len(best), func(e *extractor, i int) { found[i], failures[i] = x.hit(ctx, e, s, m, q, best[i]) })
	hits := make([]Hit, 0, len(best))
	for i, err := range failures {
		if err == nil {
			hits = append(hits, found[i])
		}
	}
	return hits, ctx.Err()
}

// hit reads a candidate and finds its best passage.
func (x *Index) hit(ctx context.Context, e *extractor, s *scoring, m *matcher, q question, c candidate) (Hit, error) {
	body, lines := c.body, c.lines
	if body == nil {
		var err error
		if body, err = x.read(ctx, c.path); err != nil {
			return Hit{}, err
		}
		lines = m.lines(body)
	}
	facts := e.extract(c.path, body, false)
	p := passage{}
	switch {
	case q.exact():
		p = exactPassage(body, facts, q)
	default:
		p = m.passage(lines, facts, s.rarities)
	}
	hit := Hit{File: c.path, StartLine: p.start, EndLine: p.end, Symbol: p.symbol, Text: linesOf(body, p)}
	hit.Score = math.Round(c.score*scorePrecision) / scorePrecision
	hit.Coverage = math.Round(c.coverage*scorePrecision) / scorePrecision
	return hit, nil
}

// exactPassage is the definition of a wanted name, or the first line with a quoted text.
func exactPassage(body []byte, facts Facts, q question) passage {
	for _, symbol := range q.symbols {
		name := symbol[strings.LastIndexAny(symbol, ".:#")+1:]
		for _, d := range facts.Definitions {
			if d.Name == name {
				return passage{start: d.StartLine, end: d.EndLine, symbol: name}
			}
		}
	}
	number := 0
	for line := range bytes.Lines(body) {
		number++
		for _, literal := range q.literals {
			if bytes.Contains(bytes.ToLower(line), bytes.ToLower([]byte(literal))) {
				p := passage{start: number, end: number}
				p.symbol = enclosing(facts.Definitions, p)
				return p
			}
		}
	}
	return passage{start: 1, end: 1}
}

func linesOf(body []byte, p passage) string {
	var text strings.Builder
	number := 0
	for line := range bytes.Lines(body) {
		if number++; number > p.end {
			break
		}
		if number >= p.start {
			text.Write(line)
		}
	}
	return text.String()
}
