package caseops

import (
	"context"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var handoff = op.Define(op.Spec{
	Name: "handoff", Tool: "cortex_handoff", Title: "Hand a case on", Effect: op.Reads, Profiles: op.Agent, Idempotent: true,
	Help: `Returns what another agent or person needs to go on with a case: goal, state, plan, evidence, current receipts,
decisions, next step. At most 128 KiB; of a verified case the whole proof or, said explicitly, none. Sensitive records
are left out and counted.`,
	Example: "cortex handoff task_…\ncortex handoff --compact\ncortex handoff --pr -o description.md\ncortex handoff task_… --json",
}, (*Service).Handoff)

// HandoffFormat is a form of the handoff.
type HandoffFormat string

// The forms. The packet is JSON, and Markdown for people; the others are Markdown.
const (
	HandoffPacket  HandoffFormat = "packet"
	HandoffCompact HandoffFormat = "compact"
	HandoffPR      HandoffFormat = "pr"
)

// Values lists the forms.
func (HandoffFormat) Values() []string { return []string{"packet", "compact", "pr"} }

// HandoffInput names a case and a form.
type HandoffInput struct {
	TaskID  string        `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Format  HandoffFormat `json:"format,omitempty" op:"hide=cli,default=packet" jsonschema:"compact (what matters most) and pr (for a pull request) are Markdown"`
	Compact bool          `json:"compact,omitempty" op:"hide=mcp" jsonschema:"only what matters most"`
	PR      bool          `json:"pr,omitempty" op:"hide=mcp" jsonschema:"for a pull request: what changed, claims with receipts and counts, what is not covered, how to check again"`
	Output  string        `json:"output,omitempty" op:"short=o,hide=mcp" jsonschema:"write to this file, readable by its owner alone, and print its path"`
}

// HandoffResult is a handoff in one of its forms.
type HandoffResult interface {
	op.Projected
	op.Warned
	op.Texter
	File() string
}

// Handoff reads one consistent state of the case, and the worktree to judge its receipts. It writes nothing: a file is
// asked for through the result's File.
func (s *Service) Handoff(ctx context.Context, in HandoffInput) (HandoffResult, error) {
	format, err := in.format()
	if err != nil {
		return nil, err
	}
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return nil, err
	}
	want := withWorktreeIfJudged
	if format == HandoffPR {
		want = withWorktree
	}
	var read casefile.HandoffInput
	k, err := s.know(ctx, id, want, func(r *casestore.Reader) error {
		if read.Plan, err = r.Plan(); err != nil {
			return err
		}
		if read.Decisions, err = r.Decisions(); err != nil {
			return err
		}
		read.Evidence, _, err = r.EvidenceTail(casefile.MaxViewRecords)
		return err
	})
	if err != nil {
		return nil, err
	}
	read.Case, read.Hypotheses, read.Receipts, read.Judgement = k.c, k.hypotheses, k.receipts, k.judgement
	read.Warnings, read.Now = k.warnings, s.now()
	read.Steps = s.steps(k.c, k.judgement)
	if k.c.Status.Active() {
		read.Steps = append(pendingStep(k.c, casefile.Pending(read.Decisions)), read.Steps...)
	}
	from := handedOn{in: casefile.PullRequestInput{HandoffInput: read, Seen: k.seen}, file: in.Output}
	if k.seen {
		from.in.Changed = s.relativeAll(k.facts.Changed)
	}
	if format == HandoffPacket {
		return &Handoff{handedOn: from}, nil
	}
	return &HandoffText{TaskID: k.c.ID, Format: format, handedOn: from}, nil
}

func (in HandoffInput) format() (HandoffFormat, error) {
	switch {
	case in.Compact && in.PR:
		return "", problem.New(problem.InvalidInput, "--compact and --pr are two forms of a handoff; name one.").
			On("compact", true, "one form").Without("leave out one of the two")
	case in.Compact:
		return HandoffCompact, nil
	case in.PR:
		return HandoffPR, nil
	}
	return in.Format, nil
}

// handedOn is what every form is rendered from.
type handedOn struct {
	in   casefile.PullRequestInput
	file string
}

// File is where the handoff is to be written instead of standard output, "" for nowhere.
func (h *handedOn) File() string { return h.file }

// Handoff is the packet, with its Markdown for people.
type Handoff struct {
	casefile.Handoff
	handedOn
}

// Project builds the packet, in which the rendered steps count.
func (h *Handoff) Project(render func([]problem.Step) []op.Action) {
	h.in.Render = func(steps []problem.Step) any { return render(steps) }
	h.Handoff = casefile.NewHandoff(h.in.HandoffInput)
}

// Warn adds warnings from outside the verb.
func (h *Handoff) Warn(warnings ...string) {
	if len(warnings) == 0 {
		return
	}
	h.in.Warnings = append(h.in.Warnings, warnings...)
	h.Handoff = casefile.NewHandoff(h.in.HandoffInput)
}

// Text is the packet as Markdown.
func (h *Handoff) Text(op.Style) string {
	actions, _ := h.Actions.([]op.Action) // what Project put there, nil for none
	return casefile.HandoffMarkdown(h.in.HandoffInput, h.Handoff, usages(actions))
}

func usages(actions []op.Action) []string {
	var out []string
	for _, a := range actions {
		out = append(out, a.Usage)
	}
	return out
}

// HandoffText is a handoff in one of its Markdown forms.
type HandoffText struct {
	TaskID   string        `json:"taskId"`
	Format   HandoffFormat `json:"format"`
	Markdown string        `json:"markdown"`

	handedOn
	next string
}

// Project renders the text, with the first of the steps.
func (h *HandoffText) Project(render func([]problem.Step) []op.Action) {
	if actions := render(h.in.Steps); len(actions) > 0 {
		h.next = actions[0].Usage
	}
	h.render()
}

// Warn adds warnings from outside the verb.
func (h *HandoffText) Warn(warnings ...string) {
	h.in.Warnings = append(h.in.Warnings, warnings...)
	h.render()
}

func (h *HandoffText) render() {
	if h.Format == HandoffPR {
		h.Markdown = casefile.PullRequest(h.in)
		return
	}
	h.Markdown = casefile.HandoffCompact(h.in.HandoffInput, h.next)
}

// Text is the Markdown.
func (h *HandoffText) Text(op.Style) string { return h.Markdown }
