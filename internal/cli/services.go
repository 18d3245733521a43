package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cortex/internal/caseops"
	"cortex/internal/casestore"
	"cortex/internal/codeops"
	"cortex/internal/config"
	"cortex/internal/gitrepo"
	"cortex/internal/hostops"
	"cortex/internal/ids"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/redact"
	"cortex/internal/tool"
	"cortex/internal/verifier"
)

// allOps lists every verb of the program.
func allOps() []*op.Def { return slices.Concat(caseops.Ops(), codeops.Ops(), hostops.Ops()) }

// wiring builds the service of each call from the streams and the environment of the process. It is the only place
// where stores, repository, configuration and verbs meet.
type wiring struct {
	std     Streams
	environ []string
}

// services is op.Services.
func (w wiring) services(ctx context.Context, workspace string, def *op.Def) (any, func([]byte) []byte, []string, error) {
	b, err := w.build(ctx, workspace, def)
	if err != nil {
		return nil, w.mask(workspace), nil, err
	}
	mask := b.redact.JSON
	if slices.Contains(hostops.Ops(), def) {
		return w.host(b), mask, b.warnings, nil
	}
	if slices.Contains(codeops.Ops(), def) {
		return b.code(), mask, b.warnings, nil
	}
	s, err := w.cases(b)
	return s, mask, b.warnings, err
}

// built is what every kind of service are made of.
type built struct {
	def       *op.Def
	workspace string
	config    config.Config
	broken    error // why the configuration is not usable as it is
	redact    *redact.Redactor
	repo      *gitrepo.Repo
	casesDir  string
	central   bool // the cases are in the central store
	identity  casestore.Identity
	warnings  []string
}

func (w wiring) build(ctx context.Context, workspace string, def *op.Def) (built, error) {
	b := built{def: def}
	var err error
	if b.workspace, err = canonical(workspace); err != nil {
		return b, err
	}
	b.config, b.broken = config.Load(w.std.Env, w.home(), b.workspace)
	if b.broken != nil {
		if def.Effect != op.Reads && !slices.Contains(hostops.Ops(), def) { // those judge for themselves: one mends it
			return b, b.broken
		}
		b.warnings = append(b.warnings, b.broken.Error())
	}
	b.redact = w.redactor(b.config.RedactLiterals)
	b.repo, err = gitrepo.Open(ctx, b.workspace, gitrepo.Options{Environ: w.environ, CacheDir: b.config.CacheDir})
	switch {
	case errors.Is(err, gitrepo.ErrNotRepository):
		b.identity = casestore.Identity{Root: b.workspace, CommonDir: b.workspace, Name: filepath.Base(b.workspace), Workspace: b.workspace}
	case err != nil:
		return b, problem.New(problem.GitFailed, "the repository of %s cannot be opened: %v.", b.workspace, err).Because(err).
			Without("mend the repository, or name another workspace with -C")
	default:
		b.identity = casestore.Identity{Root: b.repo.Root, CommonDir: b.repo.CommonDir, Name: b.repo.Name, Workspace: b.workspace}
	}
	b.casesDir = b.config.CasesDir
	if b.casesDir == "" {
		b.central = true
		b.casesDir, err = casestore.Locate(b.sessions(), b.identity)
	}
	return b, err
}

func (b built) sessions() string { return filepath.Join(b.config.StateDir, "sessions") }

// canonical is the workspace's absolute path without symbolic links.
func canonical(workspace string) (string, error) {
	abs, err := filepath.Abs(workspace)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(abs); err == nil && !info.IsDir() {
			err = errors.New("it is not a directory")
		}
	}
	if err != nil {
		return "", problem.New(problem.InvalidInput, "workspace %s cannot be used: %v.", workspace, err).
			On("workspace", workspace, "an existing directory").Without("name an existing directory with -C (workspace over MCP)")
	}
	return abs, nil
}

// home is the user's home directory, "" when the environment names none: config.Load then says what to do.
func (w wiring) home() string {
	if home := w.std.Env("HOME"); home != "" {
		return home
	}
	return w.std.Env("USERPROFILE")
}

// mask is op.Masker. A configuration that cannot be read whole masks with what can be read.
func (w wiring) mask(workspace string) func([]byte) []byte {
	c, _ := config.Load(w.std.Env, w.home(), workspace)
	return w.redactor(c.RedactLiterals).JSON
}

// redactor masks patterns, the configured literals, and the values of environment variables that are named like secrets.
func (w wiring) redactor(literals []string) *redact.Redactor {
	all := slices.Clone(literals)
	for _, entry := range w.environ {
		name, value, _ := strings.Cut(entry, "=")
		if len(value) >= minSecretValue && redact.SecretName(name) && !isPlace(name, value) {
			all = append(all, value)
		}
	}
	return redact.New(all)
}

// minSecretValue keeps values such as "1" or "true" from being masked everywhere.
const minSecretValue = 8

// isPlace reports whether a variable only says where something is: the working directories, and whatever names a file
// that is there, such as the path of a key.
func isPlace(name, value string) bool {
	if name == "PWD" || name == "OLDPWD" {
		return true
	}
	if !filepath.IsAbs(value) {
		return false
	}
	_, err := os.Lstat(value)
	return err == nil
}

func (b built) code() *codeops.Service {
	return &codeops.Service{Workspace: b.workspace, Repo: b.repo, CacheDir: b.config.CacheDir, Redact: b.redact}
}

func (w wiring) host(b built) *hostops.Service {
	s := &hostops.Service{
		Config: b.config, Broken: b.broken, Workspace: b.workspace, IsRepo: b.repo != nil, CasesDir: b.casesDir, IDs: ids.System(),
		Environ: tool.Environment(w.environ), Mask: b.redact.Text,
		Say: func(text string) { _, _ = fmt.Fprint(w.std.Err, op.Clean(text)) }, // advice only
	}
	if w.std.InIsTTY {
		s.Confirm = func(text string) (bool, error) {
			s.Say(text)
			line, err := bufio.NewReader(w.std.In).ReadString('\n')
			answer := strings.ToLower(strings.TrimSpace(line))
			return err == nil && (answer == "y" || answer == "yes"), nil // an end of input is a no
		}
	}
	return s
}

func (w wiring) cases(b built) (*caseops.Service, error) {
	grants, err := config.LoadGrants(b.config.ConfigDir)
	if err != nil && b.def.Effect != op.Reads {
		return nil, err
	}
	options := casestore.Options{Redact: b.redact, IDs: ids.System()}
	s := &caseops.Service{
		Config: b.config, Workspace: b.workspace, Repo: b.repo, Store: casestore.Open(b.casesDir, options), IDs: ids.System(),
		Redact: b.redact, Grants: grants, Environ: w.environ, Execute: verifier.Execute,
	}
	s.Claim = func(ctx context.Context) (*casestore.Store, error) {
		if b.central {
			dir, err := casestore.Claim(ctx, b.sessions(), b.identity)
			return casestore.Open(dir, options), err
		}
		err := casestore.RegisterKnown(ctx, b.config.StateDir, b.casesDir, casestore.Slug(b.identity.Name))
		return s.Store, err
	}
	s.At = func(ctx context.Context, workspace string) (*caseops.Service, error) {
		there, err := w.build(ctx, workspace, b.def)
		if err != nil {
			return nil, err
		}
		service, err := w.cases(there)
		if err == nil {
			service.Warnings = there.warnings
		}
		return service, err
	}
	return s, nil
}
