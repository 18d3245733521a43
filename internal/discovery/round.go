package discovery

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cortex/internal/code"
	"cortex/internal/gitrepo"
	"cortex/internal/tool"
)

// Bounds of a round.
const (
	defaultLimit   = 12 // facts, as many as one answer shows
	defaultPerFile = 3  // facts of one file, so that one file cannot fill the answer
	maxTextBytes   = 240
	furtherLine    = 0.8
	// A search returns matches in path order, so a small bound would leave out the end of the alphabet before anything
	// is ranked. Common words give some 50,000 lines in the Go standard library.
	maxMatches        = 100_000
	maxMatchesPerFile = 30
	// Share of the question's weight that the best file must hold: measured on six repositories, 0.35 silences none of
	// 70 real questions and 82 of 90 that are about something else.
	minCoverage = 0.35
)

// Grepper searches the repository for fixed strings, without regard to case. An error may come with the matches found
// before it.
type Grepper interface {
	Grep(ctx context.Context, req gitrepo.GrepRequest) ([]gitrepo.Match, error)
}

// Searcher answers from an index of the worktree, which it makes or refreshes first.
type Searcher interface {
	Search(ctx context.Context, req code.SearchRequest) (code.SearchResult, error)
}

// Request is one question.
type Request struct {
	Question string
	Index    Searcher      // nil: git grep answers everything
	Within   time.Duration // how long the index may take; 0 is as long as the context
	Deep     bool          // ask the parts of the question as well
	Under    string        // directory to stay in, relative to the repository, slash-separated; "" is all of it
	Limit    int           // facts in the answer; 0 is 12
	PerFile  int           // facts of one file; 0 is 3
	Vecgrep  Vecgrep       // asked beside the index, with paths relative to Under; nil: it is not there
	Hits     int           // what vecgrep is asked for
	Parallel int           // questions that it is asked at a time; 0 is one
	ByWords  bool          // vecgrep compares words only
	// Mask takes secrets out of a text before it is cut, for half of one is not recognised; nil leaves texts as they are.
	// What the index says is masked already.
	Mask func(string) string
}

// Fact is one place that may answer the question.
type Fact struct {
	Tool     string // what found it: "code" for the index, "git" for git grep, or "vecgrep"
	File     string
	Line     int
	Start    int     // with the next, the passage of a fact of the index; 0 for a line of git grep
	End      int     // included
	Symbol   string  // the definition that the passage is, or lies in
	Coverage float64 // share of the question that the file holds; of the index only
	Text     string  // the line without its indentation, at most 240 bytes, cut at a character
	Term     string  // the rarest term found on the line
	Score    float64 // comparable among facts of one tool
	Also     string  // what else found it, "" for nothing
}

// Result is what a round found, best first.
type Result struct {
	Facts    []Fact
	Terms    []string // what was searched for, in order of importance
	Warnings []string
	Skipped  []string // what the index does not hold
	Strong   bool     // the best fact of the index holds enough of the question to be worth reading
	Degraded bool     // the search was cut short or vecgrep did not answer whole, so something better may exist
	Short    bool     // the search was cut short
	Calls    []tool.Answer
	pinned   int // of the facts, those that stay first
}

// Round asks one question: quoted text of repo, the rest of the index, and beside them vecgrep, whose answer is ranked with
// theirs and takes the place of none. Where the index finds nothing or cannot be used, repo answers the rest as well, and
// in the second case the result is degraded, as it is where vecgrep did not answer in full. A question without any usable
// word gives no facts and a warning. An error of the Grepper is returned, unless something was found before it: that is
// ranked, and the result is degraded.
func Round(ctx context.Context, repo Grepper, req Request) (Result, error) {
	req = req.withDefaults()
	answer, stop := req.listen(ctx)
	defer stop()
	result, err := embedded(ctx, repo, req)
	if err != nil {
		return result, err
	}
	result.fuse(req, answer())
	return result, nil
}

// embedded answers with what needs no other tool.
func embedded(ctx context.Context, repo Grepper, req Request) (Result, error) {
	if req.Index == nil {
		return grepped(ctx, repo, req, termsOf(req.Question))
	}
	result, err := indexed(ctx, repo, req)
	if err == nil && len(result.Facts) > 0 {
		return result, nil
	}
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	floor, grepErr := grepped(ctx, repo, req, termsOf(req.Question))
	floor.Skipped = result.Skipped
	if err != nil {
		floor.cutShort(fmt.Sprintf("the index of the repository could not be used (%v); git grep answered instead", err))
	}
	return floor, grepErr
}

// grepped lets git grep find the terms.
func grepped(ctx context.Context, repo Grepper, req Request, terms []term) (Result, error) {
	if len(terms) == 0 {
		return Result{Warnings: []string{"the question has no word to search for: name an identifier, a file or a phrase of the code"}}, nil
	}
	result := Result{Terms: texts(terms)}
	matches, err := repo.Grep(ctx, gitrepo.GrepRequest{
		Terms: needles(terms), Under: req.Under, MaxPerFile: maxMatchesPerFile, Limit: maxMatches,
	})
	switch {
	case err != nil && len(matches) == 0:
		return Result{}, fmt.Errorf("search the repository: %w", err)
	case err != nil:
		result.cutShort(fmt.Sprintf("the search ended early (%v); ask with rarer words or name a directory", err))
	case len(matches) >= maxMatches:
		result.cutShort(fmt.Sprintf("the search stopped at %d matches; ask with rarer words or name a directory", maxMatches))
	}
	kept, junk := withoutJunk(matches, req.Under)
	ranked := rank(kept, terms, code.NewAudience(req.Question))
	result.Facts = pick(ranked.lines, req.Limit, req.PerFile)
	for i, f := range result.Facts {
		result.Facts[i].Text = clip(req.Mask(f.Text))
	}
	result.Warnings = append(result.Warnings, doubts(result.Facts, junk, ranked.coverage)...)
	return result, nil
}

func (r *Result) cutShort(why string) {
	r.Degraded, r.Short = true, true
	r.Warnings = append(r.Warnings, why)
}

func (r Request) withDefaults() Request {
	if r.Limit <= 0 {
		r.Limit = defaultLimit
	}
	if r.PerFile <= 0 {
		r.PerFile = defaultPerFile
	}
	if r.Hits <= 0 {
		r.Hits = r.Limit
	}
	if r.Mask == nil {
		r.Mask = func(text string) string { return text }
	}
	return r
}

// doubts says why the facts may not answer the question.
func doubts(facts []Fact, junk int, coverage float64) []string {
	switch {
	case len(facts) == 0 && junk > 0:
		return []string{fmt.Sprintf("all %d matches lie in vendored or generated directories; name the directory to search there", junk)}
	case len(facts) == 0:
		return []string{"nothing in the repository matches the question's words"}
	case coverage < minCoverage:
		return []string{code.NoStrongCandidate}
	}
	return nil
}

// pick takes the best lines, at most perFile of one file. A further line of a file counts less than its first, so that
// the answer shows several files where they are about as good. Lines must be sorted.
func pick(lines []Fact, limit, perFile int) []Fact {
	taken := map[string]int{}
	var facts []Fact
	for _, line := range lines {
		n := taken[line.File]
		if n == perFile {
			continue
		}
		taken[line.File]++
		line.Tool = "git"
		line.Score = math.Round(1000*line.Score*math.Pow(furtherLine, float64(n))) / 1000
		facts = append(facts, line)
	}
	slices.SortFunc(facts, byScore)
	return facts[:min(limit, len(facts))]
}

// clip shortens a line to maxTextBytes at a character.
func clip(line string) string {
	line = strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD")
	if len(line) <= maxTextBytes {
		return line
	}
	cut := maxTextBytes - len("…")
	for cut > 0 && line[cut]&0xC0 == 0x80 {
		cut--
	}
	return line[:cut] + "…"
}
