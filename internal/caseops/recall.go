package caseops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cortex/internal/casefile"
	"cortex/internal/op"
)

var recallCases = op.Define(op.Spec{
	Name: "recall-cases", Tool: "cortex_recall_cases", Title: "Recall prior cases", Effect: op.Reads, Profiles: op.Agent, Idempotent: true,
	Help:    `Finds hypotheses and proven claims of this repository's earlier cases by the words of a query.`,
	Example: `cortex recall-cases "return URL after login"`,
}, (*Service).RecallCases)

// RecallInput is a query.
type RecallInput struct {
	Query string `json:"query" op:"args,required" jsonschema:"words to look for"`
	Repo  string `json:"repo,omitempty" jsonschema:"only cases of this repository name"`
	Limit int    `json:"limit,omitempty" op:"default=5" jsonschema:"most records"`
}

// recalled is one record of an earlier case with the share of the query's words that it holds.
type recalled struct {
	fact  op.Fact
	share float64
}

// RecallCases reads every readable case of the store; a record is found when it, with the goal of its case, holds at
// least half of the query's words. Sensitive receipts are left out.
func (s *Service) RecallCases(ctx context.Context, in RecallInput) (op.Envelope, error) {
	query, err := casefile.CheckText("query", in.Query, casefile.MaxLocator)
	if err != nil {
		return op.Envelope{}, err
	}
	words := queryWords(query)
	listed, err := s.Store.List(ctx)
	if err != nil {
		return op.Envelope{}, err
	}
	var found []recalled
	for _, l := range listed {
		if l.Err != nil || in.Repo != "" && l.Case.Workspace.Repository != in.Repo {
			continue
		}
		k, err := s.know(ctx, l.ID, withoutWorktree)
		if err != nil {
			continue // one broken case does not hide the others; list names it
		}
		found = append(found, recallFrom(k, words)...)
	}
	slices.SortStableFunc(found, func(a, b recalled) int { return cmp.Compare(b.share, a.share) })
	found = found[:min(len(found), max(1, min(in.Limit, casefile.MaxCandidates)))]
	out := op.Envelope{Summary: fmt.Sprintf("%d record(s) of prior cases match %q", len(found), query)}
	for _, r := range found {
		out.Facts = append(out.Facts, r.fact)
	}
	return out, nil
}

func recallFrom(k *knowledge, words []string) []recalled {
	var out []recalled
	add := func(id, text, status string) {
		if share := shareOf(words, k.c.Goal+" "+text); share >= 0.5 {
			out = append(out, recalled{op.Fact{
				ID: k.c.ID + "/" + id, Claim: fmt.Sprintf("PRIOR CASE %s (repo %s): %s [%s]", k.c.ID, k.c.Workspace.Repository, text, status),
				Confidence: string(casefile.ConfidenceLow), Source: "cortex", Kind: casefile.KindModelInference,
			}, share})
		}
	}
	for _, h := range k.hypotheses {
		add(h.ID, h.Statement, string(h.Status))
	}
	for _, r := range k.receipts {
		definitive := r.Status == casefile.StatusPassed || r.Status == casefile.StatusFailed
		if r.Purpose == casefile.PurposeClaim && definitive && r.Binding == casefile.Bound && !r.Sensitive {
			add(r.ID, r.Claim, string(r.Status))
		}
	}
	return out
}

// queryWords are the distinct words of a query in lower case.
func queryWords(query string) []string {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	return slices.Compact(words)
}

// shareOf is the share of words that text holds, 0 when there are none.
func shareOf(words []string, text string) float64 {
	held := 0
	text = strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(text, w) {
			held++
		}
	}
	return float64(held) / float64(max(1, len(words)))
}
