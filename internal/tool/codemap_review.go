package tool

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
)

// maxRiskFactors is how many factors a risk has in the contract that is understood.
const maxRiskFactors = 5

// CodemapFile is a changed file as codemap sees it.
type CodemapFile struct {
	Path    string `json:"path"`
	Status  string `json:"status"` // A, M, D or ?
	Symbols int    `json:"symbols"`
}

// CodemapRisk is how much a change may break, as codemap weighs it.
type CodemapRisk struct {
	Level   string            `json:"level"` // low, medium or high
	Score   float64           `json:"score"` // 0 to 1
	Factors []json.RawMessage `json:"factors"`
}

// CodemapReview is codemap's structural review of a change. It can be relied on only when the answer is authoritative.
type CodemapReview struct {
	Files     []CodemapFile // paths relative to the workspace; one that is not is left as it came
	Symbols   []CodemapPlace
	Radius    []CodemapPlace
	Tests     []CodemapPlace
	Untested  CodemapPlaces
	CallGraph string
	Risk      *CodemapRisk // nil when it does not say
}

// codemapReviewed is a review as it is printed.
type codemapReviewed struct {
	Schema    int            `json:"schema_version"`
	Mode      string         `json:"mode"`
	Depth     int            `json:"depth"`
	IsRepo    bool           `json:"is_repo"`
	Indexed   bool           `json:"indexed"`
	Files     []CodemapFile  `json:"changed_files"`
	Symbols   []CodemapPlace `json:"changed_symbols"`
	Radius    []CodemapPlace `json:"blast_radius"`
	Tests     []CodemapPlace `json:"covering_tests"`
	Untested  CodemapPlaces  `json:"untested_symbols"`
	Stale     bool           `json:"stale"`
	CallGraph string         `json:"call_graph"`
	Risk      *CodemapRisk   `json:"risk"`
}

// CodemapReview asks for a review of the worktree, or of what differs from a commit. A review of an index that is missing
// or stale, of another schema, without a member that the contract requires, or with a word that is not understood is
// partial, never clean.
func (r Runner) CodemapReview(ctx context.Context, since string) (CodemapReview, Answer) {
	args := []string{"--json"}
	mode := "working"
	if since != "" {
		args = append(args, "--since", operand(since))
		mode = "since"
	}
	a := r.codemap(ctx, "review", args...)
	return r.parseReview(&a, mode), a
}

func (r Runner) parseReview(a *Answer, mode string) CodemapReview {
	var said codemapReviewed
	if !a.decode(&said, "schema_version", "project", "mode", "depth", "is_repo", "indexed", "changed_files", "changed_symbols",
		"blast_radius", "covering_tests", "untested_symbols", "stale") || !a.schema(said.Schema, 1) {
		return CodemapReview{}
	}
	said.doubts(a, mode)
	out := CodemapReview{
		Files: said.Files, Symbols: said.Symbols, Radius: said.Radius, Tests: said.Tests, Untested: said.Untested,
		CallGraph: said.CallGraph, Risk: said.Risk,
	}
	for i, f := range out.Files {
		if filepath.IsAbs(f.Path) {
			if rel, err := filepath.Rel(r.Workspace, f.Path); err == nil {
				out.Files[i].Path = filepath.ToSlash(rel)
			}
		}
	}
	for _, list := range [][]CodemapPlace{out.Symbols, out.Radius, out.Tests, out.Untested.List} {
		r.settle(list)
	}
	return out
}

// doubts makes the answer partial where the review does not hold what it has to.
func (v codemapReviewed) doubts(a *Answer, mode string) {
	switch {
	case !v.IsRepo:
		a.partly("it sees no git repository here")
	case !v.Indexed:
		a.partly("codemap has no index of this workspace; codemap index makes one")
	case v.Stale:
		a.partly("its index is stale; codemap index renews it")
	case v.Mode != mode:
		a.partly("it reviewed %q, not %q", clip(v.Mode, 40), mode)
	case v.Depth < 1:
		a.partly("its depth is %d", v.Depth)
	}
	for _, f := range v.Files {
		if f.Path == "" || f.Symbols < 0 {
			a.partly("its answer has a changed file without a path or with %d symbols", f.Symbols)
		}
		a.knows("status", f.Status, "A", "M", "D", "?")
	}
	for _, place := range slices.Concat(v.Symbols, v.Radius, v.Tests) {
		if place.Symbol == "" || place.File == "" {
			a.partly("its answer has a symbol without a name or a file")
		}
	}
	a.knows("call_graph", v.CallGraph, codemapGraphs()...)
	if v.Risk == nil {
		return
	}
	a.knows("risk level", v.Risk.Level, "low", "medium", "high")
	if v.Risk.Score < 0 || v.Risk.Score > 1 || len(v.Risk.Factors) > maxRiskFactors {
		a.partly("its answer has a risk of score %g with %d factors", v.Risk.Score, len(v.Risk.Factors))
	}
}
