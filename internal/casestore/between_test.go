package casestore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/durable/crashfs"
)

// A process that opens a case dies; another one finds the case and answers with it; then power is lost.
func TestCaseFoundAfterTheDeathOfItsOpenerStays(t *testing.T) {
	t.Parallel()
	found := 0
	whole := crashfs.New()
	if err := openOn(whole); err != nil {
		t.Fatal(err)
	}
	for stop := range whole.Steps() + 1 {
		disk := crashfs.New()
		disk.StopAfter(stop)
		_ = openOn(disk) // it dies
		disk = disk.Kill()
		s, there := storeOn(disk), ""
		err := s.Exclusive(ctx, func() (err error) {
			there, err = seen(s)
			return err
		})
		if err != nil {
			t.Fatalf("stopped after %d steps: Exclusive = %v", stop, err)
		}
		if strings.Contains(disk.Image(), ".new-") {
			t.Errorf("stopped after %d steps: half a case is still there", stop)
		}
		if there == "absent" {
			continue
		}
		found++
		disk.States(uint64(stop), 50, func(after *crashfs.Disk) bool {
			if got, err := seen(storeOn(after)); err != nil || got != there {
				t.Errorf("stopped after %d steps: a process found %q, and after the power loss there is %q, %v", stop, there, got, err)
				return false
			}
			return true
		})
	}
	if found == 0 {
		t.Error("no death left a case to be found")
	}
}

// openOn opens a case as a process does, which does not come back to the store when it has died.
func openOn(disk *crashfs.Disk) error {
	s := storeOn(disk)
	return s.Exclusive(ctx, func() error { return s.Create(ctx, aCase(), nil, nil, nil) })
}

func TestUnreadableClaimOfAnotherRepositoryStopsNobody(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	sessions, other, repo := filepath.Join(base, "sessions"), repoAt(filepath.Join(base, "other")), repoAt(filepath.Join(base, "repo"))
	dir, err := Claim(ctx, sessions, other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, claimFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustClaim(t, sessions, repo); got != "repo" {
		t.Errorf("store = %q, want repo", got)
	}
	if got := locate(t, sessions, repo); got != "repo" {
		t.Errorf("store of the next call = %q, want repo", got)
	}
}
