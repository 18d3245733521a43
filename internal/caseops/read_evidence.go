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
	TaskID     string `json:"taskId,omitempty" op:"task" jsonschema:"the case; default: the only active one"`
	EvidenceID string `json:"evidenceId" op:"arg,required" jsonschema:"the record's id"`
}

// ReadEvidence returns the record as it is stored.
func (s *Service) ReadEvidence(ctx context.Context, in ReadEvidenceInput) (casefile.Evidence, error) {
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return casefile.Evidence{}, err
	}
	var found casefile.Evidence
	err = s.Store.View(ctx, id, func(r *casestore.Reader) error {
		found, err = r.EvidenceByID(in.EvidenceID)
		return err
	})
	return found, err
}
