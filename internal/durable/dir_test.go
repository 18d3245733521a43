package durable_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
	"cortex/internal/durable/osfs"
)

// newCase returns a directory made by Create on a disk in memory.
func newCase(t *testing.T, files map[string][]byte) (*crashfs.Disk, durable.FS) {
	t.Helper()
	disk := crashfs.New()
	if err := durable.Create(t.Context(), disk.FS(), caseDir, files); err != nil {
		t.Fatal(err)
	}
	sub, err := disk.FS().Sub(caseDir)
	if err != nil {
		t.Fatal(err)
	}
	return disk, sub
}

func update(t *testing.T, fsys durable.FS, fn func(*durable.Tx) error) error {
	t.Helper()
	return durable.New(fsys).Update(t.Context(), fn)
}

func read(t *testing.T, fsys durable.FS, name string) string {
	t.Helper()
	var text string
	err := durable.New(fsys).View(t.Context(), func(s *durable.Snapshot) error {
		data, err := s.ReadFile(name, 1<<20)
		text = string(data)
		return err
	})
	if err != nil {
		t.Errorf("read %s: %v", name, err)
	}
	return text
}

// The budget of the design: one sync for a line, two with its file, eight for the largest verb.
func TestSyncsPerChange(t *testing.T) {
	t.Parallel()
	ledgers := map[string][]byte{"case.json": []byte("1"), "evidence.jsonl": nil, "phases.jsonl": nil, "commands.jsonl": nil}
	verify := op{
		puts:    map[string]string{"case.json": "2", "verification.json": "3", "raw/x.txt": "4"},
		appends: map[string]string{"evidence.jsonl": record(1) + record(2), "phases.jsonl": record(3)},
		audit:   record(4),
	}
	note := op{appends: map[string]string{"evidence.jsonl": record(5)}}
	tests := []struct {
		name    string
		before  []op
		op      op
		syncs   int64
		foreign bool
	}{
		{name: "line", op: note, syncs: 1},
		{name: "second line", before: []op{note}, op: note, syncs: 1},
		{name: "line after a record", before: []op{verify}, op: note, syncs: 2},
		{name: "second line after a record", before: []op{verify, note}, op: note, syncs: 1},
		{name: "line of a new ledger", op: op{appends: map[string]string{"new.jsonl": record(1)}}, syncs: 2},
		{name: "first line in another program's directory", foreign: true, op: note, syncs: 2},
		{name: "audit line alone", op: op{audit: record(1)}, syncs: 1},
		{name: "line with audit line", op: op{audit: record(1), appends: note.appends}, syncs: 2},
		{name: "snapshot", op: op{puts: map[string]string{"case.json": "2"}}, syncs: 2},
		{name: "verify with a new subdirectory", op: verify, syncs: 8},
		{name: "verify again", before: []op{verify}, op: verify, syncs: 8},
		{name: "nothing", op: op{}, syncs: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, fsys := newCase(t, ledgers)
			if tt.foreign {
				if err := errors.Join(fsys.Remove(".intent"), fsys.SyncDir(".")); err != nil {
					t.Fatal(err)
				}
			}
			var count crashfs.Counter
			fsys = crashfs.Counting(fsys, &count)
			for _, o := range append(slices.Clone(tt.before), tt.op) {
				count.Take()
				if err := update(t, fsys, o.stage); err != nil {
					t.Fatal(err)
				}
			}
			if files, dirs := count.Take(); files+dirs != tt.syncs {
				t.Errorf("%d syncs of files and %d of directories, want %d in all", files, dirs, tt.syncs)
			}
		})
	}
}

// interrupt makes a change that passed its commit point and stops there.
func interrupt(t *testing.T, disk *crashfs.Disk, o op) *crashfs.Disk {
	t.Helper()
	for step := 0; ; step++ {
		try := disk.Kill()
		sub, err := try.FS().Sub(caseDir)
		if err != nil {
			t.Fatal(err)
		}
		try.FailStep(step, syscall.EIO)
		err = update(t, sub, o.stage)
		if pending := (*durable.PendingError)(nil); errors.As(err, &pending) {
			return try
		}
		if err == nil {
			t.Fatal("no step is behind the commit point")
		}
	}
}

func TestViewReadsThroughAnUnfinishedChange(t *testing.T) {
	t.Parallel()
	disk, _ := newCase(t, map[string][]byte{"case.json": []byte("old"), "evidence.jsonl": []byte("a\n"), "plan.json": nil})
	disk = interrupt(t, disk, op{
		puts: map[string]string{"case.json": "new", "raw/x.txt": "raw"}, appends: map[string]string{"evidence.jsonl": "b\n"},
		removes: []string{"plan.json"},
	})
	fsys, err := disk.FS().Sub(caseDir)
	if err != nil {
		t.Fatal(err)
	}
	before := disk.Steps()
	err = durable.New(fsys).View(t.Context(), func(s *durable.Snapshot) error {
		v, err := observe(s)
		want := map[string]string{"case.json": "new", "evidence.jsonl": "a\nb\n", "raw/x.txt": "raw"}
		if diff := cmp.Diff(want, v.files); diff != "" {
			t.Errorf("files differ (-want +got):\n%s", diff)
		}
		if size, err := s.Size("evidence.jsonl"); size != 4 || err != nil {
			t.Errorf("Size = %d, %v, want 4", size, err)
		}
		if _, err := s.Size("plan.json"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Size of a removed file = %v, want absent", err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if steps := disk.Steps() - before; steps != 0 {
		t.Errorf("the view made %d changes, want none", steps)
	}
}

func TestRefusedStagingChangesNothing(t *testing.T) {
	t.Parallel()
	refusals := map[string]struct {
		stage func(*durable.Tx) error
		want  error
	}{
		"hidden name":      {func(tx *durable.Tx) error { return tx.Put(".intent", nil) }, durable.ErrInvalid},
		"path out":         {func(tx *durable.Tx) error { return tx.Put("../x", nil) }, durable.ErrInvalid},
		"half a line":      {func(tx *durable.Tx) error { return tx.Append("evidence.jsonl", []byte("x")) }, durable.ErrInvalid},
		"zero byte":        {func(tx *durable.Tx) error { return tx.Append("evidence.jsonl", []byte("x\x00\n")) }, durable.ErrInvalid},
		"torn ledger":      {func(tx *durable.Tx) error { return tx.Append("torn.jsonl", []byte("x\n")) }, durable.ErrTornTail},
		"cut within line":  {func(tx *durable.Tx) error { return tx.Truncate("torn.jsonl", 1) }, durable.ErrTornTail},
		"cut behind end":   {func(tx *durable.Tx) error { return tx.Truncate("torn.jsonl", 100) }, durable.ErrInvalid},
		"directory":        {func(tx *durable.Tx) error { return tx.Put("raw", nil) }, durable.ErrNotRegular},
		"file as parent":   {func(tx *durable.Tx) error { return tx.Put("torn.jsonl/x", nil) }, durable.ErrNotRegular},
		"remove of absent": {func(tx *durable.Tx) error { return tx.Remove("absent") }, fs.ErrNotExist},
		"install twice":    {func(tx *durable.Tx) error { return tx.Install("raw/x.txt", nil) }, fs.ErrExist},
		"too large":        {func(tx *durable.Tx) error { return tx.Put("x", make([]byte, 65<<20)) }, new(durable.TooLargeError)},
		"file and directory": {func(tx *durable.Tx) error {
			return errors.Join(tx.Put("new/x", nil), tx.Put("new", nil))
		}, durable.ErrInvalid},
	}
	for name, r := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string][]byte{"case.json": []byte("old"), "torn.jsonl": []byte("a\nb"), "raw/x.txt": nil}
			_, fsys := newCase(t, files)
			err := update(t, fsys, func(tx *durable.Tx) error {
				return errors.Join(tx.Put("case.json", []byte("new")), r.stage(tx))
			})
			large := (*durable.TooLargeError)(nil)
			if _, wantLarge := r.want.(*durable.TooLargeError); wantLarge && errors.As(err, &large) {
				err = r.want
			}
			if !errors.Is(err, r.want) {
				t.Errorf("error = %v, want %v", err, r.want)
			}
			if got := read(t, fsys, "case.json"); got != "old" {
				t.Errorf("case.json = %q after a refusal, want old", got)
			}
		})
	}
}

func TestDroppedRefusalFailsTheUpdate(t *testing.T) {
	t.Parallel()
	_, fsys := newCase(t, map[string][]byte{"case.json": []byte("old")})
	err := update(t, fsys, func(tx *durable.Tx) error {
		_ = tx.Put("../x", nil) // dropped on purpose
		return tx.Put("case.json", []byte("new"))
	})
	if !errors.Is(err, durable.ErrInvalid) {
		t.Errorf("update = %v, want ErrInvalid", err)
	}
	if got := read(t, fsys, "case.json"); got != "old" {
		t.Errorf("case.json = %q, want old", got)
	}
}

func TestStagingOneFileTwice(t *testing.T) {
	t.Parallel()
	_, fsys := newCase(t, map[string][]byte{"l.jsonl": []byte("a\n"), "r": []byte("x"), "p": []byte("x")})
	err := update(t, fsys, func(tx *durable.Tx) error {
		before := []byte("b\n")
		err := errors.Join(tx.Append("l.jsonl", before), tx.AppendAudit("l.jsonl", []byte("c\n")),
			tx.Remove("r"), tx.Append("r", []byte("y\n")),
			tx.Put("p", []byte("1\n")), tx.Append("p", []byte("2\n")),
			tx.Append("n.jsonl", []byte("1\n")), tx.Append("n.jsonl", []byte("2\n")))
		if got, readErr := tx.ReadFile("l.jsonl", 10); string(got) != "a\n" || readErr != nil {
			t.Errorf("read inside = %q, %v, want the old state", got, readErr)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"l.jsonl": "a\nb\nc\n", "r": "y\n", "p": "1\n2\n", "n.jsonl": "1\n2\n"} {
		if got := read(t, fsys, name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

// A ledger cut at any byte takes the next line on a line of its own, whichever way its owner appends.
func TestCutLedgerAtEveryByteTakesTheNextLine(t *testing.T) {
	t.Parallel()
	whole := record(1) + record(2)
	for cut := range len(whole) {
		_, fsys := newCase(t, map[string][]byte{"l.jsonl": []byte(whole[:cut]), auditName: []byte(whole[:cut])})
		err := update(t, fsys, op{repairs: map[string]string{"l.jsonl": record(3)}, audit: record(3)}.stage)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got, want := read(t, fsys, "l.jsonl"), wholeLines(whole[:cut])+record(3); got != want {
			t.Errorf("cut at %d: ledger = %q, want %q", cut, got, want)
		}
		if got := read(t, fsys, auditName); !strings.HasSuffix("\n"+got, "\n"+record(3)) {
			t.Errorf("cut at %d: audit ledger = %q, want the new line on its own", cut, got)
		}
	}
}

func TestViewWithoutLockFileReadsAgainWhenOneAppears(t *testing.T) {
	t.Parallel()
	path, fsys := newOSDir(t)
	if err := os.WriteFile(path+"/case.json", []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := durable.New(fsys)
	var reads []string
	err := dir.View(t.Context(), func(s *durable.Snapshot) error {
		data, err := s.ReadFile("case.json", 10)
		reads = append(reads, string(data))
		if len(reads) > 1 || err != nil {
			return err
		}
		return dir.Update(t.Context(), func(tx *durable.Tx) error { return tx.Put("case.json", []byte("2")) })
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"1", "2"}; !slices.Equal(reads, want) {
		t.Errorf("reads = %q, want %q", reads, want)
	}
}

func TestViewLeavesNoTrace(t *testing.T) {
	t.Parallel()
	path, fsys := newOSDir(t)
	if err := os.WriteFile(path+"/case.json", []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, fsys, "case.json"); got != "1" {
		t.Errorf("case.json = %q, want 1", got)
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 1 {
		t.Errorf("directory holds %v, %v, want case.json only", entries, err)
	}
}

func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	_, fsys := newCase(t, map[string][]byte{"case.json": []byte("12345")})
	err := durable.New(fsys).View(t.Context(), func(s *durable.Snapshot) error {
		if data, err := s.ReadFile("case.json", 5); string(data) != "12345" || err != nil {
			t.Errorf("ReadFile at the bound = %q, %v", data, err)
		}
		f, err := s.Open("case.json")
		if err != nil {
			return err
		}
		if data, err := io.ReadAll(f); string(data) != "12345" || err != nil || f.Size() != 5 {
			t.Errorf("stream = %q, %v, size %d", data, err, f.Size())
		}
		if err := f.Close(); err != nil {
			return err
		}
		_, err = s.ReadFile("case.json", 4)
		return err
	})
	large := (*durable.TooLargeError)(nil)
	if !errors.As(err, &large) || large.Name != "case.json" || large.Size != 5 || large.Max != 4 {
		t.Errorf("ReadFile over the bound = %v, want TooLargeError{case.json 5 4}", err)
	}
}

func TestCreateRefusesATakenName(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	parent, err := osfs.Ensure(path + "/a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer parent.Close()
	files := map[string][]byte{"case.json": []byte("1"), "raw/x.txt": []byte("2")}
	results := make(chan error)
	for range 4 {
		go func() { results <- durable.Create(context.Background(), parent, caseDir, files) }()
	}
	made := 0
	for range 4 {
		if err := <-results; err == nil {
			made++
		} else if !errors.Is(err, fs.ErrExist) {
			t.Errorf("create = %v, want nil or fs.ErrExist", err)
		}
	}
	if made != 1 {
		t.Errorf("%d creations succeeded, want one", made)
	}
	names, err := parent.ReadDir(".")
	if err != nil || !slices.Equal(names, []string{caseDir}) {
		t.Errorf("parent holds %v, %v, want the one directory", names, err)
	}
}
