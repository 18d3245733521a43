package config

import (
	"os"
	"path/filepath"
	"testing"

	"cortex/internal/problem"
)

func TestGrantsOfThePublicFormatAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const text = `[{"workspace":"/srv/repo","name":"unit","argv":["sh","test.sh"],"argvDigest":` +
		`"sha256:a1e09b3de1740a9031bec672eaeec633d535f353b1be1816ce44cdd8241e6118","grantedAt":"2026-11-30T19:07:43.985223954Z"}]`
	if err := os.WriteFile(filepath.Join(dir, GrantsFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	grants, err := LoadGrants(dir)
	if err != nil || len(grants) != 1 {
		t.Fatalf("LoadGrants = %v, %v, want one grant", grants, err)
	}
	for _, c := range []struct {
		workspace, name string
		argv            []string
		want            bool
	}{
		{"/srv/repo", "unit", []string{"sh", "test.sh"}, true},
		{"/srv/repo", "unit", []string{"sh", "test.sh", "-x"}, false},
		{"/srv/repo", "unit", []string{"sh test.sh"}, false},
		{"/srv/repo", "Unit", []string{"sh", "test.sh"}, false},
		{"/srv/other", "unit", []string{"sh", "test.sh"}, false},
	} {
		if got := Granted(grants, c.workspace, c.name, c.argv); got != c.want {
			t.Errorf("Granted(%q, %q, %q) = %v, want %v", c.workspace, c.name, c.argv, got, c.want)
		}
	}
}

func TestMissingAndBrokenGrantsGrantNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if grants, err := LoadGrants(dir); err != nil || len(grants) != 0 {
		t.Errorf("without a file: %v, %v, want none", grants, err)
	}
	if err := os.WriteFile(filepath.Join(dir, GrantsFile), []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if grants, err := LoadGrants(dir); !problem.Is(err, problem.InvalidConfig) || len(grants) != 0 {
		t.Errorf("with a torn file: %v, %v, want invalid_config", grants, err)
	}
}
