package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func vaultSubjects() []subject {
	return []subject{
		{name: "tvault projects", tool: Tvault, good: `["default"]`,
			ask: func(ctx context.Context, r Runner) (any, Answer) { return pair(r.TvaultProjects(ctx)) }},
	}
}

func TestTvaultIsAskedForNamesOnly(t *testing.T) {
	t.Parallel()
	_, a := faked(t, Tvault, "exit 1").TvaultProjects(t.Context())
	if got, want := strings.Join(a.Argv, " "), "tvault projects list --json --names-only"; got != want {
		t.Errorf("ran %q, want %q", got, want)
	}
}

func TestNamesOfAVaultAreReadInBothForms(t *testing.T) {
	t.Parallel()
	many := `["n` + strings.Repeat(`","n`, maxVaultNames) + `"]`
	for text, want := range map[string]struct {
		class Class
		names []string
	}{
		`["default","web"]`: {Authoritative, []string{"default", "web"}},
		`[{"name":"default","description":"Default project","current":true}]`: {Authoritative, []string{"default"}},
		`[]`:                                    {Authoritative, nil},
		`[{"project":"default"},"web"]`:         {Partial, []string{"web"}},
		`["","a\nb",7]`:                         {Partial, nil},
		`{"schema_version":2,"projects":["a"]}`: {Partial, nil},
		`null`:                                  {Partial, nil},
	} {
		a := printed(text, 0)
		names := parseVaultNames(a)
		if a.Class != want.class || !slices.Equal(names, want.names) {
			t.Errorf("%s: %v, %s (%s), want %+v", text, names, a.Class, a.Cause, want)
		}
	}
	a := printed(many, 0)
	if names := parseVaultNames(a); len(names) != maxVaultNames || a.Class != Partial {
		t.Errorf("%d names, %s (%s)", len(names), a.Class, a.Cause)
	}
}

func TestAVaultThatIsNotOpenSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"exit 3":                             "locked: unlock it",
		"echo 'Error: no vault' >&2; exit 5": "tvault init",
		"echo 'Error: wrong passphrase' >&2; exit 6":                         "passphrase was wrong",
		`echo '{"ok":false,"error":"locked","code":"vault_locked"}'; exit 1`: "locked: unlock it",
		`echo '{"ok":false,"error":"locked","code":"vault_locked"}'`:         "locked: unlock it",
	} {
		if names, a := faked(t, Tvault, body).TvaultProjects(t.Context()); a.Class != Unavailable || !strings.Contains(a.Cause, want) || len(names) > 0 {
			t.Errorf("%s: %v, %s (%s), want unavailable with %q", body, names, a.Class, a.Cause, want)
		}
	}
	r := faked(t, Tvault, "sleep 60")
	r.Timeouts = limited(Tvault)
	if _, a := r.TvaultProjects(t.Context()); a.Class != Partial || !strings.Contains(a.Cause, "timed out") {
		t.Errorf("a slow vault: %s (%s), want timed out", a.Class, a.Cause)
	}
}

// TestNoValueOfAVaultIsKept holds the answer to names even where tvault says more than it was asked.
func TestNoValueOfAVaultIsKept(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-value"
	for _, body := range []string{
		printing(t, `[{"name":"API_KEY","value":"`+secret+`"}]`, 0), printing(t, `{"API_KEY":"`+secret+`"}`, 0), printing(t, secret, 4),
		printing(t, `["`+secret+`"`, 0), "echo >&2; " + printing(t, secret, 4),
	} {
		names, a := faked(t, Tvault, body).TvaultProjects(t.Context())
		if text := fmt.Sprint(names, a.Raw(), a.Note()); strings.Contains(text, secret) {
			t.Errorf("%s: kept %s", body, text)
		}
	}
}

func TestTvaultSaysWhetherThereIsAVault(t *testing.T) {
	t.Parallel()
	check := func(status string) string {
		return `{"checks":[{"name":"version","status":"info"},{"name":"vault dir","status":"warn","detail":"missing"},{"name":"vault","status":"` + status +
			`","detail":"not initialized — run 'tvault init'"}],"failed":0,"healthy":true}`
	}
	for text, want := range map[string]struct {
		class  Class
		ready  bool
		detail string
	}{
		check("ok"):                     {Authoritative, true, ""},
		check("warn"):                   {Authoritative, false, "tvault init"},
		check("fail"):                   {Authoritative, false, "vault: not initialized"},
		check("melted"):                 {Partial, false, "melted"},
		`{"checks":[],"healthy":true}`:  {Partial, false, "nothing about a vault"},
		`{"healthy":true}`:              {Partial, false, `no "checks"`},
		`{"checks":[{"name":"vault"}]}`: {Partial, false, "not understood"},
	} {
		a := &Answer{Class: Authoritative, Stdout: []byte(text)}
		h := parseVaultHealth(a)
		if a.Class != want.class || h.Ready != want.ready || !strings.Contains(h.Detail, want.detail) || h.Ready != (h.Detail == "") {
			t.Errorf("%s: %+v, %s (%s), want %+v", text, h, a.Class, a.Cause, want)
		}
	}
}

func FuzzTvaultAnswers(f *testing.F) {
	f.Add(`["default"]`)
	f.Add(`{"checks":[{"name":"vault","status":"ok","detail":"open"}],"failed":0,"healthy":true}`)
	f.Add(`[{"name":7}]`)
	f.Add(`[null,{}]`)
	f.Fuzz(func(t *testing.T, text string) {
		a := &Answer{Class: Authoritative, Stdout: []byte(text)}
		for _, name := range parseVaultNames(a) {
			if !vaultName(name) {
				t.Errorf("%q: name %q", text, name)
			}
		}
		if !strings.HasPrefix(strings.TrimSpace(text), "[") && a.Class == Authoritative {
			t.Errorf("%q is no list of names", text)
		}
		a = &Answer{Class: Authoritative, Stdout: []byte(text)}
		if h := parseVaultHealth(a); h.Ready && !strings.Contains(strings.ToLower(text), "checks") {
			t.Errorf("%q: ready", text)
		}
	})
}
