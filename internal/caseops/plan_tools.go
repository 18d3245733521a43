package caseops

import (
	"fmt"
	"maps"
	"slices"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/tool"
)

// planByTools adds to an accepted plan who owns its files, and says which of its requirements nothing here can meet.
func (s *Service) planByTools(e *casestore.Edit, bob contract, out *op.Envelope) error {
	c := e.Case()
	if err := bob.record(e, "", s.now()); err != nil {
		return err
	}
	out.Warn(bob.warnings...)
	r := s.tools(c)
	needed := casefile.RequirementsOf(c.VerificationRequired)
	missing := untold(c, r, slices.Sorted(maps.Keys(needed))...)
	for _, name := range missing {
		out.Warn(fmt.Sprintf("%s cannot be met here: %s is not installed; install it and have its program %s on PATH before verify", needed[name], name, tool.Binary(name)))
	}
	tellMissing(c, missing)
	return e.PutCase(c)
}
