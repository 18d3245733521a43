package hostops

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cortex/internal/casestore"
	"cortex/internal/config"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/tool"
)

var setup = op.Define(op.Spec{
	Name: "setup", Title: "Check a workspace and approve its checks", Effect: op.Changes, Idempotent: true,
	Help: `Without flags, says whether the workspace is ready, and which specialist tools are. With --trust-commands, shows the exact command line of every
configured check and, after a yes at the terminal or with --yes, approves them for this workspace. Approvals are kept in
the user's configuration directory, never in the repository; a changed command line needs a new one.`,
	Example: "cortex setup\ncortex setup --trust-commands",
}, (*Service).Setup)

// SetupInput says what to set up.
type SetupInput struct {
	TrustCommands bool `json:"trustCommands,omitempty" jsonschema:"approve the configured command lines for this workspace"`
	Yes           bool `json:"yes,omitempty" jsonschema:"say yes without a terminal"`
}

// SetupReport says whether the workspace is ready, or what was granted.
type SetupReport struct {
	Workspace     string         `json:"workspace,omitempty"`
	IsRepo        bool           `json:"isRepo"`
	HasConfig     bool           `json:"hasConfig"`
	VerifierCount int            `json:"verifierCount"`
	Untrusted     []string       `json:"untrusted,omitempty"` // checks that wait for an approval
	Tools         []ToolLine     `json:"tools"`
	Grants        []config.Grant `json:"grants,omitempty"`
	Warnings      []string       `json:"warnings,omitempty"`
	states        []tool.State
	broken        bool // the configuration cannot be used: what it configures is not known
	next          []op.Action
}

// Project offers what is still to be done, for people.
func (r *SetupReport) Project(render func([]problem.Step) []op.Action) {
	switch {
	case r.broken || len(r.Grants) > 0:
	case len(r.Untrusted) > 0:
		r.next = render(trust("read the command lines and approve them"))
	case !r.HasConfig:
		r.next = render([]problem.Step{{Op: "init", Why: "look for the repository's tests and write a cortex.yaml with them"}})
	case r.VerifierCount == 0:
		r.next = render([]problem.Step{anew()})
	}
}

// trust is the step after a configuration was written.
func trust(why string) []problem.Step {
	return []problem.Step{{Op: "setup", Args: map[string]any{"trustCommands": true}, Why: why}}
}

// anew replaces a configuration that has no check.
func anew() problem.Step {
	return problem.Step{Op: "init", Args: map[string]any{"force": true}, Why: "write cortex.yaml anew with the repository's tests, or add a check by hand"}
}

// Warn adds warnings from outside the verb.
func (r *SetupReport) Warn(warnings ...string) { r.Warnings = append(r.Warnings, warnings...) }

// Setup reports, and grants when asked and confirmed.
func (s *Service) Setup(ctx context.Context, in SetupInput) (SetupReport, error) {
	out := SetupReport{
		Workspace: s.Workspace, IsRepo: s.IsRepo, HasConfig: len(s.Config.Sources) > 0,
		VerifierCount: len(s.Config.Verifiers), Tools: []ToolLine{}, broken: s.Broken != nil,
	}
	grants, err := config.LoadGrants(s.Config.ConfigDir)
	if err != nil {
		return out, err
	}
	if !in.TrustCommands {
		for _, v := range s.Config.Verifiers {
			if !config.Granted(grants, s.Workspace, v.Name, v.TrustArgv()) {
				out.Untrusted = append(out.Untrusted, v.Name)
			}
		}
		out.states = s.runner().States(ctx, s.Config.Budget.MaxParallelCalls)
		for _, state := range out.states {
			out.Tools = append(out.Tools, toolLine(state))
		}
		return out, nil
	}
	if err := s.usable(); err != nil {
		return out, err
	}
	if len(s.Config.Verifiers) == 0 {
		step := problem.Step{Op: "init", Why: "write a cortex.yaml with the repository's own tests"}
		if out.HasConfig {
			step = anew()
		}
		return out, problem.New(problem.InvalidInput, "%s configures no check that could be approved.", s.Workspace).With(step)
	}
	if err := s.confirm(in.Yes); err != nil {
		return out, err
	}
	out.Grants, err = s.grant(ctx)
	return out, err
}

// confirm shows what would be approved and gets a person's yes.
func (s *Service) confirm(yes bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "These command lines will be allowed to run in %s:\n", s.Workspace)
	for _, v := range s.Config.Verifiers {
		fmt.Fprintf(&b, "  %s: %s\n", v.Name, quoteAll(v.TrustArgv()))
	}
	if yes {
		s.Say(b.String())
		return nil
	}
	again := problem.Step{Op: "setup", Args: map[string]any{"trustCommands": true, "yes": true}, Why: "after reading the command lines above"}
	if s.Confirm == nil {
		s.Say(b.String())
		return problem.New(problem.ConfirmationNeeds, "Approving commands needs a person's yes, and there is no terminal to ask at; run it at a terminal or with --yes.").With(again)
	}
	agreed, err := s.Confirm(b.String() + "Allow them? [y/N] ")
	if err != nil {
		return fmt.Errorf("ask for a yes: %w", err)
	}
	if !agreed {
		return problem.New(problem.ConfirmationNeeds, "Nothing was approved.").With(again)
	}
	return nil
}

// grant writes the approvals, replacing earlier ones of the same workspace and name.
func (s *Service) grant(ctx context.Context) ([]config.Grant, error) {
	var granted []config.Grant
	for _, v := range s.Config.Verifiers {
		argv := v.TrustArgv()
		granted = append(granted, config.Grant{
			Workspace: s.Workspace, Name: v.Name, Argv: s.masked(argv), ArgvDigest: config.ArgvDigest(argv), GrantedAt: s.IDs.Now(),
		})
	}
	err := casestore.UpdateJSON(ctx, s.Config.ConfigDir, config.GrantsFile, func(old []byte) ([]byte, error) {
		return withGrants(old, granted)
	})
	if problem.Is(err, problem.StateNotWritable) { // the store's way out is about cases; grants are elsewhere
		return nil, problem.New(problem.StateNotWritable, "The approval cannot be kept: %s cannot be written.", s.Config.ConfigDir).Because(err).
			With(problem.Step{Command: "export CORTEX_CONFIG_DIR=DIRECTORY", Why: "keep approvals where this process may write"})
	}
	return granted, err
}

// masked is argv as a grant shows it. The digest, which decides, is of the words as they are.
func (s *Service) masked(argv []string) []string {
	out := make([]string, len(argv))
	for i, word := range argv {
		out[i] = s.Mask(word)
	}
	return out
}

// withGrants adds grants to the file's content; entries it does not replace keep every field they have.
func withGrants(old []byte, granted []config.Grant) ([]byte, error) {
	var kept []json.RawMessage
	if len(old) > 0 {
		if err := json.Unmarshal(old, &kept); err != nil {
			return nil, fmt.Errorf("read %s: %w", config.GrantsFile, err)
		}
	}
	kept = slices.DeleteFunc(kept, func(raw json.RawMessage) bool {
		var have config.Grant
		return json.Unmarshal(raw, &have) == nil && slices.ContainsFunc(granted, func(g config.Grant) bool {
			return g.Workspace == have.Workspace && g.Name == have.Name
		})
	})
	for _, g := range granted {
		raw, err := json.Marshal(g)
		if err != nil {
			return nil, fmt.Errorf("encode grant: %w", err)
		}
		kept = append(kept, raw)
	}
	return json.Marshal(kept)
}

// quoteAll shows a command line unambiguously: words that a shell would split or expand are quoted.
func quoteAll(argv []string) string {
	var words []string
	for _, word := range argv {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"`$&|;<>()*?[]#~\\!{}", r) || r > '~' }) {
			word = fmt.Sprintf("%q", word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Text is the report for people.
func (r SetupReport) Text(style op.Style) string {
	var b strings.Builder
	if len(r.Grants) > 0 {
		for _, g := range r.Grants {
			fmt.Fprintf(&b, "%s %s: %s\n", style.Good("approved"), g.Name, quoteAll(g.Argv))
		}
		return b.String()
	}
	line := func(ok bool, good, bad string) {
		if ok {
			fmt.Fprintln(&b, style.Good("ok"), good)
			return
		}
		fmt.Fprintln(&b, style.Warn("--"), bad)
	}
	line(r.IsRepo, "git repository", r.Workspace+" is not inside a git repository")
	if r.broken {
		line(false, "", "the configuration cannot be used")
	} else {
		line(r.HasConfig, "configuration found", "no configuration")
		line(r.VerifierCount > 0, fmt.Sprintf("%d check(s) configured", r.VerifierCount), "no check is configured")
	}
	if r.VerifierCount > 0 && !r.broken {
		line(len(r.Untrusted) == 0, "every check is approved", "waiting for approval: "+strings.Join(r.Untrusted, ", "))
	}
	b.WriteString(toolsText(style, r.states))
	b.WriteString(op.Envelope{Warnings: r.Warnings, Actions: r.next}.Footer(style))
	return b.String()
}
