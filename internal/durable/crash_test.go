package durable_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
)

// script is a directory as it starts and what is done to it, one Update after the other.
type script struct {
	name  string
	start map[string]string // durable before the first step; nil: the directory is made by Create
	// deadAfter is at how many steps a writer died before that, who was to install raw/old.txt anew.
	deadAfter int
	ops       []op
}

// crashRun checks a script against crashes. The first violation ends it.
type crashRun struct {
	script
	disk   func() *crashfs.Disk
	effort effort
	states int             // counted
	known  map[string]bool // states that were checked
}

// effort bounds the states of a run. With 200 states a crash is tried with every subset of up to seven pending changes.
type effort struct {
	states int // per crash
	inner  int // per crash inside recovery
	every  int // recovery is crashed for one state in so many, and always after the death of a process
}

const caseDir = "task_1"

// check crashes after every step: by the death of the process and by every power loss.
func (r *crashRun) check() error {
	for stop := 0; ; stop++ {
		disk, err := r.prepared()
		if err != nil {
			return err
		}
		disk.StopAfter(stop)
		acknowledged, allowed, orphans, done := r.run(disk)
		var violation error
		try := func(state *crashfs.Disk, how string) bool {
			key := fmt.Sprint(acknowledged, how, state.Image())
			if !r.known[key] {
				r.known[key] = true
				r.states++
				violation = r.recover(state, allowed, orphans, how == "kill")
			}
			if violation != nil {
				violation = fmt.Errorf("%s after step %d: %w\n%q", how, stop, violation, state.Image())
			}
			return violation == nil
		}
		if try(disk.Kill(), "kill") {
			disk.States(uint64(stop), r.effort.states, func(state *crashfs.Disk) bool { return try(state, "power loss") })
		}
		if violation != nil || done {
			return violation
		}
	}
}

// prepared returns a disk with the script's start on it.
func (r *crashRun) prepared() (*crashfs.Disk, error) {
	disk := r.disk()
	if r.start == nil {
		return disk, nil
	}
	fileSync, dirSync := disk.SkipFileSync, disk.SkipDirSync
	disk.SkipFileSync, disk.SkipDirSync = false, false
	err := layOut(disk.FS(), r.start)
	disk.SkipFileSync, disk.SkipDirSync = fileSync, dirSync
	if err != nil || r.deadAfter == 0 {
		return disk, err
	}
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		return disk, err
	}
	disk.StopAfter(r.deadAfter)
	_ = durable.New(sub).Update(context.Background(), op{taken: "raw/old.txt"}.stage) // it dies
	return disk.Kill(), nil
}

// layOut makes a directory as another program leaves it: without lock and slot.
func layOut(parent durable.FS, files map[string]string) error {
	if err := parent.Mkdir(caseDir); err != nil {
		return err
	}
	sub, err := parent.Sub(caseDir)
	if err != nil {
		return err
	}
	for name, text := range files {
		if dir, _, nested := strings.Cut(name, "/"); nested {
			if err := sub.Mkdir(dir); err != nil {
				return err
			}
		}
		if err := errors.Join(writeSynced(sub, name, text), sub.SyncDir(path.Dir(name))); err != nil {
			return err
		}
	}
	return errors.Join(sub.SyncDir("."), parent.SyncDir("."))
}

func writeSynced(fsys durable.FS, name, text string) error {
	h, err := fsys.Open(name, durable.OpenNew)
	if err != nil {
		return err
	}
	_, err = h.WriteAt([]byte(text), 0)
	return errors.Join(err, h.Sync(), h.Close())
}

// run plays the script until the process dies. It returns how many changes were acknowledged, the states that are
// allowed then (nil: no directory), and what an Install may have left.
func (r *crashRun) run(disk *crashfs.Disk) (acked int, allowed []*world, orphans map[string]string, done bool) {
	now := &world{files: r.start}
	if r.start == nil {
		now = nil
		files := map[string][]byte{"case.json": []byte(record(1)), "evidence.jsonl": nil, auditName: nil}
		made := &world{files: map[string]string{"case.json": record(1), "evidence.jsonl": ""}}
		if durable.Create(context.Background(), disk.FS(), caseDir, files) != nil {
			return 0, []*world{now, made}, nil, false
		}
		now = made
	}
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		return 1, []*world{now}, nil, false
	}
	dir := durable.New(sub)
	for i, o := range r.ops {
		next := now.with(o)
		if dir.Update(context.Background(), o.stage) != nil {
			return 1 + i, []*world{now, next.unacknowledged(now)}, o.installs, false
		}
		now = &next
	}
	return 1 + len(r.ops), []*world{now}, nil, true
}

// recover opens a directory after a crash and works on with it, crashing once more at every step of that.
func (r *crashRun) recover(state *crashfs.Disk, allowed []*world, orphans map[string]string, live bool) error {
	before := state.Steps()
	found, err := r.find(state, allowed, orphans)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	if steps := state.Steps() - before; steps > 0 {
		return fmt.Errorf("view changed the directory in %d steps", steps)
	}
	if found == nil {
		return nil
	}
	if !live {
		allowed = []*world{found}
	}
	next := followUps()[r.states%len(followUps())]
	first := 0
	if !live && r.states%r.effort.every != 0 {
		first = 1 << 20 // no crash inside
	}
	for stop := first; ; stop++ {
		disk := state.Kill()
		disk.StopAfter(stop)
		possible, done := workOn(disk, found, allowed, next)
		if done {
			return r.finished(disk, possible, orphans)
		}
		var violation error
		disk.States(uint64(stop), r.effort.inner, func(again *crashfs.Disk) bool {
			var there *world
			if there, violation = r.find(again, possible, orphans); violation == nil && there != nil {
				violation = usable(again)
			}
			return violation == nil
		})
		if violation != nil {
			return fmt.Errorf("second power loss after step %d of recovery, then %+v: %w", stop, next, violation)
		}
	}
}

// followUps are the changes that an old record could undo.
func followUps() []op {
	return []op{
		{repairs: map[string]string{"evidence.jsonl": record(101)}},
		{puts: map[string]string{"case.json": record(102)}},
		{puts: map[string]string{"case.json": record(103), "raw/z.txt": record(104)}, audit: record(105),
			repairs: map[string]string{"evidence.jsonl": record(106)}},
		{audit: record(107)},
	}
}

// workOn recovers with an empty Update and then changes something. What the first one read must stay.
func workOn(disk *crashfs.Disk, found *world, allowed []*world, next op) (possible []*world, done bool) {
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		return allowed, false
	}
	dir := durable.New(sub)
	if dir.Update(context.Background(), func(*durable.Tx) error { return nil }) != nil {
		return allowed, false
	}
	after := found.with(next)
	if dir.Update(context.Background(), next.stage) != nil {
		return []*world{found, after.unacknowledged(found)}, false
	}
	return []*world{&after}, true
}

// finished checks the directory after recovery and one more change, now and after a power loss.
func (r *crashRun) finished(disk *crashfs.Disk, possible []*world, orphans map[string]string) error {
	if err := usable(disk.Kill()); err != nil {
		return err
	}
	for _, state := range []*crashfs.Disk{disk.Kill(), disk.PowerLoss(func(int) bool { return false })} {
		if _, err := r.find(state, possible, orphans); err != nil {
			return fmt.Errorf("after recovery: %w", err)
		}
	}
	return nil
}

// usable puts a file, and wants no leftovers after that.
func usable(disk *crashfs.Disk) error {
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		return err
	}
	probe := op{puts: map[string]string{"probe": "1"}, repairs: map[string]string{"evidence.jsonl": record(200)}}
	if err := durable.New(sub).Update(context.Background(), probe.stage); err != nil {
		return fmt.Errorf("next update: %w", err)
	}
	names, err := sub.ReadDir(".")
	for _, name := range names {
		if strings.HasPrefix(name, ".tmp-") {
			return fmt.Errorf("%s of a dead writer is still there", name)
		}
	}
	return err
}

// find returns the allowed world that the disk is in.
func (r *crashRun) find(disk *crashfs.Disk, allowed []*world, orphans map[string]string) (*world, error) {
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		if allowed[0] == nil {
			return nil, nil
		}
		return nil, err
	}
	var v seen
	err = durable.New(sub).View(context.Background(), func(s *durable.Snapshot) (err error) {
		v, err = observe(s)
		return err
	})
	if err != nil {
		return nil, err
	}
	var misses []error
	for _, w := range allowed {
		if w == nil {
			continue
		}
		miss := w.matches(v, orphans)
		if miss == nil {
			return &world{files: w.files, audit: v.audit, certain: w.certain, doubt: w.doubt}, nil
		}
		misses = append(misses, miss)
	}
	return nil, fmt.Errorf("neither old nor new: %w", errors.Join(misses...))
}

// chosenEffort is short in the suite and long with CORTEX_CRASH=long.
func chosenEffort() effort {
	if os.Getenv("CORTEX_CRASH") == "long" {
		return effort{states: 500, inner: 10, every: 4}
	}
	return effort{states: 200, inner: 4, every: 100}
}

func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, s := range scripts() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := &crashRun{script: s, disk: crashfs.New, effort: chosenEffort(), known: map[string]bool{}}
			if err := r.check(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d states", r.states)
		})
	}
}

// A check that does not fail without syncs proves nothing.
func TestCrashCheckFindsMissingSyncs(t *testing.T) {
	t.Parallel()
	sabotage := map[string]func(*crashfs.Disk){
		"file sync off":      func(d *crashfs.Disk) { d.SkipFileSync = true },
		"directory sync off": func(d *crashfs.Disk) { d.SkipDirSync = true },
	}
	for how, apply := range sabotage {
		for _, s := range scripts() {
			t.Run(how+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				disk := func() *crashfs.Disk {
					d := crashfs.New()
					apply(d)
					return d
				}
				r := &crashRun{script: s, disk: disk, effort: chosenEffort(), known: map[string]bool{}}
				if err := r.check(); err == nil {
					t.Errorf("%d states without a violation, want one with %s", r.states, how)
				}
			})
		}
	}
}
