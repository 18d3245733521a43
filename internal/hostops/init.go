package hostops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cortex/internal/config"
	"cortex/internal/durable"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/verifier"
)

var initConfig = op.Define(op.Spec{
	Name: "init", Title: "Write a starter configuration", Effect: op.Adds, Idempotent: true,
	Help: `Looks for the repository's own tests and writes cortex.yaml with them as checks; behind a make, task, just or npm
target the runner itself is configured, so that its test counts can be read. An existing file is kept unless --force.
Nothing is allowed to run by this: setup --trust-commands does that.`,
	Example: "cortex init",
}, (*Service).Init)

// InitInput says whether an existing file may be replaced.
type InitInput struct {
	Force bool `json:"force,omitempty" jsonschema:"replace an existing cortex.yaml"`
}

// InitReport says what was written.
type InitReport struct {
	OK              bool           `json:"ok"`
	Workspace       string         `json:"workspace"`
	ConfigPath      string         `json:"configPath"`
	Created         bool           `json:"created"`
	Existed         bool           `json:"existed"`
	ExistingConfigs []string       `json:"existingConfigs,omitempty"`
	Verifiers       []DetectedLine `json:"verifiers"`
	Content         string         `json:"content"`
	Warnings        []string       `json:"warnings,omitempty"`
	next            []op.Action
}

// Project offers what makes the configuration usable, for people.
func (r *InitReport) Project(render func([]problem.Step) []op.Action) {
	switch {
	case !r.Created:
		r.next = render([]problem.Step{{Op: "setup", Why: "see whether what is there can be used"}})
	case len(r.Verifiers) > 0:
		r.next = render(trust("read the command lines and approve them"))
	default:
		r.next = render(trust("once a check is in it"))
	}
}

// DetectedLine is one check that was found.
type DetectedLine struct {
	Name    string   `json:"name"`
	Argv    []string `json:"argv"`
	Kind    string   `json:"kind"`
	Surface string   `json:"surface"`
	Timeout string   `json:"timeout"`
	Reason  string   `json:"reason"`
}

// Warn adds warnings from outside the verb.
func (r *InitReport) Warn(warnings ...string) { r.Warnings = append(r.Warnings, warnings...) }

// Init writes cortex.yaml at the workspace.
func (s *Service) Init(_ context.Context, in InitInput) (InitReport, error) {
	path := filepath.Join(s.Workspace, "cortex.yaml")
	found := config.DetectVerifiers(s.Workspace, verifier.Recognise)
	out := InitReport{OK: true, Workspace: s.Workspace, ConfigPath: path, Verifiers: []DetectedLine{}, Content: config.StarterYAML(found)}
	for _, d := range found {
		out.Verifiers = append(out.Verifiers, DetectedLine{d.Name, d.Argv, d.Kind, "code", d.Timeout.String(), d.Reason})
	}
	for _, name := range []string{"cortex.yaml", "cortex.yml", filepath.Join(".config", "cortex.yaml")} {
		if _, err := os.Lstat(filepath.Join(s.Workspace, name)); err == nil {
			out.ExistingConfigs = append(out.ExistingConfigs, filepath.Join(s.Workspace, name))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return out, fmt.Errorf("look for %s: %w", name, err)
		}
	}
	out.Existed = len(out.ExistingConfigs) > 0
	if out.Existed && !in.Force {
		return out, nil
	}
	if err := durable.WriteFile(path, []byte(out.Content), 0o644); err != nil {
		return out, problem.New(problem.StateNotWritable, "%s cannot be written: %v.", path, err).Because(err).
			Without("make the directory writable, or write the file by hand")
	}
	out.Created = true
	return out, nil
}

// Text is the report for people.
func (r InitReport) Text(style op.Style) string {
	var b strings.Builder
	if !r.Created {
		fmt.Fprintf(&b, "%s %s; --force replaces it\n", style.Warn("kept"), strings.Join(r.ExistingConfigs, ", "))
		return b.String() + op.Envelope{Warnings: r.Warnings, Actions: r.next}.Footer(style)
	}
	fmt.Fprintf(&b, "%s %s\n", style.Good("wrote"), r.ConfigPath)
	for _, v := range r.Verifiers {
		fmt.Fprintf(&b, "  %s: %s  (%s)\n", v.Name, quoteAll(v.Argv), v.Reason)
	}
	if len(r.Verifiers) == 0 {
		b.WriteString("  no test runner was recognised; add one by hand\n")
	}
	end := op.Envelope{Warnings: r.Warnings, Actions: r.next}
	end.NextActions = append(op.Prose(r.next), "commit the file before a case is opened: what is not committed then counts as a change of the case")
	return b.String() + end.Footer(style)
}
