package caseops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/discovery"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var investigate = op.Define(op.Spec{
	Name: "investigate", Aliases: []string{"inv"}, Tool: "cortex_investigate", Title: "Gather evidence for a question", Effect: op.Adds, Profiles: op.Agent, OpenWorld: true, OwnDeadline: true,
	Help: `Asks the repository one question: where the work stands in git, and the passages that hold most of the question's
words, ranked. "Quoted text" is found as it stands, sym:Name by its definition. What is found is a candidate, of low
confidence, until something else confirms it. A case has a budget of rounds; a round beyond it records nothing and says so.`,
	Example: `cortex investigate task_… "where is the return URL built after login"`,
}, (*Service).Investigate)

// Depth is how much one round may look at.
type Depth string

// Values lists the depths.
func (Depth) Values() []string { return []string{"quick", "standard", "deep"} }

// bounds returns the time limit of a round (spec: 20, 45 and 90 seconds) and how many facts it may keep.
func (d Depth) bounds(base int) (time.Duration, int) {
	switch d {
	case "quick":
		return 20 * time.Second, min(base, 4)
	case "deep":
		return 90 * time.Second, min(max(2*base, 12), 24)
	}
	return 45 * time.Second, base
}

// roundGrace is what a call may take beyond its round: for reading the case and for writing the result.
const roundGrace = 10 * time.Second

// InvestigateInput is one question.
type InvestigateInput struct {
	TaskID   string             `json:"taskId,omitempty" op:"task" jsonschema:"the case; default: the only active one"`
	Question string             `json:"question" op:"args,required" jsonschema:"what is to be found out; name identifiers and files where they are known"`
	Surfaces []casefile.Surface `json:"surfaces,omitempty" op:"flag=surface" jsonschema:"sides of the system that the question is about"`
	Depth    Depth              `json:"depth,omitempty" op:"default=standard" jsonschema:"how much to look at"`
}

// Investigate runs one round without a lock and records it in one transaction.
func (s *Service) Investigate(ctx context.Context, in InvestigateInput) (op.Envelope, error) {
	limit, _ := in.Depth.bounds(0)
	ctx, cancel := context.WithTimeout(ctx, limit+roundGrace)
	defer cancel()
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	question, err := casefile.CheckText("question", in.Question, casefile.MaxText)
	if err != nil {
		return op.Envelope{}, err
	}
	question = s.Redact.Text(question) // before it is taken apart: a secret without its name is not recognised
	k, err := s.know(ctx, id, withoutWorktree)
	if err != nil {
		return op.Envelope{}, err
	}
	if err := casefile.RequirePhase(k.c, "investigate"); err != nil {
		return op.Envelope{}, err
	}
	if s.Repo == nil {
		return op.Envelope{}, notARepository(s.Workspace)
	}
	if k.c.InvestigationRounds >= s.Config.Budget.MaxInvestigationRounds {
		return s.beyondBudget(ctx, id)
	}
	r, err := s.round(ctx, k.c, question, in.Depth)
	if err != nil {
		return op.Envelope{}, err
	}
	return s.recordRound(ctx, id, question, r)
}

func notARepository(workspace string) error {
	return problem.New(problem.NotARepository, "%s is not inside a git repository.", workspace).
		Without("run the verb in a git worktree, or name one with -C (workspace over MCP); git init makes one")
}

// round is what one look at the repository gave.
type round struct {
	evidence []casefile.Evidence
	raw      casestore.Raw
	audit    casefile.CommandRecord
	found    discovery.Result
}

func (s *Service) round(ctx context.Context, c *casefile.Case, question string, depth Depth) (round, error) {
	limit, facts := depth.bounds(s.Config.Budget.MaxEvidenceItemsReturned)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := s.now()
	op.Progress(ctx, "searching the repository")
	where, err := s.Repo.Facts(ctx, c.Workspace.CommitBefore)
	if err != nil {
		return round{}, err
	}
	found, err := s.ask(ctx, question, depth, facts)
	if err != nil {
		return round{}, err
	}
	r := round{found: found.Result, raw: casestore.Raw{ID: s.IDs.New("raw"), Text: rawRound(question, found)}}
	r.found.Warnings = append(r.found.Warnings, where.Warnings...)
	r.evidence = append(r.evidence, casefile.Evidence{
		ID: s.IDs.New("ev"), Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: "git"},
		Claim: changedClaim(where.Branch, where.Commit, s.relativeAll(where.Changed)), Confidence: casefile.ConfidenceHigh,
	})
	rawRef := "case://" + c.ID + "/raw/" + r.raw.ID
	for _, f := range found.Facts {
		r.evidence = append(r.evidence, s.candidate(f, rawRef))
	}
	candidates := r.evidence[1:]
	for _, m := range found.modules {
		r.evidence = append(r.evidence, s.dependants(m, candidates, rawRef))
	}
	for i := range r.evidence {
		r.evidence[i].Timestamp, r.evidence[i].Commit = s.now(), where.Commit
		r.evidence[i].Sensitivity = casefile.SensitivityNormal
		if r.evidence[i].RawRef == "" {
			r.evidence[i].RawRef = selfRef(c.ID, r.evidence[i].ID)
		}
	}
	r.audit = casefile.CommandRecord{
		Timestamp: began, Actor: c.Actor, Tool: found.Tool(), Operation: "search", ActionClass: casefile.ReadOnly, Status: "authoritative",
		DurationMS: s.now().Sub(began).Milliseconds(), Note: clipRunes(fmt.Sprintf("%d fact(s) for %s", len(found.Facts), strings.Join(found.Terms, ", ")), casefile.MaxAuditNoteRunes),
	}
	return r, nil
}

// under is the workspace as the search must stay in it: relative to the repository, "" for all of it.
func (s *Service) under() string {
	if s.Workspace == s.Repo.Root {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(s.Workspace, s.Repo.Root), "/")
}

// changedClaim says in one sentence where the work stands.
func changedClaim(branch, commit string, changed []string) string {
	where := fmt.Sprintf("on branch %s at %s", orWord(branch, "(detached)"), orWord(short(commit), "(no commit yet)"))
	if len(changed) == 0 {
		return where + ": nothing differs from the commit the case started at"
	}
	const shown = 8
	list := strings.Join(changed[:min(len(changed), shown)], ", ")
	if len(changed) > shown {
		list += ", …"
	}
	return fmt.Sprintf("%s: %d path(s) differ from the commit the case started at: %s", where, len(changed), list)
}

// rawRound is the stored form of a round's whole result.
func rawRound(question string, found asked) string {
	var b strings.Builder
	fmt.Fprintf(&b, "question: %s\nterms: %s\n\n", question, strings.Join(found.Terms, ", "))
	for _, f := range found.Facts {
		fmt.Fprintf(&b, "%s %.3f %s:%d [%s] %s\n", f.Tool, f.Score, f.File, f.Line, f.Term, f.Text)
	}
	for _, m := range found.modules {
		fmt.Fprintf(&b, "%s\n", m.Claim)
	}
	for _, skipped := range found.Skipped {
		fmt.Fprintf(&b, "%s\n", skipped)
	}
	return b.String()
}

func (s *Service) recordRound(ctx context.Context, id, question string, r round) (op.Envelope, error) {
	var c *casefile.Case
	err := s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c = e.Case()
		if err := casefile.RequirePhase(c, "investigate"); err != nil {
			return err
		}
		c.InvestigationRounds++
		e.AddRaw(r.raw.ID, r.raw.Text)
		e.AddEvidence(r.evidence...)
		e.AddCommands(r.audit)
		return e.PutCase(c)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, fmt.Sprintf("investigated %q via %s: %d evidence items recorded", question, via(r.found), len(r.evidence)))
	out.Facts = facts(r.evidence)
	out.RawAvailable = true
	out.Degraded = r.found.Degraded
	out.Warn(r.found.Warnings...)
	out.Warn(s.Warnings...)
	out.Steps = s.steps(c, casefile.Judgement{})
	return out, nil
}

// beyondBudget notes that a round was asked for after the last one.
func (s *Service) beyondBudget(ctx context.Context, id string) (op.Envelope, error) {
	said := fmt.Sprintf("budget: all %d investigation rounds of this case are used", s.Config.Budget.MaxInvestigationRounds)
	var c *casefile.Case
	err := s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c = e.Case()
		for _, have := range c.Notes {
			if have == said {
				return nil
			}
		}
		c.Notes = append(c.Notes, said)
		return e.PutCase(c)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, said+"; nothing was recorded")
	out.Warn(said + "; plan with what is known, or open a case of its own for the question")
	out.Steps = s.steps(c, casefile.Judgement{})
	return out, nil
}

// clipRunes cuts text to at most n runes.
func clipRunes(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}
