package caseops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/problem"
	"cortex/internal/verifier"
)

func TestNoCheckRunsForACaseThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.changing()
	found, err := filepath.Glob(filepath.Join(d.Store.Dir(), "task_*", "case.json"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	newer := strings.Replace(d.file("case.json"), `"schemaVersion": 1`, `"schemaVersion": 7`, 1)
	if err := os.WriteFile(found[0], []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	d.check = func(verifier.Check) verifier.Run {
		t.Error("the check was run")
		return verifier.Run{}
	}
	if _, err := d.Verify(t.Context(), VerifyInput{}); !problem.Is(err, problem.StoreTooNew) {
		t.Errorf("verify: %v, want store_too_new", err)
	}
}
