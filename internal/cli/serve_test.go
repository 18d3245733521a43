package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// The budgets are in bytes of the answer to tools/list, which every session of an agent carries in its context.
func TestToolListsFitTheirBudgets(t *testing.T) {
	t.Parallel()
	for profile, budget := range map[string]int{"agent": 24 << 10, "all": 40 << 10} {
		var out, errs bytes.Buffer
		std := Streams{In: strings.NewReader(handshake + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"), Out: &out, Err: &errs,
			Env: func(string) string { return "" }, Dir: t.TempDir()}
		if exit := New(Info{}, std, nil).Run([]string{"serve", "--profile", profile}, std); exit != 0 {
			t.Fatalf("serve --profile %s: exit %d, %s", profile, exit, errs.String())
		}
		answer := answerTo(t, out.String(), 2)
		if len(answer) > budget {
			t.Errorf("tools/list of profile %s has %d bytes, want at most %d", profile, len(answer), budget)
		}
		if tools := strings.Count(answer, `"inputSchema"`); tools < 10 {
			t.Errorf("tools/list of profile %s has %d tools: %.200s", profile, tools, answer)
		}
	}
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func answerTo(t *testing.T, out string, id int) string {
	t.Helper()
	for line := range strings.Lines(out) {
		var head struct{ ID int }
		if err := json.Unmarshal([]byte(line), &head); err == nil && head.ID == id {
			return line
		}
	}
	t.Fatalf("no answer to call %d in %q", id, out)
	return ""
}

func TestEveryVerbCanBeServed(t *testing.T) {
	t.Parallel()
	for _, d := range allOps() {
		d.Fields() // panics on a tag that cannot be read
		if d.Tool != "" && len(d.Help) > 700 {
			t.Errorf("help of %s has %d bytes: a model reads it in every session, keep it under 700", d.Name, len(d.Help))
		}
	}
}
