package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/tool"
)

// video is what a round is asked to look into besides the repository.
type video struct {
	ref  string // as it was given; "" for none
	from tool.VideoSource
}

// videoOf takes the reference of a question apart. A recording, and what lies outside of the workspace, is refused.
func (s *Service) videoOf(ref string) (video, error) {
	if ref == "" {
		return video{}, nil
	}
	from, err := s.tools(nil).VideoSource(ref)
	if err != nil {
		return video{}, problem.New(problem.InvalidInput, "video %q cannot be looked into: %v.", clipRunes(ref, casefile.MaxAuditNoteRunes), err).
			On("video", ref, "fcheap://stash/ID, or the directory of a bundle in the workspace").
			Without("name a bundle that vidtrace made: its directory below the workspace, or its stash in fcheap")
	}
	return video{ref, from}, nil
}

// watch has vidtrace look into the bundle while the repository is searched. tell waits for it, as long as the round has
// time, and records what was on the screen and which places of the code are about that: hints, derived from the video.
// stop ends it, and returns when it has ended.
func (r *round) watch(ctx context.Context, v video) (tell, stop func()) {
	if v.ref != "" {
		r.wants = append(r.wants, tool.Vidtrace)
	}
	if v.ref == "" || !r.asks(tool.Vidtrace) {
		return func() {}, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	most := r.reserve(1 + 2*max(1, r.most/6))
	var found tool.VideoFinding
	var a tool.Answer
	done := make(chan struct{})
	go func() {
		defer close(done)
		found, a = r.tools.VidtraceInvestigate(ctx, v.from, r.words(), most)
	}()
	return func() {
		op.Progress(ctx, "waiting for vidtrace")
		<-done // the tool ends with ctx
		r.heard(a)
		if a.OK() && !a.TimedOut {
			r.first = append(r.first, tool.Vidtrace)
			r.add(watched(v, found, most, r.s.IDs.New, r.s.excerpt)...)
		}
	}, func() { cancel(); <-done }
}

// watched is what vidtrace found, as evidence: the video itself, then moments and places of the code in equal shares.
func watched(v video, found tool.VideoFinding, most int, newID, excerpt func(string) string) []casefile.Evidence {
	source := casefile.Source{Tool: tool.Vidtrace}
	if casefile.Scheme(v.ref) != "" {
		source.URI = v.ref
	}
	out := []casefile.Evidence{{
		ID: newID("ev"), Kind: casefile.KindArtifact, Source: source, Confidence: casefile.ConfidenceLow,
		Claim: fmt.Sprintf("vidtrace found %d moments of the video %s and %d places of the code about the question", len(found.Moments), v.ref, len(found.Matches)),
	}}
	from := []string{out[0].ID}
	places := min(len(found.Matches), max(most/2, most-1-len(found.Moments)))
	moments := min(len(found.Moments), max(0, most-1-places))
	for _, m := range found.Moments[:moments] {
		out = append(out, casefile.Evidence{
			Kind: casefile.KindArtifact, Source: source, Confidence: casefile.ConfidenceLow, DerivedFrom: from,
			Claim: fmt.Sprintf("at %.1f s the screen shows: %s", m.Seconds, excerpt(m.Text)),
		})
	}
	for _, m := range found.Matches[:places] {
		out = append(out, casefile.Evidence{
			Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: tool.Vidtrace}, Confidence: casefile.ConfidenceLow, DerivedFrom: from,
			Claim:    fmt.Sprintf("%s:%d is about what the screen shows (score %.2f): %s", m.File, m.Line, m.Score, excerpt(m.Text)),
			Location: lineOf(m.File, m.Line),
		})
	}
	return out[:min(len(out), max(1, most))]
}

// reserve takes room for facts of a later stage away from the others: at most half of it.
func (r *round) reserve(facts int) int {
	facts = min(facts, r.most/2)
	r.most -= facts
	return facts
}

// lineOf is a line of a file, or the file where the line is not known.
func lineOf(file string, line int) *casefile.Location {
	return &casefile.Location{File: file, StartLine: line, EndLine: line}
}
