//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// world is a temporary directory with the program, a HOME, one repository, and the ids of its cases.
type world struct {
	dir    string
	cortex string
	repo   string
	env    []string
	tasks  []string
}

func newWorld() (*world, error) {
	dir, err := os.MkdirTemp("", "cortex-soak-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir, cortex: filepath.Join(dir, "cortex"), repo: filepath.Join(dir, "repo")}
	w.env = []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "CORTEX_APPROVE_COMMANDS=1",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=soak", "GIT_AUTHOR_EMAIL=soak@example.invalid", "GIT_COMMITTER_NAME=soak", "GIT_COMMITTER_EMAIL=soak@example.invalid",
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", w.cortex, "./cmd/cortex")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build cortex: %w\n%s", err, out)
	}
	return w, w.makeRepository()
}

func (w *world) makeRepository() error {
	if err := os.Mkdir(w.repo, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"a.txt": "one\n", "cortex.yaml": "verifiers:\n  unit:\n    argv: [\"true\"]\n"} {
		if err := os.WriteFile(filepath.Join(w.repo, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = w.repo, w.env
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// answer is what one call of the program printed and how it ended.
type answer struct {
	out    []byte
	exit   int // -1 when it was killed
	killed bool
}

// decode reads the printed JSON.
func (a answer) decode(v any) error { return json.Unmarshal(a.out, v) }

// envelope is what the soak looks at of an answer.
type envelope struct {
	OK     bool   `json:"ok"`
	TaskID string `json:"taskId"`
	Code   string `json:"code"`
	Error  string `json:"error"`
	Facts  []struct {
		ID string `json:"id"`
	} `json:"facts"`
}

// call runs the program and kills it after the given time when that is above zero.
func (w *world) call(kill time.Duration, args ...string) answer {
	cmd := exec.Command(w.cortex, append([]string{"--json"}, args...)...)
	cmd.Dir, cmd.Env = w.repo, w.env
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return answer{exit: -2}
	}
	if kill > 0 {
		timer := time.AfterFunc(kill, func() { _ = cmd.Process.Kill() }) // it may have ended
		defer timer.Stop()
	}
	_ = cmd.Wait() // the exit status says it
	exit := cmd.ProcessState.ExitCode()
	return answer{out: out.Bytes(), exit: exit, killed: exit == -1}
}

// openCases opens n cases; every second one is brought to where its change can be verified.
func (w *world) openCases(n int) error {
	for i := range n {
		a := w.call(0, "open", fmt.Sprintf("case %d", i), "--risk", "low")
		var e envelope
		if err := a.decode(&e); err != nil || !e.OK {
			return fmt.Errorf("open: exit status %d: %s", a.exit, a.out)
		}
		w.tasks = append(w.tasks, e.TaskID)
		if i%2 == 0 {
			continue
		}
		for _, args := range [][]string{
			{"plan", e.TaskID, "--hypothesis", "x :: y", "--uncertainty", "none", "--file", "a.txt", "--verify", "command:unit"},
			{"begin-change", e.TaskID, "--actor", "soak", "--ttl", "1h"},
		} {
			if a := w.call(0, args...); a.exit != 0 {
				return fmt.Errorf("%s: exit status %d: %s", strings.Join(args, " "), a.exit, a.out)
			}
		}
	}
	return os.WriteFile(filepath.Join(w.repo, "a.txt"), []byte("two\n"), 0o644)
}
