package caseops

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/discovery"
	"cortex/internal/op"
	"cortex/internal/tool"
)

// graphFacts asks codebase-memory about the definitions that candidates are: who calls them. It only adds to what the
// others said: that it has no project for this workspace is no news, and nothing is degraded by it.
func (r *round) graphFacts(ctx context.Context, found []discovery.Fact, candidates []casefile.Evidence, most int) []casefile.Evidence {
	if most < 1 || r.depth.expansions() == 0 || ctx.Err() != nil || !r.asks(tool.Memory) {
		return nil
	}
	var questions []tool.MemoryQuestion
	from := map[tool.MemoryQuestion]string{}
	for i, f := range found {
		q := tool.MemoryQuestion{Symbol: f.Symbol, File: r.s.relative(f.File)}
		if _, twice := from[q]; !twice && f.Symbol != "" && filepath.IsLocal(q.File) && len(questions) < r.depth.expansions() {
			questions = append(questions, q)
			from[q] = candidates[i].ID
		}
	}
	if len(questions) == 0 {
		return nil
	}
	op.Progress(ctx, "asking codebase-memory")
	facts, a := r.tools.MemoryFacts(ctx, questions)
	if a.Class == tool.Unavailable {
		r.call(a)
		return nil
	}
	r.heard(a)
	var out []casefile.Evidence
	for _, f := range facts[:min(len(facts), most)] {
		e := casefile.Evidence{
			Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: tool.Memory}, Confidence: casefile.ConfidenceLow, Claim: graphClaim(f),
			Location:    &casefile.Location{File: f.File, StartLine: f.Start, EndLine: f.End, Symbol: f.Symbol},
			DerivedFrom: []string{from[tool.MemoryQuestion{Symbol: f.Symbol, File: f.File}]},
		}
		if f.Alone && f.Total >= 0 && a.Class == tool.Authoritative {
			e.Confidence = casefile.ConfidenceMedium
		}
		out = append(out, e)
	}
	if len(out) > 0 {
		r.then = append(r.then, tool.Memory)
	}
	return out
}

func graphClaim(f tool.MemoryFact) string {
	claim := fmt.Sprintf("%s (%s) at %s:%d", f.Symbol, orWord(f.Kind, "symbol"), f.File, f.Start)
	if f.Total < 0 {
		return claim + " is in the graph of codebase-memory, which did not tell its callers"
	}
	claim += fmt.Sprintf(" has %d callers in the graph of codebase-memory", f.Total)
	if len(f.Callers) > 0 {
		claim += ": " + strings.Join(f.Callers, ", ")
		if f.Total > len(f.Callers) {
			claim += ", …"
		}
	}
	if !f.Alone {
		claim += " (by name: other definitions may share it)"
	}
	return claim
}
