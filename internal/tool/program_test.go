package tool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/testkit"
)

// pathOf joins directories to an environment with nothing but PATH.
func pathOf(dirs ...string) []string {
	return []string{"PATH=" + strings.Join(dirs, string(os.PathListSeparator))}
}

func TestAProgramOfTheRepositoryIsNoTool(t *testing.T) {
	t.Parallel()
	bin := testkit.FakeTool(t, "codemap", "echo planted")
	link := t.TempDir()
	for name, to := range map[string]string{"codemap": filepath.Join(bin, "codemap"), "dir": bin} {
		if err := os.Symlink(to, filepath.Join(link, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for name, r := range map[string]Runner{
		"inside":                          {Workspace: bin, Environ: pathOf(bin)},
		"above it":                        {Workspace: filepath.Dir(bin), Environ: pathOf(bin)},
		"through a link":                  {Workspace: bin, Environ: pathOf(link)},
		"a linked directory":              {Workspace: bin, Environ: pathOf(filepath.Join(link, "dir"))},
		"a linked workspace":              {Workspace: filepath.Join(link, "dir"), Environ: pathOf(bin)},
		"a link of the workspace outside": {Workspace: link, Environ: pathOf(filepath.Join(link, "dir"))},
	} {
		if a := ping(t.Context(), r, true); a.Class != Unavailable || !strings.Contains(a.Cause, "inside the workspace") || a.Attempts > 0 {
			t.Errorf("%s: %s (%s), stdout %q", name, a.Class, a.Cause, a.Stdout)
		}
	}
}

func TestTheRepositoryHidesNoTool(t *testing.T) {
	t.Parallel()
	planted, real := testkit.FakeTool(t, "codemap", "echo planted"), testkit.FakeTool(t, "codemap", "echo real")
	r := Runner{Workspace: planted, Environ: pathOf("", ".", planted, filepath.Join(planted, "none"), real)}
	if a := ping(t.Context(), r, true); a.Class != Authoritative || string(a.Stdout) != "real\n" || a.Argv[0] != "codemap" {
		t.Errorf("%s (%s), %q by %q", a.Class, a.Cause, a.Stdout, a.Argv)
	}
}

// TestToolsFindNoProgramOfTheRepository has a tool whose first line names an interpreter that the workspace offers too. The
// tools that run what a spec says get PATH as it is.
func TestToolsFindNoProgramOfTheRepository(t *testing.T) {
	t.Parallel()
	env, err := filepath.EvalSymlinks("/usr/bin/env")
	if err != nil {
		t.Skip("there is no env here")
	}
	tools := t.TempDir()
	for _, name := range []string{Codemap, Glyphrun} {
		if err := os.WriteFile(filepath.Join(tools, Binary(name)), []byte("#!"+env+" interpreter\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	planted, real := testkit.FakeTool(t, "interpreter", "echo planted"), testkit.FakeTool(t, "interpreter", "echo real")
	relative := filepath.Join(planted, "sub")
	if err := os.MkdirAll(relative, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{planted, "..", ""} {
		r := Runner{Workspace: planted, Environ: pathOf(first, real, tools), Artifacts: t.TempDir()}
		if first == ".." {
			r.Workspace = relative
		}
		if a := ping(t.Context(), r, true); string(a.Stdout) != "real\n" {
			t.Errorf("PATH begins with %q: %s (%s), stdout %q", first, a.Class, a.Cause, a.Stdout)
		}
		if _, a := r.TerminalFlow(t.Context(), "a.yml"); string(a.Stdout) != "planted\n" {
			t.Errorf("PATH begins with %q: a flow got another PATH: %s (%s), stdout %q", first, a.Class, a.Cause, a.Stdout)
		}
	}
}
