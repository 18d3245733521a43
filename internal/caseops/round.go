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
	"cortex/internal/discovery"
	"cortex/internal/gitrepo"
	"cortex/internal/op"
	"cortex/internal/redact"
	"cortex/internal/tool"
)

// Bounds of what one record of a round says, in characters.
const (
	maxClaim  = 1000
	maxSymbol = 240
)

// round is what one look at the repository gives. Its stages add to it one after the other.
type round struct {
	s        *Service
	c        *casefile.Case
	question string
	depth    Depth
	tools    tool.Runner
	room     int // for facts, besides where the work stands
	most     int // of them, those that are not reserved for what stands beside the code
	began    time.Time
	where    gitrepo.Facts // that the work stands at
	tree     gitrepo.Tree  // the worktree, listed with where

	evidence []casefile.Evidence
	spare    []casefile.Evidence // candidates that take the room that nothing else needs
	audit    []casefile.CommandRecord
	raw      casestore.Raw
	warnings []string
	degraded bool
	first    []string // what found the candidates
	then     []string // what told more of them
	silent   []string // tools that did not answer, and are not asked again
	wants    []string // tools that the question itself is for
}

// aside is what a question is about besides the code.
type aside struct {
	video     video
	artifacts bool // of earlier runs
}

// round looks at the repository. Stages that were not done when the time of the round was up cost what they would have
// told, and the round says so.
func (s *Service) round(ctx context.Context, c *casefile.Case, question string, depth Depth, also aside) (*round, error) {
	limit, facts := depth.bounds(s.Config.Budget.MaxEvidenceItemsReturned)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("timed out after %s, the time of a round", limit))
	defer cancel()
	r := &round{s: s, c: c, question: question, depth: depth, tools: s.tools(c), room: facts, most: facts, began: s.now(), raw: casestore.Raw{ID: s.IDs.New("raw")}}
	op.Progress(ctx, "searching the repository")
	if err := r.locate(ctx); err != nil {
		return nil, err
	}
	tellVideo, stop := r.watch(ctx, also.video)
	defer stop()
	tellArtifacts := r.artifacts(ctx, also.artifacts)
	asks := routeOf(r.words())
	found, done, err := r.ask(ctx, depth.expansions() > 0 || asks.structure())
	defer done()
	if err != nil {
		return nil, err
	}
	r.keep(found.Result)
	if c.Mode == casefile.ModeReview {
		r.review(ctx)
	}
	var structure *code.Structure
	if asks.structure() || found.Strong && depth.expansions() > 0 {
		structure = r.structure(found.graph)
	}
	r.route(ctx, asks, structure)
	r.details(ctx, found.Result, asks, structure)
	tellArtifacts()
	tellVideo()
	r.add(r.spare[:max(0, min(len(r.spare), r.room-(len(r.evidence)-1)))]...)
	return r, nil
}

// locate records where the work stands in git.
func (r *round) locate(ctx context.Context) error {
	where, tree, err := r.s.Repo.FactsAndTree(ctx, r.c.Workspace.CommitBefore, code.TreeLimit)
	if err != nil {
		return err
	}
	r.where, r.tree = where, tree
	r.warnings = append(r.warnings, where.Warnings...)
	r.add(casefile.Evidence{
		Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: "git"}, Confidence: casefile.ConfidenceHigh,
		Claim: changedClaim(where.Branch, where.Commit, r.s.relativeAll(where.Changed)),
	})
	e := &r.evidence[0]
	e.RawRef = selfRef(r.c.ID, e.ID)
	return nil
}

// add records evidence, which refers to the raw text of the round.
func (r *round) add(records ...casefile.Evidence) {
	for _, e := range records {
		if e.ID == "" {
			e.ID = r.s.IDs.New("ev")
		}
		e.Timestamp, e.Commit = r.s.now(), r.where.Commit
		r.bound(&e)
		e.RawRef = "case://" + r.c.ID + "/raw/" + r.raw.ID
		r.evidence = append(r.evidence, e)
	}
}

// bound masks what a record says and cuts it to what a reader needs: a tool may call a symbol by a megabyte. Half a secret is
// not recognised, so it masks first, and marks what it masked or what came masked.
func (r *round) bound(e *casefile.Evidence) {
	e.Claim = clipRunes(r.s.Redact.Text(e.Claim), maxClaim)
	said := e.Claim
	if e.Location != nil {
		at := *e.Location
		at.Symbol = clipRunes(r.s.Redact.Text(at.Symbol), maxSymbol)
		e.Location = &at
		said += at.Symbol
	}
	e.Sensitivity = casefile.SensitivityNormal
	if strings.Contains(said, redact.Mask) {
		e.Sensitivity = casefile.SensitivitySensitive
	}
}

// keep takes over what the search said of itself.
func (r *round) keep(found discovery.Result) {
	r.degraded = r.degraded || found.Degraded
	r.warnings = append(r.warnings, found.Warnings...)
	r.note("question: %s\nterms: %s\n\n", r.question, strings.Join(found.Terms, ", "))
	for _, f := range found.Facts {
		r.note("%s %.3f %s:%d [%s] %s\n", f.Tool, f.Score, f.File, f.Line, f.Term, f.Text)
	}
	for _, skipped := range found.Skipped {
		r.note("%s\n", skipped)
	}
	status := tool.Authoritative
	if found.Short {
		status = tool.Partial
	}
	r.audit = append(r.audit, casefile.CommandRecord{
		Timestamp: r.began, Actor: r.c.Actor, Tool: found.Tool(), Operation: "search", ActionClass: casefile.ReadOnly, Status: string(status),
		DurationMS: r.s.now().Sub(r.began).Milliseconds(),
		Note:       clipRunes(fmt.Sprintf("%d fact(s) for %s", len(found.Facts), strings.Join(found.Terms, ", ")), casefile.MaxAuditNoteRunes),
	})
	for _, a := range found.Calls {
		r.call(a)
	}
	byVecgrep := func(f discovery.Fact) bool { return f.Tool == tool.Vecgrep || f.Also != "" }
	switch {
	case found.Tool() == toolCode:
		r.first = append(r.first, "code search")
	case len(found.Facts) == 0 || slices.ContainsFunc(found.Facts, func(f discovery.Fact) bool { return f.Tool == "git" }):
		r.first = append(r.first, "git grep")
	}
	if slices.ContainsFunc(found.Facts, byVecgrep) {
		r.first = append(r.first, tool.Vecgrep)
	}
}

func (r *round) note(format string, args ...any) { appendRaw(&r.raw, fmt.Sprintf(format, args...)) }

// call keeps a call of a tool: its audit line, and what it printed as far as a tool may fill the raw text.
func (r *round) call(a tool.Answer) {
	r.audit = append(r.audit, r.s.auditOf(a, casefile.ReadOnly, r.c.Actor, r.s.now().Add(-a.Duration)))
	r.note("\n%s", r.s.rawText(a))
	if !a.OK() || a.TimedOut {
		r.silent = append(r.silent, a.Tool)
	}
}

// asks reports whether a tool is there and has not failed to answer in this round.
func (r *round) asks(name string) bool {
	return !slices.Contains(r.silent, name) && r.tools.Installed(name)
}

// heard keeps a call, and says once why an answer is not whole. A tool that is not there is no news.
func (r *round) heard(a tool.Answer) {
	r.call(a)
	if a.Class == tool.Authoritative {
		return
	}
	r.degraded = true
	if said := a.Tool + ": " + a.Cause; !slices.Contains(r.warnings, said) {
		r.warnings = append(r.warnings, said)
	}
}

// structure waits for the graph. One that is not there in time costs what it would have told.
func (r *round) structure(graph func() (*code.Structure, error)) *code.Structure {
	if graph == nil {
		return nil
	}
	structure, err := graph()
	if err != nil {
		r.degraded = true
		r.warnings = append(r.warnings, fmt.Sprintf("the module graph could not be read: %v", err))
	}
	return structure
}

// via names what answered.
func (r *round) via() string {
	out := strings.Join(r.first, " + ")
	if len(r.then) > 0 {
		out += " → " + strings.Join(r.then, " + ")
	}
	return out
}

// missing are the tools that a round would ask, are not installed, and of which the case has not been told.
func (r *round) missing() []string {
	return untold(r.c, r.tools, append([]string{tool.Codemap, tool.Vecgrep}, r.wants...)...)
}
