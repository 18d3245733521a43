package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// recognise knows the runners that the tables below use, as the program's own recogniser does.
func recognise(argv []string) string {
	line := " " + strings.Join(argv, " ") + " "
	for _, runner := range []string{"go test", "vitest", "jest", "node --test", "cargo test", "pytest", "mocha"} {
		if strings.Contains(line, " "+runner+" ") && argv[0] != "make" {
			return runner
		}
	}
	return ""
}

// repository writes files, given by name, into a new directory.
func repository(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const unittestCase = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"

// detection is a repository and what is proposed for it, as name: argv, one a line.
type detection struct {
	files map[string]string
	want  string
}

func checkDetections(t *testing.T, list []detection) {
	t.Helper()
	for _, c := range list {
		var got []string
		for _, one := range DetectVerifiers(repository(t, c.files), recognise) {
			got = append(got, one.Name+": "+strings.Join(one.Argv, " "))
			if one.Kind != "unit_test" || one.Timeout < minTimeout || one.Reason == "" {
				t.Errorf("%q: %+v lacks kind, timeout or reason", c.files, one)
			}
		}
		if text := strings.Join(got, "\n"); text != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.files, text, c.want)
		}
	}
}

func TestDetectSeesTheRunnerBehindATarget(t *testing.T) {
	t.Parallel()
	checkDetections(t, []detection{
		{map[string]string{}, ""},
		{map[string]string{"go.mod": ""}, "unit: go test ./..."},
		{map[string]string{"go.mod": "", "Cargo.toml": ""}, "go: go test ./...\nrust: cargo test"},
		{map[string]string{"pyproject.toml": ""}, "unit: python3 -m pytest"},
		{map[string]string{"pyproject.toml": "", "test_a.py": unittestCase}, "unit: python3 -m unittest"},
		{map[string]string{"pyproject.toml": "", "tests/__init__.py": "", "tests/test_a.py": unittestCase}, "unit: python3 -m unittest"},
		{map[string]string{"setup.py": "", "tests/test_a.py": unittestCase}, "unit: python3 -m unittest discover -s tests"},
		{map[string]string{"pyproject.toml": "dev = ['pytest']", "test_a.py": unittestCase}, "unit: python3 -m pytest"},
		{map[string]string{"setup.py": "", "test_a.py": unittestCase, "test_b.py": "import pytest"}, "unit: python3 -m pytest"},
		{map[string]string{"setup.py": "", "test_a.py": unittestCase, "test_b.py": "def test_b(): pass"}, "unit: python3 -m pytest"},
		{map[string]string{"setup.py": "", "test_a.py": unittestCase, "tests/conftest.py": ""}, "unit: python3 -m pytest"},
		{map[string]string{"setup.py": "", "test_a.py": "x = 1"}, "unit: python3 -m pytest"},
		{map[string]string{"pyproject.toml": "", "uv.lock": ""}, "unit: uv run pytest"},
		{map[string]string{"Makefile": "test:\n\tgo test ./...\n"}, "unit: go test ./..."},
		{map[string]string{"Makefile": "GO ?= go\nFLAGS = -race\n.PHONY: test\ntest: # all\n\t@echo \"running\"\n\t@$(GO) test ${FLAGS} \\\n\t\t./...\n"},
			"unit: go test -race ./..."},
		{map[string]string{"Makefile": "test:\n\tCGO_ENABLED=0 go test ./...\n"}, "unit: env CGO_ENABLED=0 go test ./..."},
		{map[string]string{"Makefile": "test: build\n\tgo test ./...\n", "go.mod": ""}, "unit: make test"},
		{map[string]string{"Makefile": "test:\n\tgo vet ./...\n\tgo test ./...\n"}, "unit: make test"},
		{map[string]string{"Makefile": "test:\n\tgo test ./... | tee log\n"}, "unit: make test"},
		{map[string]string{"Makefile": "test:\n\tgo test $(ARGS) ./...\n"}, "unit: make test"},
		{map[string]string{"Makefile": "test:\n\tgo test ./...\nifdef X\n\tnpm test\nendif\n"}, "unit: make test"},
		{map[string]string{"Makefile": "test:\n\tcd sub && go test ./...\n"}, "unit: make test"},
		{map[string]string{"Makefile": "build:\n\tgo build\ntesting:\n\tx\n", "go.mod": ""}, "unit: go test ./..."},
		{map[string]string{"Makefile": "test: ; go test ./...\n"}, "unit: go test ./..."},
		{map[string]string{"Makefile": "test := 1\n", "go.mod": ""}, "unit: go test ./..."},
		{map[string]string{"Makefile": "test:\n\tnpm test\n", "package.json": `{"scripts":{"test":"jest --ci"}}`}, "unit: npx --no-install jest --ci"},
		{map[string]string{"justfile": "default: test\n\ntest:\n    go test ./...\n"}, "unit: go test ./..."},
		{map[string]string{"justfile": "test *args:\n    go test {{args}}\n"}, "unit: just test"},
		{map[string]string{"Taskfile.yml": "tasks:\n  test:\n    desc: all\n    cmds:\n      - go test ./...\n"}, "unit: go test ./..."},
		{map[string]string{"Taskfile.yml": "tasks:\n  test: go test ./...\n"}, "unit: go test ./..."},
		{map[string]string{"Taskfile.yml": "tasks:\n  test:\n    deps: [gen]\n    cmds: [go test ./...]\n"}, "unit: task test"},
		{map[string]string{"Taskfile.yml": "tasks:\n  test:\n    cmds: [{cmd: go test ./...}]\n"}, "unit: go test ./..."},
		{map[string]string{"Taskfile.yml": "tasks:\n  test: {cmd: go test ./...}\n"}, "unit: go test ./..."},
		{map[string]string{"Taskfile.yml": "tasks:\n  test:\n    cmds: [{task: unit}]\n"}, "unit: task test"},
		{map[string]string{"Taskfile.yml": "tasks: {build: go build}\n", "go.mod": ""}, "unit: go test ./..."},
		{map[string]string{"justfile": "test: build\n    go test ./...\n"}, "unit: just test"},
		{map[string]string{"Makefile": "test:\n\tpnpm unit\n", "package.json": `{"scripts":{"unit":"vitest run"}}`, "pnpm-lock.yaml": ""},
			"unit: pnpm exec vitest run"},
		{map[string]string{"Makefile": "test:\n\tbun test\n", "package.json": `{"scripts":{"test":"vitest run"}}`}, "unit: make test"},
		{map[string]string{"Makefile": strings.Repeat("#", maxDetectBytes) + "\ntest:\n\tgo test ./...\n"}, ""},
	})
}

func TestDetectSeesTheRunnerBehindAScript(t *testing.T) {
	t.Parallel()
	checkDetections(t, []detection{
		{map[string]string{"package.json": `{"scripts":{"test":"npm t"}}`, "package-lock.json": ""}, "unit: npm test"},
		{map[string]string{"package.json": `{"packageManager":"pnpm@9.0.0","scripts":{"test":"jest"}}`}, "unit: pnpm exec jest"},
		{map[string]string{"package.json": `{"scripts":{"test":"jest"}}`, "bun.lockb": ""}, "unit: bunx jest"},
		{map[string]string{"package.json": `{"scripts":{"test":"vitest run"}}`}, "unit: npx --no-install vitest run"},
		{map[string]string{"package.json": `{"scripts":{"test":"vitest"}}`, "pnpm-lock.yaml": ""}, "unit: pnpm exec vitest run"},
		{map[string]string{"package.json": `{"scripts":{"test":"NODE_ENV=test jest"}}`, "yarn.lock": ""}, "unit: env NODE_ENV=test yarn jest"},
		{map[string]string{"package.json": `{"scripts":{"test":"node --test"}}`}, "unit: node --test"},
		{map[string]string{"package.json": `{"scripts":{"test":"npm run unit","unit":"mocha -R spec"}}`}, "unit: npx --no-install mocha -R spec"},
		{map[string]string{"package.json": `{"scripts":{"test":"npm run test"}}`}, "unit: npm test"},
		{map[string]string{"package.json": `{"scripts":{"test":"jest","pretest":"tsc"}}`}, "unit: npm test"},
		{map[string]string{"package.json": `{"scripts":{"test":"tsc && jest"}}`, "bun.lock": ""}, "unit: bun run test"},
		{map[string]string{"package.json": `{"scripts":{"test":"mocha test/*.js"}}`}, "unit: npm test"},
		{map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, ""},
		{map[string]string{"package.json": `{"scripts":{}}`}, ""},
		{map[string]string{"package.json": `{`}, ""},
	})
}

func TestDetectFollowsNoLinkOut(t *testing.T) {
	t.Parallel()
	outside := repository(t, map[string]string{"Makefile": "test:\n\tgo test ./...\n"})
	root := t.TempDir()
	if err := os.Symlink(filepath.Join(outside, "Makefile"), filepath.Join(root, "Makefile")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if got := DetectVerifiers(root, recognise); len(got) != 0 {
		t.Errorf("got %+v, want nothing", got)
	}
}

func TestStarterIsAValidConfiguration(t *testing.T) {
	t.Parallel()
	for _, files := range []map[string]string{
		{}, {"go.mod": "", "Cargo.toml": "", "package.json": `{"scripts":{"test":"jest"}}`},
		{"Makefile": "test:\n\tgo test -run 'A: \"b\" #' ./...\n"},
	} {
		found := DetectVerifiers(repository(t, files), recognise)
		p := newPlace(t)
		p.write(t, "cortex.yaml", StarterYAML(found))
		c := p.mustLoad(t)
		if len(c.Verifiers) != len(found) {
			t.Errorf("%q: %d verifiers, want %d", files, len(c.Verifiers), len(found))
		}
		for _, want := range found {
			got, ok := c.Verifier(want.Name)
			if !ok || strings.Join(got.Argv, "\x00") != strings.Join(want.Argv, "\x00") || got.Timeout != want.Timeout {
				t.Errorf("%q: %+v was written, %+v read", files, want, got)
			}
		}
	}
}

func FuzzMakeTarget(f *testing.F) {
	f.Add("GO = go\ntest: a ; b\n\t@$(GO) test \\\n\t./...\n")
	f.Add("A=$(A)$(A)\ntest:\n\t$(A)\n")
	f.Add("test:\n\t$\n")
	f.Fuzz(func(t *testing.T, text string) {
		recipe, ok := makeTarget(text)
		if !ok && len(recipe) > 0 {
			t.Errorf("%q: recipe %q without a rule", text, recipe)
		}
		for _, line := range recipe {
			if words, ok := splitWords(line); ok && strings.ContainsAny(strings.Join(words, ""), "$`") && !strings.Contains(line, "'") {
				t.Errorf("%q: %q passes for plain words", line, words)
			}
		}
	})
}

func FuzzPackageJSON(f *testing.F) {
	f.Add(`{"scripts":{"test":"vitest run"}}`)
	f.Add(`{"scripts":{"test":"npm run a","a":"npm run test"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		root := repository(t, map[string]string{"package.json": text})
		for _, one := range DetectVerifiers(root, recognise) {
			var doc yaml.Node
			if err := yaml.Load([]byte(StarterYAML([]Detected{one})), &doc); err != nil {
				t.Errorf("%q: starter of %+v: %v", text, one, err)
			}
		}
	})
}
