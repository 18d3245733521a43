package op

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

type pickyInput struct {
	TaskID string  `json:"taskId,omitempty" op:"task" jsonschema:"the shelf"`
	Claim  string  `json:"claim" op:"args,required" jsonschema:"what is in the jar"`
	Owner  string  `json:"owner,omitempty" jsonschema:"whose it is"`
	Colour colour  `json:"colour,omitempty" op:"default=green" jsonschema:"its colour"`
	Labels []label `json:"labels,omitempty" jsonschema:"its labels"`
	Known  bool    `json:"dustAcknowledged,omitempty" jsonschema:"dust is meant"`
	Fast   bool    `json:"fast,omitempty" jsonschema:"at once"`
}

// picky refuses every call with the same problem.
type picky struct{ refusal *problem.Problem }

func (p *picky) Fill(context.Context, pickyInput) (Envelope, error) { return Envelope{}, p.refusal }

func fill() *Def {
	return Define(Spec{Name: "fill", Title: "Fill", Help: "Fills.", Effect: Adds}, (*picky).Fill)
}

func TestARefusedArgumentIsOfferedWithTheRestOfTheCall(t *testing.T) {
	t.Parallel()
	in := pickyInput{TaskID: "task_1", Claim: "jam", Owner: "a b", Colour: "green", Labels: []label{{"l", "x"}}, Known: true}
	refusal := problem.New(problem.InvalidInput, "owner is odd.").On("owner", "a b", "one word").Without("correct it")
	d := fill()
	_, got := Call{Registry: New(d)}.Run(t.Context(), d, &picky{refusal}, in, "")
	want := []problem.Step{{Op: "fill", Inputs: []string{"owner"}, Why: "call again with owner corrected", Args: map[string]any{
		"taskId": "task_1", "claim": "jam", "labels": []label{{"l", "x"}}, "dustAcknowledged": true,
	}}}
	if diff := cmp.Diff(want, got.Next); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if len(refusal.Next) != 0 {
		t.Errorf("the verb's own problem was changed: %+v", refusal.Next)
	}
}

func TestAStepThatRepeatsTheVerbKeepsWhatTheCallNeeds(t *testing.T) {
	t.Parallel()
	in := pickyInput{TaskID: "task_1", Claim: "jam", Owner: "a", Colour: "red", Known: true, Fast: true}
	d := fill()
	for name, tt := range map[string]struct{ step, want problem.Step }{
		"kept": {problem.Step{Op: "fill", Inputs: []string{"labels"}},
			problem.Step{Op: "fill", Inputs: []string{"labels"}, Args: map[string]any{"taskId": "task_1", "claim": "jam", "dustAcknowledged": true}}},
		"named by the step": {problem.Step{Op: "fill", Args: map[string]any{"claim": "tea"}, Inputs: []string{"taskId"}},
			problem.Step{Op: "fill", Args: map[string]any{"claim": "tea", "dustAcknowledged": true}, Inputs: []string{"taskId"}}},
	} {
		refusal := problem.New(problem.WrongPhase, "Not now.").With(tt.step)
		_, got := Call{Registry: New(d)}.Run(t.Context(), d, &picky{refusal}, in, "")
		if diff := cmp.Diff([]problem.Step{tt.want}, got.Next); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAnUnclearCaseIsAnsweredWithTheSameCallAndItsId(t *testing.T) {
	t.Parallel()
	d := fill()
	ids := map[string][]string{"taskId": {"task_1", "task_2"}}
	refusal := problem.New(problem.AmbiguousTask, "Two.").With(problem.Step{Op: "look", Inputs: []string{"taskId"}, Candidates: ids, Why: "name one"})
	_, got := Call{Registry: New(d)}.Run(t.Context(), d, &picky{refusal}, pickyInput{TaskID: "task_", Claim: "jam"}, "")
	want := []problem.Step{{Op: "fill", Args: map[string]any{"claim": "jam"}, Inputs: []string{"taskId"}, Candidates: ids, Why: "name one"}}
	if diff := cmp.Diff(want, got.Next); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestARuleIsNotAnsweredWithTheSameCall(t *testing.T) {
	t.Parallel()
	d := fill()
	refusal := problem.New(problem.LeaseConflict, "Held.").On("owner", nil, "").Without("wait")
	_, got := Call{Registry: New(d)}.Run(t.Context(), d, &picky{refusal}, pickyInput{Claim: "x"}, "")
	if len(got.Next) != 0 {
		t.Errorf("steps = %+v, want none", got.Next)
	}
}
