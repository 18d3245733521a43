package tool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func ping(ctx context.Context, r Runner, repeat bool) Answer {
	return r.run(ctx, call{tool: Codemap, operation: "ping", args: []string{"a b", "c"}, repeat: repeat})
}

func TestACallIsKeptAsItWasMade(t *testing.T) {
	t.Parallel()
	r := faked(t, Codemap, `pwd; printf '%s|' "$@"; echo oops >&2`)
	a := ping(t.Context(), r, false)
	dir, _ := filepath.EvalSymlinks(r.Workspace)
	if a.Class != Authoritative || string(a.Stdout) != dir+"\na b|c|" || string(a.Stderr) != "oops\n" || a.Exit != 0 || a.Attempts != 1 {
		t.Errorf("answer %+v, stdout %q", a, a.Stdout)
	}
	for _, want := range []string{"$ codemap a b c\n", "exit: 0", dir, "oops"} {
		if !strings.Contains(a.Raw(), want) {
			t.Errorf("raw %q has no %q", a.Raw(), want)
		}
	}
}

// TestOnlyAFailedStartIsTriedAgain counts how often the tool really ran.
func TestOnlyAFailedStartIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"a status": "exit 9", "a time-out": "sleep 60", "a signal": "kill -9 $$"} {
		log := filepath.Join(t.TempDir(), "log")
		r := faked(t, Codemap, "echo run >>'"+log+"'; "+body)
		r.Timeouts = map[string]time.Duration{Codemap: 300 * time.Millisecond}
		a := ping(t.Context(), r, true)
		ran, _ := os.ReadFile(log)
		if a.Attempts != 1 || strings.Count(string(ran), "run") > 1 {
			t.Errorf("%s: %d attempts, ran %q", name, a.Attempts, ran)
		}
	}
	// A file that is no program of this system is found and cannot be started.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "codemap"), []byte("\x7fELF nothing of this system"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := Runner{Workspace: t.TempDir(), Environ: []string{"PATH=" + dir}, Retries: 1}
	if a := ping(t.Context(), r, true); a.Class != Failed || a.Attempts != 2 || !strings.Contains(a.Note(), "attempt 2") {
		t.Errorf("a reading call that cannot be started: %s after %d attempts (%s), want error after 2", a.Class, a.Attempts, a.Note())
	}
	if a := ping(t.Context(), r, false); a.Attempts != 1 {
		t.Errorf("a call that changes something was tried %d times", a.Attempts)
	}
}

func TestAPlansLimitHoldsAndACallOnlyShortens(t *testing.T) {
	t.Parallel()
	r := Runner{Timeouts: map[string]time.Duration{Codemap: time.Second}}
	for _, tt := range []struct {
		tool string
		call time.Duration
		want time.Duration
	}{{Codemap, 0, time.Second}, {Codemap, 5 * time.Second, time.Second}, {Vecgrep, 5 * time.Second, 5 * time.Second}, {Vecgrep, 0, 30 * time.Second}} {
		if got := r.timeout(known(tt.tool), call{timeout: tt.call}); got != tt.want {
			t.Errorf("%s with %v: %v, want %v", tt.tool, tt.call, got, tt.want)
		}
	}
}

// TestATimeOutNamesTheLimitThatWasReached has the caller's clock end before that of the tool.
func TestATimeOutNamesTheLimitThatWasReached(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	a := ping(ctx, faked(t, Codemap, "sleep 60"), false)
	after, ok := strings.CutPrefix(a.Cause, "timed out after ")
	if took, err := time.ParseDuration(after); !ok || err != nil || took > 15*time.Second || !a.TimedOut {
		t.Errorf("%s (%s), want the time that it had, not the 20 s of its tool", a.Class, a.Cause)
	}
	const share = "timed out after 200ms, its share"
	ctx, cancel = context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errors.New(share))
	defer cancel()
	if a := ping(ctx, faked(t, Codemap, "sleep 60"), false); a.Cause != share || !a.TimedOut {
		t.Errorf("%s (%s), want %s", a.Class, a.Cause, share)
	}
}
