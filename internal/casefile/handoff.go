package casefile

import (
	"encoding/json"
	"math"
	"time"

	"cortex/internal/problem"
)

// HandoffInput is what is known of a case when it is handed on.
type HandoffInput struct {
	Case       *Case
	Plan       *Plan // nil without one
	Hypotheses []Hypothesis
	Evidence   []Evidence // the newest, oldest first
	Judgement  Judgement  // of the same receipts
	Receipts   []Receipt
	Decisions  []Decision
	Steps      []problem.Step
	Warnings   []string
	Now        time.Time

	// Render turns steps into the actions of the packet, none into nil. A nil Render leaves them out.
	Render func([]problem.Step) any
}

// Handoff is the packet by which one agent passes a case on to another: the published contract, in at most MaxHandoff
// bytes of indented JSON. It never holds a sensitive record.
//
// The packet of a completed and verified case holds at most MaxProofHandoff bytes and either the whole proof or no
// receipt: each named claim with every run of its batch, uncut. A warning says when there is none.
type Handoff struct {
	SchemaVersion int               `json:"schemaVersion"`
	GeneratedAt   time.Time         `json:"generatedAt"`
	TaskID        string            `json:"taskId"`
	Revision      uint64            `json:"revision"`
	Goal          string            `json:"goal"`
	Phase         Phase             `json:"phase"`
	Mode          Mode              `json:"mode"`
	Risk          Risk              `json:"risk"`
	Actor         string            `json:"actor,omitempty"`
	ParentTaskID  string            `json:"parentTaskId,omitempty"`
	ChildTaskIDs  []string          `json:"childTaskIds,omitempty"`
	ChangeLease   *Lease            `json:"changeLease,omitempty"`
	Workspace     Workspace         `json:"workspace"`
	Boundary      Boundary          `json:"boundary"`
	AllowedPaths  []string          `json:"allowedPaths,omitempty"`
	Plan          *Plan             `json:"plan,omitempty"`
	Hypotheses    []Hypothesis      `json:"hypotheses,omitempty"`
	Evidence      []HandoffEvidence `json:"evidence,omitempty"` // at most HandoffEvidenceRecords, newest last
	Verification  Assessment        `json:"verification"`
	Receipts      []Receipt         `json:"receipts,omitempty"`
	Decisions     []HandoffDecision `json:"decisions,omitempty"`
	Actions       any               `json:"actions,omitempty"` // what Render made of the steps
	Warnings      []string          `json:"warnings,omitempty"`
}

// HandoffEvidence is one evidence record as a packet shows it.
type HandoffEvidence struct {
	ID          string     `json:"id"`
	Claim       string     `json:"claim"`
	Confidence  Confidence `json:"confidence"`
	Source      string     `json:"source"`
	Actor       string     `json:"actor,omitempty"`
	Category    string     `json:"category,omitempty"`
	Kind        string     `json:"kind,omitempty"`
	DerivedFrom []string   `json:"derivedFrom,omitempty"`
}

// HandoffDecision is a decision as a packet shows it; of a pending sensitive one only ID, RequestedAt and Status.
type HandoffDecision struct {
	ID          string           `json:"id"`
	Question    string           `json:"question,omitempty"`
	Options     []DecisionOption `json:"options,omitempty"`
	Requester   string           `json:"requester,omitempty"`
	RequestedAt time.Time        `json:"requestedAt"`
	Status      string           `json:"status"`
	Answer      string           `json:"answer,omitempty"`
	Responder   string           `json:"responder,omitempty"`
	AnsweredAt  *time.Time       `json:"answeredAt,omitempty"`
	EvidenceID  string           `json:"evidenceId,omitempty"`
}

// What a packet says about what it leaves out.
const (
	HandoffBounded = "handoff content bounded to 128 KiB: long texts end in … and lists are shortened; cortex show has the whole case"
	HandoffNoProof = "completion proof receipts omitted: the whole proof closure exceeds the 90 KiB budget of a packet; treat the acceptance proof as unavailable here"
)

// handoffBudget bounds the parts of a packet: text in bytes, the others in elements.
type handoffBudget struct {
	text, hypotheses, receipts, decisions, options, boundary, children, actions, warnings, refs int
}

// handoffBudgets are tried in order; the first is applied to every packet. The numbers are those of the published
// program.
func handoffBudgets() []handoffBudget {
	return []handoffBudget{
		{2048, 48, 48, 24, 12, 96, 64, 12, 32, 48},
		{1024, 24, 24, 12, 8, 64, 32, 8, 24, 32},
		{512, 12, 12, 4, 6, 32, 16, 4, 16, 16},
		{256, 6, 6, 1, 4, 16, 8, 2, 8, 8},
	}
}

// NewHandoff builds the packet.
func NewHandoff(in HandoffInput) Handoff {
	s := share(in)
	if in.Case.Status == PhaseComplete && in.Judgement.Outcome == OutcomeVerified {
		return s.proven()
	}
	if h, ok := s.fit(nil, MaxHandoff); ok {
		return h
	}
	return s.minimal(statusStep(in.Case, "read the whole case; this packet holds its identity only"), HandoffBounded)
}

// proven builds the packet of a completed and verified case: with the whole proof, if need be beside nothing but the
// case's identity, or with none.
func (s shared) proven() Handoff {
	proof, dropped := s.closure()
	if dropped > 0 {
		s.notes = append(s.notes, "proof of "+counted(dropped, "claim")+" left out: a run of the batch is sensitive or missing")
	}
	s.receipts = nil
	if encodedSize(Handoff{Receipts: proof}) <= MaxProofHandoff {
		if h, ok := s.fit(proof, MaxProofHandoff); ok {
			return h
		}
		h := s.minimal(statusStep(s.in.Case, "read the rest from the case; this packet holds its identity and proof only"), HandoffBounded)
		h.Receipts = proof
		if encodedSize(h) <= MaxProofHandoff {
			return h
		}
	}
	return s.minimal(statusStep(s.in.Case, "read the proof from the case; this packet left its receipts out"), HandoffNoProof)
}

// fit builds the packet under the first budget by which it has at most most bytes, with the given proof beside it.
func (s shared) fit(proof []Receipt, most int) (Handoff, bool) {
	for _, b := range handoffBudgets() {
		t := &trimmer{text: b.text}
		h := s.packet(b, t)
		if t.kept > most { // without being encoded
			continue
		}
		if proof != nil {
			h.Receipts = proof
		}
		if encodedSize(h) <= most {
			return h, true
		}
	}
	return Handoff{}, false
}

func statusStep(c *Case, why string) problem.Step {
	return problem.Step{Op: "status", Args: taskArgs(c), Why: why}
}

// packet builds the packet under one budget.
func (s shared) packet(b handoffBudget, t *trimmer) Handoff {
	c := s.in.Case
	h := s.identity(t)
	h.ChildTaskIDs = shorten(t, c.ChildTaskIDs, b.children)
	h.Boundary = shorten(t, c.ChangeBoundary, b.boundary)
	h.AllowedPaths = shorten(t, c.AllowedPaths, b.boundary)
	if p := s.in.Plan; p != nil {
		h.Plan = &Plan{
			Hypotheses:           shorten(t, first(t, p.Hypotheses, b.hypotheses), b.refs),
			ChangeBoundary:       shorten(t, p.ChangeBoundary, b.boundary),
			VerificationRequired: shorten(t, p.VerificationRequired, b.refs),
			Uncertainty:          shorten(t, p.Uncertainty, 0),
		}
	}
	h.Hypotheses = shorten(t, first(t, s.in.Hypotheses, b.hypotheses), b.refs)
	h.Evidence = shorten(t, last(t, s.evidence, b.refs), b.refs)
	h.Verification = shorten(t, s.verification, b.refs)
	h.Receipts = shorten(t, last(t, s.receipts, b.receipts), b.refs)
	for _, d := range last(t, s.decisions, b.decisions) {
		d.Options = first(t, d.Options, b.options)
		h.Decisions = append(h.Decisions, shorten(t, d, b.refs))
	}
	h.Actions = s.actions(shortenSteps(t, first(t, s.steps, b.actions), b.refs))
	h.Warnings = s.warnings(t, b.warnings)
	if t.cut {
		h.Warnings = append(h.Warnings, HandoffBounded)
	}
	return h
}

// minimal is the packet of a case that fits no budget: its identity, its outcome, and where to read on.
func (s shared) minimal(step problem.Step, why string) Handoff {
	h := s.identity(&trimmer{text: 256})
	h.Verification = Assessment{Outcome: s.verification.Outcome}
	h.Actions = s.actions([]problem.Step{step})
	h.Warnings = append(s.warnings(&trimmer{}, 0), why)
	return h
}

// identity fills in what says which case it is and where it stands.
func (s shared) identity(t *trimmer) Handoff {
	c := s.in.Case
	return Handoff{
		SchemaVersion: SchemaVersion, GeneratedAt: s.in.Now, TaskID: c.ID, Revision: c.Revision, Goal: shorten(t, c.Goal, 0),
		Phase: shorten(t, c.Status, 0), Mode: shorten(t, c.Mode, 0), Risk: shorten(t, c.Risk, 0), Actor: shorten(t, c.Actor, 0),
		ParentTaskID: shorten(t, c.ParentTaskID, 0), ChangeLease: shorten(t, c.ChangeLease, 0), Workspace: shorten(t, c.Workspace, 0),
	}
}

func (s shared) actions(steps []problem.Step) any {
	if s.in.Render == nil || len(steps) == 0 {
		return nil
	}
	return s.in.Render(steps)
}

// encodedSize is the length of h as indented JSON, which is what is served.
func encodedSize(h Handoff) int {
	var size counter64
	enc := json.NewEncoder(&size)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(h); err != nil {
		return math.MaxInt // Render gave what has no JSON form: too large for every budget
	}
	return int(size)
}

// counter64 counts what is written to it.
type counter64 int

func (c *counter64) Write(p []byte) (int, error) {
	*c += counter64(len(p))
	return len(p), nil
}
