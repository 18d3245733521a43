package caseops

import (
	"fmt"
	"math"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/problem"
)

func TestShowPagesBackwardsThroughTheRecords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate}}))
	const notes = 24
	for i := range notes {
		d.must(d.Note(t.Context(), NoteInput{Claim: fmt.Sprintf("note %d", i), Confidence: "medium"}))
	}
	var claims []string
	in := ShowInput{Page: Page{Limit: 10}}
	for {
		page, err := d.Show(t.Context(), in)
		if err != nil || page.EvidenceTotal != notes+1 || len(page.Evidence) > 10 {
			t.Fatalf("page %q: %v, %d of %d records; want at most 10 of %d", in.Cursor, err, len(page.Evidence), page.EvidenceTotal, notes+1)
		}
		if (page.Timeline == nil) != (in.Cursor != "") {
			t.Errorf("page %q has %d timeline entries: they belong to the first page", in.Cursor, len(page.Timeline))
		}
		for i := len(page.Evidence) - 1; i >= 0; i-- {
			claims = append(claims, page.Evidence[i].Claim)
		}
		if in.Cursor = page.NextCursor; in.Cursor == "" {
			break
		}
	}
	if len(claims) != notes+1 || claims[0] != "note 23" || claims[notes-1] != "note 0" {
		t.Errorf("pages show %q, want the %d notes from the newest on and the orientation", claims, notes)
	}
}

func TestListGoesOnBehindItsCursor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const cases = 7
	for i := range cases {
		d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: fmt.Sprintf("goal %d", i), Mode: casefile.ModeInvestigate}}))
	}
	seen := 0
	in := ListInput{Page{Limit: 3}}
	for range cases {
		tasks, err := d.List(t.Context(), in)
		if err != nil || tasks.page.Total != cases {
			t.Fatalf("list %+v: %v, total %d", in, err, tasks.page.Total)
		}
		for _, task := range tasks.page.Tasks {
			if want := fmt.Sprintf("goal %d", seen); task.Goal != want {
				t.Errorf("got %q at place %d, want %q", task.Goal, seen, want)
			}
			seen++
		}
		if in.Cursor = tasks.page.NextCursor; in.Cursor == "" {
			break
		}
	}
	if seen != cases {
		t.Errorf("pages list %d cases, want %d", seen, cases)
	}
}

func TestBadPagesAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate}}))
	for _, page := range []Page{{Cursor: "x"}, {Cursor: "e1.r2"}, {Cursor: "e-1.r0.d0"}, {Cursor: "e01.r0.d0"}, {Cursor: "e1.r2.d3 "}, {Limit: -1}} {
		if _, err := d.Show(t.Context(), ShowInput{Page: page}); !problem.Is(err, problem.InvalidInput) {
			t.Errorf("show %+v = %v, want invalid_input", page, err)
		}
		if _, err := d.List(t.Context(), ListInput{page}); !problem.Is(err, problem.InvalidInput) {
			t.Errorf("list %+v = %v, want invalid_input", page, err)
		}
	}
	far := Page{Cursor: recordPlaces{math.MaxInt, 0, 0}.cursor()}
	if page, err := d.Show(t.Context(), ShowInput{Page: far}); err != nil || len(page.Evidence) != 1 {
		t.Errorf("a cursor behind the end: %d records, %v; want them from the end", len(page.Evidence), err)
	}
}

func TestNewestShareKeepsTheEnd(t *testing.T) {
	t.Parallel()
	all := []string{"aa", "bb", "cc", "dd"}
	for share, want := range map[float64]int{1: 4, 0.5: 2, 0.3: 1, 0: 1} {
		if got := newestShare(all, share); len(got) != want || got[len(got)-1] != "dd" {
			t.Errorf("share %v of %q = %q, want the last %d", share, all, got, want)
		}
	}
	if got := newestShare([]string(nil), 0.5); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}

func TestVerifyKeepsWhatDidNotPassWhenItIsShortened(t *testing.T) {
	t.Parallel()
	var r VerifyResult
	for i := range 50 {
		status := casefile.StatusPassed
		if i%10 == 0 {
			status = casefile.StatusFailed
		}
		r.Receipts = append(r.Receipts, casefile.Receipt{ID: fmt.Sprintf("vr_%d", i), Status: status})
	}
	r.Shrink(jsonSize(r.Receipts) * 4 / 5)
	failed := 0
	for _, receipt := range r.Receipts {
		if receipt.Status == casefile.StatusFailed {
			failed++
		}
	}
	if failed != 5 || len(r.Receipts) >= 50 || len(r.Warnings) != 1 {
		t.Errorf("%d receipts are left, %d of them failed, warnings %q; want all 5 failed ones and a warning", len(r.Receipts), failed, r.Warnings)
	}
}
