package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// said is a run as a tool might tell it, member by member.
type said struct {
	members map[string]any
	exit    int
}

// drawSaid is mostly a run that passed, with a few members as none should have them.
func drawSaid(t *rapid.T) said {
	draw := func(label string, usual any, odd ...any) any {
		if rapid.IntRange(0, 9).Draw(t, label+" as usual") > 0 {
			return usual
		}
		return rapid.SampledFrom(odd).Draw(t, label)
	}
	s := said{members: map[string]any{}, exit: draw("exit", 0, 1, 1, 2, 4, 137).(int)}
	put := func(name string, usual any, odd ...any) {
		if v := draw(name, usual, odd...); v != nil {
			s.members[name] = v
		}
	}
	list := func(label string) []any {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
			return map[string]any{"id": "x", "status": draw(label, "passed", "failed", "skipped", "", "ok", nil, 1)}
		}), 0, 3).Draw(t, label)
	}
	outcomes := list("outcomes")
	put("status", "passed", "failed", "failed", "errored", "blocked", "PASSED", "", 1, true, nil)
	put("schemaVersion", 1, 2, 0, "1", nil)
	put("version", nil, "1", "2", 2, "")
	put("exitCode", s.exit, nil, 0, 1, "0")
	put("specPath", "a.yml", "./a.yml", nil, "b.yml", "/etc/passwd", 3)
	put("errorKind", nil, "timeout", "spec_parse", "new_kind")
	put("backend", nil, "playwright", "agent-browser", "mock", "other")
	put("outcomes", outcomes, nil, "passed", map[string]any{"x": "passed"})
	put("steps", list("steps"), nil, "passed")
	put("failure", nil, map[string]any{"step": "open", "message": "exit -1"})
	return s
}

// passes says independently of the code whether nothing in it speaks against the flow having passed.
func (s said) passes() bool {
	is := func(name string, values ...any) bool {
		for _, v := range values {
			if s.members[name] == v {
				return true
			}
		}
		return false
	}
	list, ok := s.members["outcomes"].([]any)
	steps, listed := s.members["steps"].([]any)
	ok = ok && (listed || s.members["steps"] == nil)
	for _, o := range list {
		ok = ok && o.(map[string]any)["status"] == "passed"
	}
	for _, step := range steps {
		status := step.(map[string]any)["status"]
		ok = ok && (status == "passed" || status == "skipped")
	}
	return ok && len(list) > 0 && s.exit == 0 && is("status", "passed") && is("schemaVersion", 1, nil) && is("version", "1", nil, "") &&
		is("exitCode", 0, nil) && is("specPath", "a.yml", "./a.yml", nil) && is("errorKind", nil) && is("failure", nil) &&
		is("backend", nil, "playwright", "agent-browser")
}

func TestNothingButAPassedFlowPasses(t *testing.T) {
	t.Parallel()
	r := Runner{Workspace: t.TempDir()}
	verdicts := map[FlowStatus]int{}
	rapid.Check(t, func(t *rapid.T) {
		s := drawSaid(t)
		text, err := json.Marshal(s.members)
		if err != nil {
			t.Fatal(err)
		}
		a := Answer{Stdout: text, Exit: s.exit, Class: Authoritative}
		if s.exit != 0 {
			a.downgrade(Failed, "exit %d", s.exit)
		}
		f := r.flowOf(&a, "a.yml")
		verdicts[f.Status]++
		if (f.Status == FlowPassed) != s.passes() {
			t.Errorf("%s (%s) for %s with status %d; it passes: %t", f.Status, f.Reason, text, s.exit, s.passes())
		}
		if f.Status == FlowFailed && (s.exit != 1 || s.members["status"] != "failed") {
			t.Errorf("failed for %s with status %d", text, s.exit)
		}
		if f.Status != FlowPassed && f.Status != FlowFailed && (f.Status != FlowErrored || f.Reason == "" || a.Class == Authoritative) {
			t.Errorf("%s (%q), class %s, for %s", f.Status, f.Reason, a.Class, text)
		}
	})
	t.Logf("verdicts: %v", verdicts)
}

func FuzzFlowAnswers(f *testing.F) {
	for _, text := range []string{glyphPassed, glyphFailed, glyphMissing, cairnPassed, cairnFailed, cairnNoBrowser, cairnMock, `{"results":[` + glyphPassed + `]}`, "", "null", "{", "[]"} {
		for _, exit := range []int{0, 1, 4} {
			f.Add([]byte(text), exit)
		}
	}
	r := Runner{Workspace: f.TempDir()}
	f.Fuzz(func(t *testing.T, text []byte, exit int) {
		a := Answer{Stdout: text, Exit: exit, Class: Authoritative}
		if exit != 0 {
			a.downgrade(Failed, "exit %d", exit)
		}
		flow := r.flowOf(&a, "specs/pass.yml")
		switch {
		case flow.Status == FlowPassed && (exit != 0 || flow.Outcomes == 0 || len(flow.Failed) > 0 || !json.Valid(text) || !strings.Contains(string(text), "passed")):
			t.Errorf("passed: %+v for %q with status %d", flow, text, exit)
		case flow.Status == FlowFailed && exit != 1, flow.Status == FlowErrored && flow.Reason == "":
			t.Errorf("%+v for %q with status %d", flow, text, exit)
		}
	})
}

func FuzzBrowsersAndSelections(f *testing.F) {
	for _, text := range []string{bothBrowsers, noBrowser, `{"specs":[{"path":"a.yml"}]}`, `{"specs":[{"path":"../a"}]}`, `{"checks":null}`, "null", "{}"} {
		f.Add([]byte(text))
	}
	r := Runner{Workspace: f.TempDir()}
	f.Fuzz(func(t *testing.T, text []byte) {
		a := Answer{Stdout: text, Class: Authoritative}
		if b := parseBrowsers(&a); b.Backend != "" && a.Class != Authoritative || a.Class != Authoritative && a.Cause == "" {
			t.Errorf("%+v, %s (%q) for %q", b, a.Class, a.Cause, text)
		}
		a = Answer{Stdout: text, Class: Authoritative}
		for _, spec := range r.selection(&a, "specs").Specs {
			if !filepath.IsLocal(spec) || strings.HasPrefix(spec, "-") {
				t.Errorf("selected %q for %q", spec, text)
			}
		}
	})
}

func TestSpecsAreRegularFilesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	r := Runner{Workspace: t.TempDir()}
	outside := filepath.Join(t.TempDir(), "x.yml")
	for name, text := range map[string]string{filepath.Join(r.Workspace, "a.yml"): "a", outside: "x", filepath.Join(r.Workspace, "big.yml"): strings.Repeat("x", maxSpecBytes+1)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"in.yml": "a.yml", "out.yml": outside, "loop.yml": "loop.yml", "dir": filepath.Dir(outside)} {
		if err := os.Symlink(target, filepath.Join(r.Workspace, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	const ofA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
	for spec, want := range map[string]string{
		"a.yml": ofA, "./a.yml": ofA, "in.yml": ofA, "out.yml": "", "loop.yml": "", "dir/x.yml": "", "none.yml": "", ".": "", "": "",
		"../" + filepath.Base(filepath.Dir(outside)) + "/x.yml": "", outside: "", filepath.Join(r.Workspace, "a.yml"): "", "big.yml": "",
	} {
		if got, err := r.SpecDigest(spec); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", spec, got, err, want)
		}
	}
}
