package casefile

import "time"

// Bounds, in bytes unless the name says otherwise. They are those of the published case format.
const (
	MaxGoal           = 4 << 10   // a goal is one paragraph
	MaxText           = 16 << 10  // claim, question, outcome, uncertainty, statement, disproof, reason
	MaxLocator        = 4 << 10   // path, URI, reference, label
	MaxIdentifier     = 256       // actor, key, id
	MaxCriterionID    = 128       // [A-Za-z0-9_-]
	MaxClaimStatement = 4 << 10   // typed claim or criterion
	MaxContract       = 1024      // a contract names one check
	MaxLegacyClaim    = 2 << 10   // claim of free text
	MaxSnapshotFile   = 16 << 20  // one JSON snapshot
	MaxLedgerRecord   = 256 << 10 // one ledger line on write
	MaxLedgerLine     = 4 << 20   // one ledger line on read
	MaxRawBlob        = 16 << 20  // one raw blob
	MaxSummaryFile    = 1 << 20   // summary.md on read
	MaxSummary        = 512 << 10 // summary.md as rendered

	MaxHypotheses     = 64
	MaxSupports       = 256 // per hypothesis
	MaxBoundaryFiles  = 512
	MaxBoundarySymbol = 512
	MaxCriteria       = 64
	MaxOptions        = 16 // of one decision
	MaxClaims         = 64 // typed claims in one verify call, and attestations
	MaxAllowedPaths   = 64
	MaxAllowedPath    = 512
	MaxSeeds          = 8
	MaxSeed           = 16 << 10
	MaxSeedClaim      = 240 // bytes of a seed that its record shows
	MaxTags           = 64
	MaxCandidates     = 20        // values listed in a rejection
	MaxViewRecords    = 200       // newest records of a kind in a view
	MaxPrinted        = 256 << 10 // what --json of status and open prints at most
	MaxClaimProofs    = 64
	MaxWrittenPaths   = 20
	MaxAuditNoteRunes = 120
	MaxScopeFiles     = 200 // paths listed in a scope
	MaxProofRefs      = 2   // references of one claim proof
	MaxProofRef       = 160 // bytes of a reference or statement in a claim proof
	MaxTag            = 256

	MaxArtifactRef  = 2048
	MaxArtifactPath = 1024
	DefaultPreview  = 32 << 10  // of an artifact
	MaxPreview      = 128 << 10 // what a model can be shown at once
	MaxCiting       = 256       // newest records listed as citing one reference

	SummaryEvidence = 200
	SummaryReceipts = 100

	MaxHandoff             = 128 << 10 // a packet; what one MCP result may hold
	MaxProofHandoff        = 90 << 10  // the packet of a verified case, whose proof is whole or absent
	MaxHandoffPR           = 60 << 10  // Markdown for a pull request; the forges take a little more
	HandoffEvidenceRecords = 20
	TopClaimCount          = 5

	DefaultLeaseTTL = 15 * time.Minute
	MinLeaseTTL     = time.Second
	MaxLeaseTTL     = time.Hour
	LeaseGrace      = 15 * time.Minute // how long after its end the owner may renew a lease that nobody took
)
