package discovery

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/code"
)

func TestModulesOfFacts(t *testing.T) {
	t.Parallel()
	graph := &code.Graph{
		Modules: []code.Module{
			{Path: "store", Files: 2, FanIn: 2, ImportingFiles: 3, Tier: code.TierHigh},
			{Path: "cart", Files: 1, Symbols: 4, Tier: code.TierCandidate}, {Path: "other", FanIn: 1},
		},
		Edges: []code.Edge{{From: "a", To: "store"}, {From: "b", To: "other"}, {From: "c", To: "store"}},
	}
	facts := []Fact{
		{Tool: "code", File: "store/lease.go"}, {Tool: "code", File: "docs/lease.md"}, {Tool: "git", File: "other/x.go"},
		{Tool: "code", File: "cart/cart.go"}, {Tool: "code", File: "store/journal.go"}, {Tool: "code", File: "other/y.go"},
	}
	want := []ModuleFact{
		{Module: "store", Claim: "2 modules import store, from 3 files: a, c", Tier: code.TierHigh, From: []int{0, 4}},
		{Module: "cart", Claim: "no module of the repository imports cart, tests aside (1 files, 4 definitions)", Tier: code.TierCandidate, From: []int{3}},
	}
	if diff := cmp.Diff(want, Modules(facts, graph, 2)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestLongListsOfImportersAreCut(t *testing.T) {
	t.Parallel()
	graph := &code.Graph{Modules: []code.Module{{Path: "hub", FanIn: 9}}}
	for range 9 {
		graph.Edges = append(graph.Edges, code.Edge{From: "x", To: "hub"})
	}
	got := Modules([]Fact{{Tool: "code", File: "hub/a.go"}}, graph, 3)
	if len(got) != 1 || strings.Count(got[0].Claim, "x") != shownImporters || !strings.HasSuffix(got[0].Claim, "…") {
		t.Errorf("got %+v, want %d importers and a mark that there are more", got, shownImporters)
	}
}
