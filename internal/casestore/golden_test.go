package casestore

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/casefile"
)

// The forms below are those of a store that the public program wrote.
func TestFilesHaveThePublishedForm(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase(), anEvidence("ev_orientation_git"))
	released := at(45)
	update(t, s, testTask, func(e *Edit) error {
		c := e.Case()
		c.ChangeLease = &casefile.Lease{Actor: "agent-a", AcquiredAt: at(43), RenewedAt: at(43), ExpiresAt: at(59), ReleasedAt: &released}
		e.PutCase(c)
		hypotheses := []casefile.Hypothesis{{ID: "hyp_06H2VPRTS705K7Z8", Statement: "add subtracts", Supports: []string{"ev_orientation_git"},
			Confidence: "medium", DisproveBy: casefile.Disproof{Note: "run test.sh"}, Status: "active"}}
		e.PutHypotheses(hypotheses)
		e.PutPlan(&casefile.Plan{Hypotheses: hypotheses, ChangeBoundary: casefile.Boundary{Files: []string{"calc.sh"}},
			VerificationRequired: []string{"command:unit"}, Uncertainty: "shell portability"})
		e.PutReceipts([]casefile.Receipt{{ID: "vr_06H2VPRVHF5KD1H4", BatchID: "vb_06H2VPRVH1F7NZ3H", Claim: "unit", Surface: "code",
			Status: "passed", Timestamp: at(44)}})
		e.PutDecisions(nil)
		e.AddCommands(casefile.CommandRecord{Timestamp: at(43), Tool: "git", Operation: "grep", ActionClass: casefile.ReadOnly, Status: "ok", DurationMS: 21})
		e.AddRaw("raw_06H2VPRW8JTYE1SR", "$ sh test.sh\nexit: 0\n")
		return e.PutSummary("# Fix add\n")
	})
	got := map[string]string{}
	for path, text := range tree(t, s.CaseDir(testTask)) {
		name, err := filepath.Rel(s.CaseDir(testTask), path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, ".") {
			got[filepath.ToSlash(name)] = text
		}
	}
	want := goldenLedgers()
	maps.Copy(want, goldenPlan())
	want["case.json"] = goldenCase
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

const goldenCase = `{
  "schemaVersion": 1,
  "revision": 2,
  "id": "task_06H2VPRM4KDG25WQ",
  "createdAt": "2026-11-30T19:07:41.00000025Z",
  "updatedAt": "2026-01-02T03:04:05.001Z",
  "goal": "Fix add so it sums <a & b>",
  "mode": "change",
  "status": "investigating",
  "actor": "agent-a",
  "changeLease": {
    "actor": "agent-a",
    "acquiredAt": "2026-11-30T19:07:43.00000025Z",
    "renewedAt": "2026-11-30T19:07:43.00000025Z",
    "expiresAt": "2026-11-30T19:07:59.00000025Z",
    "releasedAt": "2026-11-30T19:07:45.00000025Z"
  },
  "workspace": {
    "root": "/srv/fixture/repo",
    "repository": "repo",
    "branch": "main",
    "commitBefore": "44b93b5"
  },
  "acceptanceCriteria": [
    {
      "id": "add-sums",
      "statement": "calc.sh 2 3 prints 5"
    }
  ],
  "changeBoundary": {}
}
`

func goldenPlan() map[string]string {
	return map[string]string{
		"plan.json": `{
  "hypotheses": [
    {
      "id": "hyp_06H2VPRTS705K7Z8",
      "statement": "add subtracts",
      "supports": [
        "ev_orientation_git"
      ],
      "confidence": "medium",
      "disproveBy": {
        "note": "run test.sh"
      },
      "status": "active"
    }
  ],
  "changeBoundary": {
    "files": [
      "calc.sh"
    ]
  },
  "verificationRequired": [
    "command:unit"
  ],
  "uncertainty": "shell portability"
}
`,
		"hypotheses.json": `[
  {
    "id": "hyp_06H2VPRTS705K7Z8",
    "statement": "add subtracts",
    "supports": [
      "ev_orientation_git"
    ],
    "confidence": "medium",
    "disproveBy": {
      "note": "run test.sh"
    },
    "status": "active"
  }
]
`,
	}
}

func goldenLedgers() map[string]string {
	return map[string]string{
		"verification.json": `[
  {
    "id": "vr_06H2VPRVHF5KD1H4",
    "batchId": "vb_06H2VPRVH1F7NZ3H",
    "claim": "unit",
    "surface": "code",
    "status": "passed",
    "timestamp": "2026-11-30T19:07:44.00000025Z"
  }
]
`,
		"decisions.json": "[]\n",
		"evidence.jsonl": `{"id":"ev_orientation_git","timestamp":"2026-11-30T19:07:43.00000025Z","kind":"code_location","source":{"tool":"git"},` +
			`"claim":"test.sh:2 matches \u003ccalc\u003e","location":{"file":"test.sh","startLine":2},"confidence":"high","sensitivity":"normal"}` + "\n",
		"phases.jsonl": `{"timestamp":"2026-11-30T19:07:41.00000025Z","from":"new","to":"orienting"}` + "\n",
		"commands.jsonl": `{"timestamp":"2026-11-30T19:07:43.00000025Z","tool":"git","operation":"grep","actionClass":"read_only",` +
			`"status":"ok","durationMs":21}` + "\n",
		"raw/raw_06H2VPRW8JTYE1SR.txt": "$ sh test.sh\nexit: 0\n",
		"summary.md":                   "# Fix add\n",
	}
}

func TestCaseFilesAreTheOwnersAlone(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase(), anEvidence("ev_1"))
	update(t, s, testTask, func(e *Edit) error {
		e.AddRaw("raw_1", "text")
		return e.PutCase(e.Case())
	})
	err := filepath.WalkDir(s.Dir(), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want && os.PathSeparator == '/' {
			t.Errorf("mode of %s = %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	want := aCase()
	create(t, s, want, anEvidence("ev_1"), anEvidence("ev_2"))
	view(t, s, testTask, func(r *Reader) error {
		if diff := cmp.Diff(want, r.Case()); diff != "" {
			t.Errorf("case (-want +got):\n%s", diff)
		}
		ev, err := r.EvidenceByID("ev_2")
		wantEv := anEvidence("ev_2")
		wantEv.Sensitivity = casefile.SensitivityNormal
		if diff := cmp.Diff(wantEv, ev); err != nil || diff != "" {
			t.Errorf("evidence: %v (-want +got):\n%s", err, diff)
		}
		if p, err := r.Plan(); p != nil || err != nil {
			t.Errorf("Plan of a case without one = %v, %v; want nil, nil", p, err)
		}
		events, total, err := r.PhasesTail(5)
		if err != nil || total != 1 || len(events) != 1 || events[0].To != casefile.PhaseOrienting {
			t.Errorf("PhasesTail = %v, %d, %v; want the one event", events, total, err)
		}
		return nil
	})
}

func TestEachUpdateIsOneRevision(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	for want := uint64(2); want < 5; want++ {
		update(t, s, testTask, func(e *Edit) error {
			c := e.Case()
			c.Revision = 99 // whatever the caller left there
			if err := e.PutCase(c); err != nil || c.Revision != want {
				t.Errorf("PutCase: %v, revision %d, want %d", err, c.Revision, want)
			}
			return nil
		})
	}
}
