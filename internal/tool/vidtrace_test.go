package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func videoSubjects() []subject {
	return []subject{{
		name: "vidtrace investigate", tool: Vidtrace, good: `{"ok":true,"evidence":[{"time_seconds":12.5,"ocr":"Payment failed"}],"code_matches":[]}`,
		ask: func(ctx context.Context, r Runner) (any, Answer) {
			return pair(r.VidtraceInvestigate(ctx, VideoSource{stash: "fc_1"}, "why", 5))
		},
	}}
}

func TestVidtraceIsAskedWithTheseWords(t *testing.T) {
	t.Parallel()
	r := faked(t, Vidtrace, "exit 1")
	place(t, r, "bundle/timeline.json", "{}")
	for ref, want := range map[string]string{
		"fcheap://stash/fc_1":                "--stash fc_1",
		"bundle":                             filepath.Join(r.Workspace, "bundle"),
		"./bundle/":                          filepath.Join(r.Workspace, "bundle"),
		filepath.Join(r.Workspace, "bundle"): filepath.Join(r.Workspace, "bundle"),
	} {
		from, err := r.VideoSource(ref)
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		_, a := r.VidtraceInvestigate(t.Context(), from, "-why", 500)
		if got := strings.Join(a.Argv, " "); got != "vidtrace investigate "+want+" --query "+operand("-why")+" --codebase "+r.Workspace+" --connect --connect-limit 50 --json" {
			t.Errorf("%s: ran %q", ref, got)
		}
	}
}

func TestOnlyABundleOfTheWorkspaceIsLookedInto(t *testing.T) {
	t.Parallel()
	r := faked(t, Vidtrace, "exit 1")
	place(t, r, "demo.mp4", "x")
	place(t, r, "file", "x")
	outside := t.TempDir()
	for link, to := range map[string]string{"out": outside, "up": "..", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(r.Workspace, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for ref, want := range map[string]string{
		"demo.mp4": "recording", "DEMO.MOV": "recording", "/x/y.webm": "recording", "gone": "no such directory", "file": "no directory", "out": "no such directory",
		"up": "no such directory", "loop": "no such directory", "../x": "not below", outside: "not below", "/": "not below", ".": "not below", "": "not below", "a\x00b": "not below",
		"https://example.com/v": "neither", "fcheap://stash/../x": "not the id", "fcheap://stash/-x": "not the id", "fcheap://stash/": "not the id",
	} {
		if from, err := r.VideoSource(ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", ref, from, err, want)
		}
	}
}

func TestWhatVidtraceSaysIsKeptToTheWorkspace(t *testing.T) {
	t.Parallel()
	r := faked(t, Vidtrace, "")
	place(t, r, "pay.go", "x")
	text := fmt.Sprintf(`{"ok":true,"evidence":[{"time_seconds":3,"ocr":"Pay"}],"code_matches":[{"file":%q,"line":4,"score":0.5,"text":"pay()"}]}`, filepath.Join(r.Workspace, "pay.go"))
	r.Environ = told(t, Vidtrace, text).Environ
	got, a := r.VidtraceInvestigate(t.Context(), VideoSource{stash: "s"}, "q", 5)
	want := VideoFinding{Moments: []VideoMoment{{3, "Pay"}}, Matches: []VideoMatch{{"pay.go", 4, 0.5, "pay()"}}}
	if diff := cmp.Diff(want, got); diff != "" || a.Class != Authoritative {
		t.Errorf("%s (%s) (-want +got):\n%s", a.Class, a.Cause, diff)
	}
	for text, cause := range map[string]string{
		`{"ok":false,"evidence":[],"code_matches":[]}`:                               "not whole",
		`{"ok":true,"evidence":[],"code_matches":[{"file":"/etc/passwd","line":1}]}`: "not every match",
		`{"ok":true,"evidence":[],"code_matches":[{"file":"pay.go","line":-1}]}`:     "not every match",
		`{"ok":true,"evidence":[{"time_seconds":-1}],"code_matches":[]}`:             "not every moment",
		`{"ok":true,"evidence":[]}`:                                                  "code_matches",
		`{"ok":true,"frames":[],"code_matches":[]}`:                                  "evidence",
		`{"ok":true,"evidence":null,"code_matches":[]}`:                              "evidence",
	} {
		a := printed(text, 0)
		if got := r.parseVideo(a); a.Class != Partial || !strings.Contains(a.Cause, cause) || len(got.Matches)+len(got.Moments) > 0 {
			t.Errorf("%s: %+v, %s (%s), want partial with %q", text, got, a.Class, a.Cause, cause)
		}
	}
}

func FuzzVidtraceAnswers(f *testing.F) {
	f.Add(videoSubjects()[0].good)
	f.Add(`{"ok":true,"evidence":{},"code_matches":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		a := &Answer{Class: Authoritative, Stdout: []byte(text)}
		if got := (Runner{Workspace: "/nowhere"}).parseVideo(a); len(got.Matches) > 0 {
			t.Errorf("%q: %+v", text, got)
		}
		if a.Class == Authoritative && !strings.Contains(strings.ToLower(text), "evidence") {
			t.Errorf("%q is no answer", text)
		}
	})
}
