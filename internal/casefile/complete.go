package casefile

import (
	"slices"
	"strings"

	"cortex/internal/problem"
)

// CompletionInput is what a remember call says.
type CompletionInput struct {
	Outcome                 string
	Tags                    []string
	VerificationNotPossible bool
	AcceptFailed            bool
	AcceptMissing           []string // exactly the missing criteria, in any order
	AcceptOpenChildren      bool
	OpenChildren            []string // children that are there and not ended; absent ones do not block
}

// Completion decides whether c may be completed with what is proven. It refuses, in this order: a wrong phase, an empty
// or oversized outcome, tags, open children, missing criteria that are not acknowledged exactly, a failed verification,
// proof that is partial or absent or (stale) about other bytes. Each refusal carries the step that proves, and the
// remember step that acknowledges.
func Completion(c *Case, j Judgement, in CompletionInput) error {
	if err := RequirePhase(c, "remember"); err != nil {
		return err
	}
	if err := checkOutcome(c, in); err != nil {
		return err
	}
	if len(in.OpenChildren) > 0 && !in.AcceptOpenChildren {
		return childrenOpen(c, j, in)
	}
	acknowledged, err := checkMissing(c, j, in)
	if err != nil {
		return err
	}
	switch {
	case j.Outcome == OutcomeFailed && !in.AcceptFailed:
		return incomplete(c, j, in, problem.VerificationFailed,
			"cannot complete: the verification failed (%s); repair the change and verify again, or accept the failure", failures(j))
	case j.Outcome == OutcomeFailed, j.Outcome == OutcomeVerified, in.VerificationNotPossible, acknowledged:
		return nil
	case len(j.Stale) > 0:
		return incomplete(c, j, in, problem.VerificationStale,
			"cannot complete: the worktree changed since it was verified (%s); verify again", strings.Join(bounded(j.Stale), ", "))
	case j.Outcome == OutcomePartial:
		return incomplete(c, j, in, problem.VerificationMissing,
			"cannot complete: the proof is partial (missing: %s); verify the rest, or state that no more can be verified", missing(j))
	}
	return incomplete(c, j, in, problem.VerificationMissing,
		"cannot complete: nothing is proven about the present bytes (missing: %s); verify, or state that verification is not possible", missing(j))
}

// RecordCompletion keeps in c which bytes its completion was judged about.
func RecordCompletion(c *Case, state WorkState) {
	at := Completed{DigestMethod: DigestMethod}
	if state.Known && state.Complete {
		at.Revision, at.DirtyDigest = state.Head, state.Digest
	}
	c.CompletedOn = &at
}

func checkOutcome(c *Case, in CompletionInput) error {
	_, err := CheckText("outcome", in.Outcome, MaxText)
	if err == nil && len(in.Tags) > MaxTags {
		err = tooLarge("tags", len(in.Tags), MaxTags, "tags")
	}
	for _, tag := range in.Tags {
		if err == nil {
			_, err = CheckText("tags", tag, MaxTag)
		}
	}
	if err == nil {
		return nil
	}
	p := problem.From(err).About(c.ID, string(c.Status))
	p.NoStep = ""
	return p.With(problem.Step{Op: "remember", Args: taskArgs(c), Inputs: []string{p.Field}, Why: "say in a few sentences what was achieved"})
}

func childrenOpen(c *Case, j Judgement, in CompletionInput) error {
	step := rememberAgain(c, j, in)
	step.Args["acceptOpenChildren"] = true
	step.Why = "only if the children may go on alone"
	return problem.New(problem.ChildrenOpen, "cannot complete: %d child cases are still open (%s); finish them first",
		len(in.OpenChildren), strings.Join(bounded(in.OpenChildren), ", ")).About(c.ID, string(c.Status)).
		With(problem.Step{Op: "status", Args: map[string]any{"taskId": in.OpenChildren[0]}, Why: "see what the child still needs"}, step)
}

// checkMissing reports whether missing criteria are acknowledged by name; they must be, exactly.
func checkMissing(c *Case, j Judgement, in CompletionInput) (acknowledged bool, err error) {
	given := slices.Compact(slices.Sorted(slices.Values(in.AcceptMissing)))
	if slices.Equal(given, j.MissingCriteria) {
		return len(given) > 0, nil
	}
	if len(j.MissingCriteria) == 0 {
		p := problem.New(problem.CriteriaMissing, "cannot complete: acceptMissingCriteria names %s, but no criterion is missing", strings.Join(bounded(given), ", ")).
			About(c.ID, string(c.Status)).On("acceptMissingCriteria", bounded(given), "nothing")
		return false, p.With(rememberAgain(c, j, in))
	}
	message := "cannot complete: acceptance criteria lack current bound passing proof: %s; prove them, or accept exactly them as missing"
	if len(j.Stale) > 0 {
		message = "cannot complete: the worktree changed since it was verified, so acceptance criteria lack proof: %s; verify again, or accept exactly them as missing"
	}
	if len(given) > 0 {
		message = "cannot complete: acceptMissingCriteria must name exactly the missing criteria: %s"
	}
	return false, incomplete(c, j, in, problem.CriteriaMissing, message, strings.Join(j.MissingCriteria, ", "))
}

// incomplete is a refusal that offers what would prove more, then what acknowledges what is.
func incomplete(c *Case, j Judgement, in CompletionInput, code problem.Code, format string, args ...any) error {
	p := problem.New(code, format, args...).About(c.ID, string(c.Status))
	if len(j.NeedsGrant) > 0 {
		p = p.With(trustStep())
	}
	if c.Status == PhaseVerifying {
		p = p.With(proveSteps(c, j)...)
	}
	return p.With(rememberAgain(c, j, in))
}

// proveSteps are how to get from j to a verified outcome.
func proveSteps(c *Case, j Judgement) []problem.Step {
	switch {
	case lapsed(c, c.UpdatedAt):
		return []problem.Step{beginStep(c, c.ChangeLease.Actor, "take the lapsed lease again, then verify")}
	case j.Outcome == OutcomeFailed && c.Mode == ModeChange:
		return []problem.Step{beginStep(c, "", "repair what the verification found")}
	}
	return proofSteps(c, j)
}

// rememberAgain is the call of in with every acknowledgement that j needs.
func rememberAgain(c *Case, j Judgement, in CompletionInput) problem.Step {
	step := rememberStep(c, j)
	if text := strings.TrimSpace(in.Outcome); len(text) <= MaxLocator {
		step.Args["outcome"], step.Inputs = text, nil
	}
	if len(in.Tags) > 0 {
		step.Args["tags"] = in.Tags
	}
	if len(in.OpenChildren) > 0 && in.AcceptOpenChildren {
		step.Args["acceptOpenChildren"] = true
	}
	return step
}

func failures(j Judgement) string {
	if len(j.FailedClaims) > 0 {
		return strings.Join(bounded(j.FailedClaims), ", ")
	}
	return "a check failed"
}

func missing(j Judgement) string {
	names := slices.Concat(j.MissingRequired, j.NonPassingClaims)
	if len(names) == 0 {
		return "a run of any check"
	}
	return strings.Join(bounded(names), ", ")
}
