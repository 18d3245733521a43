package caseops

import (
	"fmt"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/redact"
	"cortex/internal/tool"
)

func TestAVideoGivesAtMostWhatTheRoundHasRoomFor(t *testing.T) {
	t.Parallel()
	excerpt := (&Service{Redact: redact.New(nil)}).excerpt
	for _, tt := range []struct{ most, moments, places, wantMoments, wantPlaces int }{
		{5, 9, 9, 2, 2}, {5, 0, 9, 0, 4}, {5, 9, 0, 4, 0}, {5, 1, 1, 1, 1}, {2, 3, 3, 0, 1}, {1, 3, 3, 0, 0}, {0, 3, 3, 0, 0}, {5, 0, 0, 0, 0}, {9, 3, 9, 3, 5},
	} {
		var found tool.VideoFinding
		for i := range tt.moments {
			found.Moments = append(found.Moments, tool.VideoMoment{Seconds: float64(i), Text: "text\n of " + strings.Repeat("x", 1000)})
		}
		for i := range tt.places {
			found.Matches = append(found.Matches, tool.VideoMatch{File: "a.go", Line: i + 1})
		}
		n := 0
		got := watched(video{ref: "fcheap://stash/fc_1"}, found, tt.most, func(string) string { n++; return fmt.Sprintf("ev_%d", n) }, excerpt)
		moments, places := 0, 0
		for i, e := range got {
			switch {
			case e.Confidence != casefile.ConfidenceLow || strings.Contains(e.Claim, "\n") || len(e.Claim) > 400:
				t.Errorf("%+v: %+v", tt, e)
			case i == 0:
				if e.Kind != casefile.KindArtifact || e.Source.URI != "fcheap://stash/fc_1" || e.ID != "ev_1" {
					t.Errorf("%+v: the video is %+v", tt, e)
				}
				continue
			case e.Kind == casefile.KindCodeLocation:
				places++
			default:
				moments++
			}
			if len(e.DerivedFrom) != 1 || e.DerivedFrom[0] != "ev_1" {
				t.Errorf("%+v: %+v is not derived from the video", tt, e)
			}
		}
		if moments != tt.wantMoments || places != tt.wantPlaces || len(got) > max(1, tt.most) {
			t.Errorf("%+v: %d moments and %d places", tt, moments, places)
		}
	}
	if got := watched(video{ref: "bundle"}, tool.VideoFinding{}, 3, func(string) string { return "ev_1" }, excerpt); got[0].Source.URI != "" {
		t.Errorf("a directory is cited as %q", got[0].Source.URI)
	}
}

func TestALaterStageTakesAtMostHalfOfARound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ most, asked, got, left int }{{12, 5, 5, 7}, {4, 5, 2, 2}, {1, 5, 0, 1}, {12, 0, 0, 12}} {
		r := &round{most: tt.most}
		if got := r.reserve(tt.asked); got != tt.got || r.most != tt.left {
			t.Errorf("%+v: reserved %d, left %d", tt, got, r.most)
		}
	}
}

func TestWhatTheGraphHoldsIsWordedByHowSureItIs(t *testing.T) {
	t.Parallel()
	f := tool.MemoryFact{Symbol: "add", File: "calc.go", Start: 3, Callers: []string{"x", "y"}, Total: 2, Alone: true}
	for want, change := range map[string]func(*tool.MemoryFact){
		"add (symbol) at calc.go:3 has 2 callers in the graph of codebase-memory: x, y":                func(*tool.MemoryFact) {},
		"add (Function) at calc.go:3 has 9 callers in the graph of codebase-memory: x, y, …":           func(f *tool.MemoryFact) { f.Kind, f.Total = "Function", 9 },
		"add (symbol) at calc.go:3 is in the graph of codebase-memory, which did not tell its callers": func(f *tool.MemoryFact) { f.Total, f.Callers = -1, nil },
		"add (symbol) at calc.go:3 has 2 callers in the graph of codebase-memory: x, y (by name: other definitions may share it)": func(f *tool.MemoryFact) {
			f.Alone = false
		},
	} {
		changed := f
		change(&changed)
		if got := graphClaim(changed); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNotesOfBobAreBoundedAndSaidOnce(t *testing.T) {
	t.Parallel()
	c := &casefile.Case{ID: "task_0000000000000000", Notes: []string{"something else", bobNote + "0"}}
	b := contract{}
	for i := range 2 * maxBobNotes {
		b.notes = append(b.notes, fmt.Sprintf("%s%d", bobNote, i))
	}
	for range 2 {
		b.of(c, "", c.CreatedAt)
	}
	if len(c.Notes) != maxBobNotes+1 || c.Notes[2] != bobNote+"1" {
		t.Errorf("%d notes, %q", len(c.Notes), c.Notes[:3])
	}
}
