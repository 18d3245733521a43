package verifier

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cortex/internal/proc"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func shell(script string) Check {
	return Check{Name: "unit", Argv: []string{"sh", "-c", script}, Environ: os.Environ(), Timeout: 20 * time.Second}
}

// writeFiles puts files into a new directory: name, text, name, text …; a script gets the right to run.
func writeFiles(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o600)
		if strings.HasPrefix(files[i+1], "#!") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(files[i+1]), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestUnrecognisedCommandIsJudgedByItsExitStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script string
		want   Status
		reason string
		exit   int
	}{
		{"echo hi", Passed, "exit status 0; counts: unknown (exit status only)", 0},
		{"exit 9", Failed, "exit status 9; counts: unknown (exit status only)", 9},
		{"no-such-program-at-all", Inconclusive, "exit status 127: a program that the command calls was not found", 127},
	} {
		got := Execute(t.Context(), shell(c.script))
		if got.Status != c.want || got.Reason != c.reason || got.Exit == nil || *got.Exit != c.exit || got.Counts != nil || got.Runner != "" {
			t.Errorf("%s: got %s %q, %+v", c.script, got.Status, got.Reason, got)
		}
	}
}

func TestExitReportIgnoresWhatIsPrinted(t *testing.T) {
	t.Parallel()
	c := shell("printf -- '--- FAIL: A (0.00s)\\nFAIL\\tg\\t0.1s\\n'")
	if got := Execute(t.Context(), c); got.Status != Failed || got.Runner != goTest {
		t.Errorf("auto: got %s by %q, want failed by go test", got.Status, got.Runner)
	}
	c.Report = ReportExit
	if got := Execute(t.Context(), c); got.Status != Passed || got.Runner != "" || !strings.Contains(got.Reason, unknownCounts) {
		t.Errorf("exit: got %s by %q, %q, want passed with unknown counts", got.Status, got.Runner, got.Reason)
	}
}

func TestMissingProgramsBlock(t *testing.T) {
	t.Parallel()
	empty := []string{"PATH=" + t.TempDir()}
	for _, c := range []struct {
		argv    string
		environ []string
		install string
	}{
		{"go test ./...", empty, "https://go.dev/dl"},
		{"pytest", empty, "pip install pytest"},
		{"no-such-program", os.Environ(), ""},
		{"env A=1 no-go/go test", os.Environ(), "https://go.dev/dl"},
	} {
		got := Execute(t.Context(), Check{Argv: strings.Fields(c.argv), Environ: c.environ, Dir: t.TempDir()})
		if got.Status != Blocked || got.Install != c.install || !strings.Contains(got.Reason, "not found") || len(got.Output) == 0 {
			t.Errorf("%s: got %s %q install %q, output %q", c.argv, got.Status, got.Reason, got.Install, got.Output)
		}
	}
	got := Execute(t.Context(), Check{Argv: []string{"sh"}, Environ: os.Environ(), Dir: "/no/such/directory"})
	if got.Status != Blocked || !strings.Contains(got.Reason, "could not be run") {
		t.Errorf("missing directory: got %s %q", got.Status, got.Reason)
	}
	if got := Execute(t.Context(), Check{}); got.Status != Blocked {
		t.Errorf("no argv: got %s %q", got.Status, got.Reason)
	}
}

func TestKilledRunIsInconclusiveWhateverItPrinted(t *testing.T) {
	t.Parallel()
	const failed = "printf -- '=== RUN   A\\n--- FAIL: A (0.00s)\\nFAIL\\nFAIL\\tg\\t0.1s\\n'; "
	c := shell(failed + "sleep 60")
	c.Timeout = 200 * time.Millisecond
	if got := Execute(t.Context(), c); got.Status != Inconclusive || got.Reason != "it was killed at its deadline of 200ms" || got.Exit != nil || got.Counts != nil {
		t.Errorf("deadline: got %s %q exit %v", got.Status, got.Reason, got.Exit)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if got := Execute(ctx, shell("sleep 60")); got.Status != Inconclusive || got.Reason != "it was canceled" || got.Exit != nil {
		t.Errorf("cancel: got %s %q exit %v", got.Status, got.Reason, got.Exit)
	}
	if got := Execute(t.Context(), shell("kill -KILL $$")); got.Status != Inconclusive || got.Reason != "it was ended by a signal (killed)" {
		t.Errorf("signal: got %s %q", got.Status, got.Reason)
	}
}

func TestDaemonOfACheckIsGoneAfterIt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("only Linux can find a process that left its group")
	}
	c := shell("setsid sh -c 'echo $$; : >ready; exec sleep 60' & until [ -e ready ]; do sleep 0.01; done")
	c.Dir = t.TempDir()
	got := Execute(t.Context(), c)
	_, text, _ := strings.Cut(string(got.Output), "stdout:\n")
	pid, err := strconv.Atoi(strings.Fields(text)[0])
	if err != nil || got.Status != Passed {
		t.Fatalf("got %s %q, output %q", got.Status, got.Reason, got.Output)
	}
	for deadline := time.Now().Add(10 * time.Second); proc.Alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still alive", pid)
		}
	}
}

func TestKeptOutputHasTheRawForm(t *testing.T) {
	t.Parallel()
	got := Execute(t.Context(), shell("printf out; echo err >&2; exit 4"))
	const want = "$ sh -c 'printf out; echo err >&2; exit 4'\nexit: 4\nstdout:\nout\nstderr:\nerr\n"
	if string(got.Output) != want || got.Truncated {
		t.Errorf("got %q, truncated %v, want %q", got.Output, got.Truncated, want)
	}
}

func TestLongOutputKeepsItsStartAndItsEnd(t *testing.T) {
	t.Parallel()
	got := Execute(t.Context(), shell("echo first; i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo last"))
	text := string(got.Output)
	if !got.Truncated || len(text) > keepHead+keepTail+500 || len(text) < keepHead+keepTail-500 {
		t.Errorf("got %d bytes, truncated %v, want about %d", len(text), got.Truncated, keepHead+keepTail)
	}
	for _, part := range []string{"stdout:\nfirst\nline 0\n", " bytes dropped …\nline ", "line 19999\nlast\nstderr:\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("output lacks %q", part)
		}
	}
}

func TestRealGoTestRuns(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles test binaries")
	}
	dir := writeFiles(t, "go.mod", "module g\n\ngo 1.24\n",
		"pass/a_test.go", "package pass\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Run(\"sub\", func(t *testing.T) {}) }\n\n"+
			"func TestSkip(t *testing.T) { t.Skip() }\n\nfunc BenchmarkA(b *testing.B) {}\n",
		"fail/a_test.go", "package fail\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { t.Error(\"boom\") }\n",
		"nobuild/a_test.go", "package nobuild\n\nvar x = undefined\n",
		"none/a.go", "package none\n",
		"exits/a_test.go", "package exits\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n"+
			"func TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n\nfunc TestB(t *testing.T) { t.Error(\"boom\") }\n",
		"test.sh", "#!/bin/sh\nexec go test -v ./pass\n",
		"plain.sh", "#!/bin/sh\nexec go test \"$@\"\n",
	)
	for _, c := range []struct {
		argv   string
		want   Status
		counts string
		files  []string
		shown  string // a line of the output
	}{
		{"go test ./...", Failed, "1 2 1", []string{"nobuild/a_test.go"}, "a_test.go:5: boom"},
		{"go test -v -run=TestA -count=1 ./pass", Passed, "1 0 0", nil, "--- PASS: TestA/sub"},
		{"go test ./nobuild", Inconclusive, "0 0 0", []string{"nobuild/a_test.go"}, "undefined: undefined"},
		{"go test ./none", NotRun, "0 0 0", nil, "[no test files]"},
		{"go test -run NoSuch ./pass", NotRun, "0 0 0", nil, "no tests to run"},
		{"go test -run ^$ -bench . -benchtime 1x ./pass", NotRun, "0 0 0", nil, "BenchmarkA"},
		{"go test -c -o /dev/null ./pass", NotRun, "0 0 0", nil, ""},
		{"go test -list . ./pass", NotRun, "0 0 0", nil, "TestA"},
		{"go test -json=false ./pass", Passed, "", nil, "ok  \tg/pass"},
		{"./test.sh", Passed, "1 0 1", nil, "--- PASS: TestA"},
		{"./plain.sh ./pass", Passed, "1 0 1", nil, "ok  \tg/pass"},
		{"./plain.sh -run TestSkip ./pass", NotRun, "0 0 1", nil, "--- SKIP: TestSkip"},
		{"./plain.sh ./exits", Inconclusive, "", nil, "--- FAIL: TestB"},
		{"go test ./exits", Failed, "0 1 0", nil, "--- FAIL: TestB"},
		{"go vet ./pass", Passed, "", nil, ""},
	} {
		got := Execute(t.Context(), Check{Argv: strings.Fields(c.argv), Dir: dir, Environ: goEnvironment(), Timeout: time.Minute})
		if counts := countsText(got); got.Status != c.want || counts != c.counts {
			t.Errorf("%s: got %s, counts %q, want %s, %q (%s)\n%s", c.argv, got.Status, counts, c.want, c.counts, got.Reason, got.Output)
		}
		if !slices.Equal(got.BuildFailedFiles, c.files) || !strings.Contains(string(got.Output), c.shown) {
			t.Errorf("%s: got build files %q, want %q; want %q in\n%s", c.argv, got.BuildFailedFiles, c.files, c.shown, got.Output)
		}
		if direct := strings.HasPrefix(c.argv, "go test"); direct && !strings.HasPrefix(got.RunnerVersion, "go1.") {
			t.Errorf("%s: got version %q", c.argv, got.RunnerVersion)
		}
	}
}

// goEnvironment is that of the test, with nothing that changes what go test does, and without the network.
func goEnvironment() []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "GOFLAGS=") || strings.HasPrefix(e, "GOWORK=")
	})
	return append(env, "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
}

func TestGoWithoutAModuleIsBlocked(t *testing.T) {
	t.Parallel()
	got := Execute(t.Context(), Check{Argv: []string{"go", "test", "./..."}, Dir: t.TempDir(), Environ: goEnvironment()})
	if got.Status != Blocked || got.Install != "go mod init" {
		t.Errorf("got %s %q install %q, want blocked", got.Status, got.Reason, got.Install)
	}
}

func TestEffectiveArgvIsShownBesideTheConfiguredOne(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, "go", "#!/bin/sh\n[ \"$1\" = version ] && { echo go version go9.8 plan9/mips; exit; }\necho \"$*\" >&2\n"+
		"printf '%s\\n' "+fmt.Sprintf("'%s'", strings.ReplaceAll(strings.TrimSpace(events("start g", "run g A", "pass g A", "pass g")), "\n", "' '"))+"\n")
	got := Execute(t.Context(), Check{Argv: []string{dir + "/go", "test", "./a b"}, Environ: os.Environ()})
	if got.Status != Passed || got.Runner != goTest || got.RunnerVersion != "go9.8" || got.Counts == nil || got.Counts.Executed != 1 {
		t.Errorf("got %+v\n%s", got, got.Output)
	}
	if want := []string{dir + "/go", "test", "-json", "./a b"}; !slices.Equal(got.EffectiveArgv, want) || len(got.Argv) != 3 {
		t.Errorf("got argv %q, effective %q, want %q", got.Argv, got.EffectiveArgv, want)
	}
	if !strings.Contains(string(got.Output), "go test -json './a b'\n") || !strings.Contains(string(got.Output), "stderr:\ntest -json ./a b\n") {
		t.Errorf("got output %q", got.Output)
	}
}
