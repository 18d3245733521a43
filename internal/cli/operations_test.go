package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/hostops"
	"cortex/internal/op"
)

// No MCP tool can grant execution, delete, or write outside the store. This list is what there is; a new line in it is to
// be judged by that.
func TestDocsListEveryMCPOperation(t *testing.T) {
	t.Parallel()
	const golden = "testdata/mcp_operations.txt"
	got := operations()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the operations of MCP differ from %s (-want +got); judge them, then run make docs:\n%s", golden, diff)
	}
}

// operations has one line for each operation of a tool: profile, effect, deadline.
func operations() string {
	var lines []string
	for _, tool := range op.New(allOps()...).Tools(op.All) {
		for _, d := range tool.Defs {
			profile, limit := "agent", d.Deadline().String()
			if d.Profiles == op.All {
				profile = "all"
			}
			if d.OwnDeadline {
				limit = "own"
			}
			lines = append(lines, fmt.Sprintf("%-26s %-10s %-6s %-8s %s\n", tool.Name, d.Operation, profile, d.Effect, limit))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestNoMCPOperationSetsUpTheHost(t *testing.T) {
	t.Parallel()
	for _, d := range hostops.Ops() {
		if d.Tool != "" || d.Profiles != op.CLIOnly {
			t.Errorf("%s is served as %s: granting execution and editing configuration is for a person at the command line", d.Name, d.Tool)
		}
	}
}

// Whatever names a place to write to is for the command line: Cortex writes there with the rights of whoever calls.
func TestNoMCPArgumentNamesAPlaceToWriteTo(t *testing.T) {
	t.Parallel()
	places := []string{"output", "out", "outfile", "target", "destination", "to"}
	for _, d := range allOps() {
		for _, f := range d.Fields() {
			if slices.Contains(places, strings.ToLower(f.Name)) && d.Tool != "" && !f.HideMCP {
				t.Errorf("%s takes %s over MCP", d.Name, f.Name)
			}
		}
	}
}

func TestEveryToolHasADeadline(t *testing.T) {
	t.Parallel()
	own := []string{"investigate", "verify", "code search"} // by the depth, by the time limits of checks, for a first index
	for _, d := range allOps() {
		if d.Tool == "" {
			continue
		}
		if d.OwnDeadline != slices.Contains(own, d.Name) || !d.OwnDeadline && d.Deadline() <= 0 {
			t.Errorf("%s: own deadline %t, deadline %v", d.Name, d.OwnDeadline, d.Deadline())
		}
	}
}
