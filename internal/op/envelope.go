package op

import "cortex/internal/problem"

// Envelope is the answer of a lifecycle verb: the published v1 contract, plus Code. Verbs embed it by value and fill
// Steps; the call that runs the verb renders them into Actions and NextActions.
type Envelope struct {
	OK           bool         `json:"ok"`
	TaskID       string       `json:"taskId,omitempty"`
	Phase        string       `json:"phase,omitempty"`
	Summary      string       `json:"summary"`
	Facts        []Fact       `json:"facts,omitempty"`
	Hypotheses   []Hypothesis `json:"hypotheses,omitempty"`
	Warnings     []string     `json:"warnings,omitempty"`
	NextActions  []string     `json:"nextActions,omitempty"` // prose, rendered from Actions and Hints
	Actions      []Action     `json:"actions,omitempty"`
	Artifacts    []Artifact   `json:"artifacts,omitempty"`
	RawAvailable bool         `json:"rawAvailable"`
	Degraded     bool         `json:"degraded,omitempty"`
	Error        string       `json:"error,omitempty"`
	Code         problem.Code `json:"code,omitempty"`

	Steps []problem.Step `json:"-"` // what can be done next
	Hints []string       `json:"-"` // prose that no verb stands behind, such as where the summary lies
}

// Fact is one evidence record as an envelope shows it.
type Fact struct {
	ID          string   `json:"id"`
	Claim       string   `json:"claim"`
	Confidence  string   `json:"confidence"`
	Source      string   `json:"source"`
	Actor       string   `json:"actor,omitempty"`
	Category    string   `json:"category,omitempty"`
	Kind        string   `json:"kind,omitempty"`
	DerivedFrom []string `json:"derivedFrom,omitempty"`
}

// Hypothesis is one hypothesis as an envelope shows it.
type Hypothesis struct {
	ID         string `json:"id"`
	Statement  string `json:"statement"`
	Confidence string `json:"confidence"`
	Status     string `json:"status"`
}

// Artifact is one thing that a result points to.
type Artifact struct {
	ID      string `json:"id"`
	Kind    string `json:"kind,omitempty"`
	URI     string `json:"uri,omitempty"`
	Summary string `json:"summary,omitempty"`
}

// Action is one next step for a program: the MCP tool and the command line that take it, with the arguments known
// already and the names of those that are missing.
type Action struct {
	Tool       string              `json:"tool,omitempty"`
	Command    string              `json:"command,omitempty"`
	Reason     string              `json:"reason,omitempty"`
	Arguments  map[string]any      `json:"arguments,omitempty"`
	Inputs     []string            `json:"inputs,omitempty"`
	BlockedBy  []string            `json:"blockedBy,omitempty"`
	Candidates map[string][]string `json:"candidates,omitempty"`

	Usage string `json:"-"` // the command line for people: without -C, placeholders for the inputs
	Verb  string `json:"-"` // the declared name, "" when only Command can help
}

// Projected is a result that offers next steps: Project is called once, after the verb, with the function that renders
// them.
type Projected interface {
	Project(render func([]problem.Step) []Action)
}

// Project renders e's steps and hints, and marks e as a success unless it carries an error.
func (e *Envelope) Project(render func([]problem.Step) []Action) {
	e.OK = e.Error == ""
	e.Actions = render(e.Steps)
	e.NextActions = append(Prose(e.Actions), e.Hints...)
}

// Warned is a result that can carry warnings from outside its verb, such as an unusable configuration file.
type Warned interface {
	Warn(warnings ...string)
}

// Warn appends warnings.
func (e *Envelope) Warn(warnings ...string) { e.Warnings = append(e.Warnings, warnings...) }

// Wrapped is a result that is no JSON object and says how it is served where one is demanded.
type Wrapped interface {
	Object() any
}

// Shrinker is a result that knows best what to leave out where answers are bounded. Shrink makes its JSON at least excess
// bytes shorter as far as it can, and says so in the result.
type Shrinker interface {
	Shrink(excess int)
}

// Verdict is a result that can be finished and not green; the command line then exits with status 6.
type Verdict interface {
	Green() bool
}

// Texter is a result with a form of its own for people.
type Texter interface {
	Text(s Style) string
}

// Style marks up text for a terminal; every function returns its argument unchanged when output is plain.
type Style struct {
	Bold, Dim, Good, Bad, Warn func(string) string
}

// PlainStyle leaves text as it is.
func PlainStyle() Style {
	same := func(s string) string { return s }
	return Style{Bold: same, Dim: same, Good: same, Bad: same, Warn: same}
}
