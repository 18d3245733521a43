package caseops

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/config"
	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
	"cortex/internal/durable/osfs"
	"cortex/internal/gitrepo"
	"cortex/internal/redact"
	"cortex/internal/testkit"
	"cortex/internal/verifier"
)

// desk is a service on a real repository and a real store, with a pinned clock and a check that does what a test says.
type desk struct {
	*Service
	t     *testing.T
	repo  *testkit.Repo
	clock *testkit.Clock
	syncs crashfs.Counter
	check func(verifier.Check) verifier.Run
}

func newDesk(t *testing.T, environ ...string) *desk {
	t.Helper()
	d := &desk{t: t, repo: testkit.NewRepo(t), clock: testkit.NewClock()}
	d.repo.Write("a.txt", "one\n")
	d.repo.Commit("first")
	env := testkit.Env(t, environ...)
	root, err := filepath.EvalSymlinks(d.repo.Path(""))
	if err != nil {
		t.Fatal(err)
	}
	repo, err := gitrepo.Open(t.Context(), root, gitrepo.Options{Environ: env, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	ids := d.clock.IDs()
	counted := func(open func(string) (*osfs.FS, error)) func(string) (durable.FS, error) {
		return func(path string) (durable.FS, error) {
			fsys, err := open(path)
			if err != nil {
				return nil, err
			}
			return crashfs.Counting(fsys, &d.syncs), nil
		}
	}
	store := casestore.Open(filepath.Join(state, "sessions", "repo"), casestore.Options{
		OpenFS: counted(osfs.Open), EnsureFS: counted(osfs.Ensure), Redact: redact.New(nil), IDs: ids,
	})
	d.Service = &Service{
		Config: config.Config{
			Paths:           config.Paths{StateDir: state},
			Budget:          config.Budget{MaxInvestigationRounds: 3, MaxEvidenceItemsReturned: 12},
			Verifiers:       []config.Verifier{{Name: "unit", Argv: []string{"check"}, Kind: casefile.KindUnitTest, Surface: "code"}},
			ApproveCommands: true,
		},
		Workspace: root, Repo: repo, Store: store, IDs: ids, Redact: redact.New(nil), Environ: env,
		Claim: func(context.Context) (*casestore.Store, error) { return store, nil },
		At: func(context.Context, string) (*Service, error) {
			t.Fatal("another workspace was asked for")
			return nil, nil
		},
		Execute: func(_ context.Context, c verifier.Check) verifier.Run { return d.check(c) },
	}
	d.check = func(c verifier.Check) verifier.Run { return passedRun(c) }
	return d
}

func passedRun(c verifier.Check) verifier.Run {
	zero := 0
	return verifier.Run{Argv: c.Argv, Status: verifier.Passed, Counts: &verifier.Counts{Executed: 1, Passed: 1}, Exit: &zero, Output: []byte("$ check\n")}
}

// changing brings a case to the point where its change can be verified.
func (d *desk) changing() {
	d.t.Helper()
	d.must(d.Open(d.t.Context(), OpenInput{Terms: Terms{Goal: "change a", Mode: casefile.ModeChange, Risk: casefile.RiskLow}}))
	d.must(d.Plan(d.t.Context(), onePlan()))
	d.must(d.BeginChange(d.t.Context(), BeginChangeInput{Actor: "agent-a"}))
	d.repo.Write("a.txt", "two\n")
}

func onePlan() PlanInput {
	return PlanInput{
		Hypotheses: []HypothesisInput{{Statement: "x", DisproveBy: "y"}}, Files: []string{"a.txt"},
		Verification: []string{"command:unit"}, Uncertainty: "none",
	}
}

func (d *desk) must(_ any, err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// file reads one file of the only case.
func (d *desk) file(name string) string {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(d.Store.Dir(), "task_*", name))
	if err != nil || len(found) == 0 {
		return ""
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

func (d *desk) lines(name string) int { return strings.Count(d.file(name), "\n") }
