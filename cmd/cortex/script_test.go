package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cortex": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	cache := os.Getenv("GOCACHE")
	if cache == "" {
		out, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatalf("go env GOCACHE: %v", err)
		}
		cache = strings.TrimSpace(string(out))
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("GOCACHE", cache)
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("STATE", filepath.Join(home, ".local", "state", "cortex"))
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json": checkJSON, "capture": captureJSON, "exits": exits, "gitrepo": makeRepo, "append": appendFile, "secretfree": secretFree,
		},
	})
}

// exits STATUS COMMAND [ARG...] runs a command and checks its exit status, which testscript alone cannot.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		got = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// json PATH WANT checks a value in the last standard output. PATH is dotted, with numbers for elements and len for a
// length; WANT is compared with the value as text.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH WANT")
	}
	got := lookUp(ts, args[0])
	if (got == args[1]) == neg {
		ts.Fatalf("%s is %q, want %q (negated: %v)", args[0], got, args[1], neg)
	}
}

// capture NAME PATH sets an environment variable to a value of the last standard output.
func captureJSON(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATH")
	}
	ts.Setenv(args[0], lookUp(ts, args[1]))
}

func lookUp(ts *testscript.TestScript, path string) string {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil {
		ts.Fatalf("standard output is not JSON: %v", err)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			switch {
			case key == "len":
				return strconv.Itoa(len(at))
			case err != nil || i >= len(at):
				return ""
			}
			v = at[i]
		default:
			return ""
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// gitrepo DIR makes DIR a git repository with everything in it committed.
func makeRepo(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: gitrepo DIR")
	}
	dir := ts.MkAbs(args[0])
	for _, argv := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "t"}, {"config", "user.email", "t@example.com"}, {"add", "-A"}, {"commit", "-q", "-m", "first"},
	} {
		ts.Check(ts.Exec("git", append([]string{"-C", dir}, argv...)...))
	}
}

// append FILE TEXT adds a line to a file.
func appendFile(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: append FILE TEXT")
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteString(args[1] + "\n")
	ts.Check(err)
	ts.Check(f.Close())
}

// secretfree SECRET DIR... fails when a file below a directory, or a file's name, holds the secret.
func secretFree(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: secretfree SECRET DIR...")
	}
	for _, dir := range args[1:] {
		err := filepath.WalkDir(ts.MkAbs(dir), func(path string, d os.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil && (strings.Contains(string(data), args[0]) || strings.Contains(path, args[0])) {
				ts.Fatalf("%s holds the secret", path)
			}
			return err
		})
		ts.Check(err)
	}
}
