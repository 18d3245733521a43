package casefile

// Hypothesis is one element of hypotheses.json: an explanation and what would disprove it.
type Hypothesis struct {
	ID         string           `json:"id"`
	Statement  string           `json:"statement"`
	Supports   []string         `json:"supports,omitempty"` // evidence ids of the same case
	Confidence Confidence       `json:"confidence"`
	DisproveBy Disproof         `json:"disproveBy"`
	Status     HypothesisStatus `json:"status"`
}

// Disproof says how a hypothesis could be shown wrong. On the wire it is its Note.
type Disproof struct {
	Kind     string `json:"kind,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Contract string `json:"contract,omitempty"`
	Note     string `json:"note,omitempty"`
}

// HypothesisStatus is what became of a hypothesis.
type HypothesisStatus string

// The states of a hypothesis.
const (
	HypothesisActive     HypothesisStatus = "active"
	HypothesisChallenged HypothesisStatus = "challenged"
	HypothesisRejected   HypothesisStatus = "rejected"
	HypothesisConfirmed  HypothesisStatus = "confirmed"
)

// Plan is plan.json: the frozen copy of what the planning gate accepted.
type Plan struct {
	Hypotheses           []Hypothesis `json:"hypotheses"`
	ChangeBoundary       Boundary     `json:"changeBoundary"`
	VerificationRequired []string     `json:"verificationRequired"`
	Uncertainty          string       `json:"uncertainty,omitempty"`
}
