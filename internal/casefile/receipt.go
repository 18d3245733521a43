package casefile

import "time"

// DigestMethod names how DirtyDigest of our receipts is computed (gitrepo.State). A receipt without it, or with another
// one, was written by another program: its digest cannot be compared with ours.
const DigestMethod = "worktree.1"

// Receipt is one element of verification.json: what one verifier said, or which claim that proves, about which bytes.
type Receipt struct {
	ID              string        `json:"id"`
	BatchID         string        `json:"batchId,omitempty"`
	Claim           string        `json:"claim"`
	Surface         Surface       `json:"surface"`
	Purpose         Purpose       `json:"purpose,omitempty"`
	Requirement     string        `json:"requirement,omitempty"` // the planned requirement that a verifier run addresses
	ClaimID         string        `json:"claimId,omitempty"`
	Actor           string        `json:"actor,omitempty"`
	Contract        string        `json:"contract,omitempty"` // the exact check that a named claim rests on
	Tool            string        `json:"tool,omitempty"`
	VerifierVersion string        `json:"verifierVersion,omitempty"`
	Status          ReceiptStatus `json:"status"`
	Evidence        []string      `json:"evidence,omitempty"`
	Artifact        string        `json:"artifact,omitempty"`
	Sensitive       bool          `json:"sensitive,omitempty"`
	Revision        string        `json:"revision,omitempty"`    // full HEAD, empty before the first commit
	DirtyDigest     string        `json:"dirtyDigest,omitempty"` // sha256:HEX over the whole worktree
	DigestMethod    string        `json:"digestMethod,omitempty"`
	Binding         Binding       `json:"binding,omitempty"`
	Notes           string        `json:"notes,omitempty"`
	Timestamp       time.Time     `json:"timestamp"`

	Argv          []string                 `json:"argv,omitempty"`          // as configured; what the grant covers
	CheckDigest   string                   `json:"checkDigest,omitempty"`   // of the check's configuration; with another one the verdict is another check's
	EffectiveArgv []string                 `json:"effectiveArgv,omitempty"` // as run, when a reporter flag was added
	Runner        string                   `json:"runner,omitempty"`        // recognised test runner
	Counts        *Counts                  `json:"counts,omitempty"`        // absent when the verdict rests on the exit status only
	Tests         map[string]ReceiptStatus `json:"tests,omitempty"`         // how the tests ended that claims name
	ExitStatus    *int                     `json:"exitStatus,omitempty"`    // absent when the process never ended by itself
	DurationMS    int64                    `json:"durationMs,omitempty"`
	Exclusions    []string                 `json:"exclusions,omitempty"` // what the digest does not cover, as plain phrases
	Written       []string                 `json:"written,omitempty"`    // files that the check changed in the worktree, at most 20
	Environment   []string                 `json:"environment,omitempty"`
}

// Counts are the results of a test run.
type Counts struct {
	Executed int `json:"executed"` // passed + failed; never skipped ones
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	Skipped  int `json:"skipped"`
}

// Purpose says what a receipt is.
type Purpose string

// The purposes of a receipt.
const (
	PurposeRun         Purpose = "verifier_run"
	PurposeClaim       Purpose = "named_claim"
	PurposeAttestation Purpose = "agent_attestation"
)

// ReceiptStatus is a verdict.
type ReceiptStatus string

// The verdicts.
const (
	StatusPassed        ReceiptStatus = "passed"
	StatusFailed        ReceiptStatus = "failed"
	StatusInconclusive  ReceiptStatus = "inconclusive"
	StatusBlocked       ReceiptStatus = "blocked"
	StatusNotApplicable ReceiptStatus = "not_applicable"
	StatusNotRun        ReceiptStatus = "not_run"
)

// Binding says whether a receipt is about bytes that stayed the same during the run.
type Binding string

// The two bindings.
const (
	Bound   Binding = "bound"
	Unbound Binding = "unbound"
)

// WorkState is what a receipt can be compared with: the state of the worktree now.
type WorkState struct {
	Known    bool   // false when git could not answer; then nothing is current
	Head     string // full commit, empty before the first commit
	Digest   string // sha256:HEX
	Complete bool   // false when something could not be hashed; then nothing can be bound

	// Checks are the digests of the checks as they are configured now, by name; nil leaves that unjudged.
	Checks map[string]string
	// Flow is the digest of a flow's check with its spec as it is now; nil leaves that unjudged.
	Flow func(tool, spec string) string
}

// Outcome is the one word for what the receipts prove.
type Outcome string

// The outcomes.
const (
	OutcomeVerified   Outcome = "verified"
	OutcomePartial    Outcome = "partial"
	OutcomeFailed     Outcome = "failed"
	OutcomeUnverified Outcome = "unverified"
)

// Assessment is the one reading of a case's receipts that every view shares. Lists are sorted and without duplicates.
type Assessment struct {
	Outcome           Outcome  `json:"outcome"`
	SatisfiedRequired []string `json:"satisfiedRequired,omitempty"`
	MissingRequired   []string `json:"missingRequired,omitempty"`
	SatisfiedCriteria []string `json:"satisfiedCriteria,omitempty"`
	MissingCriteria   []string `json:"missingCriteria,omitempty"`
	NonPassingClaims  []string `json:"nonPassingClaims,omitempty"`
	FailedClaims      []string `json:"failedClaims,omitempty"`
	AttestedCriteria  []string `json:"attestedCriteria,omitempty"`
}
