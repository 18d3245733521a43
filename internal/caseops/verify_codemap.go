package caseops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/code"
	"cortex/internal/op"
	"cortex/internal/tool"
)

const (
	maxAnnotated    = 8 // symbols of the boundary that are annotated with one run
	maxNotedRuns    = 4
	annotationLimit = 30 * time.Second // for all of them together
)

// codemapReview answers the structural review by codemap. It reports false when codemap is not there or did not answer,
// which is then a warning, and run is as it was.
func (s *Service) codemapReview(ctx context.Context, b *batch, run *casefile.CheckRun) bool {
	r := s.tools(b.k.c)
	if !r.Installed(tool.Codemap) {
		return false
	}
	since := ""
	if base := b.k.facts.Base; base != b.k.state.Head {
		since = base // something was committed since the case began
	}
	began := s.now()
	found, a := r.CodemapReview(ctx, since)
	b.audit = append(b.audit, s.auditOf(a, casefile.ReadOnly, b.plan.Actor, began))
	if !a.OK() || a.TimedOut {
		if b.plan.Review {
			b.warn("codemap could not review the change, so the embedded review answers: %s", a.Cause)
		}
		return false
	}
	run.Tool, run.Argv, run.Duration, run.ExitStatus = tool.Codemap, a.Argv, a.Duration, &a.Exit
	missed := s.unreviewed(b.k.facts.Changed, found)
	switch {
	case a.Class != tool.Authoritative:
		run.Reason = "the review is partial: " + a.Cause
	case len(missed) > 0:
		run.Reason = "the review does not list what git says changed: " + strings.Join(missed, ", ")
	case found.Risk != nil && found.Risk.Level == "high":
		run.Reason = "diff risk: high"
	default:
		run.Status = casefile.StatusPassed
	}
	if run.Status != casefile.StatusPassed {
		b.warn("codemap: %s", run.Reason)
	}
	run.Version = r.Version(ctx, tool.Codemap)
	b.keepCodemap(s, run, found, a)
	return true
}

// unreviewed are the changed source files of the workspace that a review does not list: it looked at another state of them.
// A review that lists nothing of what changed, be it source or not, looked at another change.
func (s *Service) unreviewed(changed []string, found tool.CodemapReview) []string {
	var inside, source []string
	seen := false
	for i, file := range s.relativeAll(changed) {
		if strings.HasPrefix(file, "../") {
			continue
		}
		inside = append(inside, file)
		listed := slices.ContainsFunc(found.Files, func(f tool.CodemapFile) bool { return f.Path == file || f.Path == changed[i] })
		seen = seen || listed
		if class := code.ClassOf(file); !listed && (class == code.CodeFile || class == code.TestFile) {
			source = append(source, file)
		}
	}
	if !seen && len(source) == 0 {
		source = inside
	}
	return source[:min(len(source), casefile.MaxCandidates)]
}

func (b *batch) keepCodemap(s *Service, run *casefile.CheckRun, found tool.CodemapReview, a tool.Answer) {
	raw := casestore.Raw{ID: s.IDs.New("raw"), Text: s.rawText(a)}
	record := casefile.Evidence{
		ID: s.IDs.New("ev"), Timestamp: s.now(), Kind: casefile.KindCodeGraph, Source: casefile.Source{Tool: tool.Codemap, Actor: b.plan.Actor},
		Claim:      fmt.Sprintf("diff touches %s and %s; %s to run", counted(len(found.Files), "file"), counted(len(found.Symbols), "symbol"), counted(len(found.Tests), "covering test")),
		Confidence: casefile.ConfidenceHigh, Sensitivity: casefile.SensitivityNormal,
		RawRef: "case://" + b.k.c.ID + "/raw/" + raw.ID, Commit: b.k.state.Head,
	}
	if run.Status != casefile.StatusPassed {
		record.Confidence = casefile.ConfidenceLow
	}
	b.raws, b.evidence = append(b.raws, raw), append(b.evidence, record)
	run.Evidence = []string{record.ID}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// annotate notes at the symbols of the boundary what behaviour was observed. Only bound runs of flows that came to a verdict
// are noted, after they were committed; that it fails is a warning.
func (s *Service) annotate(ctx context.Context, b *batch, receipts []casefile.Receipt) (warnings []string) {
	symbols := b.k.c.ChangeBoundary.Symbols
	r := s.tools(b.k.c)
	noted := slices.DeleteFunc(slices.Clone(receipts), func(x casefile.Receipt) bool { return !b.observed(x) })
	if len(symbols) == 0 || len(noted) == 0 || !r.Installed(tool.Codemap) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, annotationLimit)
	defer cancel()
	op.Progress(ctx, "noting the runs at %d symbols", len(symbols))
	var audit []casefile.CommandRecord
	for _, x := range noted[:min(len(noted), maxNotedRuns)] {
		for _, symbol := range symbols[:min(len(symbols), maxAnnotated)] {
			began := s.now()
			a := r.CodemapAnnotate(ctx, symbol, x.Tool, annotation(b.k.c.ID, x))
			audit = append(audit, s.auditOf(a, casefile.LocalMutation, b.plan.Actor, began))
			if !a.OK() || a.TimedOut {
				warnings = append(warnings, "codemap could not keep a note at "+symbol+": "+a.Cause)
				break // what fails for one symbol fails for the next
			}
		}
	}
	if err := s.Store.AppendCommands(ctx, b.k.c.ID, audit...); err != nil {
		warnings = append(warnings, fmt.Sprintf("the audit of the notes in codemap was not kept: %v", err))
	}
	return warnings
}

// observed reports whether x is a run of this batch that came to a verdict on behaviour.
func (b *batch) observed(x casefile.Receipt) bool {
	ran := slices.ContainsFunc(b.plan.Tools, func(t casefile.ToolCheck) bool { return t.Flow() && t.Tool == x.Tool && t.Contract == x.Contract })
	return ran && x.Purpose == casefile.PurposeRun && x.Binding == casefile.Bound && (x.Status == casefile.StatusPassed || x.Status == casefile.StatusFailed)
}

func annotation(task string, x casefile.Receipt) string {
	evidence := x.Artifact
	if evidence == "" {
		evidence = "case://" + task + "/verification/" + x.ID
	}
	return fmt.Sprintf("cortex: %s behavior %q %s (task %s); evidence %s", x.Tool, x.Contract, x.Status, task, evidence)
}
