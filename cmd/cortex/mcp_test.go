package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// agent is an MCP client of a server started as a host would start it.
type agent struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// isolated is an environment of its own with the caches of go.
func isolated(t *testing.T) (environ []string, home string) {
	t.Helper()
	home = t.TempDir()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GOCACHE=" + strings.TrimSpace(string(cache)), "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod",
		"GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + os.TempDir(),
	}, home
}

// cortexCommand is this test binary run as cortex.
func cortexCommand(t *testing.T, environ []string, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: exe, Args: append([]string{"cortex"}, args...), Env: environ, Dir: dir}
}

func startAgent(t *testing.T, cmd *exec.Cmd) *agent {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill() // already gone when the test ended it
		_ = cmd.Wait()
	})
	var init struct {
		ServerInfo struct{ Name string }
	}
	a.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	}, &init)
	if init.ServerInfo.Name != "cortex" {
		t.Fatalf("initialize answered %+v", init)
	}
	a.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return a
}

func (a *agent) send(message any) {
	a.t.Helper()
	raw, err := json.Marshal(message)
	if err != nil {
		a.t.Fatal(err)
	}
	if _, err := a.in.Write(append(raw, '\n')); err != nil {
		a.t.Fatal(err)
	}
}

// request sends one request and decodes its result.
func (a *agent) request(method string, params, result any) {
	a.t.Helper()
	a.id++
	a.send(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	for {
		line, err := a.out.ReadBytes('\n')
		if err != nil {
			a.t.Fatalf("%s: %v", method, err)
		}
		var answer struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			a.t.Fatalf("not JSON-RPC on standard output: %q", line)
		}
		if answer.ID == nil || *answer.ID != a.id {
			continue // a notification
		}
		if answer.Error != nil {
			a.t.Fatalf("%s: %s", method, answer.Error)
		}
		if err := json.Unmarshal(answer.Result, result); err != nil {
			a.t.Fatal(err)
		}
		return
	}
}

// call calls a tool and returns its structured content.
func (a *agent) call(tool string, args map[string]any) (content map[string]any, isError bool) {
	a.t.Helper()
	var result struct {
		StructuredContent map[string]any
		IsError           bool
		Content           []struct{ Type, Text string }
	}
	a.request("tools/call", map[string]any{"name": tool, "arguments": args}, &result)
	if len(result.Content) != 1 || result.Content[0].Type != "text" {
		a.t.Fatalf("%s: content is %+v, want one text", tool, result.Content)
	}
	var text map[string]any
	if err := json.Unmarshal([]byte(result.Content[0].Text), &text); err != nil {
		a.t.Fatalf("%s: text is not the JSON of the result: %v", tool, err)
	}
	return result.StructuredContent, result.IsError
}

// must calls a tool that has to succeed and checks one field of its answer.
func (a *agent) must(tool string, args map[string]any, field string, want any) map[string]any {
	a.t.Helper()
	got, isError := a.call(tool, args)
	if isError || got[field] != want {
		raw, _ := json.MarshalIndent(got, "", " ")
		a.t.Fatalf("%s: %s is %v (error %v), want %v\n%s", tool, field, got[field], isError, want, raw)
	}
	return got
}

func TestAgentTakesAChangeFromGoalToProofOverMCP(t *testing.T) {
	t.Parallel()
	environ, _ := isolated(t)
	repo := sumRepository(t, environ)
	run(t, cortexCommand(t, environ, repo, "setup", "--trust-commands", "--yes"))
	a := startAgent(t, cortexCommand(t, environ, "/", "serve"))
	with := func(args map[string]any) map[string]any {
		args["workspace"] = repo
		return args
	}
	opened := a.must("cortex_open_task", with(map[string]any{
		"goal": "Fix Sum", "risk": "low", "acceptanceCriteria": []any{map[string]any{"id": "adds", "statement": "Sum adds"}},
	}), "phase", "investigating")
	a.must("cortex_investigate", with(map[string]any{"question": "where is Sum defined"}), "ok", true)
	if got, isError := a.call("cortex_remember", with(map[string]any{"outcome": "done"})); !isError || got["code"] != "wrong_phase" {
		t.Errorf("remember before proof: %v", got)
	}
	a.must("cortex_plan", with(map[string]any{
		"hypotheses": []any{map[string]any{"statement": "Sum subtracts", "disproveBy": "the test passes"}}, "files": []any{"sum.go"},
		"verification": []any{"command:unit"}, "uncertainty": "none",
	}), "phase", "planned")
	a.must("cortex_begin_change", with(map[string]any{"actor": "agent-a"}), "phase", "changing")
	write(t, filepath.Join(repo, "sum.go"), "package sum\n\nfunc Sum(a, b int) int { return a + b }\n")
	a.must("cortex_verify", with(map[string]any{"fromPlan": true}), "verificationOutcome", "verified")
	a.must("cortex_remember", with(map[string]any{"outcome": "Sum adds"}), "phase", "complete")

	id := map[string]any{"taskId": opened["taskId"], "workspace": repo}
	git(t, environ, repo, "commit", "-qam", "fix")
	if got := a.must("cortex_status", id, "verificationOutcome", "verified"); got["staleVerification"] != nil {
		t.Errorf("committing the verified bytes made the proof stale: %v", got["staleVerification"])
	}
	write(t, filepath.Join(repo, "sum.go"), "package sum\n\nfunc Sum(a, b int) int { return b + a }\n")
	if got := a.must("cortex_status", id, "ok", true); got["staleVerification"] == nil {
		t.Error("one more edit left the proof fresh")
	}
}

func TestServerEndsWithinASecondOfItsInput(t *testing.T) {
	t.Parallel()
	environ, home := isolated(t)
	a := startAgent(t, cortexCommand(t, environ, home, "serve", "--profile", "all"))
	ended := make(chan error, 1)
	if err := a.in.Close(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- a.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(5 * time.Second): // the bound is one second; the rest is for a loaded machine
		t.Fatal("the server is still running")
	}
}

func sumRepository(t *testing.T, environ []string) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "sum")
	if err := os.MkdirAll(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"go.mod": "module example.com/sum\n\ngo 1.21\n", "sum.go": "package sum\n\nfunc Sum(a, b int) int { return a - b }\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(2, 3) != 5 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
		"cortex.yaml": "verifiers:\n  unit:\n    argv: [go, test, ./...]\n",
	} {
		write(t, filepath.Join(repo, name), content)
	}
	git(t, environ, repo, "init", "-qb", "main")
	git(t, environ, repo, "add", "-A")
	git(t, environ, repo, "commit", "-qm", "first")
	return repo
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, environ []string, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir, cmd.Env = dir, environ
	run(t, cmd)
}

func run(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out.String(), errs.String())
	}
	return out.Bytes()
}
