package casefile

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"cortex/internal/problem"
)

func TestBinary(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "plain\r\n\ttext": false, "\x1b[31mred\x1b[0m\a\b\f": false, "ä☺": false,
		"a\x00b": true, "a\x01": true, "\x7fELF": true, "a\xff": true, "\x89PNG\r\n": true, "PK\x03\x04": true, "\xff\xd8\xff": true,
		"GIF89a": true, "%PDF-1.7": true, "\x1f\x8b\x08": true, "GIF is a format": false,
	} {
		if got := Binary([]byte(text)); got != want {
			t.Errorf("Binary(%q) = %t, want %t", text, got, want)
		}
	}
}

func TestPreviewLimit(t *testing.T) {
	t.Parallel()
	for asked, want := range map[int]int{0: DefaultPreview, 1: 1, MaxPreview: MaxPreview, MaxPreview + 1: MaxPreview} {
		if got, err := PreviewLimit(asked); err != nil || got != want {
			t.Errorf("PreviewLimit(%d) = %d, %v; want %d", asked, got, err, want)
		}
	}
	if _, err := PreviewLimit(-1); !problem.Is(err, problem.InvalidInput) {
		t.Errorf("PreviewLimit(-1) = %v, want a refusal", err)
	}
}

func TestPreviewsAreCutAtTheirLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		more := rapid.Bool().Draw(t, "more")
		p := TextPreview(text, limit, more)
		if len(p.Content) > limit || p.BytesReturned != len(p.Content) || !strings.HasPrefix(text, p.Content) || !utf8.ValidString(p.Content) {
			t.Fatalf("TextPreview(%q, %d) = %+v", text, limit, p)
		}
		if len(text)-len(p.Content) >= utf8.UTFMax && len(p.Content) <= limit-utf8.UTFMax {
			t.Fatalf("TextPreview(%q, %d) = %+v shows less than it may", text, limit, p)
		}
		if p.Truncated != (more || p.Content != text) {
			t.Fatalf("TextPreview(%q, %d, more %t) = %+v", text, limit, more, p)
		}
		b := BinaryPreview([]byte(text), limit, more)
		back, err := base64.StdEncoding.DecodeString(b.Content)
		if err != nil || !bytes.HasPrefix([]byte(text), back) || len(back) != min(limit, len(text)) || b.BytesReturned != len(back) || !b.Sensitive {
			t.Fatalf("BinaryPreview(%q, %d) = %+v, %v", text, limit, b, err)
		}
	})
}

func TestShrunkPreviewsGiveUpWhatWasAskedAndLittleMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 60, -1).Draw(t, "text") + rapid.SampledFrom([]string{"", "\"\\\n\r\t\b\f\x01\x7f<>&\u2028☺"}).Draw(t, "escaped")
		excess := rapid.IntRange(1, 80).Draw(t, "excess")
		p := TextPreview(text, MaxPreview, false)
		if rapid.Bool().Draw(t, "binary") {
			p = BinaryPreview([]byte(text), MaxPreview, false)
		}
		before := jsonLength(t, p.Content)
		shrunk := p
		shrunk.Shrink(excess)
		after := jsonLength(t, shrunk.Content)
		if !strings.HasPrefix(p.Content, shrunk.Content) || after > max(2, before-excess) || !shrunk.Truncated {
			t.Fatalf("%q shrunk by %d is %q, %d of %d bytes", p.Content, excess, shrunk.Content, after, before)
		}
		if after < before-excess-6 {
			t.Fatalf("%q shrunk by %d is %q, %d of %d bytes: too much", p.Content, excess, shrunk.Content, after, before)
		}
		size := len(shrunk.Content)
		if p.Encoding == EncodingBase64 {
			raw, err := base64.StdEncoding.DecodeString(shrunk.Content)
			if err != nil {
				t.Fatalf("%q is no base64: %v", shrunk.Content, err)
			}
			size = len(raw)
		}
		if shrunk.BytesReturned != size {
			t.Fatalf("%q: %d bytes returned, want %d", shrunk.Content, shrunk.BytesReturned, size)
		}
	})
}

func jsonLength(t *rapid.T, text string) int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		t.Fatal(err)
	}
	return b.Len() - len("\n")
}

func TestWholeRunes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "a": "a", "ä": "ä", "a\xc3": "a", "a\xe2\x98": "a", "\xf0\x9f\x98": "", "☺": "☺", "a\xff": "a\xff", "\x98\x98\x98\x98": "\x98\x98\x98\x98",
	} {
		if got := string(WholeRunes([]byte(text))); got != want {
			t.Errorf("WholeRunes(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestArtifactPaths(t *testing.T) {
	t.Parallel()
	stash := Reference{Kind: RefStash, Text: "fcheap://stash/fc_1"}
	for _, path := range []string{"a", "logs/run.txt", "..a", "a b/☺"} {
		if err := CheckArtifactPath(path, stash); err != nil {
			t.Errorf("CheckArtifactPath(%q) = %v", path, err)
		}
	}
	for _, path := range []string{
		".", "..", "../a", "a/../b", "/a", "./a", "a/", "a//b", `a\b`, `..\a`, "C:/a", "C:a", "a\x00", "a\nb", "\xff", strings.Repeat("a", MaxArtifactPath+1),
	} {
		if err := CheckArtifactPath(path, stash); err == nil {
			t.Errorf("CheckArtifactPath(%q) is accepted", path)
		}
	}
	if err := CheckArtifactPath("a", Reference{Kind: RefRaw}); err == nil {
		t.Error("a path into a blob is accepted")
	}
}

func FuzzArtifactPath(f *testing.F) {
	for _, path := range []string{"a", "a/../b", "/a", `a\b`, "C:a", ".", ""} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if CheckArtifactPath(path, Reference{Kind: RefStash}) == nil && !filepath.IsLocal(path) {
			t.Errorf("%q is accepted and leaves its directory", path)
		}
	})
}

func TestBinaryRefusalTellsHowToHaveIt(t *testing.T) {
	t.Parallel()
	p := problem.From(BinaryRefused("task_a", "fcheap://stash/fc_1", "a.png"))
	if p.Code != problem.BinaryArtifact || p.Next[0].Args["allowBinary"] != true || p.Next[0].Args["path"] != "a.png" {
		t.Errorf("BinaryRefused = %+v", p)
	}
	checkSteps(t, p.Next)
}
