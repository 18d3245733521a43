package cli

import (
	"strings"
	"testing"
)

func TestPipedTextIsPlain(t *testing.T) {
	t.Parallel()
	got := run(t, "pick", "n1")
	if want := "✓ picked \\x1b]0;title\\x07n1\nwarning: the configuration is broken\n"; got.out != want {
		t.Errorf("stdout = %q, want %q", got.out, want)
	}
}

func TestTerminalTextIsStyledAndStillClean(t *testing.T) {
	t.Parallel()
	got := world{terminal: true}.run(t, "pick", "n1")
	if !strings.Contains(got.out, "\x1b[32m✓\x1b[0m") || !strings.Contains(got.out, `\x1b]0;title\x07`) {
		t.Errorf("stdout = %q, want a green mark and the foreign sequence as text", got.out)
	}
	for _, env := range []map[string]string{{"NO_COLOR": "1"}, {"TERM": "dumb"}} {
		if got := (world{terminal: true, env: env}).run(t, "pick", "n1"); strings.Contains(got.out, "\x1b") {
			t.Errorf("stdout with %v = %q, want no escape sequence", env, got.out)
		}
	}
}

func TestRefusalShowsTheWayOn(t *testing.T) {
	t.Parallel()
	got := run(t, "-C", "sub", "pick", "held")
	want := "Error: The note is held by \\x1b[31mb and password=***.\nwarning: the configuration is broken\nnext: cortex -C sub pick task_1 <noteId> — take another\n"
	if got.err != want || got.out != "" {
		t.Errorf("stderr = %q, want %q", got.err, want)
	}
}

func TestSecretsAreMaskedBeforeAnyServiceExists(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"note", "x", "--tone", "hunter2"}, {"list", "-C", "nowhere"}, {"note", "x", "--line", "hunter2"}, {"hunter2"}} {
		for _, mode := range []string{"--json", "--json=false"} {
			got := run(t, append(args, mode)...)
			if strings.Contains(got.out+got.err, "hunter2") || got.exit != 2 {
				t.Errorf("cortex %q %s = %+v, want the secret masked", args, mode, got)
			}
		}
	}
}

func TestProgressShowsAfterASecond(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		terminal bool
		args     []string
		want     string
	}{
		{"piped", false, []string{"pick", "slow"}, "cortex pick: working\n"},
		{"terminal", true, []string{"pick", "slow"}, "\rcortex pick: 1 s\r" + strings.Repeat(" ", len("cortex pick: 1 s")) + "\r"},
		{"json", false, []string{"pick", "slow", "--json"}, ""},
		{"quick", false, []string{"pick", "n1"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (world{terminal: tt.terminal}).run(t, tt.args...); got.err != tt.want {
				t.Errorf("stderr = %q, want %q", got.err, tt.want)
			}
		})
	}
}
