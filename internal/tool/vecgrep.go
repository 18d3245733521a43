package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

const (
	leastScore      = 0.10 // an answer with no hit above it found nothing
	mostKeywordHits = 8    // of the search by words that stands in for one by meaning
)

// VecgrepQuery is one question.
type VecgrepQuery struct {
	Text    string
	Dir     string // only below this directory, relative to the workspace; "" is everywhere
	Limit   int
	Keyword bool // by words alone
}

// VecgrepHit is a passage that vecgrep found, in a file of the workspace.
type VecgrepHit struct {
	File     string
	Start    int
	End      int
	Symbol   string
	Language string
	Text     string
	Score    float64
}

// VecgrepFound is what a question found, best first.
type VecgrepFound struct {
	Hits    []VecgrepHit
	Keyword bool // by words alone: the score of such a hit says nothing about the question
	Dropped int  // hits outside of the workspace, in files that are gone, and without a statement
}

// vecgrepHit is a hit as it is printed.
type vecgrepHit struct {
	File     string  `json:"file_path"`
	Relative string  `json:"relative_path"`
	Content  string  `json:"content"`
	Start    int     `json:"start_line"`
	End      int     `json:"end_line"`
	Kind     string  `json:"chunk_type"`
	Symbol   string  `json:"symbol_name"`
	Language string  `json:"language"`
	Score    float64 `json:"score"`
}

// VecgrepSearch asks by meaning and words at once. A version that does not know the envelope is asked for the bare list,
// and a search that failed or took too long is made once more by words alone, which is another question and a partial
// answer. So is one of an index that is not fresh, and one for which the embeddings could not be had: only standard error
// tells of that.
func (r Runner) VecgrepSearch(ctx context.Context, q VecgrepQuery) (VecgrepFound, Answer) {
	found, a := r.vecgrepSearch(ctx, q)
	if q.Keyword || a.OK() && !a.TimedOut || a.Class == Unavailable || ctx.Err() != nil {
		return found, a
	}
	cause := a.Cause
	q.Keyword, q.Limit = true, min(q.Limit, mostKeywordHits)
	found, second := r.vecgrepSearch(ctx, q)
	a = a.followedBy(second)
	if a.OK() && !a.TimedOut {
		a.downgrade(Partial, "the search by meaning failed (%s), so this is one by words alone", cause)
	} else {
		a.downgrade(a.Class, "%s; by words alone: %s", cause, a.Cause)
	}
	return found, a
}

func (r Runner) vecgrepSearch(ctx context.Context, q VecgrepQuery) (VecgrepFound, Answer) {
	mode := "hybrid"
	if q.Keyword {
		mode = "keyword"
	}
	ask := func(format string) Answer {
		args := []string{"search", operand(q.Text), "-m", mode, "-n", strconv.Itoa(max(1, q.Limit))}
		if q.Dir != "" {
			args = append(args, "--dir", operand(q.Dir))
		}
		return r.run(ctx, call{tool: Vecgrep, operation: "search", args: append(args, "-f", format), repeat: true})
	}
	a := ask("json-envelope")
	bare := a.Class == Failed && a.refusesFlag("format")
	if bare {
		a = a.followedBy(ask("json"))
	}
	a.withoutIndex()
	hits, ok := a.vecgrepHits(bare)
	if !ok {
		return VecgrepFound{}, a
	}
	if bytes.Contains(a.Stderr, []byte("keyword-only")) {
		q.Keyword = true
		a.partly("it could not compare by meaning, so this is a search by words alone")
	}
	out := r.passages(hits, max(1, q.Limit))
	out.Keyword = q.Keyword
	return out, a
}

// withoutIndex knows the complaint of a search that has nothing to search in.
func (a *Answer) withoutIndex() {
	if a.Class != Failed {
		return
	}
	complaint, _, _ := strings.Cut(strings.ToLower(string(a.Stderr)), "usage:")
	for _, words := range []string{"collection not found", "no index", "not initialized", "not indexed", "vecgrep init"} {
		if strings.Contains(complaint, words) {
			a.downgrade(Unavailable, "vecgrep has no index of this workspace; vecgrep init and vecgrep index make one")
			return
		}
	}
}

// vecgrepHits reads the envelope, or the bare list of older versions, which does not tell whether the index is fresh.
func (a *Answer) vecgrepHits(bare bool) ([]vecgrepHit, bool) {
	if bare {
		hits, ok := listOf[vecgrepHit](a)
		if ok {
			a.partly("this version does not say whether its index is fresh")
		}
		return hits, ok
	}
	var said struct {
		Schema int `json:"schema_version"`
		Index  struct {
			Indexed *bool `json:"indexed"`
			Fresh   *bool `json:"fresh"`
		} `json:"index"`
		Hits []vecgrepHit `json:"hits"`
	}
	if !a.decode(&said, "index", "hits") || !a.schema(said.Schema, 0, 1) {
		return nil, false
	}
	switch {
	case said.Index.Indexed == nil || said.Index.Fresh == nil:
		a.partly("it does not say whether its index is fresh")
	case !*said.Index.Indexed:
		a.downgrade(Unavailable, "vecgrep has no index of this workspace; vecgrep init and vecgrep index make one")
		return nil, false
	case !*said.Index.Fresh:
		a.partly("its index is not fresh; vecgrep index renews it")
	}
	return said.Hits, true
}

// passages are the hits that can be a fact, at most most of them. Where none has a score worth the name there are none.
func (r Runner) passages(hits []vecgrepHit, most int) VecgrepFound {
	var out VecgrepFound
	worth := false
	for _, h := range hits {
		worth = worth || h.Score >= leastScore
	}
	for _, h := range hits {
		file, ok := r.place(h)
		switch {
		case !worth || !ok || !states(h):
			out.Dropped++
		case len(out.Hits) < most:
			start := max(h.Start, 1)
			out.Hits = append(out.Hits, VecgrepHit{
				File: file, Start: start, End: max(h.End, start), Symbol: h.Symbol, Language: h.Language, Text: h.Content, Score: h.Score,
			})
		}
	}
	return out
}

// place is where a hit lies in the workspace. An absolute path that is there decides; vecgrep's relative paths count from
// the root of its project, which need not be the workspace.
func (r Runner) place(h vecgrepHit) (string, bool) {
	if filepath.IsAbs(h.File) {
		if file, ok := r.within(h.File); ok {
			return file, true
		}
		if exists(h.File) {
			return "", false
		}
	}
	if h.Relative == "" {
		h.Relative = h.File
	}
	return r.within(h.Relative)
}

// states reports whether a chunk says anything: no heading, no import, and at least one word.
func states(h vecgrepHit) bool {
	kind := strings.ToLower(h.Kind)
	if strings.Contains(kind, "heading") || strings.Contains(kind, "import") {
		return false
	}
	letters := 0
	for _, c := range h.Content {
		if letters++; !unicode.IsLetter(c) {
			letters = 0
		}
		if letters == 3 || c >= 0x2E80 && unicode.IsLetter(c) { // scripts in which one character is a word
			return true
		}
	}
	return false
}

// VecgrepStatus says whether vecgrep has an index of the workspace, and whether it is fresh.
func (r Runner) VecgrepStatus(ctx context.Context) (IndexState, Answer) {
	a := r.run(ctx, call{
		tool: Vecgrep, operation: "status", args: []string{"status", "-f", "json", "--lightweight"}, timeout: healthTimeout, repeat: true,
	})
	a.withoutIndex()
	var said struct {
		Fresh bool `json:"index_fresh"`
		Stats struct {
			Chunks int `json:"chunks"`
		} `json:"stats"`
		Pending *struct {
			Total int `json:"total_pending"`
		} `json:"pending_changes"`
	}
	if !a.decode(&said, "index_fresh", "stats") {
		return IndexState{}, a
	}
	state := IndexState{Indexed: said.Stats.Chunks > 0, Pending: -1}
	if said.Pending != nil {
		state.Pending = said.Pending.Total
	}
	switch {
	case !state.Indexed:
		a.downgrade(Unavailable, "vecgrep has no index of this workspace; vecgrep init and vecgrep index make one")
	case !said.Fresh || said.Pending != nil && said.Pending.Total != 0:
		a.partly("its index is not fresh; vecgrep index renews it")
	}
	return state, a
}

// VecgrepMemory is something that was remembered.
type VecgrepMemory struct {
	Content    string   `json:"content"`
	Importance float64  `json:"importance"`
	Tags       []string `json:"tags"`
	Score      float64  `json:"score"`
}

// VecgrepRecall asks what is remembered about a question, under all of the tags.
func (r Runner) VecgrepRecall(ctx context.Context, query string, limit int, tags []string) ([]VecgrepMemory, Answer) {
	a := r.run(ctx, call{tool: Vecgrep, operation: "memory recall", repeat: true, args: []string{
		"memory", "recall", operand(query), "--limit", strconv.Itoa(max(1, limit)), "--format", "json", "--tags", tagList(tags),
	}})
	a.withoutIndex()
	said, ok := listOf[json.RawMessage](&a)
	if !ok {
		return nil, a
	}
	var out []VecgrepMemory
	for _, raw := range said {
		var m VecgrepMemory
		switch {
		case json.Unmarshal(raw, &m) != nil || strings.TrimSpace(m.Content) == "":
			a.partly("its answer has a memory without content")
		case len(out) < max(1, limit):
			out = append(out, m)
		}
	}
	return out, a
}

// VecgrepRemember stores a line for later work. It is never tried again: a second time would be a second memory.
func (r Runner) VecgrepRemember(ctx context.Context, text string, importance float64, tags []string) Answer {
	a := r.run(ctx, call{tool: Vecgrep, operation: "memory remember", args: []string{
		"memory", "remember", operand(text), "--importance", fmt.Sprintf("%.2f", importance), "--tags", tagList(tags),
	}})
	a.declined()
	return a
}

// tagList joins tags; one with a comma would be two.
func tagList(tags []string) string {
	var out []string
	for _, tag := range tags {
		if tag = strings.TrimSpace(strings.ReplaceAll(tag, ",", " ")); tag != "" {
			out = append(out, tag)
		}
	}
	return strings.Join(out, ",")
}
