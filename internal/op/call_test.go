package op

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

func TestRunProjectsAResult(t *testing.T) {
	t.Parallel()
	got, refused := Call{Registry: toys()}.Run(t.Context(), jarAdd, &shelf{}, addInput{Claim: "jam"}, "/w", "no config")
	if refused != nil {
		t.Fatal(refused)
	}
	e := got.(*Envelope)
	if !e.OK || len(e.Actions) != 1 || !cmp.Equal(e.Warnings, []string{"no config"}) {
		t.Errorf("result = %+v, want ok, an action and the warning", e)
	}
	if want := []string{"cortex jar drop — undo it", "read the label"}; !cmp.Equal(e.NextActions, want) {
		t.Errorf("nextActions = %q, want %q", e.NextActions, want)
	}
}

func TestRunTurnsEveryFailureIntoAProblem(t *testing.T) {
	t.Parallel()
	var debug bytes.Buffer
	call := Call{Registry: toys(), Debug: &debug}
	for jar, want := range map[string]problem.Code{
		"panic": problem.Internal, "plain": problem.Internal, "canceled": problem.Canceled, "held": problem.LeaseConflict,
	} {
		_, refused := call.Run(t.Context(), jarDrop, &shelf{}, dropInput{Jar: jar}, "/w")
		if refused == nil || refused.Code != want {
			t.Errorf("dropping %q: %+v, want code %s", jar, refused, want)
			continue
		}
		if refused.NoStep == "" {
			t.Errorf("dropping %q: no reason why no step can help", jar)
		}
	}
	if got := debug.String(); !strings.Contains(got, "the jar fell") || !strings.Contains(got, "toy_test.go") {
		t.Errorf("debug output = %q, want the panic and its stack", got)
	}
}

func TestEncodedResultsAreMasked(t *testing.T) {
	t.Parallel()
	mask := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("hunter2"), []byte("***")) }
	call := Call{Registry: toys(), Redact: mask}
	raw, err := call.JSON(map[string]string{"a": "<hunter2>"})
	if want := "{\n  \"a\": \"<***>\"\n}\n"; err != nil || string(raw) != want {
		t.Errorf("JSON = %q, %v; want %q", raw, err, want)
	}
	if got := call.Text("say \"hunter2\"\n"); got != "say \"***\"\n" {
		t.Errorf("Text = %q, want it masked", got)
	}
}

func TestCommandLinesForPeopleRepeatTheDirectory(t *testing.T) {
	t.Parallel()
	call := Call{Registry: toys(), Dir: "sub dir"}
	e := call.Refusal(problem.New(problem.Busy, "Busy.").With(problem.Step{Op: "wipe"}), "/w/sub dir")
	if got, want := e.Actions[0].Usage, "cortex -C 'sub dir' wipe"; got != want {
		t.Errorf("usage = %q, want %q", got, want)
	}
}

func TestObjectIsAlwaysAnObject(t *testing.T) {
	t.Parallel()
	list := []string{"a"}
	if diff := cmp.Diff(map[string]any{"items": &list}, Object(&list)); diff != "" {
		t.Errorf("Object of a list (-want +got):\n%s", diff)
	}
	if got := Object(wrapped{1}); !cmp.Equal(got, map[string]any{"numbers": 1}) {
		t.Errorf("Object of a wrapped list = %v, want its own form", got)
	}
	e := &Envelope{}
	if Object(e) != any(e) {
		t.Errorf("Object of a struct is not the struct")
	}
}

type wrapped []int

func (w wrapped) Object() any { return map[string]any{"numbers": len(w)} }

func TestTextShowsWhatAReaderNeeds(t *testing.T) {
	t.Parallel()
	e := Envelope{Summary: "done\nnext: cortex rm", Warnings: []string{"late"}, Facts: []Fact{{ID: "ev_1", Claim: "x", Confidence: "low", Source: "git"}},
		Hypotheses: []Hypothesis{{ID: "h_1", Statement: "s", Confidence: "low", Status: "open"}}, Artifacts: []Artifact{{ID: "raw_1", URI: "case://x"}},
		Steps: []problem.Step{{Op: "jar drop", Inputs: []string{"jarId"}, Why: "undo it", BlockedBy: []string{"b"}}}, Hints: []string{"see summary.md"}}
	e.Project(toys().Render("/w"))
	want := `✓ done
    next: cortex rm
  ev_1 x [low, git]
  h_1 s [open, low]
  raw_1 case://x
warning: late
next: cortex jar drop <jarId> — undo it (waits for: b)
next: see summary.md
`
	if diff := cmp.Diff(want, e.Text(PlainStyle())); diff != "" {
		t.Errorf("Text (-want +got):\n%s", diff)
	}
}

func TestCleanLeavesNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain ä ☺\n\tx":     "plain ä ☺\n\tx",
		"\x1b[31mred\x07":    `\x1b[31mred\x07`,
		"\x7f\u009b\r":       `\x7f\x9b\x0d`,
		"a\u202eb\u2066c":    `a\u202eb\u2066c`,
		"bad \xff\xfe bytes": `bad \xff\xfe bytes`,
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestGeneratedDocsNameEverything(t *testing.T) {
	t.Parallel()
	ops := string(Markdown(toys()))
	for _, want := range []string{"## jar add", "cortex jar add [<taskId>] <claim…>", "tool: `toy_jar` with operation `drop`", "also: smash",
		"command line only", "(profile all)", "| `colour` | `--color` | its colour (one of: red, green, blue) (default green) |",
		"| `parts` | `--input` |", "| `limitOverrides` | `--limit NAME=VALUE`, repeatable |", "| `claim` (required) | positional |"} {
		if !strings.Contains(ops, want) {
			t.Errorf("operations.md lacks %q:\n%s", want, ops)
		}
	}
	problems := string(ProblemsMarkdown())
	for _, info := range problem.Codes() {
		if !strings.Contains(problems, "`"+string(info.Code)+"`") {
			t.Errorf("problems.md lacks %s", info.Code)
		}
	}
}
