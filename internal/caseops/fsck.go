package caseops

import (
	"context"
	"fmt"
	"strings"

	"cortex/internal/casestore"
	"cortex/internal/op"
)

var fsck = op.Define(op.Spec{
	Name: "fsck", Title: "Check the store's files", Effect: op.Reads, Idempotent: true,
	Help: `Reads every file of the repository's cases whole and says what is wrong with which one and how to mend it. Changes
and deletes nothing. Exits with status 6 when something is broken.`,
	Example: "cortex fsck\ncortex fsck task_…",
}, (*Service).Fsck)

// FsckInput names a case, or none for all.
type FsckInput struct {
	TaskID string `json:"taskId,omitempty" op:"task" jsonschema:"the case; all of the repository's when left out"`
}

// FsckReport is what a check of the store found.
type FsckReport struct {
	OK       bool                `json:"ok"`
	Store    string              `json:"store"`
	Cases    int                 `json:"cases"`
	Sound    bool                `json:"sound"`
	Findings []casestore.Finding `json:"findings"`
	Warnings []string            `json:"warnings,omitempty"`
}

// Green reports whether nothing is broken.
func (r FsckReport) Green() bool { return r.Sound }

// Warn adds warnings from outside the verb.
func (r *FsckReport) Warn(warnings ...string) { r.Warnings = append(r.Warnings, warnings...) }

// Fsck checks the store of the named case, or that of the repository.
func (s *Service) Fsck(ctx context.Context, in FsckInput) (FsckReport, error) {
	if in.TaskID != "" {
		there, id, err := s.find(ctx, in.TaskID)
		if err != nil {
			return FsckReport{}, err
		}
		return fsckReport(there, 1, there.CheckCase(ctx, id)), nil
	}
	listed, err := s.Store.List(ctx)
	if err != nil {
		return FsckReport{}, err
	}
	findings, err := s.Store.Check(ctx)
	if err != nil {
		return FsckReport{}, err
	}
	return fsckReport(s.Store, len(listed), findings), nil
}

func fsckReport(store *casestore.Store, cases int, findings []casestore.Finding) FsckReport {
	out := FsckReport{OK: true, Store: store.Dir(), Cases: cases, Sound: true, Findings: []casestore.Finding{}}
	for _, f := range findings {
		out.Findings = append(out.Findings, f)
		out.Sound = out.Sound && f.Severity != casestore.Damage
	}
	return out
}

// Text is the report for people.
func (r FsckReport) Text(s op.Style) string {
	var b strings.Builder
	for _, f := range r.Findings {
		where := strings.TrimSpace(f.TaskID + " " + f.File)
		if f.Line > 0 {
			where += fmt.Sprintf(" line %d", f.Line)
		}
		fmt.Fprintf(&b, "%s %s: %s\n    %s\n", s.Warn(string(f.Severity)), where, f.Problem, f.Remedy)
	}
	verdict := s.Good("sound")
	if !r.Sound {
		verdict = s.Bad("broken")
	}
	fmt.Fprintf(&b, "%s: %d case(s) in %s\n", verdict, r.Cases, r.Store)
	return b.String()
}
