package caseops

import (
	"context"
	"fmt"
	"path/filepath"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var note = op.Define(op.Spec{
	Name: "note", Tool: "cortex_note", Title: "Add a note to the ledger", Effect: op.Adds, Profiles: op.Agent,
	Help: `Records an observation, decision, constraint or handoff by a person, an agent or a reviewer as evidence of low or
medium confidence. A note never proves a claim. Allowed until the case has ended.`,
	Example: `cortex note task_… "the staging server runs the old build" --kind constraint --origin reviewer --actor rev`,
}, (*Service).Note)

// NoteCategory is what a note is.
type NoteCategory string

// Values lists the categories.
func (NoteCategory) Values() []string {
	return []string{"observation", "decision", "constraint", "handoff"}
}

// NoteOrigin is who made a note.
type NoteOrigin string

// Values lists the origins.
func (NoteOrigin) Values() []string { return []string{"human", "agent", "reviewer"} }

// NoteConfidence is how far a note can be trusted.
type NoteConfidence string

// Values lists the levels: words alone are never of high confidence.
func (NoteConfidence) Values() []string { return []string{"low", "medium"} }

// NoteInput is one note.
type NoteInput struct {
	TaskID     string         `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Claim      string         `json:"claim" op:"args,required" jsonschema:"what is noted"`
	Category   NoteCategory   `json:"category,omitempty" op:"flag=kind,default=observation" jsonschema:"what the note is"`
	Origin     NoteOrigin     `json:"origin,omitempty" op:"default=human" jsonschema:"who noted it"`
	Actor      string         `json:"actor,omitempty" jsonschema:"the name of who noted it"`
	URI        string         `json:"uri,omitempty" op:"flag=ref" jsonschema:"where it can be looked up"`
	File       string         `json:"file,omitempty" jsonschema:"the file it is about, relative to the workspace"`
	Line       int            `json:"line,omitempty" jsonschema:"the line in that file, counted from 1"`
	Confidence NoteConfidence `json:"confidence,omitempty" op:"default=medium" jsonschema:"how far it can be trusted"`
	Sensitive  bool           `json:"sensitive,omitempty" jsonschema:"keep it out of everything that is passed on"`
}

// Note appends one record to the evidence ledger and changes nothing else.
func (s *Service) Note(ctx context.Context, in NoteInput) (op.Envelope, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return op.Envelope{}, err
	}
	record, err := s.noteRecord(id, in)
	if err != nil {
		return op.Envelope{}, err
	}
	var c *casefile.Case
	err = s.Store.Update(ctx, id, func(e *casestore.Edit) error {
		c = e.Case()
		if err := casefile.RequirePhase(c, "note"); err != nil {
			return err
		}
		return e.AddEvidence(record)
	})
	if err != nil {
		return op.Envelope{}, err
	}
	k, err := s.know(ctx, id, withWorktreeIfJudged)
	if err != nil {
		return op.Envelope{}, err
	}
	out := answerFor(k.c, fmt.Sprintf("recorded %s from %s", in.Category, in.Origin))
	record.Claim = s.Redact.Text(record.Claim)
	out.Facts = facts([]casefile.Evidence{record})
	out.Warn(k.warnings...)
	out.Steps = s.steps(k.c, k.judgement)
	return out, nil
}

func (s *Service) noteRecord(taskID string, in NoteInput) (casefile.Evidence, error) {
	claim, err := casefile.CheckText("claim", in.Claim, casefile.MaxText)
	if err != nil {
		return casefile.Evidence{}, err
	}
	actor := ""
	if in.Actor != "" {
		if actor, err = casefile.CheckActor(in.Actor, s.Redact.Refuses); err != nil {
			return casefile.Evidence{}, err
		}
	}
	uri, err := casefile.CheckOptional("uri", in.URI, casefile.MaxLocator)
	if err != nil {
		return casefile.Evidence{}, err
	}
	at, err := s.noteLocation(in.File, in.Line)
	if err != nil {
		return casefile.Evidence{}, err
	}
	record := casefile.Evidence{
		ID: s.IDs.New("ev"), Timestamp: s.now(), Kind: casefile.KindHumanReport, Claim: claim,
		Source:   casefile.Source{Tool: "", URI: uri, Origin: string(in.Origin), Actor: actor},
		Category: string(in.Category), Confidence: casefile.Confidence(in.Confidence), Sensitivity: casefile.SensitivityNormal,
		Location: at,
	}
	record.RawRef = selfRef(taskID, record.ID)
	if in.Sensitive {
		record.Sensitivity = casefile.SensitivitySensitive
	}
	return record, nil
}

// noteLocation is the place that a note is about, nil for none. The file need not exist any more.
func (s *Service) noteLocation(file string, line int) (*casefile.Location, error) {
	file, err := casefile.CheckOptional("file", file, casefile.MaxLocator)
	switch {
	case err != nil:
		return nil, err
	case line < 0:
		return nil, problem.New(problem.InvalidInput, "line %d is no line of a file; lines are counted from 1.", line).On("line", line, "1 or more")
	case file == "" && line > 0:
		return nil, problem.New(problem.InvalidInput, "line %d is given without the file that it is in.", line).On("file", nil, "a path relative to the workspace")
	case file == "":
		return nil, nil
	}
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(s.Workspace, file); err == nil {
			file = rel
		}
	}
	if !filepath.IsLocal(file) {
		return nil, problem.New(problem.PathOutside, "file %q is outside the workspace; a note names files relative to it.", file).
			On("file", nil, "a path relative to the workspace")
	}
	return &casefile.Location{File: filepath.ToSlash(filepath.Clean(file)), StartLine: line, EndLine: line}, nil
}
