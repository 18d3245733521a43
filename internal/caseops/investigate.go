package caseops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var investigate = op.Define(op.Spec{
	Name: "investigate", Aliases: []string{"inv"}, Tool: "cortex_investigate", Title: "Gather evidence for a question", Effect: op.Adds, Profiles: op.Agent, OpenWorld: true, OwnDeadline: true,
	Help: `Asks the repository one question: the state of git, and the passages that hold most of its words, ranked. "Quoted
text" is found literally, sym:Name by its definition. Specialist tools are asked if installed. What is found is a
candidate until something else confirms it. Beyond the budget a round records nothing.`,
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
	TaskID   string             `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Question string             `json:"question" op:"args,required" jsonschema:"what to find out, with identifiers"`
	Surfaces []casefile.Surface `json:"surfaces,omitempty" op:"flag=surface" jsonschema:"sides that it is about; artifact: what fcheap has"`
	Depth    Depth              `json:"depth,omitempty" op:"default=standard" jsonschema:"how much to look at"`
	Video    string             `json:"video,omitempty" jsonschema:"vidtrace bundle: directory or fcheap://stash/ID"`
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
	v, err := s.videoOf(in.Video)
	if err != nil {
		return op.Envelope{}, err
	}
	also := aside{video: v, artifacts: slices.Contains(in.Surfaces, casefile.SurfaceArtifact)}
	r, err := s.round(ctx, k.c, question, in.Depth, also)
	if err == nil && errors.Is(ctx.Err(), context.Canceled) {
		err = ctx.Err() // nobody waits for the answer, so it costs no round
	}
	if err != nil {
		return op.Envelope{}, err
	}
	return s.recordRound(ctx, r)
}

func notARepository(workspace string) error {
	return problem.New(problem.NotARepository, "%s is not inside a git repository.", workspace).
		Without("run the verb in a git worktree, or name one with -C (workspace over MCP); git init makes one")
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

func (s *Service) recordRound(ctx context.Context, r *round) (op.Envelope, error) {
	missing := r.missing()
	var c *casefile.Case
	err := s.Store.Update(ctx, r.c.ID, func(e *casestore.Edit) error {
		c = e.Case()
		if err := casefile.RequirePhase(c, "investigate"); err != nil {
			return err
		}
		c.InvestigationRounds++
		tellMissing(c, missing)
		e.AddRaw(r.raw.ID, r.raw.Text)
		e.AddEvidence(r.evidence...)
		e.AddCommands(r.audit...)
		return e.PutCase(c)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(c, fmt.Sprintf("investigated %q via %s: %d evidence items recorded", r.question, r.via(), len(r.evidence)))
	out.Facts = facts(r.evidence)
	out.RawAvailable = true
	out.Degraded = r.degraded
	out.Warn(r.warnings...)
	if len(missing) > 0 {
		out.Warn(missingWords(missing) + "; Cortex's own search and graph answered")
	}
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
