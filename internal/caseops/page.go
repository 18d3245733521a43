package caseops

import (
	"fmt"
	"math"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/problem"
)

// Page is which part of something that grows a call shows.
type Page struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the answer before"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many to show at most"`
}

// most is the limit that was asked for, bound where it is not given or above it. 0 is no bound.
func (p Page) most(bound int) (int, error) {
	switch {
	case p.Limit < 0:
		return 0, problem.New(problem.InvalidInput, "limit must be a positive number (got %d).", p.Limit).On("limit", p.Limit, "a positive number")
	case p.Limit == 0 || bound > 0 && p.Limit > bound:
		return bound, nil
	}
	return p.Limit, nil
}

// recordPlaces are places in the ledgers of a case, counted from 0 for the oldest record.
type recordPlaces struct{ evidence, receipts, decisions int }

const placesForm = "e%d.r%d.d%d"

func (p recordPlaces) cursor() string {
	if p == (recordPlaces{}) {
		return ""
	}
	return fmt.Sprintf(placesForm, p.evidence, p.receipts, p.decisions)
}

// recordPage asks for up to limit records of each kind, those before the given places.
type recordPage struct {
	before recordPlaces
	limit  int
}

func (p Page) records() (recordPage, error) {
	limit, err := p.most(casefile.MaxViewRecords)
	if err != nil {
		return recordPage{}, err
	}
	if p.Cursor == "" {
		return recordPage{recordPlaces{math.MaxInt, math.MaxInt, math.MaxInt}, limit}, nil
	}
	var at recordPlaces
	_, err = fmt.Sscanf(p.Cursor, placesForm, &at.evidence, &at.receipts, &at.decisions)
	if err != nil || at.cursor() != p.Cursor || min(at.evidence, at.receipts, at.decisions) < 0 {
		return recordPage{}, badCursor(p.Cursor, "the nextCursor of an earlier answer about the same case")
	}
	return recordPage{at, limit}, nil
}

func badCursor(given, expected string) error {
	given = op.Cut(given, casefile.MaxIdentifier)
	return problem.New(problem.InvalidInput, "the cursor %q is none; it must be %s.", given, expected).On("cursor", given, expected)
}

// before returns up to n elements before the given place, and the place of the first of them.
func before[T any](all []T, place, n int) ([]T, int) {
	end := min(place, len(all))
	first := max(0, end-n)
	return all[first:end], first
}

// cutTo keeps the records of a page and says where the next one begins.
func (v *Shown) cutTo(page recordPage, receipts []casefile.Receipt) {
	v.first.evidence = max(0, min(page.before.evidence, v.EvidenceTotal)-page.limit)
	v.Receipts, v.first.receipts = before(receipts, page.before.receipts, page.limit)
	v.Decisions, v.first.decisions = before(v.Decisions, page.before.decisions, page.limit)
	v.NextCursor = v.first.cursor()
}

// onlyRecords leaves out what the first page has shown whole.
func (v *Shown) onlyRecords() {
	v.Plan, v.Hypotheses, v.Timeline, v.Refs, v.PhaseDurations = nil, nil, nil, nil, nil
}

// maxShrunkText is what is left of the texts of snapshots and summaries in an answer that is too long: records, which the
// answer is about, keep theirs.
const maxShrunkText = 240

// Shrink cuts the texts of everything but records, and leaves out the oldest records, which the next page then has.
func (v *Shown) Shrink(excess int) {
	size := jsonSize(v)
	cut := 0
	for _, part := range []any{v.Case, v.Plan, &v.Hypotheses, &v.Timeline} {
		cut += op.CutTexts(part, maxShrunkText, v.mask)
	}
	if cut > 0 {
		v.Warn(fmt.Sprintf("goal, plan, hypotheses and timeline: texts over %d bytes are cut in this answer and end in …", maxShrunkText))
	}
	excess -= size - jsonSize(v)
	total := jsonSize(v.Evidence) + jsonSize(v.Receipts) + jsonSize(v.Decisions) + jsonSize(v.Timeline) + jsonSize(v.Refs)
	if excess <= 0 || total == 0 {
		return
	}
	share := max(0, float64(total-excess)/float64(total))
	evidence, receipts, decisions := len(v.Evidence), len(v.Receipts), len(v.Decisions)
	v.Timeline, v.Refs = newestShare(v.Timeline, share), newestShare(v.Refs, share)
	v.Evidence, v.Receipts, v.Decisions = newestShare(v.Evidence, share), newestShare(v.Receipts, share), newestShare(v.Decisions, share)
	v.first.evidence += evidence - len(v.Evidence)
	v.first.receipts += receipts - len(v.Receipts)
	v.first.decisions += decisions - len(v.Decisions)
	v.NextCursor = v.first.cursor()
}
