package tool

import (
	"context"
	"strings"
	"testing"
)

func gatewaySubjects() []subject {
	return []subject{{
		name: "mcphub doctor", tool: Mcphub, good: `{"server":"cortex","registered":true,"enabled":true,"on_path":true,"remote":false,"handshake_ok":null,"tool_count":null,"agents":null}`,
		ask: func(ctx context.Context, r Runner) (any, Answer) { return pair(r.McphubDoctor(ctx, "cortex", false)) },
	}}
}

func TestMcphubIsAskedWithTheseWords(t *testing.T) {
	t.Parallel()
	r := faked(t, Mcphub, "exit 1")
	for probe, want := range map[bool]string{true: "mcphub doctor --server cortex --json --probe", false: "mcphub doctor --server cortex --json"} {
		if _, a := r.McphubDoctor(t.Context(), "cortex", probe); strings.Join(a.Argv, " ") != want {
			t.Errorf("ran %q, want %q", a.Argv, want)
		}
	}
}

func TestBothFormsOfMcphubsAnswerAreRead(t *testing.T) {
	t.Parallel()
	list := `[{"name":"config","ok":true,"detail":"x"},{"name":"server:other","ok":false,"detail":"not on PATH"},{"name":"server:cortex","ok":true,"detail":"/bin/cortex"}]`
	for _, tt := range []struct {
		text       string
		status     int
		class      Class
		registered bool
		onPath     bool
	}{
		{gatewaySubjects()[0].good, 0, Authoritative, true, true},
		{list, 1, Authoritative, true, true},
		{list, 0, Authoritative, true, true},
		{strings.Replace(list, "true,\"detail\":\"/bin", "false,\"detail\":\"/bin", 1), 1, Authoritative, true, false},
		{`[{"name":"config","ok":true}]`, 0, Authoritative, false, false},
		{`[{"name":"config"}]`, 0, Partial, false, false},
		{`[]`, 0, Partial, false, false},
		{list, 7, Failed, false, false},
		{`{"server":"other","registered":true,"enabled":true}`, 0, Partial, false, false},
		{`{"server":"cortex","enabled":true}`, 0, Partial, false, false},
		{`{"server":"cortex","registered":true,"enabled":true,"tool_count":-1}`, 0, Partial, false, false},
		{``, 1, Failed, false, false},
	} {
		a := printed(tt.text, tt.status)
		g := parseGateway(a, "cortex")
		if a.Class != tt.class || g.Registered != tt.registered || g.OnPath != tt.onPath || g.Server != "cortex" {
			t.Errorf("%s with %d: %+v, %s (%s), want %+v", tt.text, tt.status, g, a.Class, a.Cause, tt)
		}
	}
}

func TestAnOldMcphubIsAskedAboutAllServers(t *testing.T) {
	t.Parallel()
	r := faked(t, Mcphub, `test "$*" = "doctor --json" || { echo 'Error: unknown flag: --server' >&2; exit 1; }
echo '[{"name":"server:cortex","ok":true}]'`)
	if g, a := r.McphubDoctor(t.Context(), "cortex", true); !g.Registered || a.Class != Authoritative || a.Attempts != 2 {
		t.Errorf("%+v, %s (%s) after %d attempts", g, a.Class, a.Cause, a.Attempts)
	}
}

func FuzzMcphubAnswers(f *testing.F) {
	f.Add(gatewaySubjects()[0].good)
	f.Add(`[{"name":"server:cortex","ok":true}]`)
	f.Add(`[{"ok":null}]`)
	f.Fuzz(func(t *testing.T, text string) {
		a := &Answer{Class: Authoritative, Stdout: []byte(text)}
		if g := parseGateway(a, "cortex"); g.Server != "cortex" || g.Registered && !strings.Contains(text, "cortex") && !strings.Contains(text, `\u`) {
			t.Errorf("%q: %+v", text, g)
		}
	})
}
