package caseops

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cortex/internal/casefile"
)

// TestVerifyWithToolsKeepsItsBudget holds what specialist tools may add to the eight syncs of a batch: two for the record of a
// reference outside the case, and two for the audit of notes, which are made after the commit.
func TestVerifyWithToolsKeepsItsBudget(t *testing.T) {
	t.Parallel()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "git.log")
	git := `echo x >> "` + log + `"; exec "` + real + `" "$@"`
	for _, tt := range []struct {
		name  string
		tools map[string]string
		in    VerifyInput
		want  casefile.Outcome
		syncs int64
	}{
		{"a flow", map[string]string{"glyph": says(passedFlow, 0)}, VerifyInput{Terminal: []string{"flow.yml"}}, casefile.OutcomeVerified, 8},
		{"a failed flow, archived", map[string]string{"glyph": leaveRun + says(failedFlow, 1), "fcheap": says(`{"id":"fc_1"}`, 0)},
			VerifyInput{Terminal: []string{"flow.yml"}}, casefile.OutcomeFailed, 10},
		{"a failed flow, archived and noted", map[string]string{"glyph": leaveRun + says(failedFlow, 1), "fcheap": says(`{"id":"fc_1"}`, 0), "codemap": says(`{"ok":true}`, 0)},
			VerifyInput{Terminal: []string{"flow.yml"}}, casefile.OutcomeFailed, 12},
		{"a flow and a stash", map[string]string{"glyph": says(passedFlow, 0), "fcheap": fcheap(`{"id":"fc_1","files":[{"path":"log.txt","size":3}]}`, "echo hi >log.txt")["fcheap"]},
			VerifyInput{Terminal: []string{"flow.yml"}, ArtifactRef: "fc_1"}, casefile.OutcomeVerified, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.tools["git"] = git
			o := newObserved(t, tt.tools)
			o.syncs.Take()
			if err := os.WriteFile(log, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if out := o.verify(tt.in); out.Outcome != tt.want {
				t.Errorf("%s, want %s; warnings %q", out.Outcome, tt.want, out.Warnings)
			}
			files, dirs := o.syncs.Take()
			if files+dirs > tt.syncs || files == 0 {
				t.Errorf("%d syncs of files and %d of directories, at most %d in all", files, dirs, tt.syncs)
			}
			if got := countLog(t, log); got > 8 || got == 0 {
				t.Errorf("%d git processes, at most 8", got)
			}
			t.Logf("%d+%d syncs, %d git processes", files, dirs, countLog(t, log))
		})
	}
}
