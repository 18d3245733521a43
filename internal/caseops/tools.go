package caseops

import (
	"path/filepath"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/tool"
)

// tools is the runner of the specialist tools, under the time limits of the case's plan. c may be nil.
func (s *Service) tools(c *casefile.Case) tool.Runner {
	environ, _ := checkEnvironment(s.Environ, nil)
	r := tool.Runner{Workspace: s.Workspace, Environ: environ, Retries: s.Config.Budget.MaxAutoRetriesPerTool}
	if s.Config.CacheDir != "" {
		r.Artifacts = filepath.Join(s.Config.CacheDir, "flows")
	}
	if c == nil {
		return r
	}
	r.Timeouts = map[string]time.Duration{}
	for name, limit := range c.TimeoutOverrides {
		if d, err := time.ParseDuration(limit); err == nil {
			r.Timeouts[name] = d
		}
	}
	return r
}

// auditOf is the audit line of a tool's call.
func (s *Service) auditOf(a tool.Answer, class casefile.ActionClass, actor string, began time.Time) casefile.CommandRecord {
	return casefile.CommandRecord{
		Timestamp: began, Actor: actor, Tool: a.Tool, Operation: a.Operation, ActionClass: class, Status: string(a.Class),
		DurationMS: a.Duration.Milliseconds(), Note: clipRunes(s.Redact.Text(a.Note()), casefile.MaxAuditNoteRunes),
	}
}
