package caseops

import (
	"context"
	"fmt"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var decisionList = op.Define(op.Spec{
	Name: "decision list", Tool: "cortex_list_decisions", Title: "List a task's decisions", Effect: op.Reads, Profiles: op.All, Idempotent: true,
	Help:    `Lists the newest 200 questions that a case asked, oldest first, with their options and answers, and how many there are.`,
	Example: "cortex decision list task_…",
}, (*Service).ListDecisions)

// ListDecisionsInput names a case.
type ListDecisionsInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"the case; default: the only active one"`
}

// Decisions is what a case has asked people.
type Decisions struct {
	TaskID    string              `json:"taskId"`
	Phase     string              `json:"phase"`
	Decisions []casefile.Decision `json:"decisions"`
	Total     int                 `json:"decisionTotal"`
	Actions   []op.Action         `json:"actions,omitempty"`
	Warnings  []string            `json:"warnings,omitempty"`

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
	var out Decisions
	err = s.Store.View(ctx, id, func(r *casestore.Reader) error {
		c := r.Case()
		all, err := r.Decisions()
		if err != nil {
			return err
		}
		out = Decisions{TaskID: c.ID, Phase: string(c.Status), Decisions: []casefile.Decision{}, Total: len(all)}
		out.Decisions = append(out.Decisions, newest(all, casefile.MaxViewRecords)...)
		if waiting := casefile.Pending(all); waiting != nil && c.Status.Active() {
			out.steps = []problem.Step{casefile.AnswerStep(c, waiting)}
		}
		out.Warn(r.Warnings()...)
		return nil
	})
	out.Warn(s.Warnings...)
	return out, err
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
	if n := v.Total - len(v.Decisions); n > 0 {
		fmt.Fprintf(&b, "%d older decision(s) are not shown\n", n)
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
