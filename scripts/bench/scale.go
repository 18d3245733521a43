//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// measureLedger compares a case with 20,000 evidence records with one with 200.
func measureLedger(w *world) ([]figure, error) {
	const few, many = 200, 20_000
	verbs := []verb{
		{name: "status", do: (*task).status},
		{name: "show", do: (*task).show},
		{name: "note", do: func(t *task) error { return t.note("one more") }},
	}
	small, err := caseWithRecords(w, few)
	if err != nil {
		return nil, err
	}
	large, err := caseWithRecords(w, many)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, v := range verbs {
		var short, long []time.Duration
		for range 7 {
			for _, pair := range []struct {
				t     *task
				times *[]time.Duration
			}{{small, &short}, {large, &long}} {
				began := time.Now()
				if err := v.do(pair.t); err != nil {
					return figures, err
				}
				*pair.times = append(*pair.times, time.Since(began))
			}
		}
		memory, err := peak(large, v.name)
		if err != nil {
			return figures, err
		}
		figures = append(figures,
			figure{name: v.name + " on 20,000 records, times 200 records", got: ratio(median(long), median(short)), most: 3, unit: "x"},
			figure{name: v.name + " on 20,000 records, memory", got: memory, most: 100, unit: "MiB"})
	}
	return figures, nil
}

// peak runs a verb once and returns the most memory that its process held.
func peak(t *task, name string) (float64, error) {
	args := []string{t.id}
	if name == "note" {
		args = append(args, "one more")
	}
	r, err := t.step(name, args...)
	return r.rssMiB, err
}

// caseWithRecords opens a case and fills its ledger with copies of the record that a note makes.
func caseWithRecords(w *world, records int) (*task, error) {
	repo, err := w.repository(fmt.Sprintf("ledger%d", records))
	if err != nil {
		return nil, err
	}
	t := &task{w: w, repo: repo}
	if err := t.open("hold many records"); err != nil {
		return nil, err
	}
	dir, err := t.dir()
	if err != nil {
		return nil, err
	}
	if err := t.note("noted-original " + strings.Repeat("as long as a usual claim is ", 6)); err != nil {
		return nil, err
	}
	return t, multiply(filepath.Join(dir, "evidence.jsonl"), records)
}

// multiply appends copies of a ledger's last line, each with an id of its own.
func multiply(ledger string, records int) error {
	content, err := os.ReadFile(ledger)
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	last := lines[len(lines)-1]
	at := bytes.Index(last, []byte(`"id":"ev_`))
	if at < 0 {
		return fmt.Errorf("the last record of %s has no id", ledger)
	}
	id := string(last[at+len(`"id":"`) : at+len(`"id":"ev_`)+16])
	f, err := os.OpenFile(ledger, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f) // line by line: what this process held counts as held by those it starts
	for i := len(lines); i < records; i++ {
		out.Write(bytes.ReplaceAll(last, []byte(id), fmt.Appendf(nil, "ev_0BENCH%010d", i)))
		out.WriteByte('\n')
	}
	return errors.Join(out.Flush(), f.Close())
}

// measureUntracked times status beside 100,000 untracked files.
func measureUntracked(w *world) ([]figure, error) {
	repo, err := w.repository("untracked")
	if err != nil {
		return nil, err
	}
	t := &task{w: w, repo: repo}
	for _, step := range []func() error{
		func() error { return t.open("live beside many files") },
		func() error { return t.plan("a.txt") },
		t.beginChange,
		func() error { return scatter(repo, 100, 1000) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	changing, err := fastest(3, t.status)
	if err != nil {
		return nil, err
	}
	figures := []figure{{name: "status beside 100,000 untracked files, changing", got: changing.Seconds(), most: 2, unit: "s"}}
	if err := t.verify(); err != nil {
		return figures, err
	}
	verified, err := fastest(3, t.status)
	return append(figures, figure{name: "status beside 100,000 untracked files, verified", got: verified.Seconds(), most: 2, unit: "s"}), err
}

func scatter(repo string, dirs, each int) error {
	for d := range dirs {
		dir := filepath.Join(repo, "scratch", fmt.Sprintf("d%03d", d))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for i := range each {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%04d.txt", i)), fmt.Appendf(nil, "%d %d\n", d, i), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

const settling = 3 * time.Second

// measureState times status of a verified case in the Go standard library's source: the whole command, which reads the
// state of about 11,000 files once, with and without the cache of hashes.
func measureState(w *world) ([]figure, error) {
	repo, err := w.standardLibrary("std")
	if err != nil {
		return nil, err
	}
	t := &task{w: w, repo: repo}
	for _, step := range []func() error{
		func() error { return t.open("know the state of many files") },
		func() error { return t.plan("a.txt") },
		t.beginChange,
		func() error { return t.edit("a.txt", "two\n") },
		t.verify,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	time.Sleep(settling)
	if err := t.verify(); err != nil {
		return nil, err
	}
	warm, err := fastest(5, t.status)
	if err != nil {
		return nil, err
	}
	cold, err := fastest(3, func() error {
		if err := os.RemoveAll(w.path("cache")); err != nil {
			return err
		}
		return t.status()
	})
	return []figure{
		{name: "status in the Go standard library, with the stat cache", got: warm.Seconds(), most: 0.25, unit: "s"},
		{name: "status in the Go standard library, without", got: cold.Seconds(), most: 1, unit: "s"},
	}, err
}

// standardLibrary is a repository of the toolchain's own source.
func (w *world) standardLibrary(name string) (string, error) {
	repo, err := w.repository(name)
	if err != nil {
		return "", err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src")
	if err := os.CopyFS(filepath.Join(repo, "src"), os.DirFS(source)); err != nil {
		return "", err
	}
	// Git and the cache hash a file again that is as young as what they noted of it. Nobody's repository is that young.
	time.Sleep(settling)
	if err := w.commitAll(repo); err != nil {
		return "", err
	}
	time.Sleep(settling)
	return repo, nil
}

// fastest runs do n times and returns the shortest time: whatever else the machine does only adds to it.
func fastest(n int, do func() error) (time.Duration, error) {
	var best time.Duration
	for i := range n {
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		if took := time.Since(began); i == 0 || took < best {
			best = took
		}
	}
	return best, nil
}
