package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/op"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing them")

func TestToolsListMatchesGolden(t *testing.T) {
	t.Parallel()
	c := serve(t, op.All)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var got bytes.Buffer
	if err := json.Indent(&got, c.next().Result, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	const golden = "testdata/tools_list.json"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("tools/list differs from %s (-want +got):\n%s", golden, diff)
	}
}

func TestAgentProfileHidesToolsOfAll(t *testing.T) {
	t.Parallel()
	c := serve(t, op.Agent)
	for _, name := range []string{"toy_list", "no_such"} {
		c.start(1, name, `{}`)
		got := c.next()
		if got.Error == nil || got.Error.Code != -32602 || got.Error.Message != `unknown tool "`+name+`"` {
			t.Errorf("calling %s answered %+v, want -32602 unknown tool", name, got)
		}
	}
}

func TestResultIsTextAndTheSameObject(t *testing.T) {
	t.Parallel()
	c := serve(t, op.All)
	for _, tt := range []struct {
		tool, arguments string
		want            map[string]any
	}{
		{"toy_ring", `{"how":"softly"}`, map[string]any{"ok": true, "taskId": "task_1", "summary": "rang 6 bytes <low>", "rawAvailable": false}},
		{"toy_bell", `{"operation":"where"}`, map[string]any{"items": []any{"/home/me"}}},
		{"toy_bell", `{"operation":"where","workspace":"/srv"}`, map[string]any{"items": []any{"/srv"}}},
		{"toy_list", `{"workspace":"sub"}`, map[string]any{"items": []any{"/home/me/sub"}}},
		{"toy_list", `null`, map[string]any{"items": []any{"/home/me"}}},
	} {
		got := c.call(tt.tool, tt.arguments)
		if diff := cmp.Diff(tt.want, got.StructuredContent); diff != "" || got.IsError {
			t.Errorf("%s %s: structured content, error %t (-want +got):\n%s", tt.tool, tt.arguments, got.IsError, diff)
		}
		var text map[string]any
		if err := json.Unmarshal([]byte(got.Content[0].Text), &text); err != nil || !cmp.Equal(text, got.StructuredContent) {
			t.Errorf("%s %s: text %q differs from the structured content", tt.tool, tt.arguments, got.Content[0].Text)
		}
	}
}

func TestRefusalIsAResultWithAWayOn(t *testing.T) {
	t.Parallel()
	c := serve(t, op.Agent)
	for _, tt := range []struct{ tool, arguments, code, message string }{
		{"toy_ring", `{"how":"refuse"}`, "wrong_phase", `Not in phase "night", ***.`},
		{"toy_ring", `{}`, "invalid_input", "how is required: how to ring"},
		{"toy_ring", `{"how":"x","pitch":"shrill"}`, "invalid_input", `pitch must be one of: high, low (got "shrill")`},
		{"toy_ring", `{"how":"x","how":"y"}`, "invalid_input", `"how" is given twice`},
		{"toy_ring", `{"how":"x","workspace":"nowhere"}`, "not_a_repository", "There is no repository."},
		{"toy_bell", `{"operation":"crack"}`, "invalid_input", "operation must be one of: melt, where"},
		{"toy_ring", `{"how":"panic"}`, "internal", "the rope tore"},
		{"toy_ring", `{"how":"undeclared"}`, "internal", "no such verb"},
		{"toy_ring", `[1]`, "invalid_input", "want an object, got an array"},
	} {
		got := c.call(tt.tool, tt.arguments)
		code, _ := got.StructuredContent["code"].(string)
		message, _ := got.StructuredContent["error"].(string)
		next, _ := got.StructuredContent["nextActions"].([]any)
		if !got.IsError || got.StructuredContent["ok"] != false || code != tt.code || !strings.Contains(message, tt.message) || len(next) == 0 {
			t.Errorf("%s %s = %+v, want code %s, %q and a way on", tt.tool, tt.arguments, got, tt.code, tt.message)
		}
	}
	got := c.call("toy_ring", `{"how":"refuse"}`)
	action := got.StructuredContent["actions"].([]any)[0].(map[string]any)
	if action["tool"] != "toy_ring" || action["command"] != "cortex -C /home/me ring" {
		t.Errorf("action = %v, want the ring tool with its command", action)
	}
}

func TestActionsNameServedToolsOnly(t *testing.T) {
	t.Parallel()
	for profile, want := range map[op.Profile]any{op.Agent: nil, op.All: "toy_list"} {
		got := serve(t, profile).call("toy_ring", `{"how":"list"}`)
		action := got.StructuredContent["actions"].([]any)[0].(map[string]any)
		if action["tool"] != want || action["command"] != "cortex -C /home/me list" {
			t.Errorf("profile %d: action = %v, want the tool %v and its command", profile, action, want)
		}
	}
}

func TestInstructionsAreShort(t *testing.T) {
	t.Parallel()
	if len(instructions) >= 2048 {
		t.Errorf("instructions have %d bytes, want under 2048", len(instructions))
	}
	for _, step := range []string{"open", "investigate", "plan", "begin_change", "verify", "remember"} {
		if !strings.Contains(instructions, step) {
			t.Errorf("instructions lack %q", step)
		}
	}
}
