package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrNotFound says that the program, or the interpreter that its first line names, is not there or not executable.
var ErrNotFound = errors.New("program not found")

// command checks s and resolves its program.
func command(ctx context.Context, s Spec) (*exec.Cmd, error) {
	if s.Timeout <= 0 {
		return nil, errors.New("a process needs a timeout above zero")
	}
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return nil, errors.New("a process needs a program to run")
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	path, err := find(s.Argv[0], dir, s.Env)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, s.Argv[1:]...)
	cmd.Args[0] = s.Argv[0]
	cmd.Dir = dir
	cmd.Env = append([]string{}, s.Env...)
	cmd.Stdin = s.Stdin
	cmd.WaitDelay = drainTime
	return cmd, nil
}

// Find is the path of the program that Run would start for a bare name in env, or ErrNotFound.
func Find(name string, env []string) (string, error) { return find(name, "", env) }

// find is the absolute path of a program. The PATH is that of the child; its relative entries are skipped, so that a bare
// name never runs a file of the directory that one happens to be in.
func find(name, dir string, env []string) (string, error) {
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name)
	}
	for _, d := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(d) {
			continue
		}
		if path, err := executable(filepath.Join(d, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrNotFound)
}

func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, ErrNotFound)
	}
	return found, nil
}

// variable is the last value of name in env; Windows does not tell Path from PATH.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(env[i], "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// startError gives a failed start its meaning: with the program and the directory there, what is missing is the interpreter.
func startError(cmd *exec.Cmd, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("interpreter of %s: %w", cmd.Path, ErrNotFound)
	}
	return fmt.Errorf("start %s: %w", cmd.Path, err)
}
