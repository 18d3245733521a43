package casefile

import (
	"fmt"
	"slices"
	"strings"

	"cortex/internal/problem"
)

// shared is what of a case may be passed on, not bounded yet.
type shared struct {
	in           HandoffInput
	evidence     []HandoffEvidence
	receipts     []Receipt // current ones
	decisions    []HandoffDecision
	verification Assessment
	steps        []problem.Step
	withheld     string   // counts the sensitive records that were left out, "" for none
	notes        []string // what else was left out
}

// share leaves out sensitive and outdated records and counts them.
func share(in HandoffInput) shared {
	s := shared{in: in, verification: in.Judgement.Assessment, steps: in.Steps}
	evidence := s.shareEvidence()
	receipts := s.shareReceipts()
	decisions := s.shareDecisions()
	if evidence+receipts+decisions > 0 {
		s.withheld = fmt.Sprintf("sensitive records omitted from handoff: %d evidence, %d receipts, %d decisions", evidence, receipts, decisions)
	}
	return s
}

// warnings are those of the case with what was left out, at most n of the former.
func (s shared) warnings(t *trimmer, n int) []string {
	out := shorten(t, first(t, s.in.Warnings, n), n)
	if s.withheld != "" {
		out = append(slices.Clip(out), s.withheld)
	}
	return append(slices.Clip(out), s.notes...)
}

func (s *shared) shareEvidence() (sensitive int) {
	trouble := 0
	for _, e := range s.in.Evidence {
		switch {
		case e.Sensitivity == SensitivitySensitive:
			sensitive++
		case e.Kind == KindToolUnavailable:
			trouble++
		default:
			s.evidence = append(s.evidence, handoffEvidence(e))
		}
	}
	s.evidence = newest(s.evidence, HandoffEvidenceRecords)
	if trouble > 0 {
		s.notes = append(s.notes, counted(trouble, "record")+" about unavailable tools left out")
	}
	return sensitive
}

func handoffEvidence(e Evidence) HandoffEvidence {
	source := e.Source.Tool
	if source == "" {
		source = e.Source.Origin
	}
	return HandoffEvidence{
		ID: e.ID, Claim: e.Claim, Confidence: e.Confidence, Source: source, Actor: e.Source.Actor, Category: e.Category, Kind: e.Kind,
		DerivedFrom: e.DerivedFrom,
	}
}

// shareReceipts keeps the current receipts in file order. A sensitive claim without an id is known to the assessment by
// its statement, which is then hidden there.
func (s *shared) shareReceipts() (sensitive int) {
	r := read(s.in.Case, s.in.Receipts, nil)
	current := map[string]bool{}
	for _, x := range slices.Concat(r.runs, r.named, r.attested) {
		current[x.ID] = true
	}
	hidden := map[string]bool{}
	stale := 0
	for _, x := range s.in.Receipts {
		switch {
		case x.Sensitive:
			sensitive++
			hidden[x.Claim] = hidden[x.Claim] || x.ClaimID == ""
		case !current[x.ID]:
		case !s.in.Case.Status.Terminal() && slices.Contains(s.in.Judgement.Stale, x.ID):
			stale++
		default:
			s.receipts = append(s.receipts, x)
		}
	}
	if stale > 0 {
		s.notes = append(s.notes, counted(stale, "receipt")+" about earlier bytes of the worktree left out")
	}
	s.verification.NonPassingClaims = hide(s.verification.NonPassingClaims, hidden)
	s.verification.FailedClaims = hide(s.verification.FailedClaims, hidden)
	return sensitive
}

func hide(claims []string, hidden map[string]bool) []string {
	out := slices.Clone(claims)
	for i, claim := range out {
		if hidden[claim] {
			out[i] = "(a sensitive claim)"
		}
	}
	return out
}

func (s *shared) shareDecisions() (sensitive int) {
	for _, d := range s.in.Decisions {
		switch {
		case !d.Sensitive:
			s.decisions = append(s.decisions, HandoffDecision{
				ID: d.ID, Question: d.Question, Options: d.Options, Requester: d.Requester, RequestedAt: d.RequestedAt, Status: d.Status,
				Answer: d.Answer, Responder: d.Responder, AnsweredAt: d.AnsweredAt, EvidenceID: d.EvidenceID,
			})
			continue
		case d.Status == DecisionPending:
			s.decisions = append(s.decisions, HandoffDecision{ID: d.ID, RequestedAt: d.RequestedAt, Status: d.Status})
			s.steps = slices.Clone(s.steps)
			for i := range s.steps {
				s.steps[i].Candidates = nil // they may be its options
			}
		}
		sensitive++
	}
	return sensitive
}

// closure returns the proof of a verified case in file order: every named claim with every run of its batch. A batch
// with a sensitive run, or a claim of a batch without a run, is left out with its claims, which dropped counts.
func (s shared) closure() (proof []Receipt, dropped int) {
	r := read(s.in.Case, s.in.Receipts, nil)
	runs := map[string][]Receipt{}
	for _, x := range s.in.Receipts {
		if purpose(x) == PurposeRun {
			runs[x.BatchID] = append(runs[x.BatchID], x)
		}
	}
	claims := slices.Concat(r.named, r.attested)
	broken := map[string]bool{}
	for _, x := range slices.Concat(r.runs, claims) {
		batch := sameState(runs[x.BatchID], x)
		missing := len(batch) == 0 && purpose(x) != PurposeAttestation
		broken[x.BatchID] = broken[x.BatchID] || x.Sensitive || missing || slices.ContainsFunc(batch, func(run Receipt) bool { return run.Sensitive })
	}
	keep := map[string]bool{}
	for _, x := range slices.Concat(r.runs, claims) {
		if broken[x.BatchID] {
			if purpose(x) != PurposeRun {
				dropped++
			}
			continue
		}
		keep[x.ID] = true
		for _, run := range sameState(runs[x.BatchID], x) {
			keep[run.ID] = true
		}
	}
	for _, x := range s.in.Receipts {
		if keep[x.ID] {
			proof = append(proof, x)
		}
	}
	return proof, dropped
}

func sameState(runs []Receipt, x Receipt) []Receipt {
	var out []Receipt
	for _, run := range runs {
		if sameBytes(run, x) {
			out = append(out, run)
		}
	}
	return out
}

// TopClaims returns the claims of a case that matter most: those that a passed, bound and current receipt stands
// behind, then by confidence, then the newest first. Never a sensitive record, one about a tool that was not available,
// or one of the orientation. evidence is oldest first.
func TopClaims(evidence []Evidence, receipts []Receipt, j Judgement) []Evidence {
	proven := map[string]bool{}
	for _, x := range receipts {
		if x.Status == StatusPassed && x.bound() && !x.Sensitive && !slices.Contains(j.Stale, x.ID) {
			for _, id := range x.Evidence {
				proven[id] = true
			}
		}
	}
	var out []Evidence
	for _, e := range slices.Backward(evidence) {
		if e.Sensitivity != SensitivitySensitive && e.Kind != KindToolUnavailable && !strings.HasPrefix(e.ID, "ev_orientation_") {
			out = append(out, e)
		}
	}
	rank := func(e Evidence) int {
		order := slices.Index(ConfidenceUnknown.Values(), string(e.Confidence))
		if order < 0 {
			order = len(ConfidenceUnknown.Values())
		}
		if proven[e.ID] {
			order -= 1 << 8 // before every confidence
		}
		return order
	}
	slices.SortStableFunc(out, func(a, b Evidence) int { return rank(a) - rank(b) })
	return out[:min(len(out), TopClaimCount)]
}
