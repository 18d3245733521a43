package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Bounds on answers in bytes: the text of one MCP result, and --json of status and open.
const (
	mcpBound   = 131072
	printBound = 262144
)

// swollen is a case with as much of everything as its format allows, beside enough others to make a long list.
type swollen struct {
	*workbench
	evidence int
	others   int
}

func newSwollen(t *testing.T) *swollen {
	t.Helper()
	w := &swollen{workbench: newWorkbench(t), evidence: 24, others: 60}
	w.t = t
	long := func(n int) string { return strings.Repeat("wörd \"q\" ", n/10) }
	var ledger bytes.Buffer
	for i := range w.evidence {
		size := 16 << 10
		if i == 0 {
			size = 250 << 10
		}
		fmt.Fprintf(&ledger, `{"id":"ev_%05d","timestamp":"2026-11-30T19:07:41Z","kind":"note","source":{"tool":""},"claim":%s,"confidence":"low"}`+"\n",
			i, quote(t, long(size)))
	}
	w.put("evidence.jsonl", ledger.String())
	w.put("hypotheses.json", w.list(64, func(i int) any {
		return map[string]any{"id": fmt.Sprintf("hyp_%d", i), "statement": long(16 << 10), "status": "unresolved", "confidence": "low"}
	}))
	w.put("decisions.json", w.list(4, func(i int) any {
		return map[string]any{"id": fmt.Sprintf("dec_%d", i), "question": long(16 << 10), "status": "answered", "answer": "a", "responder": "p",
			"requestedAt": "2026-11-30T19:07:41Z", "options": []any{map[string]any{"id": "a", "label": long(4 << 10), "consequence": long(16 << 10)}}}
	}))
	w.put("verification.json", w.list(30, func(i int) any {
		return map[string]any{"id": fmt.Sprintf("vr_%d", i), "claim": long(4 << 10), "claimId": fmt.Sprintf("c%d", i), "surface": "code",
			"purpose": "named_claim", "status": "passed", "timestamp": "2026-11-30T19:07:41Z", "environment": strings.Fields(long(3 << 10))}
	}))
	w.edit(func(c map[string]any) {
		var criteria, children []any
		for i := range 64 {
			criteria = append(criteria, map[string]any{"id": fmt.Sprintf("crit%d", i), "statement": long(4 << 10)})
		}
		for i := range 1500 {
			children = append(children, fmt.Sprintf("task_%016d", i))
		}
		c["acceptanceCriteria"], c["childTaskIds"], c["goal"] = criteria, children, long(4<<10)
	})
	w.multiply(w.others)
	return w
}

func quote(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(strings.ToValidUTF8(text, ""))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func (w *workbench) put(name, content string) {
	w.t.Helper()
	write(w.t, filepath.Join(w.dir(), name), content)
}

func (w *workbench) list(n int, element func(int) any) string {
	w.t.Helper()
	var all []any
	for i := range n {
		all = append(all, element(i))
	}
	raw, err := json.Marshal(all)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

// edit rewrites case.json.
func (w *workbench) edit(change func(c map[string]any)) {
	w.t.Helper()
	path := filepath.Join(w.dir(), "case.json")
	raw, err := os.ReadFile(path)
	var c map[string]any
	if err != nil || json.Unmarshal(raw, &c) != nil {
		w.t.Fatalf("%s: %v", path, err)
	}
	change(c)
	if raw, err = json.Marshal(c); err != nil {
		w.t.Fatal(err)
	}
	write(w.t, path, string(raw))
}

// multiply adds n ended cases of the same goal.
func (w *workbench) multiply(n int) {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.dir(), "case.json"))
	var c map[string]any
	if err != nil || json.Unmarshal(raw, &c) != nil {
		w.t.Fatal(err)
	}
	for i := range n {
		c["id"], c["status"] = fmt.Sprintf("task_9%015d", i), "abandoned"
		delete(c, "childTaskIds")
		delete(c, "acceptanceCriteria")
		raw, err := json.Marshal(c)
		dir := filepath.Join(filepath.Dir(w.dir()), c["id"].(string))
		if err != nil || os.Mkdir(dir, 0o700) != nil {
			w.t.Fatal(err)
		}
		write(w.t, filepath.Join(dir, "case.json"), string(raw))
	}
}

// bounded calls a tool, checks the size of its text and that no verb left the cutting to the server.
func (a *agent) bounded(tool string, args map[string]any) map[string]any {
	a.t.Helper()
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	a.request("tools/call", map[string]any{"name": tool, "arguments": args}, &result)
	text := result.Content[0].Text
	var answer map[string]any
	if err := json.Unmarshal([]byte(text), &answer); err != nil || result.IsError {
		a.t.Fatalf("%s %v: %v: %.500s", tool, args, err, text)
	}
	if len(text) > mcpBound {
		a.t.Errorf("%s %v: %d bytes, want at most %d", tool, args, len(text), mcpBound)
	}
	if strings.Contains(text, "this answer was cut to") {
		a.t.Errorf("%s %v: the verb left it to the server to cut its answer", tool, args)
	}
	return answer
}

func TestAnswersAboutASwollenCaseStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	w := newSwollen(t)
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve", "--profile", "all"))
	for tool, more := range map[string]map[string]any{
		"cortex_status": {"detail": "full"}, "cortex_show": {}, "cortex_handoff": {}, "cortex_list_decisions": {},
		"cortex_read_evidence": {"evidenceId": "ev_00000"}, "cortex_note": {"claim": "one more"},
		"cortex_investigate": {"question": "where is Sum"}, "cortex_resolve": {"hypothesisId": "hyp_1", "status": "confirmed", "reason": "r"},
	} {
		args := map[string]any{"taskId": w.task}
		for name, value := range more {
			args[name] = value
		}
		a.bounded(tool, args)
	}
	cut := a.bounded("cortex_read_evidence", map[string]any{"taskId": w.task, "evidenceId": "ev_00000"})
	if claim, _ := cut["claim"].(string); !strings.HasSuffix(claim, "…") || !strings.Contains(fmt.Sprint(cut["warnings"]), "are cut") {
		t.Errorf("a record over the bound is not marked as cut: warnings %v", cut["warnings"])
	}
	for _, verb := range []string{"status", "show"} {
		if _, exit := w.cortex(verb, w.task); exit != 0 {
			t.Errorf("%s --json: exit status %d", verb, exit)
		}
	}
	printed := run(t, cortexCommand(t, w.environ, w.repo, "status", w.task, "--json"))
	if len(printed) > printBound {
		t.Errorf("status --json prints %d bytes, want at most %d", len(printed), printBound)
	}
}

func TestPagesShowEverythingOnce(t *testing.T) {
	t.Parallel()
	w := newSwollen(t)
	a := startAgent(t, cortexCommand(t, w.environ, w.repo, "serve", "--profile", "all"))
	seen := map[string]int{}
	pages := 0
	for tool, lists := range map[string][]string{
		"cortex_show": {"evidence", "receipts", "decisions"}, "cortex_list_tasks": {"tasks"}, "cortex_list_decisions": {},
	} {
		args := map[string]any{}
		if tool != "cortex_list_tasks" {
			args["taskId"] = w.task
		}
		for {
			page := a.bounded(tool, args)
			for _, name := range lists {
				records, _ := page[name].([]any)
				for _, record := range records {
					seen[name+" "+record.(map[string]any)["id"].(string)]++
				}
			}
			next, more := page["nextCursor"].(string)
			if pages++; !more || pages > 1000 {
				break
			}
			args["cursor"] = next
		}
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s is shown %d times, want once", id, times)
		}
	}
	if want := w.evidence + 30 + 4 + w.others + 1; len(seen) != want {
		t.Errorf("%d pages show %d records, want %d", pages, len(seen), want)
	}
}
