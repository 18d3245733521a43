package caseops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/problem"
	"cortex/internal/testkit"
)

// withStash is a desk with a case that cites fcheap://stash/fc_1, and a fcheap that restores one file of the given text.
func withStash(t *testing.T, text string) *desk {
	t.Helper()
	from := filepath.Join(t.TempDir(), "log.txt")
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := testkit.FakeTool(t, "fcheap", `cp "`+from+`" "$4/log.txt"`)
	d := newDesk(t, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
	d.must(d.Note(t.Context(), NoteInput{Claim: "c", Confidence: "medium", URI: "fcheap://stash/fc_1"}))
	return d
}

func TestPreviewMasksBeforeItCuts(t *testing.T) {
	t.Parallel()
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123"
	for name, before := range map[string]int{"in the preview": 10, "across its end": 90, "behind it": 1000} {
		d := withStash(t, strings.Repeat("-", before)+secret+"\n")
		got, err := d.ReadArtifact(t.Context(), ReadArtifactInput{Ref: "fcheap://stash/fc_1", MaxBytes: 100})
		if err != nil || strings.Contains(got.Content, "ghp_") || got.Truncated != (before != 10) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestPreviewShowsNothingNearTheEndOfWhatWasRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	half := []byte(strings.Repeat("-", hiddenTail) + "ghp_0123")
	got, err := d.preview(ReadArtifactInput{MaxBytes: casefile.MaxPreview}, part{data: half, more: true})
	if err != nil || strings.Contains(got.Content, "ghp_") || !got.Truncated || got.BytesReturned != len("ghp_0123") {
		t.Errorf("preview = %d bytes ending in %q, %v", got.BytesReturned, got.Content[max(0, len(got.Content)-10):], err)
	}
}

func TestLongFileOfAStashIsShownUpToTheLimit(t *testing.T) {
	t.Parallel()
	d := withStash(t, strings.Repeat("0123456☺", (readAhead+casefile.MaxPreview)/8))
	got, err := d.ReadArtifact(t.Context(), ReadArtifactInput{Ref: "fcheap://stash/fc_1", MaxBytes: casefile.MaxPreview})
	if err != nil || !got.Truncated || got.BytesReturned < casefile.MaxPreview-3 || got.BytesReturned > casefile.MaxPreview {
		t.Errorf("%d bytes, truncated %t, %v; want %d", got.BytesReturned, got.Truncated, err, casefile.MaxPreview)
	}
}

func TestEmptyStashHasNothingToShow(t *testing.T) {
	t.Parallel()
	d := withStash(t, "x")
	d.Environ = testkit.Env(t, "PATH="+testkit.FakeTool(t, "fcheap", `exit 0`)+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, err := d.ReadArtifact(t.Context(), ReadArtifactInput{Ref: "fcheap://stash/fc_1"})
	if p := problem.From(err); p == nil || p.Code != problem.ArtifactNotFound || p.NoStep == "" {
		t.Errorf("ReadArtifact = %+v, want artifact_not_found", p)
	}
}

func TestRefusalsOfAStashNameItsFiles(t *testing.T) {
	t.Parallel()
	d := withStash(t, "\x00")
	for path, code := range map[string]problem.Code{"": problem.BinaryArtifact, "none": problem.ArtifactNotFound} {
		_, err := d.ReadArtifact(t.Context(), ReadArtifactInput{Ref: "fcheap://stash/fc_1", Path: path})
		p := problem.From(err)
		if p == nil || p.Code != code || len(p.Next) == 0 || len(p.Next[0].Candidates["path"]) != 1 {
			t.Errorf("path %q: %+v, want %s with the paths there are", path, p, code)
		}
	}
}

func TestSensitiveRecordIsShownAsSensitive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	open, err := d.Open(ctx, OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}})
	d.must(open, err)
	noted, err := d.Note(ctx, NoteInput{Claim: "c", Confidence: "medium", Sensitive: true})
	d.must(noted, err)
	got, err := d.ReadArtifact(ctx, ReadArtifactInput{Ref: selfRef(open.TaskID, noted.Facts[0].ID)})
	if err != nil || !got.Sensitive || !strings.Contains(got.Content, `"claim": "c"`) || got.Encoding != casefile.EncodingText {
		t.Errorf("ReadArtifact = %+v, %v", got, err)
	}
}
