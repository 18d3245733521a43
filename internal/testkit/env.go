package testkit

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Env returns an environment for child processes in which HOME and every XDG directory are empty temporary ones, no
// variable of git or Cortex is set, and git reads no configuration but the repository's. Extra entries ("NAME=value")
// come last and win.
func Env(tb testing.TB, extra ...string) []string {
	tb.Helper()
	home := tb.TempDir()
	env := []string{}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !personal(name) {
			env = append(env, entry)
		}
	}
	env = append(env,
		"HOME="+home,
		"USERPROFILE="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"XDG_STATE_HOME="+filepath.Join(home, "state"),
		"XDG_CACHE_HOME="+filepath.Join(home, "cache"),
		"XDG_DATA_HOME="+filepath.Join(home, "data"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.invalid", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.invalid", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	)
	return append(env, extra...)
}

// personal reports whether a variable would let the machine of the person who runs the tests show through.
func personal(name string) bool {
	for _, prefix := range []string{"GIT_", "XDG_", "CORTEX_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "HOME" || name == "USERPROFILE" || name == "NO_COLOR"
}

// FakeTool writes a shell script of the given name and body and returns the directory to put in front of PATH. It skips
// the test on a system without a shell.
func FakeTool(tb testing.TB, name, body string) string {
	tb.Helper()
	if runtime.GOOS == "windows" {
		tb.Skip("fake tools are shell scripts")
	}
	dir := tb.TempDir()
	// A child forked by another test while the script is open for writing would inherit it, and executing the script
	// would then fail with "text file busy".
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		tb.Fatalf("write fake tool: %v", err)
	}
	return dir
}

// Wait polls until done returns true and ends the test, naming what it waited for, when that takes longer than limit.
func Wait(tb testing.TB, what string, limit time.Duration, done func() bool) {
	tb.Helper()
	for deadline := time.Now().Add(limit); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			tb.Fatalf("waited %s for %s", limit, what)
		}
	}
}
