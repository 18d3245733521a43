package gitrepo

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	idA = "78981922613b2afb6025042ff6bd878ac1994e85"
	idB = "61780798228d17af2d34fce4cfbdf35556832472"
)

const sampleDebug = "  ctime: 1796076510:301163665\n  mtime: 1796076510:5\n  dev: 65024\tino: 9978498\n  uid: 0\tgid: 0\n" +
	"  size: 2\tflags: 20104000\n"

func TestListingIsParsedAndMerged(t *testing.T) {
	t.Parallel()
	out := "? new\nname\x00? b/\x00H 100644 " + idA + " 0\tb\x00" + sampleDebug +
		"S 100755 " + idB + " 0\ta\tc\x00M 100644 " + idA + " 1\tz\x00M 100644 " + idB + " 2\tz\x00"
	got, err := parseListing(out)
	want := []node{
		{path: "a\tc", tracked: true, mode: "100755", id: idB, skip: true},
		{path: "b", tracked: true, mode: "100644", id: idA, nested: true, intent: true,
			recorded: indexStat{ctimeSec: 1796076510, ctimeNsec: 301163665, mtimeSec: 1796076510, mtimeNsec: 5, ino: 9978498, size: 2}},
		{path: "new\nname"},
		{path: "z", tracked: true, mode: "100644", id: idA, unmerged: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("parseListing(%q)\n= %+v, %v\nwant %+v", out, got, err, want)
	}
}

func TestForeignListingIsRefused(t *testing.T) {
	t.Parallel()
	for _, out := range []string{
		"? a", "x", "?a\x00", "? ../a\x00", "? /a\x00", "? a//b\x00", "? .\x00", "? \x00",
		"H 100644 " + idA + " 0 b\x00", "H 100644 zz 0\tb\x00", "H 100644 " + idA + "\tb\x00", "H 10 " + idA + " 0\tb\x00",
	} {
		if got, err := parseListing(out); err == nil {
			t.Errorf("parseListing(%q) = %+v, want an error", out, got)
		}
	}
}

func FuzzParseListing(f *testing.F) {
	f.Add("? new\x00H 100644 " + idA + " 0\tb\x00" + sampleDebug + "S 100755 " + idB + " 0\ta\x00")
	f.Add("? nest/\x00M 160000 " + idA + " 1\tz\x00  ctime: 1:1\n\n\n\n\n")
	f.Fuzz(func(t *testing.T, out string) {
		nodes, err := parseListing(out)
		for i, n := range nodes {
			if err == nil && (!validPath(n.path) || i > 0 && nodes[i-1].path >= n.path) {
				t.Errorf("parseListing(%q) gives %q at %d", out, n.path, i)
			}
		}
	})
}

func FuzzParseDiffIndex(f *testing.F) {
	zero := strings.Repeat("0", 40)
	f.Add(":100644 100755 " + idA + " " + idB + " M\x00a b\x00:000000 160000 " + zero + " " + idB + " A\x00c\n\x00")
	f.Add(":\x00a\x00")
	f.Add("\x00\x00")
	f.Fuzz(func(t *testing.T, out string) {
		got, err := parseDiffIndex(out)
		if err == nil && len(got) != strings.Count(out, "\x00")/2 {
			t.Errorf("parseDiffIndex(%q) = %+v", out, got)
		}
	})
}

func FuzzParseGrep(f *testing.F) {
	f.Add("a\x0012\x00Foo\nb\nc\x003\x00bar\n.cortex/x\x001\x00foo\nunfinished\x001\x00fo")
	f.Fuzz(func(t *testing.T, out string) {
		for _, m := range parseGrep(out, []string{"foo", "bar"}, 3) {
			if len(m.Text) > maxMatchBytes || isOwn(m.File) || utf8.ValidString(out) && !utf8.ValidString(m.Text) {
				t.Errorf("parseGrep(%q) gives %+v", out, m)
			}
		}
	})
}

func FuzzParseAttributes(f *testing.F) {
	f.Add("a\x00text\x00auto\x00a\x00eol\x00unspecified\x00", true)
	f.Fuzz(func(t *testing.T, out string, auto bool) {
		if got, err := parseAttributes(out, auto); err == nil && len(got) > strings.Count(out, "\x00")/3+1 {
			t.Errorf("parseAttributes(%q) = %v", out, got)
		}
	})
}

func TestGrepFindsLiteralTerms(t *testing.T) {
	t.Parallel()
	g := committed(t, "a.txt")
	g.Write("src/x.go", "one\nTWO a.b\nthree\ntwo\ntwo\n"+strings.Repeat("é", 400)+" a.b\n")
	g.Write("src/new\nname.txt", "aXb\nA.B\n")
	g.Write("[x]/y.txt", "two\n")
	g.Write(".cortex/case.txt", "two\n")
	g.Write("bin", "two\x00two\n")
	g.Write(".gitignore", "ignored\n")
	g.Write("ignored", "two\n")
	r := open(t, g.Path("src"))
	grep := func(req GrepRequest) []Match {
		t.Helper()
		got, err := r.Grep(context.Background(), req)
		if err != nil {
			t.Fatalf("Grep(%+v): %v", req, err)
		}
		return got
	}
	got := grep(GrepRequest{Terms: []string{"a.b", "two", "bad\nterm", ""}, MaxPerFile: 2})
	want := []Match{{"[x]/y.txt", 1, "two", "two"}, {"src/new\nname.txt", 2, "A.B", "a.b"},
		{"src/x.go", 2, "TWO a.b", "a.b"}, {"src/x.go", 4, "two", "two"}}
	if !slices.Equal(got, want) {
		t.Errorf("Grep = %+v\nwant %+v", got, want)
	}
	if got := grep(GrepRequest{Terms: []string{"two"}, Under: "[x]"}); len(got) != 1 || got[0].File != "[x]/y.txt" {
		t.Errorf("Grep under [x] = %+v", got)
	}
	if got := grep(GrepRequest{Terms: []string{"two"}, Limit: 1}); len(got) != 1 {
		t.Errorf("Grep of one = %+v", got)
	}
	if got := grep(GrepRequest{Terms: []string{"--nothing", "zzz"}}); got != nil {
		t.Errorf("Grep of nothing = %+v", got)
	}
	long := grep(GrepRequest{Terms: []string{"é a"}})
	if len(long) != 1 || len(long[0].Text) != maxMatchBytes || !utf8.ValidString(long[0].Text) {
		t.Errorf("Grep of a long line = %+v", long)
	}
}
