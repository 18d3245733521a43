package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cortex/internal/problem"
)

func TestResolvePaths(t *testing.T) {
	t.Parallel()
	abs := func(p string) string {
		a, err := filepath.Abs(p)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	const home = "/nowhere/home"
	for _, c := range []struct {
		name string
		env  map[string]string
		want Paths
	}{
		{"XDG", map[string]string{"XDG_CONFIG_HOME": "/x/c", "XDG_STATE_HOME": "/x/s", "XDG_CACHE_HOME": "/x/k", "XDG_DATA_HOME": "/x/d"},
			Paths{"/x/c/cortex", "/x/s/cortex", "/x/k/cortex", "/x/d/cortex"}},
		{"relative XDG is ignored", map[string]string{"XDG_STATE_HOME": "rel"},
			Paths{home + "/.config/cortex", home + "/.local/state/cortex", home + "/.cache/cortex", home + "/.local/share/cortex"}},
		{"CORTEX_HOME", map[string]string{"CORTEX_HOME": "/b", "XDG_CONFIG_HOME": "/x", "XDG_CACHE_HOME": "/x"},
			Paths{"/b", "/b", "/b/cache", "/b/data"}},
		{"own variables", map[string]string{"CORTEX_HOME": "/b", "CORTEX_CONFIG_DIR": "/c", "CORTEX_STATE_DIR": "~/s", "CORTEX_CACHE_DIR": "rel"},
			Paths{"/c", home + "/s", abs("rel"), "/b/data"}},
	} {
		want := Paths{filepath.FromSlash(c.want.ConfigDir), filepath.FromSlash(c.want.StateDir), filepath.FromSlash(c.want.CacheDir),
			filepath.FromSlash(c.want.DataDir)}
		if got := ResolvePaths(func(n string) string { return c.env[n] }, home); got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
}

func TestAnExistingDotCortexIsHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".cortex"), 0o700); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(home, ".cortex")
	want := Paths{base, base, filepath.Join(base, "cache"), filepath.Join(base, "data")}
	if got := ResolvePaths(func(string) string { return "" }, home); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNoHomeIsAFault(t *testing.T) {
	t.Parallel()
	_, err := Load(func(string) string { return "" }, "", t.TempDir())
	if !problem.Is(err, problem.InvalidConfig) || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("error %v, want invalid_config naming HOME", err)
	}
}

func TestCasesDirOfARepositoryStaysInside(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for text, want := range map[string]string{
		"cases": "cases", "./a/../cases": "cases", ".cortex/cases": ".cortex/cases", "link-in/cases": "link-in/cases",
		".": "", "..": "", "../x": "", "/abs": "", "~/x": "", outside: "", "link-out/x": "", "link-out": "", ".git/cases": "", "a/../..": "",
	} {
		p := newPlace(t)
		p.write(t, "real/file", "")
		links := map[string]string{"link-out": outside, "link-in": "real"}
		for name, target := range links {
			if err := os.Symlink(target, filepath.Join(p.workspace, name)); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
		}
		p.write(t, "cortex.yaml", "cases_dir: "+text+"\n")
		c, err := p.load()
		if want == "" {
			if !problem.Is(err, problem.InvalidConfig) || c.CasesDir != "" {
				t.Errorf("cases_dir %q: CasesDir %q, error %v, want a fault", text, c.CasesDir, err)
			}
			continue
		}
		if full := filepath.Join(p.workspace, want); err != nil || c.CasesDir != full {
			t.Errorf("cases_dir %q: CasesDir %q, error %v, want %q", text, c.CasesDir, err, full)
		}
	}
}

func TestCasesDirOfTheUserMayBeAnywhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.global(t, "cases_dir: ~/cases\n")
	if got, want := p.mustLoad(t).CasesDir, filepath.Join(p.home, "cases"); got != want {
		t.Errorf("global cases_dir: got %q, want %q", got, want)
	}
	p.env["CORTEX_CASES_DIR"] = "/srv/cases"
	if got, want := p.mustLoad(t).CasesDir, filepath.FromSlash("/srv/cases"); got != want && runtime.GOOS != "windows" {
		t.Errorf("CORTEX_CASES_DIR: got %q, want %q", got, want)
	}
	p.env["CORTEX_CASES_DIR"] = p.workspace
	if _, err := p.load(); !problem.Is(err, problem.InvalidConfig) {
		t.Errorf("CORTEX_CASES_DIR = the workspace: error %v, want invalid_config", err)
	}
}

func TestAStoreInTheRepositoryIsUsed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, ".cortex/cases/x", "")
	if got, want := p.mustLoad(t).CasesDir, filepath.Join(p.workspace, ".cortex/cases"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out := newPlace(t)
	if err := os.Symlink(filepath.Join(p.workspace, ".cortex"), filepath.Join(out.workspace, ".cortex")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if c, err := out.load(); !problem.Is(err, problem.InvalidConfig) || c.CasesDir != "" {
		t.Errorf("a linked .cortex: CasesDir %q, error %v, want a fault", c.CasesDir, err)
	}
}

func TestRepositoryFilesAreReadInsideItOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	secret := filepath.Join(p.home, "private")
	p.write(t, secret, "password-of-mine: 1\n")
	if err := os.Symlink(secret, filepath.Join(p.workspace, "cortex.yaml")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	_, err := p.load()
	if !problem.Is(err, problem.InvalidConfig) || strings.Contains(err.Error(), "password-of-mine") {
		t.Errorf("error %v, want invalid_config that shows nothing of the file", err)
	}
}

func TestRecallStaysOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url, approved string
		ok            bool
	}{
		{"http://localhost:1/x", "", true}, {"http://127.0.0.2/x", "", true}, {"http://[::1]:1/x", "", true},
		{"http://example.com/x", "", false}, {"https://example.com/x", "1", true}, {"http://localhost.example.com/", "", false},
		{"http://a:b@localhost/x", "1", false}, {"ftp://localhost/x", "", false}, {"localhost", "", false}, {"http://", "1", false},
	} {
		p := newPlace(t)
		p.env["CORTEX_APPROVE_REMOTE_RECALL"] = c.approved
		p.write(t, "cortex.yaml", "recall: {embed_url: \""+c.url+"\"}\n")
		got, err := p.load()
		if c.ok != (err == nil) || c.ok != (got.Recall.EmbedURL == c.url) {
			t.Errorf("embed_url %q, approved %q: %q, error %v, want ok %v", c.url, c.approved, got.Recall.EmbedURL, err, c.ok)
		}
	}
}

func TestRecallDatabaseOfARepositoryStaysInside(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.global(t, "recall: {db_path: ~/recall.db, embed_model: other}\n")
	if c := p.mustLoad(t); c.Recall.DBPath != filepath.Join(p.home, "recall.db") || c.Recall.EmbedModel != "other" {
		t.Errorf("global: got %+v", c.Recall)
	}
	p.write(t, "cortex.yaml", "recall: {db_path: recall/db}\n")
	if got, want := p.mustLoad(t).Recall.DBPath, filepath.Join(p.workspace, "recall/db"); got != want {
		t.Errorf("inside: got %q, want %q", got, want)
	}
	p.write(t, "cortex.yaml", "recall: {db_path: ~/recall.db}\n")
	if _, err := p.load(); !problem.Is(err, problem.InvalidConfig) || !strings.Contains(err.Error(), "inside the workspace") {
		t.Errorf("outside: error %v, want invalid_config", err)
	}
	p.write(t, "cortex.yaml", "")
	p.env["CORTEX_RECALL_DB"], p.env["CORTEX_RECALL_ENABLED"] = "~/env.db", "off"
	p.env["CORTEX_RECALL_EMBED_MODEL"], p.env["CORTEX_RECALL_EMBED_URL"] = "third", "http://localhost:1/"
	want := Recall{false, filepath.Join(p.home, "env.db"), "third", "http://localhost:1/", false}
	if got := p.mustLoad(t).Recall; got != want {
		t.Errorf("environment: got %+v, want %+v", got, want)
	}
}

func TestRelativeHomeNamesNoDirectory(t *testing.T) {
	t.Parallel()
	if got := ResolvePaths(func(string) string { return "" }, "."); got != (Paths{}) {
		t.Errorf("%+v: state would be kept in the worktree", got)
	}
}
