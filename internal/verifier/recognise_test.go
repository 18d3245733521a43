package verifier

import (
	"slices"
	"strings"
	"testing"
)

func TestRunnersAreRecognisedFromArgv(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		"go test ./...":                             goTest,
		"/usr/local/go/bin/go test":                 goTest,
		`C:\Go\bin\go.exe test`:                     goTest,
		"go1.26.8 test":                             goTest,
		"go -C sub test ./...":                      goTest,
		"go -C=sub test":                            goTest,
		"env X=1 Y=2 go test":                       goTest,
		"env -u HOME X=1 go test":                   goTest,
		"time go test":                              goTest,
		"nice -n 5 timeout -k 5 60 go test -v ./..": goTest,
		"go vet ./...":                              "",
		"go build test":                             "",
		"go":                                        "",
		"go -C":                                     "",
		"env":                                       "",
		"timeout":                                   "",
		"make test":                                 "",
		"sh -c go":                                  "",
		"pytest -q":                                 pytest,
		"python -m pytest":                          pytest,
		"/opt/v/bin/python3.11 -X dev -m pytest x": pytest,
		"python -m unittest":                       unittest,
		"python -m json.tool":                      "",
		"poetry run pytest":                        pytest,
		"uv run python -m pytest":                  pytest,
		"node --test":                              nodeTest,
		"node --no-warnings --test a.mjs":          nodeTest,
		"node a.js --test":                         "",
		"node --import tsx --test":                 nodeTest,
		"node -r ./setup.js --test a.js":           nodeTest,
		"node --import tsx a.js --test":            "",
		"yarn jest":                                jest,
		"pnpm vitest run":                          vitest,
		"yarn playwright test":                     playwright,
		"yarn test":                                "",
		"npm run vitest":                           "",
		"npx c8 -r lcov mocha":                     mocha,
		"npx vitest run":                           vitest,
		"npx --yes vitest":                         vitest,
		"node_modules/.bin/vitest":                 vitest,
		"node node_modules/vitest/vitest.mjs run":  vitest,
		"pnpm exec jest":                           jest,
		"yarn run jest":                            jest,
		"npx mocha":                                mocha,
		"npx playwright test":                      playwright,
		"npx playwright install":                   "",
		"cargo test":                               cargoTest,
		"cargo +nightly test --lib":                cargoTest,
		"cargo build":                              "",
		"npm test":                                 "",
		"":                                         "",
	} {
		if got := Recognise(strings.Fields(argv)); got != want {
			t.Errorf("%q: got %q, want %q", argv, got, want)
		}
	}
}

func TestGoTestGetsItsReportFlagWhereItCanBeRead(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		"go test":                            "go test -json",
		"go test ./... -run X":               "go test -json ./... -run X",
		"go test -v -json ./...":             "go test -v -json ./...",
		"go test ./... --json":               "go test ./... --json",
		"go test -json=false":                "go test -json=false",
		"go test ./a -args -json":            "go test -json ./a -args -json",
		"go test ./a -- -json":               "go test -json ./a -- -json",
		"go test -C sub ./...":               "go test -C sub -json ./...",
		"go test -C=sub ./...":               "go test -C=sub -json ./...",
		"go -C sub test ./...":               "go -C sub test -json ./...",
		"env X=1 /usr/bin/go test -count=1 ": "env X=1 /usr/bin/go test -json -count=1",
		"go test -C":                         "go test -C -json",
		"go vet ./...":                       "go vet ./...",
		"make test":                          "make test",
	} {
		in := strings.Fields(argv)
		if got := strings.Join(planFor(Check{Argv: in}, "/r").argv, " "); got != want {
			t.Errorf("%q: got %q, want %q", argv, got, want)
		}
		if !slices.Equal(in, strings.Fields(argv)) {
			t.Errorf("%q: the configured argv was changed to %q", argv, in)
		}
	}
	if got := planFor(Check{Argv: []string{"go", "test"}, Report: ReportExit}, "/r").argv; len(got) != 2 {
		t.Errorf("exit only: got %q, want argv as it is", got)
	}
}

func FuzzRecognise(f *testing.F) {
	f.Add("env X=1 go test -C a")
	f.Add("timeout -k")
	f.Add("npx -p x node --test")
	f.Fuzz(func(t *testing.T, line string) {
		argv := strings.Split(line, " ")
		at := locate(argv)
		if at.runner != "" && (at.program >= len(argv) || at.args > len(argv)) {
			t.Errorf("%q: %+v is outside", argv, at)
		}
		if got := planFor(Check{Argv: argv}, "/r").argv; len(got) < len(argv) {
			t.Errorf("%q: got %q", argv, got)
		}
	})
}
