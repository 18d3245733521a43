package caseops

import (
	"context"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var readEvidence = op.Define(op.Spec{
	Name: "read-evidence", Aliases: []string{"evidence"}, Tool: "cortex_read_evidence", Title: "Read one evidence record", Effect: op.Reads, Profiles: op.Agent, Idempotent: true,
	Help:    `Returns one evidence record whole: claim, source, location, confidence, and where its raw output lies.`,
	Example: `cortex read-evidence task_… ev_…`,
}, (*Service).ReadEvidence)

// ReadEvidenceInput names one record.
type ReadEvidenceInput struct {
	TaskID     string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	EvidenceID string `json:"evidenceId" op:"arg,required" jsonschema:"the record's id"`
}

// EvidenceRecord is one record as it is stored.
type EvidenceRecord struct {
	casefile.Evidence
	Warnings []string `json:"warnings,omitempty"`
}

// Warn adds warnings from outside the verb.
func (r *EvidenceRecord) Warn(warnings ...string) { r.Warnings = append(r.Warnings, warnings...) }

// ReadEvidence reads one record.
func (s *Service) ReadEvidence(ctx context.Context, in ReadEvidenceInput) (EvidenceRecord, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return EvidenceRecord{}, err
	}
	var out EvidenceRecord
	err = s.Store.View(ctx, id, func(r *casestore.Reader) error {
		out.Evidence, err = r.EvidenceByID(in.EvidenceID)
		return err
	})
	return out, err
}
