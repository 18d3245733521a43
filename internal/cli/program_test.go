package cli

import (
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/op"
)

func TestExitStatusTellsTheKindOfProblem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args   string
		exit   int
		stderr string
	}{
		{"note hello", 0, ""},
		{"", 0, ""},
		{"judge green", 0, ""},
		{"judge red", 6, ""},
		{"pick broken", 1, "disk on fire"},
		{"pick undeclared", 1, `undeclared verb "no such verb"`},
		{"note", 2, "claim is required: what to write"},
		{"note x --tone shrill", 2, `tone must be one of: calm, loud (got "shrill")`},
		{"note x --line soon", 2, `--line must be an integer (got "soon")`},
		{"note x --tag nope", 2, `--tag must be id=text (got "nope")`},
		{"note x --limit nope", 2, `--limit must be NAME=VALUE (got "nope")`},
		{"note x --bogus", 2, "unknown flag: --bogus"},
		{"note x --line", 2, "flag needs an argument: --line"},
		{"note x --input /no/such/file", 2, "--input /no/such/file cannot be read: "},
		{"note x --input {bad", 2, "no JSON object"},
		{"note \xff", 2, "claim must be valid UTF-8"},
		{"note x --tag a=\xff", 2, "--tag must be valid UTF-8"},
		{"note x --limit \xff=1", 2, "limits has a name that is not valid UTF-8"},
		{"pick task_1 a b", 2, `cortex pick takes no argument "b"`},
		{"nott x", 2, `cortex has no command "nott". Did you mean note?`},
		{"note-free", 2, "cortex note-free needs one of its commands"},
		{"note-free mix", 2, `cortex note-free has no command "mix"`},
		{"help nope", 2, `cortex has no command "nope"`},
		{"completion nope", 2, `cortex completion has no command "nope"`},
		{"completion", 2, "needs one of its commands"},
		{"version now", 2, `takes no argument "now"`},
		{"--bogus", 2, "unknown flag: --bogus"},
		{"list -C nowhere", 2, "is no repository"},
		{"pick gone", 3, "There is no such note."},
		{"pick held", 4, "The note is held by"},
		{"serve", 4, "Somebody serves /home/me already."},
	}
	for _, tt := range tests {
		got := run(t, strings.Fields(tt.args)...)
		if got.exit != tt.exit || !strings.Contains(got.err, tt.stderr) {
			t.Errorf("cortex %s: exit %d, stderr %q; want %d, %q", tt.args, got.exit, got.err, tt.exit, tt.stderr)
		}
		if got.exit != 0 && got.exit != 6 && got.out != "" {
			t.Errorf("cortex %s: stdout %q of a refusal, want none", tt.args, got.out)
		}
	}
}

func TestJSONIsOneValueAlsoForRefusals(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"note hello", "list", "version", "judge red", "note", "note x --bogus", "nott", "pick held", "pick broken",
		"note-free", "list -C nowhere", "serve", "note x --line soon", "", "--help", "help", "help note", "help nope", "note --help",
		"--version", "completion", "completion nope", "completion bash"} {
		got := run(t, append(strings.Fields(args), "--json")...)
		dec := json.NewDecoder(strings.NewReader(got.out))
		var v any
		if err := dec.Decode(&v); err != nil || dec.More() {
			t.Errorf("cortex %s --json printed %q, want one JSON value (%v)", args, got.out, err)
			continue
		}
		if got.exit == 0 || got.exit == 6 {
			continue
		}
		var e op.Envelope
		if err := json.Unmarshal([]byte(got.out), &e); err != nil || e.OK || e.Code == "" || e.Error == "" || e.Error != e.Summary || len(e.NextActions) == 0 {
			t.Errorf("cortex %s --json printed %s, want a refusal with code and a way on", args, got.out)
		}
		if !strings.HasPrefix(got.err, "Error: ") {
			t.Errorf("cortex %s --json: stderr %q, want the error too", args, got.err)
		}
	}
}

func TestArgumentsReachTheVerb(t *testing.T) {
	t.Parallel()
	full := `{"claim":"from input","line":3,"parts":[{"name":"p"}]}`
	tests := []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"words are joined", "", []string{"note", "hello", "big world"}, `{"claim":"hello big world","tone":"calm"}`},
		{"a leading task", "", []string{"note", "task_1", "hi"}, `{"taskId":"task_1","claim":"hi","tone":"calm"}`},
		{"a claim that looks like a task", "", []string{"note", "task_1 is slow"}, `{"claim":"task_1 is slow","tone":"calm"}`},
		{"an odd task before a single argument", "", []string{"pick", "06H2", "n1"}, `{"taskId":"06H2","noteId":"n1"}`},
		{"no task", "", []string{"pick", "n1"}, `{"noteId":"n1"}`},
		{"flags", "", []string{"write", "hi", "-t", "loud", "--urgent", "--line", "7", "--tag", "a=b", "--tag", "c=d=e", "--limit", "git=1s"},
			`{"claim":"hi","tone":"loud","line":7,"urgent":true,"tags":[{"id":"a","text":"b"},{"id":"c","text":"d=e"}],"limits":{"git":"1s"}}`},
		{"a claim like a flag", "", []string{"note", "--", "--bogus"}, `{"claim":"--bogus","tone":"calm"}`},
		{"input on stdin", full, []string{"note", "--input", "-", "--line", "4"},
			`{"claim":"from input","tone":"calm","line":4,"parts":[{"name":"p"}]}`},
		{"input in place", "", []string{"note", "won", "--input", full}, `{"claim":"won","tone":"calm","line":3,"parts":[{"name":"p"}]}`},
	}
	for _, tt := range tests {
		got := world{in: tt.stdin}.run(t, append([]string{"--json"}, tt.args...)...)
		var result struct{ Input any }
		if err := json.Unmarshal([]byte(got.out), &result); err != nil || got.exit != 0 {
			t.Errorf("%s: exit %d, %s%s", tt.name, got.exit, got.out, got.err)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, result.Input); diff != "" {
			t.Errorf("%s: cortex %q (-want +got):\n%s", tt.name, tt.args, diff)
		}
	}
}

func TestInputIsReadFromAFile(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/in.json"
	if err := os.WriteFile(path, []byte(`{"claim":"from file"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, "note", "--input", path); got.exit != 0 || !strings.Contains(got.out, "noted from file") {
		t.Errorf("note --input FILE = %+v, want it noted", got)
	}
}

func TestWorkspaceIsAbsolute(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{"": "/home/me", "sub/../x": "/home/me/x", "/etc/": "/etc"} {
		got := run(t, "list", "--json", "-C", dir)
		var list []string
		if err := json.Unmarshal([]byte(got.out), &list); err != nil || list[0] != want {
			t.Errorf("-C %q works in %q, want %q (%v)", dir, got.out, want, err)
		}
		if !strings.Contains(got.err, "warning: the configuration is broken") {
			t.Errorf("-C %q: stderr %q, want the warning that a list cannot carry", dir, got.err)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	want := "cortex version 1.2 (commit abc, built today)\n"
	for _, args := range []string{"--version", "-v", "version", "--json=false --version"} {
		if got := run(t, strings.Fields(args)...); got.out != want || got.exit != 0 {
			t.Errorf("cortex %s = %+v, want %q", args, got, want)
		}
	}
	if got := run(t, "version", "--json"); !strings.Contains(got.out, `"version": "1.2"`) {
		t.Errorf("version --json = %q", got.out)
	}
}

func TestInterruptCancelsTheCommand(t *testing.T) { // not parallel: the signal reaches every run of this process
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself an interrupt here")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = self.Signal(os.Interrupt) })
	if got := run(t, "pick", "wait"); got.exit != 1 || !strings.Contains(got.err, "canceled") {
		t.Errorf("interrupted command = %+v, want it canceled", got)
	}
}

func TestCompletionOffersEnumerations(t *testing.T) {
	t.Parallel()
	if got := run(t, "__complete", "note", "--tone", ""); !strings.HasPrefix(got.out, "calm\nloud\n") {
		t.Errorf("completion of --tone = %q, want calm and loud", got.out)
	}
}

func TestHelpDescribesArguments(t *testing.T) {
	t.Parallel()
	got := run(t, "note", "--help")
	for _, want := range []string{"Writes it.", "cortex note [<taskId>] <claim…>", "cortex note hello", "how to say it (one of: calm, loud) (default calm)", "--limit NAME=VALUE"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("help lacks %q:\n%s", want, got.out)
		}
	}
	if strings.Contains(got.out, "--parts") {
		t.Errorf("help offers a flag for nested input:\n%s", got.out)
	}
}

func TestARefusedFlagIsOfferedWithTheRestOfTheLine(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"note task_1 hi --line soon --urgent": "note task_1 hi --urgent",
		"note task_1 \xff --tone loud":        "note task_1 --tone loud",
	} {
		got := run(t, append(strings.Fields(args), "--json")...)
		var e op.Envelope
		if err := json.Unmarshal([]byte(got.out), &e); err != nil || len(e.Actions) != 1 || !strings.HasSuffix(e.Actions[0].Command, want) {
			t.Errorf("cortex %q offers %+v, want one call that ends in %q", args, e.Actions, want)
		}
	}
}
