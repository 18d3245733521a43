package casestore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
	"cortex/internal/problem"
	"cortex/internal/testkit"
)

// storeOn is a store on the root of a disk that can lose power.
func storeOn(disk *crashfs.Disk) *Store {
	return Open("/no/such/directory", Options{
		OpenFS:   func(path string) (durable.FS, error) { return disk.FS().Sub(filepath.Base(path)) },
		EnsureFS: func(string) (durable.FS, error) { return disk.FS(), nil },
		IDs:      testkit.IDs(),
	})
}

// lifecycle opens a case, commits a verify batch and adds two notes that cite the same reference; it returns how many of the four
// were acknowledged.
func lifecycle(s *Store) int {
	events := []casefile.PhaseEvent{{From: casefile.PhaseNew, To: casefile.PhaseOrienting}}
	steps := []func() error{
		func() error {
			return s.Create(ctx, aCase(), []casefile.Evidence{anEvidence("ev_06H2VPRM4KDG25W0")}, events, nil)
		},
		func() error {
			return s.Update(ctx, testTask, func(e *Edit) error {
				e.AddEvidence(anEvidence("ev_06H2VPRM4KDG25W1"))
				e.AddRaw("raw_1", "output")
				e.AddPhases(casefile.PhaseEvent{From: casefile.PhaseChanging, To: casefile.PhaseVerifying})
				e.AddCommands(casefile.CommandRecord{Tool: "command", Status: "passed"})
				e.PutReceipts([]casefile.Receipt{{ID: "vr_1", Claim: "unit"}})
				return e.PutCase(e.Case())
			})
		},
		func() error {
			return s.Update(ctx, testTask, func(e *Edit) error { return e.AddEvidence(citing("ev_06H2VPRM4KDG25W2", stashRef)) })
		},
		func() error {
			return s.Update(ctx, testTask, func(e *Edit) error { return e.AddEvidence(citing("ev_06H2VPRM4KDG25W3", stashRef)) })
		},
	}
	for acknowledged, step := range steps {
		if step() != nil {
			return acknowledged
		}
	}
	return len(steps)
}

// stages are what a reader may see, by the number of steps that are done.
func stages() []string {
	return []string{"absent", "revision 1, 1 evidence, 0 receipts, 1 phases, raw false, cited 0 times",
		"revision 2, 2 evidence, 1 receipts, 2 phases, raw true, cited 0 times",
		"revision 2, 3 evidence, 1 receipts, 2 phases, raw true, cited 1 times",
		"revision 2, 4 evidence, 1 receipts, 2 phases, raw true, cited 2 times"}
}

func seen(s *Store) (string, error) {
	got := ""
	err := s.View(ctx, testTask, func(r *Reader) error {
		_, evidence, err1 := r.EvidenceTail(9)
		_, phases, err2 := r.PhasesTail(9)
		receipts, err3 := r.Receipts()
		blob, err4 := r.Raw("raw_1")
		if problem.Is(err4, problem.EvidenceNotFound) {
			err4 = nil
		}
		cited, err5 := r.Ref(stashRef)
		if cited == nil {
			cited = &casefile.Ref{}
		}
		got = fmt.Sprintf("revision %d, %d evidence, %d receipts, %d phases, raw %v, cited %d times", r.Case().Revision, evidence, len(receipts),
			phases, bytes.Equal(blob, []byte("output")), len(cited.Citing))
		return errors.Join(err1, err2, err3, err4, err5)
	})
	if problem.Is(err, problem.TaskNotFound) {
		return "absent", nil
	}
	return got, err
}

// survives reports what a machine that lost power shows wrong, given how many steps had been acknowledged: "" when it
// shows those and at most the next one, whole, and takes another write.
func survives(disk *crashfs.Disk, acknowledged int) string {
	s := storeOn(disk)
	got, err := seen(s)
	all := stages()
	if err != nil || got != all[acknowledged] && got != all[min(acknowledged+1, len(all)-1)] {
		return fmt.Sprintf("a reader sees %q, %v; want %q or the next", got, err, all[acknowledged])
	}
	if got == all[0] {
		return ""
	}
	if err := s.AppendCommands(ctx, testTask, casefile.CommandRecord{Tool: "git"}); err != nil {
		return fmt.Sprintf("the next write fails: %v", err)
	}
	if again, err := seen(s); err != nil || again != got {
		return fmt.Sprintf("after the next write a reader sees %q, %v; want %q", again, err, got)
	}
	return ""
}

// crashes runs the lifecycle with a power loss at every step and returns the first violation, or "".
func crashes(random int, prepare func(*crashfs.Disk)) string {
	whole := crashfs.New()
	lifecycle(storeOn(whole))
	for stop := range whole.Steps() + 1 {
		disk := crashfs.New()
		prepare(disk)
		disk.StopAfter(stop)
		acknowledged := lifecycle(storeOn(disk))
		violation := ""
		disk.States(uint64(stop), random, func(after *crashfs.Disk) bool {
			violation = survives(after, acknowledged)
			return violation == ""
		})
		if violation == "" {
			violation = survives(disk.Kill(), acknowledged)
		}
		if violation != "" {
			return fmt.Sprintf("stopped at step %d of %d, %d acknowledged: %s", stop, whole.Steps(), acknowledged, violation)
		}
	}
	return ""
}

func TestCrashShowsEachChangeWholeOrNot(t *testing.T) {
	t.Parallel()
	random := 20
	if os.Getenv("CORTEX_CRASH") != "" {
		random = 200
	}
	if violation := crashes(random, func(*crashfs.Disk) {}); violation != "" {
		t.Error(violation)
	}
}

func TestCrashRunNoticesMissingSyncs(t *testing.T) {
	t.Parallel()
	for name, sabotage := range map[string]func(*crashfs.Disk){
		"files":       func(d *crashfs.Disk) { d.SkipFileSync = true },
		"directories": func(d *crashfs.Disk) { d.SkipDirSync = true },
	} {
		if crashes(20, sabotage) == "" {
			t.Errorf("without syncs of %s the crash run finds nothing", name)
		}
	}
}

func TestFullDiskLeavesTheOldState(t *testing.T) {
	t.Parallel()
	refused, recorded := 0, 0
	for space := int64(0); ; space += 37 {
		disk := crashfs.New()
		s := storeOn(disk)
		create(t, s, aCase(), anEvidence("ev_06H2VPRM4KDG25W0"))
		disk.SetSpace(space)
		err := s.Update(ctx, testTask, func(e *Edit) error {
			e.AddRaw("raw_1", "output")
			e.AddEvidence(anEvidence("ev_06H2VPRM4KDG25W1"))
			e.AddPhases(casefile.PhaseEvent{From: casefile.PhaseChanging, To: casefile.PhaseVerifying})
			e.PutReceipts([]casefile.Receipt{{ID: "vr_1", Claim: "unit"}})
			return e.PutCase(e.Case())
		})
		got, readErr := seen(s)
		if err == nil {
			break
		}
		if !problem.Is(err, problem.DiskFull) || readErr != nil {
			t.Fatalf("with %d bytes free: Update = %v, then View = %v; want disk_full and a readable case", space, err, readErr)
		}
		want := stages()[1]
		if errors.As(err, new(*durable.PendingError)) {
			want = stages()[2]
			recorded++
		} else {
			refused++
		}
		if got != want {
			t.Fatalf("with %d bytes free: Update = %v and a reader sees %q, want %q", space, err, got, want)
		}
		disk.SetSpace(-1)
		if err := s.AppendCommands(ctx, testTask, casefile.CommandRecord{Tool: "git"}); err != nil {
			t.Fatalf("with space again after %d: %v", space, err)
		}
		if got, err := seen(s); err != nil || got != want {
			t.Fatalf("with space again after %d: a reader sees %q, %v; want %q", space, got, err, want)
		}
	}
	if refused == 0 {
		t.Error("the disk was never full")
	}
	t.Logf("%d refused, %d recorded and completed later", refused, recorded)
}

func TestSyncsStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	var counter crashfs.Counter
	disk := crashfs.New()
	s := storeOn(disk)
	count := func(fsys durable.FS, err error) (durable.FS, error) {
		if err != nil {
			return nil, err
		}
		return crashfs.Counting(fsys, &counter), nil
	}
	open := s.opt.OpenFS
	s.opt.OpenFS = func(path string) (durable.FS, error) { return count(open(path)) }
	create(t, s, aCase(), anEvidence("ev_06H2VPRM4KDG25W0"))
	for name, tc := range map[string]struct {
		most int64
		fn   func(*Edit) error
	}{
		"note": {2, func(e *Edit) error { return e.AddEvidence(anEvidence("ev_06H2VPRM4KDG25W1")) }},
		"verify": {8, func(e *Edit) error {
			e.AddRaw("raw_1", "output")
			e.AddEvidence(anEvidence("ev_06H2VPRM4KDG25W2"))
			e.AddPhases(casefile.PhaseEvent{From: casefile.PhaseChanging, To: casefile.PhaseVerifying})
			e.AddCommands(casefile.CommandRecord{Tool: "command", Status: "passed"})
			e.PutReceipts([]casefile.Receipt{{ID: "vr_1", Claim: "unit"}})
			return e.PutCase(e.Case())
		}},
	} {
		counter.Take()
		update(t, s, testTask, tc.fn)
		if files, dirs := counter.Take(); files+dirs > tc.most || files == 0 {
			t.Errorf("%s: %d syncs of files and %d of directories, want at most %d and some", name, files, dirs, tc.most)
		}
	}
}
