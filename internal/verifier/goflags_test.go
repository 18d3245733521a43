package verifier

import (
	"os"
	"slices"
	"testing"
	"time"
)

func TestGoFlagsAreAddedToThoseThatAreSet(t *testing.T) {
	t.Parallel()
	both := []string{verboseFlag, freshFlag}
	for set, want := range map[string]string{
		"":                       "GOFLAGS=-v -count=1",
		"-mod=mod '-tags=a,b'":   "GOFLAGS=-mod=mod '-tags=a,b' -v -count=1",
		"-count=3":               "GOFLAGS=-count=3 -v",
		"-json":                  "GOFLAGS=-json -count=1",
		"-v=false -test.count=2": "",
	} {
		if got := joinGoFlags(set, both); got != want {
			t.Errorf("GOFLAGS %q: got %q, want %q", set, got, want)
		}
	}
}

// go test keeps the pass of a test whose result depends on a file that another program reads for it.
func TestAPassOutOfTheTestCacheIsRunAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles a test binary")
	}
	dir := writeFiles(t, "go.mod", "module g\n\ngo 1.24\n", "s.sh", "exit 0\n", "plain.sh", "#!/bin/sh\nexec go test ./...\n",
		"a_test.go", "package g\n\nimport (\n\t\"os/exec\"\n\t\"testing\"\n)\n\n"+
			"func TestA(t *testing.T) {\n\tif exec.Command(\"sh\", \"s.sh\").Run() != nil {\n\t\tt.Error(\"failed\")\n\t}\n}\n")
	run := func(argv ...string) Run {
		return Execute(t.Context(), Check{Argv: argv, Dir: dir, Environ: goEnvironment(), Timeout: time.Minute})
	}
	direct, wrapped := []string{"go", "test", "./..."}, []string{"./plain.sh"}
	for _, argv := range [][]string{direct, wrapped} {
		// This fills the cache, as the go test ./... of an agent does.
		cached := run("env", "GOFLAGS=", "go", "test", "./...")
		if cached.Status != Passed {
			t.Fatalf("got %s (%s), want passed", cached.Status, cached.Reason)
		}
		write := func(text string) {
			if err := os.WriteFile(dir+"/s.sh", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("exit 1\n")
		got := run(argv...)
		write("exit 0\n")
		if got.Status != Failed || !slices.Contains(got.Variables, "GOFLAGS") {
			t.Errorf("%q after the script was broken: got %s (%s), variables %q; want failed", argv, got.Status, got.Reason, got.Variables)
		}
	}
}
