package tool

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func hostSubjects() []subject {
	return slices.Concat(vaultSubjects(), videoSubjects(), bobSubjects(), gatewaySubjects())
}

// limited is a time limit so short that a tool that hangs is seen to.
func limited(name string) map[string]time.Duration {
	return map[string]time.Duration{name: 200 * time.Millisecond}
}

// place puts a file into the workspace.
func place(t *testing.T, r Runner, name, text string) {
	t.Helper()
	path := filepath.Join(r.Workspace, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
