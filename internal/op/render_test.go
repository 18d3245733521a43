package op

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func TestStepsBecomeActions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		step problem.Step
		want Action
	}{
		{"shared tool", problem.Step{Op: "jar drop", Args: map[string]any{"taskId": "task_1"}, Inputs: []string{"jarId"}, Why: "undo it"},
			Action{Tool: "toy_jar", Command: "cortex -C '/w x' jar drop task_1", Reason: "undo it", Verb: "jar drop",
				Arguments: map[string]any{"taskId": "task_1", "workspace": "/w x", "operation": "drop"}, Inputs: []string{"jarId"},
				Usage: "cortex jar drop task_1 <jarId>"}},
		{"flags before positionals", problem.Step{Op: "jar add", Args: map[string]any{"claim": "-x y", "sealed": true, "line": 3, "colours": []string{"red", "blue"},
			"limitOverrides": map[string]string{"b": "2", "a": "1"}}},
			Action{Tool: "toy_jar", Command: "cortex -C '/w x' jar add --colours red --colours blue --line 3 --sealed --limit a=1 --limit b=2 -- '-x y'", Verb: "jar add",
				Arguments: map[string]any{"claim": "-x y", "sealed": true, "line": 3, "colours": []string{"red", "blue"},
					"limitOverrides": map[string]string{"b": "2", "a": "1"}, "workspace": "/w x", "operation": "add"},
				Usage: "cortex jar add --colours red --colours blue --line 3 --sealed --limit a=1 --limit b=2 -- '-x y'"}},
		{"nested values", problem.Step{Op: "jar add", Args: map[string]any{"parts": []any{map[string]any{"name": "it's"}}}, Inputs: []string{"parts", "colour", "sealed"}},
			Action{Tool: "toy_jar", Command: `cortex -C '/w x' jar add --input '{"parts":[{"name":"it'\''s"}]}'`, Verb: "jar add",
				Arguments: map[string]any{"parts": []any{map[string]any{"name": "it's"}}, "workspace": "/w x", "operation": "add"},
				Inputs:    []string{"parts", "colour", "sealed", "claim"},
				Usage:     `cortex jar add --input '{"parts":[{"name":"it'\''s"}]}' --input '{"parts": …}' --color <red|green|blue> --sealed <claim>`}},
		{"command line only", problem.Step{Op: "wipe"}, Action{Command: "cortex -C '/w x' wipe", Verb: "wipe", Usage: "cortex wipe"}},
		{"outside the registry", problem.Step{Command: "apt install git", Why: "git is missing", BlockedBy: []string{"a person"}},
			Action{Command: "apt install git", Usage: "apt install git", Reason: "git is missing", BlockedBy: []string{"a person"}}},
	}
	for _, tt := range tests {
		got := toys().Render("/w x")([]problem.Step{tt.step})
		if diff := cmp.Diff([]Action{tt.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestUndeclaredStepsPanic(t *testing.T) {
	t.Parallel()
	for _, s := range []problem.Step{
		{Op: "jar mend"},
		{Op: "wipe", Args: map[string]any{"x": 1}},
		{Op: "wipe", Inputs: []string{"x"}},
		{Op: "wipe", Candidates: map[string][]string{"x": {"y"}}},
	} {
		if !panics(func() { toys().Render("")([]problem.Step{s}) }) {
			t.Errorf("step %+v was rendered", s)
		}
	}
}

func TestProseNamesTheSameVerbsAsActions(t *testing.T) {
	t.Parallel()
	e := Envelope{Steps: []problem.Step{{Op: "smash", Why: "it is old"}, {Command: "apt install git"}}, Hints: []string{"see summary.md"}}
	e.Project(toys().Render("/w"))
	want := []string{"cortex jar drop — it is old", "apt install git", "see summary.md"}
	if diff := cmp.Diff(want, e.NextActions); diff != "" {
		t.Errorf("nextActions (-want +got):\n%s", diff)
	}
	if e.Actions[0].Tool != "toy_jar" || !e.OK {
		t.Errorf("envelope = %+v, want the action of jar drop and ok", e)
	}
}

func TestShellReadsQuotedWordsBack(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell here")
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[ -~\n\tä☺]{0,12}`), 1, 4).Draw(t, "words")
		script := `for w in ` + quoteWords(words) + `; do printf '%s\0' "$w"; done`
		out, err := exec.Command(sh, "-c", script).Output()
		if err != nil {
			t.Fatalf("sh -c %q: %v", script, err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !cmp.Equal(got, words) {
			t.Fatalf("shell read %q, want %q", got, words)
		}
	})
}

func TestActionsHideWhatOnlyPeopleSee(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(toys().Render("")([]problem.Step{{Op: "wipe"}}))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(raw), `[{"command":"cortex wipe"}]`; got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
}
