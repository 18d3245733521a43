package caseops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/tool"
)

// observer runs what specialist tools are to check in one batch.
type observer struct {
	s        *Service
	b        *batch
	r        tool.Runner
	names    []string          // of the environment that the tools get
	versions map[string]string // by tool, asked once
	browser  *browserState
	raws     int // place of the raw text in the batch, -1 before there is any
}

// browserState is what cairn says of its browsers, asked once.
type browserState struct {
	tool.Browsers
	blocked bool
}

// runTools runs the checks of specialist tools one after the other. What they said is in b.
func (s *Service) runTools(ctx context.Context, b *batch) {
	_, names := checkEnvironment(s.Environ, nil)
	o := &observer{s: s, b: b, r: s.tools(b.k.c), names: names, versions: map[string]string{}, raws: -1}
	for n, check := range b.plan.Tools {
		if ctx.Err() != nil {
			return
		}
		op.Progress(ctx, "%s (%d of %d)", check.Label(), n+1, len(b.plan.Tools))
		run := casefile.CheckRun{
			Check: casefile.Check{Requirement: check.Requirement, Name: check.Label()},
			Tool:  check.Tool, Claim: check.Label(), Surface: check.Surface, Contract: check.Contract, Status: casefile.StatusInconclusive,
		}
		switch check.Tool {
		case tool.Fcheap:
			o.stash(ctx, &run)
		case tool.Tvault:
			o.project(ctx, &run)
		default:
			o.flow(ctx, check, &run)
		}
		run.At = s.now()
		b.runs = append(b.runs, run)
	}
}

// flow runs one spec and keeps what it gave.
func (o *observer) flow(ctx context.Context, check casefile.ToolCheck, run *casefile.CheckRun) {
	run.Kind = casefile.KindTerminalRun
	if check.Surface == casefile.SurfaceBrowser {
		run.Kind = casefile.KindBrowserRun
	}
	_, err := o.r.SpecDigest(check.Contract)
	if err != nil && !(check.Auto && errors.Is(err, fs.ErrNotExist)) { // of a spec that it chose, the tool says itself that it is gone
		run.Reason = "the spec is no regular file in the workspace, so it was not run"
		return
	}
	run.CheckDigest = o.s.flowDigest(check.Tool, check.Contract)
	stamp := o.s.specStamp(check.Contract)
	began := o.s.now()
	f, a, ran := o.observe(ctx, check, run)
	if !ran {
		return
	}
	switch verdict := f.Status == tool.FlowPassed || f.Status == tool.FlowFailed; {
	case verdict && (o.s.flowDigest(check.Tool, check.Contract) != run.CheckDigest || o.s.specStamp(check.Contract) != stamp):
		f.Status, f.Reason = tool.FlowErrored, "the spec changed while it ran"
	case f.Status == tool.FlowPassed && err != nil:
		f.Status, f.Reason = tool.FlowErrored, "it says passed of a spec that is not there"
	}
	o.b.audit = append(o.b.audit, o.s.auditOf(a, casefile.ConfiguredExecution, o.b.plan.Actor, began))
	run.Argv, run.Duration, run.Reason, run.Environment = a.Argv, a.Duration, f.Reason, o.names
	if a.Exit >= 0 {
		run.ExitStatus = &a.Exit
	}
	switch f.Status {
	case tool.FlowUnavailable:
		run.Status, run.Reason = casefile.StatusBlocked, howToInstall(check.Tool, a.Cause)
		return
	case tool.FlowPassed:
		run.Status = casefile.StatusPassed
	case tool.FlowFailed:
		run.Status = casefile.StatusFailed
	}
	if f.Status != tool.FlowErrored {
		run.Counts = &casefile.Counts{Executed: f.Outcomes, Passed: f.Outcomes - f.NotPassed, Failed: f.NotPassed}
		run.Version = o.version(ctx, check.Tool)
	}
	if f.Status == tool.FlowFailed {
		run.Artifact = o.archive(ctx, check, f)
		run.Reason = cmp.Or(run.Reason, failedWords(f.Failed))
	}
	o.keepFlow(check, run, f, a)
}

// observe runs the spec where its tool can; ran is false when run says already why it could not.
func (o *observer) observe(ctx context.Context, check casefile.ToolCheck, run *casefile.CheckRun) (f tool.Flow, a tool.Answer, ran bool) {
	if check.Tool == tool.Glyphrun {
		f, a = o.r.TerminalFlow(ctx, check.Contract)
		return f, a, true
	}
	if o.browser == nil && o.r.Installed(tool.Cairntrace) {
		began := o.s.now()
		found, doctor := o.r.Browsers(ctx)
		o.browser = &browserState{found, doctor.Class == tool.Blocked}
		o.b.audit = append(o.b.audit, o.s.auditOf(doctor, casefile.ReadOnly, o.b.plan.Actor, began))
	}
	browser := cmp.Or(o.browser, &browserState{})
	if browser.blocked {
		run.Status = casefile.StatusBlocked
		run.Reason = "cairn has no browser to run flows in; install one and verify again: " + browser.Install
		return f, a, false
	}
	f, a = o.r.BrowserFlow(ctx, check.Contract, browser.Backend)
	return f, a, true
}

func (o *observer) version(ctx context.Context, name string) string {
	v, asked := o.versions[name]
	if !asked {
		v = o.r.Version(ctx, name)
		o.versions[name] = v
	}
	return v
}

// archive keeps what a failed run left behind as a stash and returns its reference, "" where that is not possible.
func (o *observer) archive(ctx context.Context, check casefile.ToolCheck, f tool.Flow) string {
	if f.RunDir == "" || !o.r.Installed(tool.Fcheap) {
		return ""
	}
	began := o.s.now()
	tags := []string{"cortex", "repo:" + o.s.Repo.Name, string(check.Surface), "failed-run"}
	id, a := o.r.FcheapSave(ctx, f.RunDir, check.Tool, tags, true)
	o.b.audit = append(o.b.audit, o.s.auditOf(a, casefile.LocalMutation, o.b.plan.Actor, began))
	if id == "" {
		o.b.warn("the failed %s run was not archived: %s", check.Surface, a.Cause)
		return ""
	}
	ref := "fcheap://stash/" + id
	o.b.warn("archived failed %s run to %s", check.Surface, ref)
	return ref
}

// keepFlow records the run, and each outcome and step that failed in it.
func (o *observer) keepFlow(check casefile.ToolCheck, run *casefile.CheckRun, f tool.Flow, a tool.Answer) {
	claim, confidence := flowLabel(check)+" passed", casefile.ConfidenceHigh
	switch f.Status {
	case tool.FlowFailed:
		claim = flowLabel(check) + " FAILED"
		o.b.warn("%s verification did NOT pass (exit %d): %s", check.Tool, a.Exit, check.Contract)
	case tool.FlowErrored:
		claim, confidence = flowLabel(check)+" reached no verdict: "+f.Reason, casefile.ConfidenceMedium
		o.b.warn("%s reached no verdict on %s: %s", check.Tool, check.Contract, f.Reason)
	}
	if f.Status != tool.FlowErrored {
		claim += " (" + counted(f.Outcomes, "outcome") + ")"
	}
	if f.RunDir != "" {
		claim += "; its run is kept in " + f.RunDir
	}
	raw := o.raw(a)
	record := o.record(run.Kind, check.Tool, claim, confidence, raw)
	record.Source.RunID, record.Source.URI = f.RunID, run.Artifact
	o.b.evidence = append(o.b.evidence, record)
	run.Evidence = []string{record.ID}
	for _, failed := range f.Failed {
		detail := o.record(run.Kind, check.Tool, fmt.Sprintf("%s %s: %s", failed.What, failed.ID, cmp.Or(failed.Message, failed.Status)), confidence, raw)
		detail.DerivedFrom = []string{record.ID}
		o.b.evidence = append(o.b.evidence, detail)
		run.Evidence = append(run.Evidence, detail.ID)
	}
}

// Bounds of what a failed flow's receipt says; its evidence has all of it.
const (
	maxFailedParts = 3
	maxFailedRunes = 200
)

// failedWords says in one line what failed in a flow.
func failedWords(parts []tool.FlowFailure) string {
	var words []string
	for _, part := range parts[:min(len(parts), maxFailedParts)] {
		words = append(words, clipRunes(fmt.Sprintf("%s %s: %s", part.What, part.ID, strings.Join(strings.Fields(cmp.Or(part.Message, part.Status)), " ")), maxFailedRunes))
	}
	if more := len(parts) - maxFailedParts; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, "; ")
}

// raw keeps what a tool printed, as far as there is room, and returns the reference of it. All of a batch is one blob: each
// costs a sync of its own.
func (o *observer) raw(a tool.Answer) string {
	if o.raws < 0 {
		o.raws = len(o.b.raws)
		o.b.raws = append(o.b.raws, casestore.Raw{ID: o.s.IDs.New("raw")})
	}
	raw := &o.b.raws[o.raws]
	appendRaw(raw, o.s.rawText(a))
	return "case://" + o.b.k.c.ID + "/raw/" + raw.ID
}

func (o *observer) record(kind, source, claim string, confidence casefile.Confidence, raw string) casefile.Evidence {
	return casefile.Evidence{
		ID: o.s.IDs.New("ev"), Timestamp: o.s.now(), Kind: kind, Source: casefile.Source{Tool: source, Actor: o.b.plan.Actor},
		Claim: claim, Confidence: confidence, Sensitivity: casefile.SensitivityNormal, RawRef: raw, Commit: o.b.k.state.Head,
	}
}

func (b *batch) warn(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// toolLimit is how long the checks of specialist tools may take, one after the other, with what is asked around them.
func (s *Service) toolLimit(b *batch) time.Duration {
	var sum time.Duration
	r := s.tools(b.k.c)
	if (b.plan.Review || b.plan.Advisory) && r.Installed(tool.Codemap) {
		sum += r.Limit(tool.Codemap)
	}
	for _, check := range b.plan.Tools {
		sum += r.Limit(check.Tool)
		if check.Tool != tool.Tvault {
			sum += r.Limit(tool.Fcheap) // to restore a stash, or to archive a failed run
		}
	}
	if len(b.plan.Tools) > 0 {
		sum += time.Minute // versions, the look at the browsers, annotations
	}
	return sum
}
