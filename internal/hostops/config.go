package hostops

import (
	"context"
	"path/filepath"

	"cortex/internal/config"
	"cortex/internal/op"
)

var showConfig = op.Define(op.Spec{
	Name: "config", Title: "Show the configuration in force", Effect: op.Reads, Idempotent: true,
	Help: `Shows what this workspace is configured with and from which files, where state, cases and caches are, and which
checks exist. Command lines and redacted literals are counted, not shown.`,
	Example: "cortex config --json",
}, (*Service).ShowConfig)

// ConfigInput has no arguments.
type ConfigInput struct{}

// ConfigReport is the configuration in force.
type ConfigReport struct {
	Workspace          string         `json:"workspace"`
	CasesDir           string         `json:"casesDir"`
	ConfigDir          string         `json:"configDir"`
	SessionsRoot       string         `json:"sessionsRoot"`
	ArchiveRoot        string         `json:"archiveRoot"`
	CacheDir           string         `json:"cacheDir"`
	Budget             config.Budget  `json:"budget"`
	Recall             config.Recall  `json:"recall"`
	Verifiers          []VerifierLine `json:"verifiers"`
	RedactLiteralCount int            `json:"redactLiteralCount"`
	Sources            []string       `json:"sources"`
	Warnings           []string       `json:"warnings,omitempty"`
}

// VerifierLine is one configured check without its command line.
type VerifierLine struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Surface string `json:"surface"`
	Timeout string `json:"timeout"`
}

// Warn adds warnings from outside the verb.
func (r *ConfigReport) Warn(warnings ...string) { r.Warnings = append(r.Warnings, warnings...) }

// ShowConfig reports the configuration; a broken file is a warning.
func (s *Service) ShowConfig(context.Context, ConfigInput) (ConfigReport, error) {
	c := s.Config
	out := ConfigReport{
		Workspace: s.Workspace, CasesDir: s.CasesDir, ConfigDir: c.ConfigDir,
		SessionsRoot: filepath.Join(c.StateDir, "sessions"), ArchiveRoot: filepath.Join(c.StateDir, "archive"), CacheDir: c.CacheDir,
		Budget: c.Budget, Recall: c.Recall, Verifiers: []VerifierLine{},
		RedactLiteralCount: len(c.RedactLiterals), Sources: append([]string{}, c.Sources...),
	}
	for _, v := range c.Verifiers {
		out.Verifiers = append(out.Verifiers, VerifierLine{v.Name, v.Kind, v.Surface, v.Timeout.String()})
	}
	return out, nil
}
