package tool

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"cortex/internal/problem"
	"cortex/internal/testkit"
)

// withFcheap is an environment whose fcheap is a shell script of the given body.
func withFcheap(t *testing.T, body string) []string {
	t.Helper()
	return testkit.Env(t, "PATH="+testkit.FakeTool(t, "fcheap", body)+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestRestoreAsksFcheapForTheStash(t *testing.T) {
	t.Parallel()
	s, err := RestoreStash(t.Context(), withFcheap(t, `test "$1 $2 $3 $5 $#" = "restore fc_1 --to --json 5" && echo "$4" >"$4/a.txt"`), "fc_1")
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := s.Read("a.txt", 1000)
	if err != nil || strings.TrimSpace(string(data)) != s.dir {
		t.Errorf("it restored to %q (%v), want %s", data, err, s.dir)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestRestoreSaysWhyThereIsNothing(t *testing.T) {
	t.Parallel()
	for want, environ := range map[string][]string{
		"not on PATH":             {"PATH=" + t.TempDir()},
		"status 3: no such stash": withFcheap(t, `echo "no such stash." >&2; echo more >&2; exit 3`),
		"status 4: out":           withFcheap(t, `echo out; exit 4`),
		"it said nothing":         withFcheap(t, `exit 1`),
	} {
		s, err := RestoreStash(t.Context(), environ, "fc_1")
		p := problem.From(err)
		if s != nil || p == nil || p.Code != problem.ToolUnavailable || !strings.Contains(p.Message, want) || p.NoStep == "" {
			t.Errorf("RestoreStash = %v, %+v; want tool_unavailable with %q", s, p, want)
		}
	}
}

func TestCanceledRestoreEndsTheTool(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := RestoreStash(ctx, withFcheap(t, `sleep 60`), "fc_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("RestoreStash = %v, want canceled", err)
	}
}
