package caseops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var decisionList = op.Define(op.Spec{
	Name: "decision list", Tool: "cortex_list_decisions", Title: "List a task's decisions", Effect: op.Reads, Profiles: op.All, Idempotent: true, MaxJSON: casefile.MaxPrinted,
	Help:    `Lists the newest questions that a case asked with their options and answers. nextCursor leads to older ones.`,
	Example: "cortex decision list task_…\ncortex decision list task_… --limit 20 --cursor dec_…",
}, (*Service).ListDecisions)

// ListDecisionsInput names a case and a page of its decisions.
type ListDecisionsInput struct {
	Page
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
}

// Decisions is a page of what a case has asked people, oldest first.
type Decisions struct {
	TaskID     string              `json:"taskId"`
	Phase      string              `json:"phase"`
	Decisions  []casefile.Decision `json:"decisions"`
	Total      int                 `json:"decisionTotal"`        // of all, listed here or not
	NextCursor string              `json:"nextCursor,omitempty"` // of the page with older decisions
	Actions    []op.Action         `json:"actions,omitempty"`
	Warnings   []string            `json:"warnings,omitempty"`

	steps []problem.Step
}

// Project renders the step to a pending decision.
func (v *Decisions) Project(render func([]problem.Step) []op.Action) { v.Actions = render(v.steps) }

// Warn adds warnings from outside the verb.
func (v *Decisions) Warn(warnings ...string) { v.Warnings = append(v.Warnings, warnings...) }

// ListDecisions reads decisions.json.
func (s *Service) ListDecisions(ctx context.Context, in ListDecisionsInput) (Decisions, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return Decisions{}, err
	}
	most, err := in.most(casefile.MaxViewRecords)
	if err != nil {
		return Decisions{}, err
	}
	var out Decisions
	err = s.Store.View(ctx, id, func(r *casestore.Reader) error {
		c := r.Case()
		all, err := r.Decisions()
		if err != nil {
			return err
		}
		out = Decisions{TaskID: c.ID, Phase: string(c.Status), Decisions: []casefile.Decision{}, Total: len(all)}
		place := len(all)
		if in.Cursor != "" {
			place = slices.IndexFunc(all, func(d casefile.Decision) bool { return d.ID == in.Cursor })
		}
		if place < 0 {
			return noSuchDecision(c, in.Cursor)
		}
		out.show(before(all, place, most))
		if waiting := casefile.Pending(all); waiting != nil && c.Status.Active() {
			out.steps = []problem.Step{casefile.AnswerStep(c, waiting)}
		}
		out.Warn(r.Warnings()...)
		return nil
	})
	out.Warn(s.Warnings...)
	return out, err
}

func noSuchDecision(c *casefile.Case, cursor string) error {
	cursor = op.Cut(cursor, casefile.MaxIdentifier)
	return problem.New(problem.InvalidInput, "the cursor %q is not one that this list gave.", cursor).
		About(c.ID, string(c.Status)).On("cursor", cursor, "the nextCursor of an earlier answer about the same case")
}

// show sets the page; first is the place of its first decision among all.
func (v *Decisions) show(page []casefile.Decision, first int) {
	v.Decisions, v.NextCursor = append([]casefile.Decision{}, page...), ""
	if first > 0 && len(page) > 0 {
		v.NextCursor = page[0].ID
	}
}

// Shrink leaves out the oldest decisions, which the next page then has.
func (v *Decisions) Shrink(excess int) {
	for excess > 0 && len(v.Decisions) > 1 {
		excess -= jsonSize(v.Decisions[0]) + len(",")
		v.show(v.Decisions[1:], 1)
	}
}

// Text is the list for people.
func (v Decisions) Text(s op.Style) string {
	var b strings.Builder
	if len(v.Decisions) == 0 {
		fmt.Fprintf(&b, "case %s has asked nothing\n", v.TaskID)
	}
	for _, d := range v.Decisions {
		b.WriteString(decisionText(s, d))
	}
	if v.NextCursor != "" {
		fmt.Fprintf(&b, "older ones: --cursor %s (%d in all)\n", v.NextCursor, v.Total)
	}
	b.WriteString(op.Envelope{Actions: v.Actions, Warnings: v.Warnings}.Footer(s))
	return b.String()
}

// decisionText is one decision for people: the question, what was chosen by whom, and the options.
func decisionText(s op.Style, d casefile.Decision) string {
	var b strings.Builder
	state := s.Warn(d.Status)
	if d.Status == casefile.DecisionAnswered {
		state = s.Good(d.Answer) + " by " + d.Responder
	}
	fmt.Fprintf(&b, "%s  %s  %s\n", d.ID, state, s.Bold(d.Question))
	for _, o := range d.Options {
		fmt.Fprintf(&b, "  %s: %s %s\n", o.ID, o.Label, s.Dim("→ "+o.Consequence))
	}
	return b.String()
}
