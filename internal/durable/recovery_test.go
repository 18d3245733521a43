package durable_test

import (
	"errors"
	"io/fs"
	"testing"

	"cortex/internal/durable"
)

func TestLinesOfAnotherProgramStopARecovery(t *testing.T) {
	t.Parallel()
	disk, _ := newCase(t, map[string][]byte{"case.json": []byte("old"), "evidence.jsonl": []byte("a\n")})
	disk = interrupt(t, disk, op{
		puts: map[string]string{"case.json": "new"}, appends: map[string]string{"evidence.jsonl": "b\n"}})
	fsys, err := disk.FS().Sub(caseDir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := fsys.Open("evidence.jsonl", durable.OpenWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Truncate(2); err != nil {
		t.Fatal(err)
	}
	if _, err := h.WriteAt([]byte("foreign\n"), 2); err != nil {
		t.Fatal(err)
	}
	if err := update(t, fsys, func(*durable.Tx) error { return nil }); !errors.Is(err, durable.ErrNeedsFsck) {
		t.Errorf("update = %v, want ErrNeedsFsck", err)
	}
	if got := read(t, fsys, "case.json"); got != "new" {
		t.Errorf("case.json = %q, want the recorded %q", got, "new")
	}
	for name, want := range map[string]string{"case.json": "old", "evidence.jsonl": "a\nforeign\n"} {
		h, err := fsys.Open(name, durable.OpenRead)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 100)
		if n, _ := h.ReadAt(data, 0); string(data[:n]) != want {
			t.Errorf("%s = %q on disk, want it untouched: %q", name, data[:n], want)
		}
	}
}

func TestLedgerThatIsGoneStopsReadersAndARecovery(t *testing.T) {
	t.Parallel()
	disk, _ := newCase(t, map[string][]byte{"case.json": []byte("old"), "evidence.jsonl": []byte("a\n")})
	disk = interrupt(t, disk, op{
		puts: map[string]string{"case.json": "new"}, appends: map[string]string{"evidence.jsonl": "b\n"}})
	fsys, err := disk.FS().Sub(caseDir)
	if err != nil {
		t.Fatal(err)
	}
	if err := fsys.Remove("evidence.jsonl"); err != nil {
		t.Fatal(err)
	}
	calls := map[string]error{
		"update": update(t, fsys, func(*durable.Tx) error { return nil }),
		"view": durable.New(fsys).View(t.Context(), func(s *durable.Snapshot) error {
			_, err := s.Open("evidence.jsonl")
			return err
		}),
	}
	for call, err := range calls {
		if !errors.Is(err, durable.ErrNeedsFsck) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s = %v, want ErrNeedsFsck", call, err)
		}
	}
}
