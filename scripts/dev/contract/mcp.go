package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// server is a running cortex serve.
type server struct {
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func startServer(r *run) *server {
	cmd := exec.Command(r.cortex, "-C", r.repo, "serve")
	cmd.Env = append(r.environ, "CORTEX_APPROVE_COMMANDS=1")
	in, err := cmd.StdinPipe()
	must(err)
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	return &server{in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// request returns the whole answer to a request.
func (s *server) request(method string, params any) map[string]any {
	s.id++
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	must(err)
	_, err = s.in.Write(append(raw, '\n'))
	must(err)
	for {
		line, err := s.out.ReadBytes('\n')
		must(err)
		var answer map[string]any
		must(json.Unmarshal(line, &answer))
		if at(answer, "id") == fmt.Sprint(s.id) {
			return answer
		}
	}
}

// tool is one recorded tool call.
type tool struct {
	record string // file of the recorded answer; "" only to get there
	name   string
	args   map[string]any
	edit   func(*run)
}

// compareMCP takes a case through the recorded tool calls.
func compareMCP(cortex, data string) tally {
	r := newRun(cortex)
	s := startServer(r)
	s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "contract", "version": "1"}})
	r.compareTools(s, filepath.Join(data, "kernel", "mcp", "agent_01_tools_list.json"))
	for _, t := range toolCalls() {
		if t.edit != nil {
			t.edit(r)
		}
		for name, value := range t.args {
			if text, ok := value.(string); ok && strings.HasPrefix(text, "$") {
				t.args[name] = r.saved[text[1:]]
			}
		}
		got := s.request("tools/call", map[string]any{"name": t.name, "arguments": t.args})
		if id := at(got, "result.structuredContent.taskId"); id != "" && r.saved["TASK"] == "" {
			r.saved["TASK"] = id
		}
		if t.record == "" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(data, "kernel", "mcp", t.record+".json"))
		must(err)
		var want map[string]any
		must(json.Unmarshal(raw, &want))
		r.judge(t.record, contentOf(got), exitOf(got), contentOf(want), exitOf(want))
	}
	must(s.in.Close())
	must(os.RemoveAll(filepath.Dir(r.repo)))
	return r.tally
}

func contentOf(answer map[string]any) any {
	result, _ := answer["result"].(map[string]any)
	return result["structuredContent"]
}

// exitOf is 1 for a refused call.
func exitOf(answer map[string]any) int {
	if answer["error"] != nil || at(answer, "result.isError") == "true" {
		return 1
	}
	return 0
}

// compareTools checks that every recorded tool is served. Those of later work are named in the deviations.
func (r *run) compareTools(s *server, file string) {
	raw, err := os.ReadFile(file)
	must(err)
	var want map[string]any
	must(json.Unmarshal(raw, &want))
	names := func(answer map[string]any) map[string]bool {
		out := map[string]bool{}
		result, _ := answer["result"].(map[string]any)
		tools, _ := result["tools"].([]any)
		for _, t := range tools {
			out[at(t, "name")] = true
		}
		return out
	}
	have := names(s.request("tools/list", map[string]any{}))
	var differences []string
	for name := range names(want) {
		if !have[name] {
			differences = append(differences, "missing "+name)
		}
	}
	r.report("tools/list", differences)
}

func toolCalls() []tool {
	hypothesis := []any{map[string]any{"statement": "h", "disproveBy": "d"}}
	return []tool{
		{record: "agent_02_open", name: "cortex_open_task", args: map[string]any{"goal": "mcp goal", "risk": "low", "acceptanceCriteria": []any{map[string]any{"id": "c", "statement": "holds"}}}},
		{record: "agent_03_open_bad_mode", name: "cortex_open_task", args: map[string]any{"goal": "x", "mode": "zzz"}},
		{record: "agent_04_open_missing_goal", name: "cortex_open_task", args: map[string]any{}},
		{record: "agent_05_open_extra_arg", name: "cortex_open_task", args: map[string]any{"goal": "x", "bogus": 1}},
		{record: "agent_06_plan_no_disproof", name: "cortex_plan", args: map[string]any{"taskId": "$TASK", "hypotheses": []any{map[string]any{"statement": "h", "disproveBy": ""}}, "files": []any{"calc.sh"}, "uncertainty": "u"}},
		{record: "agent_07_plan_empty", name: "cortex_plan", args: map[string]any{"taskId": "$TASK", "hypotheses": []any{}, "uncertainty": "u"}},
		{record: "agent_08_investigate", name: "cortex_investigate", args: map[string]any{"taskId": "$TASK", "question": "numbers"}},
		{record: "agent_09_plan", name: "cortex_plan", args: map[string]any{"taskId": "$TASK", "hypotheses": hypothesis, "files": []any{"calc.sh"}, "verification": []any{"command:unit"}, "uncertainty": "u"}},
		{record: "agent_10_begin", name: "cortex_begin_change", args: map[string]any{"taskId": "$TASK", "actor": "m1"}},
		{record: "agent_11_status", name: "cortex_status", args: map[string]any{"taskId": "$TASK"}},
		{record: "agent_12_status_missing", name: "cortex_status", args: map[string]any{"taskId": "task_none"}},
		{record: "agent_13_verify_no_contract", name: "cortex_verify", args: map[string]any{"taskId": "$TASK", "claimSpecs": []any{map[string]any{"statement": "holds", "surface": "code", "contract": ""}}}},
		{record: "agent_14_verify_noop", name: "cortex_verify", args: map[string]any{"taskId": "$TASK", "fromPlan": true}, edit: func(r *run) {
			r.write("calc.sh", "#!/bin/sh\necho $(($1 + $2))\n")
		}},
		{record: "agent_15_handoff", name: "cortex_handoff", args: map[string]any{"taskId": "$TASK"}},
		{record: "agent_16_read_evidence", name: "cortex_read_evidence", args: map[string]any{"taskId": "$TASK", "evidenceId": "ev_orientation_git"}},
		{record: "agent_17_read_evidence_missing", name: "cortex_read_evidence", args: map[string]any{"taskId": "$TASK", "evidenceId": "ev_x"}},
		{record: "agent_18_remember", name: "cortex_remember", args: map[string]any{"taskId": "$TASK", "outcome": "ok"}},
		{record: "agent_20_unknown_tool", name: "cortex_nope", args: map[string]any{}},
		{record: "agent_21_sessions_hidden", name: "cortex_sessions", args: map[string]any{}},
	}
}
