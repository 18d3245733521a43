package tool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cortex/internal/testkit"
)

// subject is one call of an adapter that must hold up against whatever its tool does.
type subject struct {
	name   string // tool and operation
	tool   string
	ask    func(context.Context, Runner) (any, Answer)
	good   string // what the tool prints when all is well
	future string // the same in a schema of the future; "" where the answers have no version
	plain  bool   // any output is an answer: the call asks for no facts
	asked  int    // how often a tool that hangs is asked, where another question follows; else once
	writes bool   // it changes what its tool keeps for the user
	// serve is a script that gives good and future to whoever asks for them; nil prints them.
	serve func(t *testing.T, text string) string
}

// says is the script of a tool that says text.
func (s subject) says(t *testing.T, text string) string {
	if s.serve != nil {
		return s.serve(t, text)
	}
	return printing(t, text, 0)
}

// subjects are the calls of all adapters.
func subjects() []subject {
	return slices.Concat(codemapSubjects(), vecgrepSubjects(), flowSubjects(), stashSubjects(), hostSubjects(), memorySubjects())
}

// faked is a runner whose tool is a shell script of the given body.
func faked(t *testing.T, name, body string) Runner {
	t.Helper()
	bin, dir := testkit.FakeTool(t, Binary(name), body), t.TempDir()
	return Runner{
		Workspace: dir, Environ: []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + bin}, Retries: 1,
		Artifacts: filepath.Join(bin, "runs"),
	}
}

// printed is what run makes of a tool that printed text and ended with the status.
func printed(text string, status int) *Answer {
	a := &Answer{Class: Authoritative, Stdout: []byte(text), Exit: status}
	if status != 0 {
		a.downgrade(Failed, "exit %d", status)
	}
	return a
}

// printing is a script that prints text and ends with the status. It starts no process of its own: the suite runs hundreds.
func printing(t *testing.T, text string, status int) string {
	t.Helper()
	return fmt.Sprintf("printf %%s '%s'; exit %d", strings.ReplaceAll(text, "'", `'\''`), status)
}

func TestEveryAdapterReadsItsOwnTool(t *testing.T) {
	t.Parallel()
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if v, a := s.ask(t.Context(), faked(t, s.tool, s.says(t, s.good))); a.Class != Authoritative {
				t.Errorf("%s: %s (%s) with %+v, want authoritative", s.name, a.Class, a.Cause, v)
			}
		})
	}
}

// TestNoAdapterTakesFailureForAnAnswer holds every adapter to what a tool does wrong in the field.
func TestNoAdapterTakesFailureForAnAnswer(t *testing.T) {
	t.Parallel()
	big := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(big, bytes.Repeat([]byte("x"), 10<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects() {
		cases := map[string]struct {
			body string
			want []Class
		}{
			"refused":        {printing(t, `{"ok":false,"error":"no index","code":"index_missing","hint":"run index"}`, 3), []Class{Unavailable, Failed, Blocked}},
			"refused with 0": {printing(t, `{"ok":false,"error":"no index","code":"index_missing"}`, 0), []Class{Unavailable, Failed, Blocked, Partial}},
			"exit 7":         {"echo broken >&2; exit 7", []Class{Failed, Unavailable, Partial}},
			"killed":         {"kill -9 $$", []Class{Failed, Partial}},
			"not JSON":       {"echo 'hello there'", []Class{Partial, Failed}},
			"nothing":        {"exit 0", []Class{Partial, Failed}},
			"null":           {"echo null", []Class{Partial, Failed}},
			"a bare list":    {`echo '[1,2]'`, []Class{Partial, Failed}},
			"10 MB":          {"exec cat '" + big + "'", []Class{Partial, Failed}},
		}
		if s.future != "" {
			cases["a schema of the future"] = struct {
				body string
				want []Class
			}{s.says(t, s.future), []Class{Partial}}
		}
		for name, tt := range cases {
			if s.plain && name != "exit 7" && name != "killed" && !strings.HasPrefix(name, "refused") {
				continue
			}
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				v, a := s.ask(t.Context(), faked(t, s.tool, tt.body))
				if !slices.Contains(tt.want, a.Class) || a.Cause == "" {
					t.Errorf("%s (%q) with %+v, want one of %v and a cause", a.Class, a.Cause, v, tt.want)
				}
			})
		}
	}
}

func TestAMissingToolIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, s := range subjects() {
		r := Runner{Workspace: t.TempDir(), Environ: []string{"PATH=" + t.TempDir()}}
		if _, a := s.ask(t.Context(), r); a.Class != Unavailable || !strings.Contains(a.Cause, "not on PATH") || a.Attempts > 0 {
			t.Errorf("%s: %s (%s) after %d attempts, want unavailable", s.name, a.Class, a.Cause, a.Attempts)
		}
	}
}

// TestNoAdapterWaitsForAToolThatHangs holds each to its time limit, and to its end when something it started lives on.
func TestNoAdapterWaitsForAToolThatHangs(t *testing.T) {
	t.Parallel()
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := faked(t, s.tool, "echo started >>"+filepath.Join(t.TempDir(), "log")+"; sleep 60")
			r.Timeouts = map[string]time.Duration{s.tool: 200 * time.Millisecond}
			began := time.Now()
			if v, a := s.ask(t.Context(), r); a.Class != Partial || !a.TimedOut || a.Attempts != max(1, s.asked) || !strings.Contains(a.Cause, "timed out") {
				t.Errorf("it hangs: %s (%s) after %d attempts with %+v, want partial, timed out, as often as meant", a.Class, a.Cause, a.Attempts, v)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it hangs: took %v", took)
			}
			began = time.Now()
			if _, a := s.ask(t.Context(), faked(t, s.tool, "sleep 60 & "+s.says(t, s.good))); a.Class != Authoritative {
				t.Errorf("a grandchild hangs: %s (%s), want authoritative", a.Class, a.Cause)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("a grandchild hangs: took %v", took)
			}
		})
	}
}

// TestToolsThatAreThere asks the real programs where CORTEX_REAL_TOOLS=1 says that they may be asked: each answers, or
// says why not.
func TestToolsThatAreThere(t *testing.T) {
	if os.Getenv("CORTEX_REAL_TOOLS") != "1" {
		t.Skip("CORTEX_REAL_TOOLS=1 asks the installed tools")
	}
	repo := testkit.NewRepo(t)
	repo.Write("calc.sh", "add() { echo $(($1 + $2)); }\n")
	repo.Commit("calc")
	for _, s := range subjects() {
		r := Runner{Workspace: repo.Dir, Environ: os.Environ(), Retries: 1, Artifacts: t.TempDir()}
		if s.writes {
			r.Environ = testkit.Env(t)
		}
		if !r.Installed(s.tool) {
			t.Logf("%s: not installed", s.name)
			continue
		}
		v, a := s.ask(t.Context(), r)
		t.Logf("%s: %s (%s) %.200s", s.name, a.Class, a.Cause, fmt.Sprintf("%+v", v))
		if a.Class != Authoritative && a.Cause == "" {
			t.Errorf("%s: %s without a cause; it printed %.500s", s.name, a.Class, a.Stdout)
		}
	}
}
