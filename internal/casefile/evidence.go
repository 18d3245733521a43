package casefile

import "time"

// Evidence is one line of evidence.jsonl: a claim with where it came from and how far it can be trusted.
type Evidence struct {
	ID          string      `json:"id"`
	Timestamp   time.Time   `json:"timestamp"`
	Kind        string      `json:"kind"`
	Source      Source      `json:"source"`
	Claim       string      `json:"claim"`
	Category    string      `json:"category,omitempty"`
	Location    *Location   `json:"location,omitempty"`
	Confidence  Confidence  `json:"confidence"`
	Sensitivity Sensitivity `json:"sensitivity,omitempty"`
	RawRef      string      `json:"rawRef,omitempty"` // case://TASK/raw/ID, or case://TASK/evidence/ID pointing at itself
	DerivedFrom []string    `json:"derivedFrom,omitempty"`
	Commit      string      `json:"commit,omitempty"` // HEAD when it was recorded
}

// Source is who or what produced a record.
type Source struct {
	Tool   string `json:"tool"` // always present, may be ""
	RunID  string `json:"runId,omitempty"`
	URI    string `json:"uri,omitempty"`
	Origin string `json:"origin,omitempty"` // human, agent or reviewer
	Actor  string `json:"actor,omitempty"`
}

// Location is a place in the repository; File is relative to the workspace, lines count from 1.
type Location struct {
	File      string `json:"file,omitempty"`
	StartLine int    `json:"startLine,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	Symbol    string `json:"symbol,omitempty"`
}

// Kinds of evidence that this program records.
const (
	KindCodeLocation       = "code_location"
	KindCodeGraph          = "code_graph"
	KindSemanticSearch     = "semantic_search" // a hit of a specialist tool: a hint
	KindUnitTest           = "unit_test"
	KindBuild              = "build"
	KindLint               = "lint"
	KindHumanReport        = "human_report"
	KindModelInference     = "model_inference"
	KindBrowserRun         = "browser_run"
	KindTerminalRun        = "terminal_run"
	KindArtifact           = "artifact"
	KindRepositoryContract = "repository_contract" // what a program that manages files of the repository holds it to

	KindToolUnavailable = "tool_unavailable" // a placeholder of other programs: that a tool was missing
)

// Confidence is how far a claim can be trusted.
type Confidence string

// The levels of confidence.
const (
	ConfidenceHigh    Confidence = "high"
	ConfidenceMedium  Confidence = "medium"
	ConfidenceLow     Confidence = "low"
	ConfidenceUnknown Confidence = "unknown"
)

// Values lists the levels of confidence.
func (Confidence) Values() []string { return []string{"high", "medium", "low", "unknown"} }

// Sensitivity marks records that stay in the ledger and are left out of everything that is passed on.
type Sensitivity string

// The two sensitivities.
const (
	SensitivityNormal    Sensitivity = "normal"
	SensitivitySensitive Sensitivity = "sensitive"
)

// SeedClaim is the claim of a seed's record: the name of the file, and its text as far as MaxSeedClaim goes.
func SeedClaim(name, text string) string {
	return "seed note " + name + ": " + clip(text, MaxSeedClaim)
}
