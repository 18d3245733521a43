package caseops

import (
	"context"
	"encoding/json"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/code"
	"cortex/internal/op"
	"cortex/internal/tool"
)

const (
	// reviewClaim labels the receipt of a structural review, as published cases have it.
	reviewClaim = "structural review of the diff"
	// toolCode is the source of what the embedded structure says.
	toolCode = "code"
	// maxReviewListed bounds each list of the review that is kept.
	maxReviewListed = 500
)

// runReview answers the structural review by codemap where that answers, else by the embedded structure: what differs from
// the base of the case, and what that reaches. The latter goes by names, so its receipt is inconclusive at best and makes
// no case verified. A review that is advisory is made by codemap or not at all.
func (s *Service) runReview(ctx context.Context, b *batch) {
	if !b.plan.Review && !(b.plan.Advisory && s.tools(b.k.c).Installed(tool.Codemap)) {
		return
	}
	op.Progress(ctx, "reviewing what the change touches")
	began := s.now()
	run := casefile.CheckRun{
		Check: casefile.Check{Requirement: casefile.RequireReview, Name: casefile.RequireReview, Kind: casefile.KindCodeGraph},
		Tool:  toolCode, Claim: reviewClaim, Contract: casefile.RequireReview, Surface: casefile.SurfaceCode, Status: casefile.StatusInconclusive,
	}
	if s.codemapReview(ctx, b, &run) {
		run.At = s.now()
		b.runs = append(b.runs, run)
		return
	}
	if !b.plan.Review {
		return
	}
	found, err := s.readReview(ctx, b.k.facts.Base)
	status := "partial"
	switch {
	case err != nil:
		run.Reason = "the structural review could not be made: " + err.Error()
		status = "failed"
	default:
		run.Reason = reviewWords(found) + "; names alone prove nothing"
		b.keepReview(s, &run, found)
	}
	run.At = s.now()
	run.Duration = run.At.Sub(began)
	b.audit = append(b.audit, casefile.CommandRecord{
		Timestamp: began, Actor: b.plan.Actor, Tool: toolCode, Operation: "review", ActionClass: casefile.ReadOnly,
		Status: status, DurationMS: run.Duration.Milliseconds(), Note: clipRunes(s.Redact.Text(run.Reason), casefile.MaxAuditNoteRunes),
	})
	b.runs = append(b.runs, run)
}

func (s *Service) readReview(ctx context.Context, base string) (code.Review, error) {
	if base == "" {
		base = "HEAD"
	}
	var cache *code.Cache
	if s.Config.CacheDir != "" {
		if c, err := code.OpenCache(ctx, s.Config.CacheDir, s.Repo.CommonDir, s.Redact); err == nil { // without one it only takes longer
			cache = c
			defer func() { _ = c.Close() }() // what it holds can be computed again
		}
	}
	return code.ReadReview(ctx, s.Repo, cache, base)
}

// keepReview keeps the review as evidence of the run.
func (b *batch) keepReview(s *Service, run *casefile.CheckRun, found code.Review) {
	found.Files = found.Files[:min(len(found.Files), maxReviewListed)]
	found.Changes = found.Changes[:min(len(found.Changes), maxReviewListed)]
	found.Importers = found.Importers[:min(len(found.Importers), maxReviewListed)]
	found.Callers = found.Callers[:min(len(found.Callers), maxReviewListed)]
	found.Tests = found.Tests[:min(len(found.Tests), maxReviewListed)]
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		run.Reason += "; it could not be kept: " + err.Error()
		return
	}
	raw := casestore.Raw{ID: s.IDs.New("raw"), Text: string(text)}
	record := casefile.Evidence{
		ID: s.IDs.New("ev"), Timestamp: s.now(), Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: toolCode, Actor: b.plan.Actor},
		Claim: reviewWords(found), Confidence: casefile.ConfidenceLow, Sensitivity: casefile.SensitivityNormal,
		RawRef: "case://" + b.k.c.ID + "/raw/" + raw.ID, Commit: b.k.state.Head,
	}
	b.raws, b.evidence = append(b.raws, raw), append(b.evidence, record)
	run.Evidence = []string{record.ID}
}

func reviewWords(r code.Review) string {
	words := fmt.Sprintf("%d definitions differ; %d modules import theirs, %d call sites name them, %d test files stand behind them",
		len(r.Changes), len(r.Importers), len(r.Callers), len(r.Tests))
	if len(r.Gaps) > 0 {
		words += fmt.Sprintf("; %d files were not analysed", len(r.Gaps))
	}
	return words
}
