package hostops

import (
	"cortex/internal/config"
	"cortex/internal/ids"
	"cortex/internal/op"
	"cortex/internal/problem"
)

// Service runs the verbs for one workspace.
type Service struct {
	Config    config.Config
	Broken    error // why the configuration cannot be used as it is, or nil
	Workspace string
	IsRepo    bool
	CasesDir  string   // where the cases of this repository are, or would be
	Environ   []string // what tools are given, NAME=value
	IDs       ids.Source
	Mask      func(string) string // masks secrets in what is stored
	// Confirm shows text to a person and asks for a yes; nil where there is no terminal.
	Confirm func(text string) (bool, error)
	// Say shows text to a person without asking.
	Say func(text string)
}

// WorkspacePath is the workspace that next steps name.
func (s *Service) WorkspacePath() string { return s.Workspace }

// Ops lists the verbs.
func Ops() []*op.Def { return []*op.Def{showConfig, doctor, initConfig, setup} }

// usable refuses a verb that must not go by half a configuration.
func (s *Service) usable() error {
	if s.Broken != nil {
		return problem.From(s.Broken)
	}
	return nil
}
