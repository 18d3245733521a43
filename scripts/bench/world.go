//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// world is a temporary directory with the built programs, a HOME, and repositories.
type world struct {
	dir    string
	cortex string
	empty  string
	env    []string
}

// newWorld builds Cortex and an empty program, and cuts the environment off from the user's.
func newWorld() (*world, error) {
	dir, err := os.MkdirTemp("", "cortex-bench-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, cortex: filepath.Join(dir, "cortex"), empty: filepath.Join(dir, "empty")}
	w.env = w.environment()
	source := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return nil, err
	}
	for target, from := range map[string]string{w.cortex: "./cmd/cortex", w.empty: source} {
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", target, from)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s: %w\n%s", from, err, out)
		}
	}
	return w, nil
}

func (w *world) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "CORTEX_") || strings.HasPrefix(entry, "XDG_") ||
			strings.HasPrefix(entry, "HOME=")
	})
	return append(env, "HOME="+w.dir, "XDG_STATE_HOME="+w.path("state"), "XDG_CACHE_HOME="+w.path("cache"),
		"XDG_CONFIG_HOME="+w.path("config"), "XDG_DATA_HOME="+w.path("data"), "CORTEX_APPROVE_COMMANDS=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@example.invalid",
		"GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@example.invalid")
}

func (w *world) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

// repository makes a git repository with one file, a check that always passes, and one commit.
func (w *world) repository(name string) (string, error) {
	dir := w.path("repos", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	config := "verifiers:\n  unit:\n    argv: [\"true\"]\n    kind: unit_test\n"
	for file, text := range map[string]string{"a.txt": "one\n", "cortex.yaml": config} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return dir, w.commitAll(dir)
}

func (w *world) commitAll(dir string) error {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, w.env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// result is what one run of a program cost.
type result struct {
	out    []byte
	wall   time.Duration
	cpu    time.Duration // user and system, children that it waited for included
	rssMiB float64
}

// run runs a program in dir. A failure carries what it printed.
func (w *world) run(dir string, extra []string, name string, args ...string) (result, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(w.env), extra...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	r := result{out: out.Bytes(), wall: time.Since(began)}
	if err != nil {
		return r, fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, errs.Bytes(), out.Bytes())
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.rssMiB = float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
	return r, nil
}

// task is one case that the bench works on.
type task struct {
	w      *world
	repo   string
	id     string
	before []string // what stands before cortex on the command line, such as a tracer
	extra  []string // environment
}

// step runs one verb of the case and returns what it cost.
func (t *task) step(verb string, args ...string) (result, error) {
	line := append(slices.Clone(t.before), t.w.cortex, verb, "--json")
	line = append(line, args...)
	return t.w.run(t.repo, t.extra, line[0], line[1:]...)
}

// open opens a case and remembers its id.
func (t *task) open(goal string) error {
	r, err := t.step("open", goal, "--actor", "bench", "--criterion", "works=it works")
	if err != nil {
		return err
	}
	var answer struct {
		TaskID string `json:"taskId"`
	}
	if err := json.Unmarshal(r.out, &answer); err != nil {
		return fmt.Errorf("read the answer of open: %w", err)
	}
	t.id = answer.TaskID
	return nil
}

func (t *task) plan(files ...string) error {
	args := []string{t.id, "--hypothesis", "it is in a.txt :: a.txt does not matter", "--uncertainty", "none known",
		"--verify", "command:unit"}
	for _, file := range files {
		args = append(args, "--file", file)
	}
	_, err := t.step("plan", args...)
	return err
}

func (t *task) beginChange() error {
	_, err := t.step("begin-change", t.id, "--actor", "bench", "--ttl", "1h")
	return err
}

func (t *task) verify() error {
	_, err := t.step("verify", t.id, "--actor", "bench", "--claim-spec",
		"id=works|surface=code|verifier=command:unit|contract=unit|it works")
	return err
}

func (t *task) note(text string) error {
	_, err := t.step("note", t.id, text)
	return err
}

func (t *task) status() error {
	_, err := t.step("status", t.id)
	return err
}

func (t *task) show() error {
	_, err := t.step("show", t.id)
	return err
}

func (t *task) remember() error {
	_, err := t.step("remember", t.id, "it works")
	return err
}

// edit changes a file of the repository.
func (t *task) edit(file, text string) error {
	return os.WriteFile(filepath.Join(t.repo, file), []byte(text), 0o644)
}

// dir returns the directory that holds the case.
func (t *task) dir() (string, error) {
	found, err := filepath.Glob(t.w.path("state", "cortex", "sessions", "*", t.id))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("find the directory of %s: %d found, %w", t.id, len(found), err)
	}
	return found[0], nil
}
