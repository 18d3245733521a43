package casefile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cortex/internal/problem"
)

// Resolution is a verdict on a hypothesis.
type Resolution struct {
	HypothesisID string
	Status       HypothesisStatus // confirmed, challenged or rejected
	Reason       string
	Evidence     []string // cited ids
	Actor        string
}

// Resolve applies a resolution to the hypotheses of c and returns the new list with the evidence that records it.
// Confirmed makes the hypothesis of high confidence and supported by what was cited, or by the record itself; rejected
// makes it of low confidence. The same verdict again is hypothesis_unchanged.
func Resolve(c *Case, hypotheses []Hypothesis, in Resolution, known func(evidenceID string) bool, newID func(prefix string) string, now time.Time) ([]Hypothesis, Evidence, error) {
	if err := RequirePhase(c, "resolve"); err != nil {
		return nil, Evidence{}, err
	}
	i := slices.IndexFunc(hypotheses, func(h Hypothesis) bool { return h.ID == in.HypothesisID })
	if i < 0 {
		return nil, Evidence{}, unknownHypothesis(c, hypotheses, in)
	}
	reason, err := checkResolution(c, hypotheses[i], in, known)
	if err != nil {
		return nil, Evidence{}, err
	}
	out := slices.Clone(hypotheses)
	h := &out[i]
	ev := Evidence{
		ID: newID("ev"), Timestamp: now, Kind: KindHumanReport, Category: "resolution",
		Source: Source{Tool: "human", Actor: in.Actor}, Confidence: resolutionConfidence(in.Status), Sensitivity: SensitivityNormal,
		Claim:       clip(fmt.Sprintf("hypothesis %s %s (was %s): %s", h.ID, in.Status, h.Status, reason), MaxText),
		DerivedFrom: dedupe(in.Evidence),
	}
	ev.RawRef = "case://" + c.ID + "/evidence/" + ev.ID
	switch in.Status {
	case HypothesisConfirmed:
		cited := in.Evidence
		if len(cited) == 0 {
			cited = []string{ev.ID}
		}
		h.Supports, h.Confidence = dedupe(slices.Concat(h.Supports, cited)), ConfidenceHigh
		if len(h.Supports) > MaxSupports {
			return nil, Evidence{}, problem.New(problem.LimitReached, "hypothesis %s would have %d supports; the limit is %d.", h.ID, len(h.Supports), MaxSupports).
				About(c.ID, string(c.Status)).Without("cite fewer records")
		}
	case HypothesisRejected:
		h.Confidence = ConfidenceLow
	}
	h.Status = in.Status
	return out, ev, nil
}

func checkResolution(c *Case, h Hypothesis, in Resolution, known func(string) bool) (reason string, err error) {
	again := func(p *problem.Problem, input string) error {
		args := map[string]any{"taskId": c.ID, "hypothesisId": h.ID}
		for name, value := range map[string]string{"status": string(in.Status), "reason": in.Reason} {
			if name != input && value != "" && len(value) <= MaxLocator {
				args[name] = value
			}
		}
		p.NoStep = ""
		return p.About(c.ID, string(c.Status)).With(problem.Step{Op: "resolve", Args: args, Inputs: []string{input}, Why: "correct " + input + " and resolve again"})
	}
	switch in.Status {
	case HypothesisConfirmed, HypothesisChallenged, HypothesisRejected:
	default:
		return "", again(invalid("status", string(in.Status), "confirmed, challenged, rejected", "status must be one of: confirmed, challenged, rejected (got %q)", in.Status), "status")
	}
	if reason, err = CheckText("reason", in.Reason, MaxText); err != nil {
		return "", again(problem.From(err), "reason")
	}
	if h.Status == in.Status {
		p := problem.New(problem.HypothesisUnchanged, "hypothesis %s is already %s.", h.ID, h.Status)
		err := again(p, "status")
		p.Next[0].Candidates = map[string][]string{"status": otherResolutions(h.Status)}
		return "", err
	}
	if len(in.Evidence) > MaxSupports {
		return "", again(tooLarge("evidence", len(in.Evidence), MaxSupports, "ids"), "evidence")
	}
	for _, id := range in.Evidence {
		if known == nil || !known(id) {
			return "", again(problem.New(problem.EvidenceNotFound, "case %s has no evidence %q.", c.ID, clip(id, MaxIdentifier)).On("evidence", nil, "ids of evidence of this case"), "evidence")
		}
	}
	return reason, nil
}

// otherResolutions lists what a hypothesis of status s can be resolved to.
func otherResolutions(s HypothesisStatus) []string {
	var out []string
	for _, other := range []HypothesisStatus{HypothesisConfirmed, HypothesisChallenged, HypothesisRejected} {
		if other != s {
			out = append(out, string(other))
		}
	}
	return out
}

func unknownHypothesis(c *Case, hypotheses []Hypothesis, in Resolution) error {
	var ids []string
	for _, h := range hypotheses {
		ids = append(ids, h.ID)
	}
	has := "none"
	if len(ids) > 0 {
		has = strings.Join(bounded(ids), ", ")
	}
	p := problem.New(problem.HypothesisNotFound, "case %s has no hypothesis %q; it has: %s.", c.ID, clip(in.HypothesisID, MaxIdentifier), has).
		About(c.ID, string(c.Status)).On("hypothesisId", clip(in.HypothesisID, MaxIdentifier), strings.Join(bounded(ids), ", "))
	if len(ids) == 0 {
		return p.Without("a hypothesis exists once a plan is accepted")
	}
	return p.With(problem.Step{Op: "resolve", Args: taskArgs(c), Inputs: []string{"hypothesisId"}, Candidates: map[string][]string{"hypothesisId": bounded(ids)}, Why: "name one of the case's hypotheses"})
}

func resolutionConfidence(s HypothesisStatus) Confidence {
	switch s {
	case HypothesisConfirmed:
		return ConfidenceHigh
	case HypothesisRejected:
		return ConfidenceLow
	}
	return ConfidenceMedium
}

// Unresolved lists the hypotheses that nobody has decided.
func Unresolved(hypotheses []Hypothesis) []Hypothesis {
	var out []Hypothesis
	for _, h := range hypotheses {
		if h.Status != HypothesisConfirmed && h.Status != HypothesisRejected {
			out = append(out, h)
		}
	}
	return out
}
