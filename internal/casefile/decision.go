package casefile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cortex/internal/problem"
)

// The states of a decision.
const (
	DecisionPending  = "pending"
	DecisionAnswered = "answered"
)

// DecisionRequest is a question to a person, as a call asks it.
type DecisionRequest struct {
	Question  string
	Options   []DecisionOption
	Requester string
}

// DecisionAnswer is what a person chose. DecisionID "" stands for the decision that is pending, else for the one that was
// answered last.
type DecisionAnswer struct {
	DecisionID string
	Answer     string // the id of an option
	Responder  string
}

// DecisionChange is what asking, answering or recovering changes. All of it is written at once.
type DecisionChange struct {
	All      []Decision
	Decision Decision  // the one that it is about; zero when a pause without any is ended
	Evidence *Evidence // the answer as a record, which may be in the ledger already; nil when there is no answer
	Events   []PhaseEvent
	Known    bool // the decision was recorded like this before
}

// Pending returns the newest decision that waits for a person, nil when there is none.
func Pending(all []Decision) *Decision {
	for _, d := range slices.Backward(all) {
		if d.Status == DecisionPending {
			return &d
		}
	}
	return nil
}

// ParseDecisionOption reads "id=label|consequence".
func ParseDecisionOption(text string) (DecisionOption, error) {
	id, rest, named := strings.Cut(text, "=")
	label, consequence, both := strings.Cut(rest, "|")
	if !named || !both {
		return DecisionOption{}, invalid("options", text, "id=label|consequence", "option %q is not of the form id=label|consequence.", clip(text, MaxIdentifier))
	}
	return DecisionOption{ID: strings.TrimSpace(id), Label: strings.TrimSpace(label), Consequence: strings.TrimSpace(consequence)}, nil
}

// CheckDecision returns the request with its texts trimmed. It wants a question and 2 to MaxOptions options with an id of
// their own, a label and a consequence.
func CheckDecision(in DecisionRequest, refuses func(string) bool) (DecisionRequest, error) {
	question, err := CheckText("question", in.Question, MaxText)
	if err != nil {
		return in, err
	}
	requester, err := CheckPerson("requester", in.Requester, refuses)
	if err != nil {
		return in, err
	}
	if len(in.Options) < 2 {
		return in, invalid("options", len(in.Options), "2 or more options", "a decision needs at least two options (got %d).", len(in.Options))
	}
	if len(in.Options) > MaxOptions {
		return in, tooLarge("options", len(in.Options), MaxOptions, "options")
	}
	out := DecisionRequest{Question: question, Requester: requester}
	for i, given := range in.Options {
		option, err := checkOption(fmt.Sprintf("options[%d]", i), given, refuses)
		if err != nil {
			return in, err
		}
		if slices.ContainsFunc(out.Options, func(o DecisionOption) bool { return o.ID == option.ID }) {
			return in, invalid("options", option.ID, "unique ids", "option %q is given twice.", option.ID)
		}
		out.Options = append(out.Options, option)
	}
	return out, nil
}

func checkOption(field string, in DecisionOption, refuses func(string) bool) (DecisionOption, error) {
	id, err := CheckIdentifier(field+".id", in.ID, refuses)
	if err != nil {
		return in, err
	}
	label, err := CheckLocator(field+".label", in.Label)
	if err != nil {
		return in, err
	}
	consequence, err := CheckText(field+".consequence", in.Consequence, MaxText)
	return DecisionOption{ID: id, Label: label, Consequence: consequence}, err
}

// CheckPerson is CheckActor for an argument of another name.
func CheckPerson(field, name string, refuses func(string) bool) (string, error) {
	name, err := CheckActor(name, refuses)
	if err == nil {
		return name, nil
	}
	p := *problem.From(err)
	p.Field, p.Message, p.NoStep = field, strings.Replace(p.Message, "actor", field, 1), strings.ReplaceAll(p.NoStep, "actor", field)
	return "", &p
}

// RequestDecision records a checked request under id and pauses c. While a decision is pending it asks nothing new and
// returns that one, pausing c when a crash of another program left it at work. On an error c is unchanged.
func RequestDecision(c *Case, all []Decision, in DecisionRequest, id string, now time.Time) (DecisionChange, error) {
	if err := RequirePhase(c, "decision request"); err != nil {
		return DecisionChange{}, err
	}
	out := DecisionChange{All: all}
	if waiting := Pending(all); waiting != nil {
		out.Decision, out.Known = *waiting, true
	} else if c.Status == PhasePaused {
		return out, unfinished(c)
	} else {
		out.Decision = Decision{ID: id, Question: in.Question, Options: in.Options, Requester: in.Requester, RequestedAt: now, Status: DecisionPending}
		out.All = append(slices.Clone(all), out.Decision)
	}
	return out, out.pause(c, now)
}

func (x *DecisionChange) pause(c *Case, now time.Time) (err error) {
	if x.Events, err = Advance(c, PhasePaused, now); err == nil {
		d := x.Decision
		c.Awaited = &d
	}
	return err
}

// AnswerDecision records a person's choice and resumes the phase that c was paused in. The same answer again is no
// error, and finishes what another program left half-done; a different one is a decision_answered conflict that says who
// answered what. On an error c is unchanged.
func AnswerDecision(c *Case, all []Decision, in DecisionAnswer, newID func(prefix string) string, now time.Time) (DecisionChange, error) {
	at, err := findDecision(c, all, in)
	if err != nil {
		return DecisionChange{}, err
	}
	d := all[at]
	if !slices.ContainsFunc(d.Options, func(o DecisionOption) bool { return o.ID == in.Answer }) {
		return DecisionChange{}, unknownOption(c, d, in.Answer)
	}
	out := DecisionChange{All: slices.Clone(all), Known: d.Status == DecisionAnswered}
	switch {
	case out.Known && d.Answer != in.Answer:
		return DecisionChange{}, answeredOtherwise(c, d, in)
	case out.Known:
	case c.Status.Terminal():
		return DecisionChange{}, RequirePhase(c, "decision answer")
	default:
		d.Status, d.Answer, d.Responder, d.AnsweredAt = DecisionAnswered, in.Answer, in.Responder, &now
	}
	return out, out.settle(c, at, d, newID, now)
}

// ResumeDecision finishes what a crash left half-done in a program that writes decision, evidence and case one after the
// other: an answered decision whose case is still paused is carried through, and a pending one pauses its case. It
// refuses a case that has nothing of the kind. On an error c is unchanged.
func ResumeDecision(c *Case, all []Decision, newID func(prefix string) string, now time.Time) (DecisionChange, error) {
	waiting := Pending(all)
	out := DecisionChange{All: slices.Clone(all), Known: true}
	switch {
	case c.Status == PhasePaused && waiting != nil:
		return out, problem.New(problem.WrongPhase, "cannot resume in phase %q: decision %s is still pending, and a person must answer it.", c.Status, waiting.ID).
			About(c.ID, string(c.Status)).With(AnswerStep(c, waiting))
	case c.Status == PhasePaused && len(all) == 0:
		var err error
		out.Events, err = Advance(c, c.PausedFrom, now)
		return out, err
	case c.Status == PhasePaused:
		return out, out.settle(c, newestAnswer(all), all[newestAnswer(all)], newID, now)
	case waiting != nil && c.Status.Active():
		out.Decision = *waiting
		return out, out.pause(c, now)
	}
	p := problem.New(problem.WrongPhase, "cannot resume a decision in phase %q: the case waits for none.", c.Status).About(c.ID, string(c.Status))
	if steps := NextSteps(c, Judgement{}, c.UpdatedAt); len(steps) > 0 {
		return out, p.With(steps...)
	}
	return out, p.Without("the case has ended")
}

// newestAnswer is the place of the decision that was answered last; all holds answered ones only.
func newestAnswer(all []Decision) int {
	newest := len(all) - 1
	for i, d := range all {
		if d.AnsweredAt != nil && (all[newest].AnsweredAt == nil || d.AnsweredAt.After(*all[newest].AnsweredAt)) {
			newest = i
		}
	}
	return newest
}

// settle puts the answered decision d at its place, makes its record, and ends the pause when no other decision waits.
func (x *DecisionChange) settle(c *Case, at int, d Decision, newID func(prefix string) string, now time.Time) error {
	if d.EvidenceID == "" {
		d.EvidenceID = newID("ev")
	}
	x.All[at], x.Decision, x.Evidence = d, d, answerRecord(c, d, now)
	if c.Status != PhasePaused || Pending(x.All) != nil {
		return nil
	}
	var err error
	x.Events, err = Advance(c, c.PausedFrom, now)
	return err
}

// answerRecord is the evidence of an answer. What was masked in the question leaves the record sensitive too.
func answerRecord(c *Case, d Decision, now time.Time) *Evidence {
	chosen := DecisionOption{ID: d.Answer}
	if i := slices.IndexFunc(d.Options, func(o DecisionOption) bool { return o.ID == d.Answer }); i >= 0 {
		chosen = d.Options[i]
	}
	if d.AnsweredAt != nil {
		now = *d.AnsweredAt
	}
	ev := &Evidence{
		ID: d.EvidenceID, Timestamp: now, Kind: KindHumanReport, Category: "decision", Confidence: ConfidenceMedium,
		Source:      Source{URI: DecisionRef(c.ID, d.ID), Origin: "human", Actor: d.Responder},
		Claim:       clip(fmt.Sprintf("%s decided %s: %s: %s (%s), which means: %s", d.Responder, d.ID, d.Question, chosen.Label, chosen.ID, chosen.Consequence), MaxText),
		Sensitivity: SensitivityNormal, RawRef: "case://" + c.ID + "/evidence/" + d.EvidenceID,
	}
	if d.Sensitive {
		ev.Sensitivity = SensitivitySensitive
	}
	return ev
}

// DecisionRef is the reference of a decision.
func DecisionRef(taskID, decisionID string) string {
	return "case://" + taskID + "/decisions/" + decisionID
}

// findDecision returns the place of the decision that is answered.
func findDecision(c *Case, all []Decision, in DecisionAnswer) (int, error) {
	if len(all) == 0 {
		return 0, problem.New(problem.DecisionNotFound, "case %s has no decisions.", c.ID).
			About(c.ID, string(c.Status)).Without("nothing was asked, so there is nothing to answer")
	}
	want := in.DecisionID
	if waiting := Pending(all); want == "" && waiting != nil {
		want = waiting.ID
	} else if want == "" {
		return newestAnswer(all), nil
	}
	if at := slices.IndexFunc(all, func(d Decision) bool { return d.ID == want }); at >= 0 {
		return at, nil
	}
	var ids []string
	for _, d := range slices.Backward(all) {
		ids = append(ids, d.ID)
	}
	p := problem.New(problem.DecisionNotFound, "case %s has no decision %q.", c.ID, clip(want, MaxIdentifier)).
		About(c.ID, string(c.Status)).On("decisionId", clip(want, MaxIdentifier), "the id of a decision of this case")
	return 0, p.With(problem.Step{Op: "decision answer", Args: taskArgs(c), Inputs: []string{"decisionId"},
		Candidates: map[string][]string{"decisionId": bounded(ids)}, Why: "name one of the case's decisions"})
}

func unknownOption(c *Case, d Decision, answer string) error {
	var ids []string
	for _, o := range d.Options {
		ids = append(ids, o.ID)
	}
	list := strings.Join(ids, ", ")
	step := problem.Step{Op: "decision answer", Args: taskArgs(c), Inputs: []string{"answer"}, Candidates: map[string][]string{"answer": ids}, Why: "choose one of the options"}
	step.Args["decisionId"] = d.ID
	message := fmt.Sprintf("answer %q is no option of decision %s; choose one of: %s.", clip(answer, MaxIdentifier), d.ID, list)
	if answer == "" {
		message = fmt.Sprintf("decision %s needs an answer; choose one of: %s.", d.ID, list)
	}
	return problem.New(problem.InvalidInput, "%s", message).
		About(c.ID, string(c.Status)).On("answer", clip(answer, MaxIdentifier), "one of: "+list).With(step)
}

func answeredOtherwise(c *Case, d Decision, in DecisionAnswer) error {
	when := ""
	if d.AnsweredAt != nil {
		when = " at " + d.AnsweredAt.UTC().Format(time.RFC3339)
	}
	return problem.New(problem.DecisionAnswered, "decision %s was answered already: %s chose %q%s, so %q of %s is not recorded.", d.ID, d.Responder, d.Answer, when, in.Answer, in.Responder).
		About(c.ID, string(c.Status)).On("answer", in.Answer, d.Answer).
		With(problem.Step{Op: "decision list", Args: taskArgs(c), Why: "see what was decided"},
			problem.Step{Op: "decision request", Args: taskArgs(c), Inputs: []string{"question", "options"}, Why: "ask again if it must be decided otherwise"})
}

// unfinished refuses a question while the answer to the one before has not been carried through.
func unfinished(c *Case) error {
	return problem.New(problem.WrongPhase, "cannot request a decision in phase %q: an answered decision was not carried through; resume it first.", c.Status).
		About(c.ID, string(c.Status)).With(AnswerStep(c, nil))
}

// AnswerStep is the way on from a decision that waits for a person, or, when there is none, from a pause without one.
func AnswerStep(c *Case, d *Decision) problem.Step {
	step := problem.Step{Op: "decision answer", Args: taskArgs(c)}
	if d == nil {
		step.Args["resume"] = true
		step.Why = "the decision was answered, and its case still waits: finish what was interrupted"
		return step
	}
	step.Args["decisionId"] = d.ID
	step.Inputs, step.BlockedBy = []string{"answer", "responder"}, []string{"pending human decision"}
	step.Why = "the case waits until a person chooses one of the options"
	return step
}
