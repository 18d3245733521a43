//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// judge compares the store with what was acknowledged.
func (w *world) judge(all tally) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }

	began := time.Now()
	first := w.call(0, "note", w.tasks[0], "the first command afterwards")
	if took := time.Since(began); first.exit != 0 || took > time.Second {
		fault("the first command afterwards: exit status %d after %s, want 0 within a second: %s", first.exit, took, first.out)
	}
	if check := w.call(0, "fsck"); check.exit != 0 {
		fault("fsck: exit status %d: %s", check.exit, check.out)
	}
	faults = append(faults, w.judgeCases(all)...)
	faults = append(faults, w.judgeNotes(all)...)
	return append(faults, w.judgeReceipts(all)...)
}

// judgeCases checks that every case can be shown and that every key led to one case only.
func (w *world) judgeCases(all tally) []string {
	var faults []string
	var listed []struct{ ID, Goal, Error string }
	if a := w.call(0, "list"); a.decode(&listed) != nil {
		return []string{fmt.Sprintf("list: exit status %d: %s", a.exit, a.out)}
	}
	byGoal := map[string][]string{}
	for _, c := range listed {
		byGoal[c.Goal] = append(byGoal[c.Goal], c.ID)
		if a := w.call(0, "show", c.ID); a.exit != 0 || c.Error != "" {
			faults = append(faults, fmt.Sprintf("case %s cannot be shown (exit status %d): %s %s", c.ID, a.exit, c.Error, a.out))
		}
	}
	for _, o := range all.opened {
		found := byGoal["case of "+o.key]
		switch {
		case len(found) > 1:
			faults = append(faults, fmt.Sprintf("key %s opened %d cases: %v", o.key, len(found), found))
		case o.task != "" && (len(found) == 0 || found[0] != o.task):
			faults = append(faults, fmt.Sprintf("key %s was answered with case %s, the store has %v", o.key, o.task, found))
		}
	}
	return faults
}

// judgeNotes looks for every acknowledged note in its ledger, once, and for a killed one at most once.
func (w *world) judgeNotes(all tally) []string {
	var faults []string
	count := map[string]map[string]int{}
	for _, task := range w.tasks {
		count[task] = map[string]int{}
		err := eachLine(w.file(task, "evidence.jsonl"), func(raw []byte) error {
			var e struct{ ID, Claim string }
			if err := json.Unmarshal(raw, &e); err != nil {
				return err
			}
			count[task][e.Claim]++
			if count[task]["id "+e.ID]++; count[task]["id "+e.ID] > 1 {
				return fmt.Errorf("%s is there twice", e.ID)
			}
			return nil
		})
		if err != nil {
			faults = append(faults, fmt.Sprintf("evidence of %s: %v", task, err))
		}
	}
	for _, n := range all.notes {
		if got := count[n.task][n.text]; got > 1 || n.acknowledged && got != 1 {
			faults = append(faults, fmt.Sprintf("%q of %s is recorded %d times, acknowledged %t", n.text, n.task, got, n.acknowledged))
		}
	}
	fmt.Printf("%d notes acknowledged or killed on the way\n", len(all.notes))
	return faults
}

// judgeReceipts counts the batches of receipts: at least those acknowledged.
func (w *world) judgeReceipts(all tally) []string {
	batches := map[string]bool{}
	for _, task := range w.tasks {
		raw, err := os.ReadFile(w.file(task, "verification.json"))
		if os.IsNotExist(err) {
			continue
		}
		var receipts []struct{ BatchID string }
		if err == nil {
			err = json.Unmarshal(raw, &receipts)
		}
		if err != nil {
			return []string{fmt.Sprintf("receipts of %s: %v", task, err)}
		}
		for _, r := range receipts {
			batches[r.BatchID] = true
		}
	}
	fmt.Printf("%d batches of receipts, %d acknowledged\n", len(batches), all.receipts)
	if len(batches) < all.receipts {
		return []string{fmt.Sprintf("%d batches of receipts are recorded, %d were acknowledged", len(batches), all.receipts)}
	}
	return nil
}

func (w *world) file(task, name string) string {
	return filepath.Join(w.dir, ".local", "state", "cortex", "sessions", "repo", task, name)
}

// eachLine calls fn for every line of a ledger. The first command afterwards has mended a torn end.
func eachLine(path string, fn func([]byte) error) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	in := bufio.NewScanner(bytes.NewReader(raw))
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		if err := fn(in.Bytes()); err != nil {
			return err
		}
	}
	return in.Err()
}
