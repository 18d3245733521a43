package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex/internal/problem"

	"github.com/google/go-cmp/cmp"
)

// place is a home and a workspace below a temporary directory.
type place struct {
	home, workspace string
	env             map[string]string
}

func newPlace(t *testing.T) place {
	t.Helper()
	top := canonical(t.TempDir())
	p := place{filepath.Join(top, "home"), filepath.Join(top, "repo"), map[string]string{}}
	for _, dir := range []string{p.home, p.workspace} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) write(t *testing.T, path, text string) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.workspace, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p place) global(t *testing.T, text string) {
	t.Helper()
	p.write(t, filepath.Join(p.home, ".config/cortex/config.yaml"), text)
}

func (p place) load() (Config, error) {
	return Load(func(name string) string { return p.env[name] }, p.home, p.workspace)
}

func (p place) mustLoad(t *testing.T) Config {
	t.Helper()
	c, err := p.load()
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

func TestBuiltInValues(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	want := Config{
		Workspace: p.workspace,
		Paths: Paths{
			ConfigDir: filepath.Join(p.home, ".config/cortex"), StateDir: filepath.Join(p.home, ".local/state/cortex"),
			CacheDir: filepath.Join(p.home, ".cache/cortex"), DataDir: filepath.Join(p.home, ".local/share/cortex"),
		},
		Budget: Budget{3, 3, 32768, 12, 8, 1},
		Recall: Recall{true, filepath.Join(p.home, ".local/share/cortex/cases.veclite"), "nomic-embed-text",
			"http://localhost:11434/api/embeddings", false},
	}
	if diff := cmp.Diff(want, p.mustLoad(t)); diff != "" {
		t.Errorf("Load without any source (-want +got):\n%s", diff)
	}
}

func TestLaterSourcesWin(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.global(t, "budget: {max_parallel_calls: 1, max_investigation_rounds: 1, max_auto_retries_per_tool: 9}\nredact_literals: [global]\n"+
		"verifiers:\n  unit: {argv: [a]}\n  Lint: {argv: [lint], kind: lint, surface: terminal, timeout: 1m30s, report: exit, env: [CI=1, HOME]}\n")
	p.write(t, ".config/cortex.yaml", "budget: {max_parallel_calls: 2, max_investigation_rounds: 2}\n")
	p.write(t, "cortex.yml", "budget: {max_parallel_calls: 3}\nredact_literals:\n  - from yml\n")
	p.write(t, "cortex.yaml", "verifiers:\n  unit:\n    argv: [go, test, 1, true]\nrecall:\n  enabled: false\n")
	p.env["CORTEX_MAX_PARALLEL_CALLS"] = "4"
	p.env["CORTEX_REDACT_LITERALS"] = "one, two,,"
	p.env["CORTEX_APPROVE_COMMANDS"] = "Yes"
	c := p.mustLoad(t)
	if got, want := c.Budget, (Budget{4, 2, 32768, 12, 8, 9}); got != want {
		t.Errorf("Budget = %+v, want %+v", got, want)
	}
	if diff := cmp.Diff([]string{"global", "from yml", "one", "two"}, c.RedactLiterals); diff != "" {
		t.Errorf("RedactLiterals (-want +got):\n%s", diff)
	}
	want := []Verifier{
		{"Lint", []string{"lint"}, "lint", "terminal", 90 * time.Second, "exit", []string{"CI=1", "HOME"}},
		{"unit", []string{"go", "test", "1", "true"}, "unit_test", "code", 2 * time.Minute, "auto", nil},
	}
	if diff := cmp.Diff(want, c.Verifiers); diff != "" {
		t.Errorf("Verifiers (-want +got):\n%s", diff)
	}
	if len(c.Sources) != 4 || !strings.HasSuffix(c.Sources[3], "cortex.yaml") || c.Recall.Enabled || !c.ApproveCommands {
		t.Errorf("Sources = %q, Recall.Enabled = %v, ApproveCommands = %v", c.Sources, c.Recall.Enabled, c.ApproveCommands)
	}
	if v, ok := c.Verifier("Lint"); !ok || v.Kind != "lint" {
		t.Errorf("Verifier(Lint) = %+v, %v", v, ok)
	}
	if _, ok := c.Verifier("lint"); ok {
		t.Error("Verifier(lint) found Lint: names keep their case")
	}
}

func TestEmptyFilesConfigureNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# a comment\n", "---\n", "verifiers:\nredact_literals:\nbudget:\nrecall:\n", "\ufeffverifiers:\n"} {
		p := newPlace(t)
		p.write(t, "cortex.yaml", text)
		if c, err := p.load(); err != nil || len(c.Sources) != 1 {
			t.Errorf("Load with %q: Sources = %q, error %v", text, c.Sources, err)
		}
	}
}

func TestFaultsNameFileLineAndKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string // parts of the message
	}{
		{"a: 1\n", []string{"cortex.yaml:1: a is no key here; give one of budget, cases_dir"}},
		{"budget:\n  max_parallel_calls: none\n", []string{"cortex.yaml:2: budget.max_parallel_calls is \"none\"; give a whole number from 1 to 32"}},
		{"budget:\n  max_parallel_calls: 0\n", []string{"from 1 to 32"}},
		{"budget:\n  max_parallel_calls: [1]\n", []string{"budget.max_parallel_calls"}},
		{"budget: 1\n", []string{":1: budget is \"1\"; give a mapping"}},
		{"budget: {speed: 1}\n", []string{"budget.speed is no key here"}},
		{"verifiers:\n  unit: {argv: []}\n", []string{":2: verifiers.unit.argv", "the command as a list"}},
		{"verifiers:\n  unit: {argv: go test}\n", []string{"verifiers.unit.argv is \"go test\"; give a list"}},
		{"verifiers:\n  unit: {argv: [go, \"\"]}\n", []string{"verifiers.unit.argv[1]"}},
		{"verifiers:\n  unit: {argv: [a], timeout: 30}\n", []string{"verifiers.unit.timeout is \"30\"; give a duration"}},
		{"verifiers:\n  unit: {argv: [a], timeout: 3h}\n", []string{"1s to 2h"}},
		{"verifiers:\n  unit: {argv: [a], kind: test}\n", []string{"give one of unit_test, build, lint"}},
		{"verifiers:\n  unit: {argv: [a], surface: web}\n", []string{"give one of code, browser"}},
		{"verifiers:\n  unit: {argv: [a], env: [\"1X=2\"]}\n", []string{"verifiers.unit.env[0]"}},
		{"verifiers:\n  a b: {argv: [a]}\n", []string{"verifiers.a b", "a verifier's name"}},
		{"verifiers:\n  unit: {argv: [a]}\n  unit: {argv: [b]}\n", []string{":3: verifiers.unit", "each key once"}},
		{"verifiers:\n  a: &x {argv: [a]}\n  b: *x\n", []string{":3: verifiers.b"}},
		{"verifiers:\n  <<: {unit: {argv: [a]}}\n", []string{":2: verifiers.<<", "merges are not supported"}},
		{"redact_literals: [[secret-value]]\n", []string{"redact_literals[0] has no usable value"}},
		{"recall: {enabled: maybe}\n", []string{"give true or false"}},
		{"a: [\n", []string{"cortex.yaml:2 cannot be used: it is not valid YAML"}},
		{"a: 1\n---\nb: 1\n", []string{"a second document begins here"}},
		{"- 1\n", []string{"a mapping of keys to values"}},
		{"a: \xff\n", []string{"not valid YAML"}},
		{strings.Repeat("#", maxFileBytes+1), []string{"cortex.yaml cannot be used: it has 1048577 bytes; give a readable regular file"}},
	} {
		p := newPlace(t)
		p.write(t, "cortex.yaml", c.text)
		_, err := p.load()
		if !problem.Is(err, problem.InvalidConfig) {
			t.Errorf("Load with %.60q: error %v, want invalid_config", c.text, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("Load with %.60q: message %q lacks %q", c.text, err, part)
			}
		}
		if got := problem.From(err); got.NoStep == "" || strings.Contains(err.Error(), "secret-value") {
			t.Errorf("Load with %.60q: NoStep %q, message %q", c.text, got.NoStep, err)
		}
	}
}

func TestFaultyFileStillGivesWhatIsRight(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.global(t, "redact_literals: [kept-secret]\nverifiers: {lint: {argv: [lint]}}\n")
	p.write(t, "cortex.yml", "budget: [")
	p.write(t, "cortex.yaml", "wrong: 1\nredact_literals: [also-kept]\ncases_dir: cases\nverifiers:\n  bad: {argv: [x], kind: y}\n  good: {argv: [z]}\n")
	c, err := p.load()
	if !problem.Is(err, problem.InvalidConfig) || !strings.Contains(err.Error(), "cortex.yml") || !strings.Contains(err.Error(), "2 more") {
		t.Errorf("error %v, want invalid_config about cortex.yml and 2 more", err)
	}
	var names []string
	for _, v := range c.Verifiers {
		names = append(names, v.Name)
	}
	if diff := cmp.Diff([]string{"good", "lint"}, names); diff != "" {
		t.Errorf("verifiers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"kept-secret", "also-kept"}, c.RedactLiterals); diff != "" {
		t.Errorf("RedactLiterals (-want +got):\n%s", diff)
	}
	if want := filepath.Join(p.workspace, "cases"); c.CasesDir != want || c.Budget.MaxParallelCalls != 3 {
		t.Errorf("CasesDir = %q, want %q; Budget %+v", c.CasesDir, want, c.Budget)
	}
}

func TestEnvironmentFaultsNameTheVariable(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"CORTEX_MAX_PARALLEL_CALLS": "many", "CORTEX_MAX_AUTO_RETRIES": "-1", "CORTEX_RECALL_ENABLED": "perhaps", "CORTEX_RECALL_DB": "rel/db",
		"CORTEX_RECALL_EMBED_URL": "http://user:hunter2@localhost/", "CORTEX_CASES_DIR": "../elsewhere",
	} {
		p := newPlace(t)
		p.env[name] = value
		c, err := p.load()
		if !problem.Is(err, problem.InvalidConfig) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s=%s: error %v, want invalid_config naming the variable", name, value, err)
		}
		if c.Budget.MaxParallelCalls != 3 || c.CasesDir != "" {
			t.Errorf("%s=%s: the value was taken: %+v", name, value, c)
		}
	}
}

func TestTrustArgvCoversTheEnvironment(t *testing.T) {
	t.Parallel()
	v := Verifier{Argv: []string{"go", "test"}}
	if diff := cmp.Diff([]string{"go", "test"}, v.TrustArgv()); diff != "" {
		t.Errorf("without variables (-want +got):\n%s", diff)
	}
	v.Env = []string{"CGO_ENABLED=0", "TOKEN"}
	if diff := cmp.Diff([]string{"env", "CGO_ENABLED=0", "TOKEN=$TOKEN", "go", "test"}, v.TrustArgv()); diff != "" {
		t.Errorf("with variables (-want +got):\n%s", diff)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("verifiers:\n  unit:\n    argv: [go, test]\n    timeout: 2m\n")
	f.Add("a: &a [*a]\n")
	f.Add("budget: {max_parallel_calls: 1}\n---\n")
	f.Add("? [a]\n: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		found := faults{}
		d := document{file: file{"/repo", "cortex.yaml", true}, faults: &found}
		c := defaults(Paths{}, "/repo")
		root, err := parse([]byte(text))
		if err != nil {
			d.syntax(err)
		} else if root != nil {
			d.config(&c, root)
		}
		if err := found.err(); err != nil && !strings.HasSuffix(err.Error(), ".") && !strings.HasSuffix(err.Error(), ")") {
			t.Errorf("%q: message %q is no sentence", text, err)
		}
		for _, v := range c.Verifiers {
			if len(v.Argv) == 0 || v.Timeout < minTimeout || v.Timeout > maxTimeout {
				t.Errorf("%q: accepted %+v", text, v)
			}
		}
	})
}
