package caseops

import (
	"context"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/tool"
)

// mostStashes is how many stashes, or passages of them, a round tells of, and how many places that the best is about.
const mostStashes = 3

// artifacts asks fcheap for what earlier runs left behind, where the question is about artifacts: passages of stashes that
// are indexed, or else the stashes of this repository. It makes room for them, and asks when tell is called.
func (r *round) artifacts(ctx context.Context, asked bool) (tell func()) {
	if asked {
		r.wants = append(r.wants, tool.Fcheap)
	}
	if !asked || !r.asks(tool.Fcheap) || r.words() == "" {
		return func() {}
	}
	most := r.reserve(2 * mostStashes)
	return func() {
		op.Progress(ctx, "asking fcheap")
		hits, a := r.tools.FcheapSearch(ctx, r.words(), mostStashes)
		r.heard(a)
		before := len(r.evidence)
		hits = hits[:min(len(hits), mostStashes, most)]
		best := ""
		for _, h := range hits {
			e := stashFact(h.Stash, fmt.Sprintf("stash %s holds in %s (score %.2f): %s", h.Stash, orWord(oneLine(h.File), "a file"), h.Score, r.s.excerpt(h.Text)))
			if e.ID = r.s.IDs.New("ev"); best == "" {
				best = e.ID
			}
			r.add(e)
		}
		switch {
		case len(hits) > 0 && r.depth.expansions() > 0:
			r.connected(ctx, hits[0].Stash, best, most-len(hits))
		case len(hits) == 0 && r.asks(tool.Fcheap):
			r.kept(ctx, most)
		}
		if len(r.evidence) > before {
			r.then = append(r.then, tool.Fcheap)
		}
	}
}

// stashFact is a hint about a stash, which read-artifact can open from then on.
func stashFact(id, claim string) casefile.Evidence {
	return casefile.Evidence{
		Kind: casefile.KindArtifact, Source: casefile.Source{Tool: tool.Fcheap, URI: "fcheap://stash/" + id}, Confidence: casefile.ConfidenceLow,
		Claim: claim,
	}
}

// connected tells which places of the workspace a stash is about.
func (r *round) connected(ctx context.Context, id, from string, most int) {
	links, a := r.tools.FcheapConnect(ctx, id, r.words(), mostStashes)
	r.heard(a)
	for _, l := range links[:min(len(links), mostStashes, most)] {
		r.add(casefile.Evidence{
			Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: tool.Fcheap}, Confidence: casefile.ConfidenceLow, DerivedFrom: []string{from},
			Claim:    fmt.Sprintf("%s:%d is about what stash %s holds (score %.2f): %s", l.File, l.Line, id, l.Score, r.s.excerpt(l.Text)),
			Location: lineOf(l.File, l.Line),
		})
	}
}

// kept lists the newest stashes of this repository.
func (r *round) kept(ctx context.Context, most int) {
	lines, a := r.tools.FcheapList(ctx, "repo:"+r.c.Workspace.Repository)
	r.heard(a)
	for _, l := range lines[:min(len(lines), mostStashes, most)] {
		r.add(stashFact(l.ID, fmt.Sprintf("stash %s (%s) of %s holds %d files; nothing in it is indexed about the question", l.ID, orWord(oneLine(l.Name), "without a name"), orWord(oneLine(l.Tool), "an unknown tool"), l.Files)))
	}
}
