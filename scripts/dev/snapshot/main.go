// Command snapshot compares what Cortex reads from a case store that the public program wrote with what that program
// printed about it. It needs the developers' recorded data, which is not part of the repository:
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/snapshot /tmp/cortex ../shared/fixtures/kernel
//
// It prints one line for each comparison and exits with status 1 when one differs.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

// The cases of the recorded store: one change with proof, one investigation without, one abandoned child.
const (
	proven     = "task_06H2VPRM4KDG25WQ"
	unverified = "task_06H2VPW4R1HSZ25F"
	abandoned  = "task_06H2VPW7ERTTTFXD"
)

type object = map[string]any

type comparison struct {
	cortex, data string
	failed       bool
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: snapshot CORTEX DATA")
		os.Exit(2)
	}
	data, err := filepath.Abs(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	c := &comparison{cortex: os.Args[1], data: data}
	c.evidence()
	c.show()
	c.status()
	if c.failed {
		os.Exit(1)
	}
}

// run answers with the JSON of one command on the recorded store.
func (c *comparison) run(args ...string) object {
	cmd := exec.Command(c.cortex, append(args, "--json")...)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "CORTEX_STATE_DIR="+filepath.Join(c.data, "state_snapshot"))
	out, err := cmd.Output()
	if err != nil {
		c.check(strings.Join(args, " ")+" succeeds", err.Error(), "success")
	}
	return decode(out)
}

func (c *comparison) recorded(name string) object {
	raw, err := os.ReadFile(filepath.Join(c.data, "outputs", name+".json"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return decode(raw)
}

func decode(raw []byte) object {
	var v object
	if err := json.Unmarshal(raw, &v); err != nil {
		return object{"undecodable": string(raw)}
	}
	return v
}

func (c *comparison) check(what string, got, want any) {
	if reflect.DeepEqual(got, want) {
		fmt.Println("same     ", what)
		return
	}
	c.failed = true
	fmt.Printf("different %s\n  got  %v\n  want %v\n", what, got, want)
}

// evidence reads every record of the three ledgers.
func (c *comparison) evidence() {
	c.check("40_read_evidence", c.run("read-evidence", proven, "ev_06H2VPRQNWY0MH6C"), c.recorded("40_read_evidence"))
	for _, id := range []string{proven, unverified, abandoned} {
		raw, err := os.ReadFile(filepath.Join(c.data, "state_snapshot", "sessions", "repo", id, "evidence.jsonl"))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for line := range strings.Lines(string(raw)) {
			want := decode([]byte(line))
			evidenceID, _ := want["id"].(string)
			c.check("read-evidence "+id+" "+evidenceID, c.run("read-evidence", id, evidenceID), want)
		}
	}
}

// show was recorded before the case completed: what it listed is the beginning of what there is now.
func (c *comparison) show() {
	got, want := c.run("show", proven), c.recorded("22_show")
	for _, list := range []string{"evidence", "receipts", "timeline"} {
		had, _ := want[list].([]any)
		has, _ := got[list].([]any)
		for _, entry := range has {
			if e, ok := entry.(object); ok && e["kind"] == "verification" {
				delete(e, "ref") // ours also names the receipt
			}
		}
		c.check("22_show "+list, has[:min(len(had), len(has))], had)
	}
	for _, field := range []string{"slug", "plan", "verificationAssessment", "decisionTotal"} {
		c.check("22_show "+field, got[field], want[field])
	}
	had, _ := want["case"].(object)
	has, _ := got["case"].(object)
	for _, field := range []string{"id", "createdAt", "goal", "mode", "actor", "idempotencyKey", "risk", "workspace", "surfaces", "acceptanceCriteria", "changeBoundary", "verificationRequired", "investigationRounds", "notes"} {
		c.check("22_show case."+field, has[field], had[field])
	}
	c.check("show evidenceTotal", got["evidenceTotal"], 16.0)
	c.check("show receiptTotal", got["receiptTotal"], 9.0)
	c.check("show of the second case: decisions", len(asList(c.run("show", unverified)["decisions"])), 1)
}

func (c *comparison) status() {
	got, want := c.run("status", proven), c.recorded("20_status")
	for _, field := range []string{"taskId", "actor", "mode", "risk", "workspace", "surfaces", "verificationRequired", "verificationDone",
		"verificationOutcome", "satisfiedCriteria", "claimProofTotal", "investigationRounds", "investigationBudget"} {
		c.check("20_status "+field, got[field], want[field])
	}
	complete := c.recorded("31_handoff_complete")
	for _, field := range []string{"phase", "revision", "changeLease"} {
		c.check("31_handoff_complete "+field, got[field], complete[field])
	}
	second := c.run("status", unverified)
	c.check("status of the second case", []any{second["phase"], second["verificationOutcome"], second["evidenceCount"]}, []any{"complete", "unverified", 2.0})
	third := c.run("status", abandoned)
	c.check("status of the third case", []any{third["phase"], third["parentTaskId"], third["evidenceCount"]}, []any{"abandoned", unverified, 1.0})
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}
