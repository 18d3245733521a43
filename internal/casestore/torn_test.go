package casestore

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
	"cortex/internal/durable/osfs"
)

func TestLedgerCutAnywhereLosesOnlyTheCutRecord(t *testing.T) {
	t.Parallel()
	var whole bytes.Buffer
	var ends []int
	for i := range 3 {
		fmt.Fprintf(&whole, `{"id":"ev_%d","timestamp":"2026-11-30T19:07:41Z","kind":"k","source":{"tool":"é"},"claim":"{}"}`+"\n", i)
		ends = append(ends, whole.Len())
	}
	for cut := range whole.Len() + 1 {
		cutAt(t, whole.String()[:cut], ends)
	}
}

// cutAt reads and writes a case whose evidence is text, in memory; ends are the offsets behind whole records.
func cutAt(t *testing.T, text string, ends []int) {
	t.Helper()
	disk := crashfs.New()
	files := map[string][]byte{"case.json": []byte(minimalCase(testTask)), "evidence.jsonl": []byte(text)}
	if err := durable.Create(ctx, disk.FS(), testTask, files); err != nil {
		t.Fatal(err)
	}
	s, cut := storeOn(disk), len(text)
	var want []string
	for i, end := range ends {
		if end <= cut {
			want = append(want, fmt.Sprintf("ev_%d", i))
		}
	}
	torn := cut > 0 && !slices.Contains(ends, cut)
	ids, warnings := evidenceIDs(t, s, testTask)
	if !slices.Equal(ids, want) || (len(warnings) > 0) != torn {
		t.Fatalf("cut at %d: read %v with warnings %v, want %v", cut, ids, warnings, want)
	}
	if torn {
		mustContain(t, "warning", warnings[0], "evidence.jsonl", fmt.Sprintf("line %d", len(want)+1))
	}
	update(t, s, testTask, func(e *Edit) error { return e.AddEvidence(casefile.Evidence{ID: "ev_new", Claim: "c"}) })
	ids, warnings = evidenceIDs(t, s, testTask)
	if !slices.Equal(ids, append(want, "ev_new")) || len(warnings) > 0 {
		t.Fatalf("cut at %d, after a write: read %v with warnings %v, want %v and ev_new", cut, ids, warnings, want)
	}
	start := strings.LastIndexByte(text, '\n') + 1
	if !torn {
		return
	}
	err := s.View(ctx, testTask, func(r *Reader) error {
		kept, err := r.Raw(fmt.Sprintf("torn_evidence_%d", start))
		if string(kept) != text[start:] {
			t.Errorf("cut at %d: kept %q, want %q", cut, kept, text[start:])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryLedgerIsMended(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	plant(t, s, testTask, map[string]string{"case.json": minimalCase(testTask), "evidence.jsonl": `{"id":"ev`,
		"phases.jsonl": `{"timest`, "commands.jsonl": `{"tool"`, "raw/torn_evidence_0.txt": "an older one"})
	update(t, s, testTask, func(e *Edit) error {
		e.AddEvidence(anEvidence("ev_1"))
		e.AddPhases(casefile.PhaseEvent{To: casefile.PhasePlanned})
		e.AddCommands(casefile.CommandRecord{Tool: "git"})
		return e.PutCase(e.Case())
	})
	for name, want := range map[string]string{"raw/torn_evidence_0.txt": "an older one", "raw/torn_evidence_0_2.txt": `{"id":"ev`,
		"raw/torn_phases_0.txt": `{"timest`, "raw/torn_commands_0.txt": `{"tool"`} {
		if got := onDisk(t, s, testTask, name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{evidenceFile, phasesFile, commandsFile} {
		if text := onDisk(t, s, testTask, name); strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "}\n") {
			t.Errorf("%s = %q, want one record", name, text)
		}
	}
}

func TestBadLineInTheMiddleKeepsItsBytes(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	bad := "{\"id\":\"ev_2\",\"claim\":\"\xff\"}\n"
	plant(t, s, testTask, map[string]string{"case.json": minimalCase(testTask), "evidence.jsonl": oldEvidence + bad + strings.ReplaceAll(oldEvidence, "ev_1", "ev_3") + `{"id":"ev_4","claim":[]}` + "\n"})
	update(t, s, testTask, func(e *Edit) error { return e.AddEvidence(anEvidence("ev_5")) })
	ids, warnings := evidenceIDs(t, s, testTask)
	if !slices.Equal(ids, []string{"ev_1", "ev_3", "ev_5"}) || len(warnings) != 2 {
		t.Errorf("evidence = %v, warnings %v; want ev_1, ev_3, ev_5 and two warnings", ids, warnings)
	}
	mustContain(t, "warnings", strings.Join(warnings, "\n"), "evidence.jsonl line 2", "evidence.jsonl line 4")
	mustContain(t, "ledger", onDisk(t, s, testTask, evidenceFile), bad)
}

func TestReadingIsBoundedOnALargeLedger(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	const n = 20_000
	var ledger bytes.Buffer
	for i := range n {
		fmt.Fprintf(&ledger, `{"id":"ev_%d","timestamp":"2026-11-30T19:07:41Z","kind":"k","source":{"tool":"git"},"claim":"%s"}`+"\n", i, strings.Repeat("c", 350))
	}
	plant(t, s, testTask, map[string]string{"case.json": minimalCase(testTask), "evidence.jsonl": ledger.String()})
	view(t, s, testTask, func(r *Reader) error {
		count, err := r.EvidenceCount()
		if err != nil || count != n {
			t.Errorf("EvidenceCount = %d, %v; want %d", count, err, n)
		}
		last, total, err := r.EvidenceTail(2)
		if err != nil || total != n || len(last) != 2 || last[1].ID != "ev_19999" {
			t.Errorf("EvidenceTail(2) = %d records of %d, %v", len(last), total, err)
		}
		if ev, err := r.EvidenceByID("ev_777"); err != nil || ev.ID != "ev_777" {
			t.Errorf("EvidenceByID = %v, %v", ev.ID, err)
		}
		for ids, want := range map[string]bool{"ev_0 ev_19999": true, "ev_0 ev_20000": false, "": true} {
			if got, err := r.HasEvidence(strings.Fields(ids)...); err != nil || got != want {
				t.Errorf("HasEvidence(%s) = %v, %v; want %v", ids, got, err, want)
			}
		}
		seen := 0
		err = r.EachEvidence(func(ev casefile.Evidence) bool {
			seen++
			return ev.ID != "ev_9999"
		})
		if err != nil || seen != 10_000 {
			t.Errorf("EachEvidence saw %d, %v; want 10000", seen, err)
		}
		return nil
	})
}

// metered counts the bytes read through it.
type metered struct {
	durable.FS
	read *atomic.Int64
}

type meteredFile struct {
	durable.Handle
	read *atomic.Int64
}

func (m metered) Open(name string, mode durable.Mode) (durable.Handle, error) {
	h, err := m.FS.Open(name, mode)
	if err != nil {
		return nil, err
	}
	return meteredFile{h, m.read}, nil
}

func (f meteredFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.Handle.ReadAt(p, off)
	f.read.Add(int64(n))
	return n, err
}

func TestNoteReadsNoLedger(t *testing.T) {
	t.Parallel()
	var read atomic.Int64
	s := Open(filepath.Join(t.TempDir(), "repo"), Options{OpenFS: func(path string) (durable.FS, error) {
		fsys, err := osfs.Open(path)
		return metered{fsys, &read}, err
	}})
	plant(t, s, testTask, map[string]string{"case.json": minimalCase(testTask), "evidence.jsonl": strings.Repeat(oldEvidence, 5000)})
	path := filepath.Join(s.CaseDir(testTask), evidenceFile)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, testTask, func(e *Edit) error {
		return e.AddEvidence(casefile.Evidence{ID: "ev_06H2VPRM4KDG25WQ", Claim: "note"})
	})
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the ledger was replaced (%v), want an append", err)
	}
	if got := read.Load(); got > 4096 {
		t.Errorf("a note on a ledger of %d bytes read %d bytes, want that it reads no ledger", before.Size(), got)
	}
}

func BenchmarkCount(b *testing.B) {
	line := `{"id":"ev_06H2VPRM4KDG25WQ","timestamp":"2026-11-30T19:07:41Z","kind":"k","source":{"tool":"git"},"claim":"` + strings.Repeat("c", 350) + "\"}\n"
	ledger := []byte(strings.Repeat(line, 20_000))
	b.SetBytes(int64(len(ledger)))
	for b.Loop() {
		if ix, err := indexOf(evidenceFile, bytes.NewReader(ledger)); err != nil || len(ix.spans) != 20_000 {
			b.Fatal(err)
		}
	}
}
