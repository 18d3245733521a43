package problem

// Code names a kind of problem for programs. Codes are stable: one is never renamed or given another meaning.
type Code string

// The closed list of codes.
const (
	Internal         Code = "internal"
	StateNotWritable Code = "state_not_writable"
	DiskFull         Code = "disk_full"
	CaseBroken       Code = "case_broken"
	GitFailed        Code = "git_failed"
	Canceled         Code = "canceled"
	ToolUnavailable  Code = "tool_unavailable"

	InvalidInput      Code = "invalid_input"
	InvalidConfig     Code = "invalid_config"
	SecretInInput     Code = "secret_in_input"
	TooLarge          Code = "too_large"
	PathOutside       Code = "path_outside_workspace"
	AmbiguousTask     Code = "ambiguous_task"
	UnknownVerifier   Code = "unknown_verifier"
	NotARepository    Code = "not_a_repository"
	ConfirmationNeeds Code = "confirmation_needed"

	TaskNotFound       Code = "task_not_found"
	EvidenceNotFound   Code = "evidence_not_found"
	HypothesisNotFound Code = "hypothesis_not_found"
	ArtifactNotFound   Code = "artifact_not_found"
	DecisionNotFound   Code = "decision_not_found"
	SymbolNotFound     Code = "symbol_not_found"
	RevisionNotFound   Code = "revision_not_found"

	LeaseConflict    Code = "lease_conflict"
	WrongActor       Code = "wrong_actor"
	RevisionConflict Code = "revision_conflict"
	KeyConflict      Code = "key_conflict"
	DecisionAnswered Code = "decision_answered"
	Busy             Code = "busy"

	WrongPhase           Code = "wrong_phase"
	PlanRejected         Code = "plan_rejected"
	MissingBoundary      Code = "missing_boundary"
	MissingDisproof      Code = "missing_disproof"
	LeaseRequired        Code = "lease_required"
	NoChange             Code = "no_change"
	DriftUnacknowledged  Code = "drift_unacknowledged"
	PathNotAllowed       Code = "path_not_allowed"
	ClaimChanged         Code = "claim_changed"
	CriteriaImmutable    Code = "criteria_immutable"
	CriteriaMissing      Code = "criteria_missing"
	VerificationFailed   Code = "verification_failed"
	VerificationMissing  Code = "verification_missing"
	VerificationStale    Code = "verification_stale"
	ChildrenOpen         Code = "children_open"
	HypothesisUnchanged  Code = "hypothesis_unchanged"
	StoreTooNew          Code = "store_too_new"
	CaseNeedsFsck        Code = "case_needs_fsck"
	LimitReached         Code = "limit_reached"
	ForeignReference     Code = "foreign_reference"
	BinaryArtifact       Code = "binary_artifact"
	ExpectationNotMet    Code = "expectation_not_met"
	VerificationNotGreen Code = "verification_not_green"
)

// Exit statuses of the program, by kind of problem.
const (
	ExitOK       = 0
	ExitInternal = 1 // Cortex or its environment failed
	ExitInput    = 2 // the call was wrong
	ExitNotFound = 3 // it names something that is not there
	ExitConflict = 4 // somebody else holds or changed it
	ExitRefused  = 5 // a rule says no
	ExitNotGreen = 6 // it ran to its end and the verdict is not green
)

// Info describes a code for docs/problems.md.
type Info struct {
	Code    Code
	Exit    int
	Meaning string
}

// Codes lists every code with its exit status and meaning, in the order of the documentation.
func Codes() []Info {
	return []Info{
		{Internal, ExitInternal, "Cortex failed in a way nobody foresaw; the message names the part."},
		{StateNotWritable, ExitInternal, "the state directory cannot be written, as inside a sandbox"},
		{DiskFull, ExitInternal, "the disk is full or over quota; nothing was half-written"},
		{CaseBroken, ExitInternal, "a snapshot of the case cannot be read; the file is named"},
		{GitFailed, ExitInternal, "git is missing, timed out, or answered what cannot be understood"},
		{Canceled, ExitInternal, "the call was canceled or its deadline passed before anything was committed"},
		{ToolUnavailable, ExitInternal, "a specialist tool is missing or failed; the message says which, and what would help"},

		{InvalidInput, ExitInput, "an argument is missing, unknown, malformed or outside its list of values"},
		{InvalidConfig, ExitInput, "a configuration file cannot be used; file and line are named"},
		{SecretInInput, ExitInput, "an identifier or path looks like a secret and is refused rather than masked"},
		{TooLarge, ExitInput, "a text or a list is over its limit; the limit is named"},
		{PathOutside, ExitInput, "a path leaves the workspace"},
		{AmbiguousTask, ExitInput, "a task prefix, or none, matches several cases; they are listed"},
		{UnknownVerifier, ExitInput, "a verifier is named that is neither built in nor configured"},
		{NotARepository, ExitInput, "the workspace is not inside a git repository"},
		{ConfirmationNeeds, ExitInput, "the step needs a person's yes: a terminal, or --yes"},

		{TaskNotFound, ExitNotFound, "no case of that id in this repository's store"},
		{EvidenceNotFound, ExitNotFound, "the case has no evidence of that id"},
		{HypothesisNotFound, ExitNotFound, "the case has no hypothesis of that id"},
		{ArtifactNotFound, ExitNotFound, "the case has recorded no such reference, or the artifact has no such file"},
		{DecisionNotFound, ExitNotFound, "the case has no decision of that id"},
		{SymbolNotFound, ExitNotFound, "the repository defines nothing of that name in a language that is read"},
		{RevisionNotFound, ExitNotFound, "git does not know the commit that was to be compared with"},

		{LeaseConflict, ExitConflict, "another actor holds the change lease"},
		{WrongActor, ExitConflict, "the call's actor is not the one who holds the lease"},
		{RevisionConflict, ExitConflict, "the case changed during the call; nothing but the audit was written"},
		{KeyConflict, ExitConflict, "the idempotency key belongs to a case that was opened differently"},
		{DecisionAnswered, ExitConflict, "somebody answered the decision otherwise; who and what is named"},
		{Busy, ExitConflict, "another process is writing the case; try again"},

		{WrongPhase, ExitRefused, "the verb is not allowed in the case's phase"},
		{PlanRejected, ExitRefused, "the plan misses something that a plan needs"},
		{MissingBoundary, ExitRefused, "a change case has no change boundary, or one without files"},
		{MissingDisproof, ExitRefused, "a hypothesis does not say what would disprove it"},
		{LeaseRequired, ExitRefused, "the change lease expired or was released; begin the change again"},
		{NoChange, ExitRefused, "there is no change to verify and no no-op was acknowledged"},
		{DriftUnacknowledged, ExitRefused, "files changed outside the boundary of a high-risk case"},
		{PathNotAllowed, ExitRefused, "a file is planned or changed outside the allowed paths of the case; nothing acknowledges that"},
		{ClaimChanged, ExitRefused, "a claim id was used before with other words or another contract"},
		{CriteriaImmutable, ExitRefused, "acceptance criteria cannot change after the case was created"},
		{CriteriaMissing, ExitRefused, "acceptance criteria lack a current, bound, passing receipt"},
		{VerificationFailed, ExitRefused, "completion needs the failure to be accepted by name"},
		{VerificationMissing, ExitRefused, "completion needs proof, or the statement that there is none"},
		{VerificationStale, ExitRefused, "the worktree changed since it was verified"},
		{ChildrenOpen, ExitRefused, "child cases are still open"},
		{HypothesisUnchanged, ExitRefused, "the hypothesis already has that status"},
		{StoreTooNew, ExitRefused, "the case was written by a newer Cortex; reads work, writes are refused"},
		{CaseNeedsFsck, ExitRefused, "the case's files contradict each other; fsck says how"},
		{LimitReached, ExitRefused, "the case holds as many records of a kind as it may"},
		{ForeignReference, ExitRefused, "the reference lies in another case and is read with that one"},
		{BinaryArtifact, ExitRefused, "the artifact is no text, and binary data was not asked for"},
		{ExpectationNotMet, ExitInternal, "the demonstration saw something it did not expect"},
		{VerificationNotGreen, ExitNotGreen, "the run finished and its verdict is not green"},
	}
}

// Exit returns the exit status of a code; an unknown code is ExitInternal.
func Exit(code Code) int {
	for _, info := range Codes() {
		if info.Code == code {
			return info.Exit
		}
	}
	return ExitInternal
}
