package casefile

import "time"

// SchemaVersion is the newest case format this program writes. A case of a newer one can be read and not written.
const SchemaVersion = 1

// Mode is what a case is for.
type Mode string

// The modes of a case.
const (
	ModeChange      Mode = "change"
	ModeInvestigate Mode = "investigate"
	ModeReview      Mode = "review"
)

// Values lists the modes that a new case may have.
func (Mode) Values() []string { return []string{"change", "investigate", "review"} }

// Risk is how much harm a wrong change could do.
type Risk string

// The risks of a case.
const (
	RiskLow    Risk = "low"
	RiskMedium Risk = "medium"
	RiskHigh   Risk = "high"
)

// Values lists the risks.
func (Risk) Values() []string { return []string{"low", "medium", "high"} }

// Surface is a side from which a system can be observed.
type Surface string

// The surfaces of a case.
const (
	SurfaceCode     Surface = "code"
	SurfaceBrowser  Surface = "browser"
	SurfaceTerminal Surface = "terminal"
	SurfaceArtifact Surface = "artifact"
	SurfaceSecret   Surface = "secret"
)

// Values lists the surfaces.
func (Surface) Values() []string {
	return []string{"code", "browser", "terminal", "artifact", "secret"}
}

// Case is case.json: the identity and the state of one task.
type Case struct {
	SchemaVersion        int               `json:"schemaVersion"`
	Revision             uint64            `json:"revision"` // grows by one with every snapshot; the optimistic version
	ID                   string            `json:"id"`
	CreatedAt            time.Time         `json:"createdAt"`
	UpdatedAt            time.Time         `json:"updatedAt"`
	Goal                 string            `json:"goal"`
	Mode                 Mode              `json:"mode"`
	Status               Phase             `json:"status"`
	Actor                string            `json:"actor,omitempty"`
	ParentTaskID         string            `json:"parentTaskId,omitempty"`
	ChildTaskIDs         []string          `json:"childTaskIds,omitempty"`
	IdempotencyKey       string            `json:"idempotencyKey,omitempty"`
	ChangeLease          *Lease            `json:"changeLease,omitempty"`
	PausedFrom           Phase             `json:"pausedFrom,omitempty"`
	Risk                 Risk              `json:"risk,omitempty"`
	Workspace            Workspace         `json:"workspace"`
	Surfaces             []Surface         `json:"surfaces,omitempty"`
	AcceptanceCriteria   []Criterion       `json:"acceptanceCriteria,omitempty"`
	AllowedPaths         []string          `json:"allowedPaths,omitempty"`
	ChangeBoundary       Boundary          `json:"changeBoundary"` // always present, {} when empty
	VerificationRequired []string          `json:"verificationRequired,omitempty"`
	BlockedReason        string            `json:"blockedReason,omitempty"`
	InvestigationRounds  int               `json:"investigationRounds,omitempty"`
	Notes                []string          `json:"notes,omitempty"`
	TimeoutOverrides     map[string]string `json:"timeoutOverrides,omitempty"`
	CompletedOn          *Completed        `json:"completedOn,omitempty"` // absent before completion, and in cases of other programs

	// Awaited is the decision that a paused case waits for. It is read with the case and is no part of case.json.
	Awaited *Decision `json:"-"`
}

// Completed is the worktree that a case was completed on. Its receipts prove something only about exactly these bytes,
// whatever the worktree is later; an empty digest says that the bytes were not known, and nothing was proven.
type Completed struct {
	Revision     string `json:"revision,omitempty"` // full HEAD
	DirtyDigest  string `json:"dirtyDigest,omitempty"`
	DigestMethod string `json:"digestMethod"`
}

// Workspace is where a case was opened.
type Workspace struct {
	Root         string `json:"root"`                   // canonical absolute path given as the workspace
	Repository   string `json:"repository,omitempty"`   // readable name
	Branch       string `json:"branch,omitempty"`       // empty when detached
	CommitBefore string `json:"commitBefore,omitempty"` // abbreviated HEAD at opening; empty when there was no commit
	BaseRef      string `json:"baseRef,omitempty"`
}

// Lease is the time-bounded right of one actor to make the planned change.
type Lease struct {
	Actor      string     `json:"actor"`
	AcquiredAt time.Time  `json:"acquiredAt"`
	RenewedAt  time.Time  `json:"renewedAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	ReleasedAt *time.Time `json:"releasedAt,omitempty"`
}

// Criterion is one immutable statement that the finished work must satisfy.
type Criterion struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Kind      string `json:"kind,omitempty"` // "" or "process"
}

// CriterionProcess is the kind of a criterion about how the work was done; no verifier can prove it.
const CriterionProcess = "process"

// Boundary says where a change may happen. Files are relative to the workspace, with "dir/**" (everything below) and
// "dir/*" (one level).
type Boundary struct {
	Files   []string `json:"files,omitempty"`
	Symbols []string `json:"symbols,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// PhaseEvent is one line of phases.jsonl.
type PhaseEvent struct {
	Timestamp time.Time `json:"timestamp"`
	From      Phase     `json:"from"`
	To        Phase     `json:"to"`
}

// CommandRecord is one line of commands.jsonl, the audit of what was run.
type CommandRecord struct {
	Timestamp   time.Time   `json:"timestamp"`
	Actor       string      `json:"actor,omitempty"`
	Tool        string      `json:"tool"`
	Operation   string      `json:"operation"`
	ActionClass ActionClass `json:"actionClass,omitempty"`
	Status      string      `json:"status"`
	DurationMS  int64       `json:"durationMs,omitempty"`
	Note        string      `json:"note,omitempty"` // at most 120 runes, redacted
}

// ActionClass is what a tool call may do to the world.
type ActionClass string

// The classes of an audited call.
const (
	ReadOnly            ActionClass = "read_only"
	LocalMutation       ActionClass = "local_mutation"
	ExternalMutation    ActionClass = "external_mutation"
	SecretedExecution   ActionClass = "secreted_execution"
	ConfiguredExecution ActionClass = "configured_execution"
)

// Decision is one element of decisions.json.
type Decision struct {
	ID          string           `json:"id"`
	Question    string           `json:"question"`
	Options     []DecisionOption `json:"options"`
	Requester   string           `json:"requester"`
	RequestedAt time.Time        `json:"requestedAt"`
	Status      string           `json:"status"` // pending or answered
	Answer      string           `json:"answer,omitempty"`
	Responder   string           `json:"responder,omitempty"`
	AnsweredAt  *time.Time       `json:"answeredAt,omitempty"`
	EvidenceID  string           `json:"evidenceId,omitempty"`
	Sensitive   bool             `json:"sensitive,omitempty"`
}

// DecisionOption is one way to decide, with what follows from it.
type DecisionOption struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Consequence string `json:"consequence"`
}
