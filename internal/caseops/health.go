package caseops

import (
	"context"

	"cortex/internal/casefile"
	"cortex/internal/tool"
)

// toolHealth asks the tools that are installed for their state, under the time limits of the case.
func (s *Service) toolHealth(ctx context.Context, c *casefile.Case) []tool.State {
	approved := 0
	for _, v := range s.Config.Verifiers {
		if s.granted(v) {
			approved++
		}
	}
	r := s.tools(c)
	return r.States(ctx, s.Config.Budget.MaxParallelCalls, r.Built(len(s.Config.Verifiers), approved)...)
}
