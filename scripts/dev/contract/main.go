// Command contract reconstructs the calls behind the public program's recorded answers, runs them on Cortex, and compares
// key set, outcome (ok or refused) and kind of exit. It needs the developers' recorded data, which is not part of the
// repository, and sh and git:
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/contract /tmp/cortex ../shared/fixtures
//
// Each difference that is meant is in the list of deviations with its reason; any other is printed, and the exit status
// is 1.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// run is one comparison in its own repository and home.
type run struct {
	cortex, repo, home string
	environ            []string
	saved              map[string]string // ids captured from answers
	log                string            // of the calls of fake tools
	argv               map[string][]string
	recorded           func(name string) (any, int)
	tally
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: contract CORTEX DATA")
		os.Exit(2)
	}
	cortex, data := os.Args[1], os.Args[2]
	total := tally{}
	outputs, contracts := recordedAnswer(filepath.Join(data, "kernel", "outputs")), recordedContract(filepath.Join(data, "contracts-v1", "fixtures"))
	for _, part := range []struct {
		recorded func(name string) (any, int)
		calls    []call
		argv     map[string][]string
		tools    bool
	}{
		{outputs, calls(), nil, false},
		{contracts, contractCalls(), nil, false},
		{outputs, slices.Concat(fakeCalls(), verifyCalls(), healthCalls()), recordedArgv(filepath.Join(data, "kernel", "adapter_argv.log")), true},
		{contracts, codemapCalls(), nil, true},
	} {
		r := newRun(cortex)
		r.recorded, r.argv = part.recorded, part.argv
		if part.tools {
			r.withTools()
		}
		for _, c := range part.calls {
			r.compare(c)
		}
		total.add(r.tally)
		must(os.RemoveAll(filepath.Dir(r.repo)))
	}
	total.add(compareMCP(cortex, data))
	fmt.Printf("%d the same, %d with meant differences, %d different\n", total.same, total.meant, total.wrong)
	if total.wrong > 0 {
		os.Exit(1)
	}
}

// tally counts comparisons by how they ended.
type tally struct{ same, meant, wrong int }

func (t *tally) add(o tally) {
	t.same += o.same
	t.meant += o.meant
	t.wrong += o.wrong
}

func newRun(cortex string) *run {
	root, err := os.MkdirTemp("", "cortex-contract-")
	must(err)
	r := &run{cortex: cortex, repo: filepath.Join(root, "repo"), home: filepath.Join(root, "home"), saved: map[string]string{}}
	must(os.MkdirAll(r.repo, 0o755))
	must(os.MkdirAll(r.home, 0o755))
	r.environ = []string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	r.prepare()
	return r
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func (r *run) prepare() {
	r.write("calc.sh", "#!/bin/sh\n# add two numbers\necho $(($1 - $2))\n")
	r.write("test.sh", "#!/bin/sh\n[ \"$(sh calc.sh 2 3)\" = \"5\" ] || { echo \"add broken\"; exit 1; }\necho ok\n")
	r.write("cortex.yaml", "verifiers:\n  unit:\n    argv: [sh, test.sh]\n    kind: unit_test\n    timeout: 30s\n")
	for _, args := range [][]string{{"init", "-qb", "main"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = r.repo, r.environ
		must(cmd.Run())
	}
}

func (r *run) write(name, content string) {
	must(os.WriteFile(filepath.Join(r.repo, name), []byte(content), 0o644))
}

// answer runs a call and returns its decoded answer, nil when it printed none, and its exit status.
func (r *run) answer(args []string) (any, int) {
	words := []string{"-C", r.repo, "--json"}
	for _, arg := range args {
		for name, value := range r.saved {
			arg = strings.ReplaceAll(arg, "$"+name, value)
		}
		words = append(words, arg)
	}
	cmd := exec.Command(r.cortex, words...)
	cmd.Env = r.environ
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		must(err)
	}
	var v any
	if json.Unmarshal(out, &v) != nil {
		return nil, cmd.ProcessState.ExitCode()
	}
	return v, cmd.ProcessState.ExitCode()
}

func (r *run) compare(c call) {
	if c.edit != nil {
		c.edit(r)
	}
	got, exit := r.answer(c.args)
	for name, path := range c.save {
		r.saved[name] = at(got, path)
	}
	if c.name == "" {
		return // only to get there
	}
	want, wantExit := r.recorded(c.name)
	var started []string
	if r.argv != nil {
		started = r.started(c.name)
	}
	r.judge(c.name, got, exit, want, wantExit, started...)
}

// judge compares an answer with the recorded one; differences are those that are known already.
func (t *tally) judge(name string, got any, exit int, want any, wantExit int, differences ...string) {
	if (exit == 0) != (wantExit == 0) {
		differences = append(differences, fmt.Sprintf("exit status %d, recorded %d", exit, wantExit))
	}
	if a, b := at(got, "ok"), at(want, "ok"); a != b && want != nil {
		differences = append(differences, fmt.Sprintf("ok %s, recorded %s", a, b))
	}
	have, had := keys(got), keys(want)
	for _, key := range slices.Sorted(maps.Keys(had)) {
		if !have[key] {
			differences = append(differences, "missing "+key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(have)) {
		if !had[key] && want != nil {
			differences = append(differences, "added "+key)
		}
	}
	t.report(name, differences)
}

func (t *tally) report(name string, differences []string) {
	meant := 0
	for _, d := range differences {
		reason, ok := reasonFor(name, d)
		if ok {
			meant++
			fmt.Printf("meant     %-28s %s: %s\n", name, d, reason)
			continue
		}
		fmt.Printf("DIFFERENT %-28s %s\n", name, d)
	}
	switch {
	case len(differences) == 0:
		t.same++
		fmt.Printf("same      %s\n", name)
	case meant == len(differences):
		t.meant++
	default:
		t.wrong++
	}
}
