package config

import (
	"path/filepath"
	"time"

	"cortex/internal/problem"
)

// Env returns the value of an environment variable, empty when it is unset: os.Getenv in production.
type Env func(string) string

// Config is everything a run is configured with.
type Config struct {
	Workspace string // absolute path of the workspace
	Paths
	CasesDir        string // absolute directory of the cases; empty means the central store below StateDir
	Budget          Budget
	Recall          Recall
	RedactLiterals  []string   // of all sources together
	Verifiers       []Verifier // sorted by name
	Sources         []string   // the configuration files that were read, in order of precedence, lowest first
	ApproveCommands bool       // CORTEX_APPROVE_COMMANDS: configured commands may run without a grant
	ApproveExternal bool       // CORTEX_APPROVE_EXTERNAL: tools may change things outside this machine
}

// Budget bounds what one call may do or return.
type Budget struct {
	MaxParallelCalls          int `json:"max_parallel_calls"`
	MaxInvestigationRounds    int `json:"max_investigation_rounds"`
	MaxRawOutputBytesPerTool  int `json:"max_raw_output_bytes_per_tool"`
	MaxEvidenceItemsReturned  int `json:"max_evidence_items_returned"`
	MaxCandidateFilesReturned int `json:"max_candidate_files_returned"`
	MaxAutoRetriesPerTool     int `json:"max_auto_retries_per_tool"`
}

// Recall configures the recall of earlier cases.
type Recall struct {
	Enabled        bool   `json:"enabled"`
	DBPath         string `json:"dbPath"`
	EmbedModel     string `json:"embedModel"`
	EmbedURL       string `json:"embedUrl"`
	RemoteApproved bool   `json:"remoteApproved"` // CORTEX_APPROVE_REMOTE_RECALL
}

// Verifier is one configured check. A plan names it as command:NAME.
type Verifier struct {
	Name    string // case is kept
	Argv    []string
	Kind    string // unit_test, build or lint
	Surface string
	Timeout time.Duration
	Report  string   // auto: judge by the runner's counts where it is recognised; exit: by the exit status only; tap; junit:PATH
	Env     []string // NAME passes a variable on, NAME=value sets one
}

// TrustArgv returns the command line that a person grants: the argv, behind env with the variables when the verifier
// touches any. A changed variable can change what runs, so it needs a new grant as a changed argument does.
func (v Verifier) TrustArgv() []string {
	if len(v.Env) == 0 {
		return v.Argv
	}
	argv := []string{"env"}
	for _, e := range v.Env {
		if name, _, sets := cutAssignment(e); !sets {
			e = name + "=$" + name
		}
		argv = append(argv, e)
	}
	return append(argv, v.Argv...)
}

// Verifier returns the verifier of a name.
func (c Config) Verifier(name string) (Verifier, bool) {
	for _, v := range c.Verifiers {
		if v.Name == name {
			return v, true
		}
	}
	return Verifier{}, false
}

func defaults(paths Paths, workspace string) Config {
	return Config{
		Workspace: workspace,
		Paths:     paths,
		Budget: Budget{
			MaxParallelCalls: 3, MaxInvestigationRounds: 3, MaxRawOutputBytesPerTool: 32768,
			MaxEvidenceItemsReturned: 12, MaxCandidateFilesReturned: 8, MaxAutoRetriesPerTool: 1,
		},
		Recall: Recall{
			Enabled: true, DBPath: filepath.Join(paths.DataDir, "cases.veclite"), EmbedModel: "nomic-embed-text",
			EmbedURL: "http://localhost:11434/api/embeddings",
		},
	}
}

// Load reads the configuration of a workspace. Precedence, later wins: built-in values, <ConfigDir>/config.yaml,
// <workspace>/.config/cortex.yaml, cortex.yml, cortex.yaml, the environment.
//
// The error is a *problem.Problem of code invalid_config about the first fault found. The Config is usable also then: it
// holds every value that could be read, and the built-in one in place of each that could not.
func Load(env Env, home, workspace string) (Config, error) {
	var faults faults
	if abs, err := filepath.Abs(workspace); err == nil {
		workspace = abs
	} // without a working directory a relative workspace stays as it is; reading it fails below
	c := defaults(ResolvePaths(env, home), workspace)
	c.Recall.RemoteApproved = truthy(env("CORTEX_APPROVE_REMOTE_RECALL"))
	if c.StateDir == "" {
		faults.add(fault{file: "the environment", key: "HOME", expected: "the path of a home directory, or CORTEX_HOME"})
	}
	if dir, ok := repositoryStore(workspace, &faults); ok {
		c.CasesDir = dir
	}
	for _, f := range files(c.ConfigDir, workspace) {
		f.load(&c, home, &faults)
	}
	applyEnvironment(&c, env, home, &faults)
	return c, faults.err()
}

// fault is one wrong value.
type fault struct {
	file     string // file, or "the environment"
	line     int    // 0 when no line is known
	key      string
	received string // the value, or what is wrong with the file when there is no key
	wrong    string // what is wrong, as it follows the key; empty when it is the value
	expected string // what would be right, as it follows "give"
	cause    error
}

type faults []fault

func (f *faults) add(one fault) { *f = append(*f, one) }

// err returns the first fault as a problem, or nil.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	first := f[0]
	p := problem.New(problem.InvalidConfig, "%s", first.sentence(len(f)-1))
	return p.On(first.key, first.received, first.expected).Because(first.cause).
		Without("the configuration has to be edited first; then the same call succeeds")
}
