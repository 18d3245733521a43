package caseops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/redact"
	"cortex/internal/tool"
)

const (
	memoryGoal    = 60   // characters of the goal
	memoryFinding = 1000 // characters of the outcome
	memoryStashes = 3
	auditTime     = 10 * time.Second
)

// memorise has vecgrep remember the outcome of a completed case for later work, where it is installed. That the memory
// could not be stored is a warning: the case is complete without it. Text that looks like a secret is not passed on, not
// even masked.
func (s *Service) memorise(ctx context.Context, k *knowledge, c *casefile.Case, in casefile.SummaryInput) []string {
	runner := s.tools(c)
	if !runner.Installed(tool.Vecgrep) {
		return nil
	}
	line := memoryLine(k, c, in)
	tags := append([]string{recallTag, "repo:" + c.Workspace.Repository}, in.Tags...)
	secret := func(text string) bool { return s.Redact.Refuses(text) || strings.Contains(text, redact.Mask) }
	if slices.ContainsFunc(append([]string{line, c.Goal, in.Outcome}, tags...), secret) { // of the line, what was cut off too
		return []string{"durable memory not stored: goal, outcome or tags hold what looks like a secret"}
	}
	op.Progress(ctx, "storing the outcome in vecgrep's memory")
	began := s.now()
	a := runner.VecgrepRemember(ctx, line, memoryWeight(in.Importance), tags)
	var warnings []string
	if a.Class != tool.Authoritative {
		warnings = append(warnings, "durable memory not stored: "+a.Cause)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTime) // what was stored is kept with the case even if the caller left
	defer cancel()
	if err := s.Store.AppendCommands(ctx, c.ID, s.auditOf(a, casefile.LocalMutation, c.Actor, began)); err != nil {
		warnings = append(warnings, fmt.Sprintf("the call of vecgrep could not be kept with the case: %v", err))
	}
	return warnings
}

// memoryWeight is the importance as vecgrep takes it: none given is a half.
func memoryWeight(importance float64) float64 {
	if importance <= 0 {
		return 0.5
	}
	return min(importance, 1)
}

// memoryLine is the outcome of a case in one line of named values.
func memoryLine(k *knowledge, c *casefile.Case, in casefile.SummaryInput) string {
	confidence := casefile.ConfidenceMedium
	if k.judgement.Outcome == casefile.OutcomeVerified {
		confidence = casefile.ConfidenceHigh
	}
	proof := []string{"case " + c.ID}
	for _, r := range k.receipts {
		if strings.HasPrefix(r.Artifact, "fcheap://") && !r.Sensitive && !slices.Contains(proof, r.Artifact) && len(proof) <= memoryStashes {
			proof = append(proof, r.Artifact)
		}
	}
	var surfaces []string
	for _, surface := range c.Surfaces {
		surfaces = append(surfaces, string(surface))
	}
	commit := c.Workspace.CommitBefore
	if k.seen {
		commit = short(k.state.Head)
	}
	var b strings.Builder
	for _, pair := range [][2]string{
		{"repo", c.Workspace.Repository}, {"area", strings.Join(surfaces, "+")}, {"symbol", strings.Join(c.ChangeBoundary.Symbols, "+")},
		{"behavior", clipRunes(oneLine(c.Goal), memoryGoal)}, {"finding", clipRunes(oneLine(in.Outcome), memoryFinding)},
		{"confidence", string(confidence)}, {"evidence", strings.Join(proof, "; ")}, {"commit", commit},
	} {
		if pair[1] != "" {
			fmt.Fprintf(&b, " %s=%s", pair[0], pair[1])
		}
	}
	return strings.TrimSpace(b.String())
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
