package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// codemapDepth is how far an impact is followed.
const codemapDepth = 3

// IndexState is what a tool says of its index of the workspace.
type IndexState struct {
	Indexed bool
	Pending int // files that differ from what it holds; -1 when it did not say
}

// CodemapPlace is a symbol and where it stands.
type CodemapPlace struct {
	Symbol string `json:"symbol"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	File   string `json:"file"` // relative to the workspace; "" where it is not there
	Start  int    `json:"start_line"`
	End    int    `json:"end_line"`
	Line   int    `json:"line"`
	Depth  int    `json:"depth"`
}

// CodemapPlaces is a list that is printed whole, or only as its length.
type CodemapPlaces struct {
	List  []CodemapPlace
	Count int // -1 when codemap was expected to say it and did not
}

// UnmarshalJSON takes a list of places, a list of names, or a number; null changes nothing.
func (p *CodemapPlaces) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	*p = CodemapPlaces{}
	if json.Unmarshal(raw, &p.Count) == nil {
		if p.Count < 0 {
			return fmt.Errorf("%d is no number of places", p.Count)
		}
		return nil
	}
	var names []string
	if json.Unmarshal(raw, &names) == nil {
		for _, name := range names {
			p.List = append(p.List, CodemapPlace{Symbol: name})
		}
	} else if err := json.Unmarshal(raw, &p.List); err != nil {
		return err
	}
	p.Count = len(p.List)
	return nil
}

// codemap runs one call that reads and reads its refusal.
func (r Runner) codemap(ctx context.Context, operation string, args ...string) Answer {
	a := r.run(ctx, call{tool: Codemap, operation: operation, args: append([]string{operation}, args...), repeat: true})
	a.codemapRefusal()
	return a
}

// codemapRefusal classes what codemap itself refuses: an operational fault, or something that is not there.
func (a *Answer) codemapRefusal() {
	refusal, ok := a.refused()
	switch {
	case !ok || a.TimedOut:
	case refusal.Code == "operational":
		a.downgrade(Failed, "%s", refusal.words())
	default:
		a.downgrade(Unavailable, "%s", refusal.words())
	}
}

// unknownSymbol reports a refusal that is an answer: there is no such symbol.
func (a *Answer) unknownSymbol() bool {
	refusal, ok := a.refused()
	if !ok || refusal.Code != "not_found" {
		return false
	}
	a.Class, a.Cause = Authoritative, ""
	return true
}

// CodemapStatus says whether codemap has an index of the workspace. It asks without looking for stale files, and again
// where a version does not know that.
func (r Runner) CodemapStatus(ctx context.Context) (IndexState, Answer) {
	ask := func(args ...string) Answer {
		return r.run(ctx, call{tool: Codemap, operation: "status", args: args, timeout: healthTimeout, repeat: true})
	}
	a := ask("status", "--json", "--skip-stale")
	if a.Class == Failed && a.refusesFlag("skip-stale") {
		a = a.followedBy(ask("status", "--json"))
	}
	a.codemapRefusal()
	return parseIndex(&a), a
}

func parseIndex(a *Answer) IndexState {
	var said struct {
		Registered *bool           `json:"registered"`
		Nodes      int             `json:"nodes"`
		Files      int             `json:"files"`
		Stale      json.RawMessage `json:"stale"`
	}
	if !a.decode(&said, "registered") {
		return IndexState{}
	}
	pending, understood := pendingFiles(said.Stale)
	state := IndexState{Indexed: *said.Registered && said.Nodes > 0, Pending: pending}
	switch {
	case !state.Indexed:
		a.downgrade(Unavailable, "codemap has no index of this workspace; codemap index makes one")
	case !understood:
		a.partly("it does not say in a form that is understood how stale its index is")
	case state.Pending > 0:
		a.partly("its index is stale in %d files; codemap index renews it", state.Pending)
	}
	return state
}

// pendingFiles reads a number, or {changed, new, deleted}; -1 when nothing is said. What is none of these, or below zero,
// is not understood.
func pendingFiles(raw json.RawMessage) (n int, understood bool) {
	if len(raw) == 0 || isNull(raw) {
		return -1, true
	}
	if json.Unmarshal(raw, &n) == nil {
		return n, n >= 0
	}
	var parts struct{ Changed, New, Deleted int }
	if json.Unmarshal(raw, &parts) != nil {
		return -1, false
	}
	n = parts.Changed + parts.New + parts.Deleted
	return n, min(parts.Changed, parts.New, parts.Deleted, n) >= 0
}

// refusesFlag reports whether a program says that it does not know a flag, or a value of it.
func (a Answer) refusesFlag(flag string) bool {
	complaint, _, _ := strings.Cut(strings.ToLower(string(a.Stderr)+"\n"+string(a.Stdout)), "usage:")
	for _, word := range []string{"unknown", "not defined", "invalid", "unsupported", "unrecognized", "must be one of"} {
		if strings.Contains(complaint, word) && strings.Contains(complaint, flag) {
			return true
		}
	}
	return false
}

// followedBy is the answer of a second call that was made because of the first.
func (a Answer) followedBy(next Answer) Answer {
	next.Attempts += a.Attempts
	next.Duration += a.Duration
	return next
}

// CodemapImpact is what a change of a symbol reaches.
type CodemapImpact struct {
	Found      bool
	Locations  CodemapPlaces
	Callers    CodemapPlaces // direct ones
	Radius     CodemapPlaces // what reaches it within three calls
	Tests      CodemapPlaces
	Resolution string // of the symbol, or else of the call graph: precise, resolved, name, unresolved, none, or ""
	Note       string
}

// CodemapImpact asks what depends on a symbol. An unknown symbol is an answer with Found false.
func (r Runner) CodemapImpact(ctx context.Context, symbol string) (CodemapImpact, Answer) {
	a := r.codemap(ctx, "impact", operand(symbol), "--depth", strconv.Itoa(codemapDepth), "--json")
	return r.parseImpact(&a), a
}

func (r Runner) parseImpact(a *Answer) CodemapImpact {
	var said struct {
		Found      bool          `json:"found"`
		Locations  CodemapPlaces `json:"locations"`
		Callers    CodemapPlaces `json:"direct_callers"`
		Radius     CodemapPlaces `json:"blast_radius"`
		Tests      CodemapPlaces `json:"tests"`
		Resolution string        `json:"resolution"`
		CallGraph  string        `json:"call_graph"`
		Note       string        `json:"note"`
	}
	said.Callers.Count, said.Radius.Count, said.Tests.Count = -1, -1, -1
	if a.unknownSymbol() || !a.decode(&said, "found") {
		return CodemapImpact{}
	}
	out := CodemapImpact{
		Found: said.Found, Locations: said.Locations, Callers: said.Callers, Radius: said.Radius, Tests: said.Tests,
		Resolution: said.Resolution, Note: said.Note,
	}
	if said.CallGraph != "" {
		out.Resolution = said.CallGraph
	}
	a.knows("resolution", said.Resolution, codemapGraphs()...)
	a.knows("call_graph", said.CallGraph, codemapGraphs()...)
	for _, list := range []*CodemapPlaces{&out.Locations, &out.Callers, &out.Radius, &out.Tests} {
		r.settle(list.List)
	}
	return out
}

// codemapGraphs are the ways in which codemap tells calls.
func codemapGraphs() []string {
	return []string{"", "precise", "resolved", "name", "unresolved", "none"}
}

// knows makes an answer partial that uses a word which is not understood.
func (a *Answer) knows(member, word string, understood ...string) {
	if !slices.Contains(understood, word) {
		a.partly("its answer has %s %q, which is not understood", member, clip(word, 40))
	}
}

// settle makes the places' files relative to the workspace; those that are not in it lose theirs.
func (r Runner) settle(places []CodemapPlace) {
	for i := range places {
		p := &places[i]
		if p.Symbol == "" {
			p.Symbol = p.Name
		}
		if p.Start == 0 {
			p.Start = p.Line
		}
		p.Start, p.End = max(p.Start, 0), max(p.End, p.Start, 0)
		if p.File == "" {
			continue
		}
		if file, ok := r.within(p.File); ok {
			p.File = file
		} else {
			p.File = ""
		}
	}
}

// CodemapNeighbours lists the callers of a symbol.
type CodemapNeighbours struct {
	Found      bool
	Places     CodemapPlaces
	Resolution string
}

// CodemapCallers asks who calls a symbol.
func (r Runner) CodemapCallers(ctx context.Context, symbol string) (CodemapNeighbours, Answer) {
	return r.neighbours(ctx, "callers", symbol)
}

// CodemapCallees asks what a symbol calls.
func (r Runner) CodemapCallees(ctx context.Context, symbol string) (CodemapNeighbours, Answer) {
	return r.neighbours(ctx, "callees", symbol)
}

func (r Runner) neighbours(ctx context.Context, operation, symbol string) (CodemapNeighbours, Answer) {
	a := r.codemap(ctx, operation, operand(symbol), "--json")
	var said map[string]json.RawMessage
	if a.unknownSymbol() || !a.decode(&said, operation) {
		return CodemapNeighbours{}, a
	}
	out := CodemapNeighbours{Found: true}
	for member, into := range map[string]any{operation: &out.Places, "found": &out.Found, "call_graph": &out.Resolution} {
		raw, there := said[member]
		if !there {
			continue
		}
		if err := json.Unmarshal(raw, into); err != nil {
			a.partly("its answer has no readable %q", member)
			return CodemapNeighbours{}, a
		}
	}
	a.knows("call_graph", out.Resolution, codemapGraphs()...)
	r.settle(out.Places.List)
	return out, a
}

// CodemapFind looks symbols up by name. Hits without a file in the workspace are dropped and counted.
func (r Runner) CodemapFind(ctx context.Context, query string, most int) (hits []CodemapPlace, dropped int, a Answer) {
	a = r.codemap(ctx, "find", operand(query), "--top", strconv.Itoa(most), "--json")
	var said struct {
		Hits []CodemapPlace `json:"hits"`
	}
	if !a.decode(&said, "hits") {
		return nil, 0, a
	}
	r.settle(said.Hits)
	for _, hit := range said.Hits {
		switch {
		case hit.File == "" || hit.Symbol == "":
			dropped++
		case len(hits) < most:
			hits = append(hits, hit)
		}
	}
	return hits, dropped, a
}

// CodemapAnnotate keeps a note at a symbol. It changes codemap's own store and is never tried again.
func (r Runner) CodemapAnnotate(ctx context.Context, symbol, source, note string) Answer {
	a := r.run(ctx, call{tool: Codemap, operation: "annotate", args: []string{"annotate", operand(symbol), "--source", source, "--note", note, "--json"}})
	a.codemapRefusal()
	return a
}
