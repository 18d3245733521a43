//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// measureVersion compares `cortex --version` with a program that does nothing; the runs alternate so that both see the
// same machine.
func measureVersion(w *world) ([]figure, error) {
	const rounds = 200
	var ours, nothing []time.Duration
	for range rounds {
		r, err := w.run(w.dir, nil, w.cortex, "--version")
		if err != nil {
			return nil, err
		}
		ours = append(ours, r.wall)
		if r, err = w.run(w.dir, nil, w.empty); err != nil {
			return nil, err
		}
		nothing = append(nothing, r.wall)
	}
	return []figure{{name: "--version, times an empty program", got: ratio(median(ours), median(nothing)), most: 3, unit: "x"}}, nil
}

// verb is one step of the life of a case, with what it may cost.
type verb struct {
	name string
	most float64
	do   func(*task) error
}

// life runs a case from its opening to its completion and calls around for every verb that has a bound.
func life(w *world, name string, bounds map[string]float64, prepare func(*task) error, around func(*task, verb) error) error {
	repo, err := w.repository(name)
	if err != nil {
		return err
	}
	t := &task{w: w, repo: repo}
	if err := prepare(t); err != nil {
		return err
	}
	steps := []verb{
		{"open", 0, func(t *task) error { return t.open("make it work") }},
		{"plan", 0, func(t *task) error { return t.plan("a.txt") }},
		{"begin-change", 0, (*task).beginChange},
		{"note", 0, func(t *task) error { return t.note("noted") }},
		{"edit", 0, func(t *task) error { return t.edit("a.txt", "two\n") }},
		{"status", 0, (*task).status},
		{"verify", 0, (*task).verify},
		{"status after verify", 0, (*task).status},
		{"show", 0, (*task).show},
		{"remember", 0, (*task).remember},
	}
	for _, step := range steps {
		bound, bounded := bounds[step.name]
		if !bounded {
			if err := step.do(t); err != nil {
				return err
			}
			continue
		}
		step.most = bound
		if err := around(t, step); err != nil {
			return err
		}
	}
	return nil
}

// measureGit counts the git processes of each verb with a git on PATH that writes a line and becomes the real one.
func measureGit(w *world) ([]figure, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	bin, log := w.path("counting"), w.path("git.log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nexec '%s' \"$@\"\n", log, git)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		return nil, err
	}
	bounds := map[string]float64{"open": 4, "status": 3, "status after verify": 3, "verify": 8, "show": 3, "note": 3, "plan": 3,
		"begin-change": 3, "remember": 4}
	var figures []figure
	err = life(w, "git", bounds,
		func(t *task) error {
			t.extra = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
			return nil
		},
		func(t *task, step verb) error {
			os.Remove(log) // absent before the first
			if err := step.do(t); err != nil {
				return err
			}
			lines, err := os.ReadFile(log)
			if err != nil && !os.IsNotExist(err) {
				return err
			}
			figures = append(figures, figure{name: "git processes of " + step.name, got: float64(bytes.Count(lines, []byte("\n"))), most: step.most})
			return nil
		})
	return figures, err
}

// measureSyncs counts the calls that wait for the disk.
func measureSyncs(w *world) ([]figure, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return []figure{{name: "fsyncs of a verb", skipped: "strace is not installed"}}, nil
	}
	log := w.path("strace.log")
	bounds := map[string]float64{"plan": 8, "begin-change": 8, "note": 2, "verify": 8, "remember": 8}
	var figures []figure
	err = life(w, "fsync", bounds,
		func(t *task) error {
			t.before = []string{strace, "-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync,sync_file_range,syncfs,sync"}
			return nil
		},
		func(t *task, step verb) error {
			if err := step.do(t); err != nil {
				return err
			}
			lines, err := os.ReadFile(log)
			if err != nil {
				return err
			}
			figures = append(figures, figure{name: "fsyncs of " + step.name, got: float64(syncs(string(lines))), most: step.most})
			return nil
		})
	if err != nil && strings.Contains(err.Error(), "ptrace") {
		return []figure{{name: "fsyncs of a verb", skipped: "strace may not trace here"}}, nil
	}
	return figures, err
}

// syncs counts the calls in a trace; one that was interrupted by another thread has a second line, "resumed".
func syncs(trace string) int {
	n := 0
	for line := range strings.Lines(trace) {
		if strings.Contains(line, "sync") && strings.Contains(line, "(") && !strings.Contains(line, "resumed>") {
			n++
		}
	}
	return n
}

// measureParallel lets 16 processes note at once and counts what the ledger has afterwards.
func measureParallel(w *world) ([]figure, error) {
	const writers = 16
	repo, err := w.repository("parallel")
	if err != nil {
		return nil, err
	}
	t := &task{w: w, repo: repo}
	if err := t.open("note in parallel"); err != nil {
		return nil, err
	}
	errs := make([]error, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() { errs[i] = t.note(fmt.Sprintf("parallel-%02d-end", i)) })
	}
	all.Wait()
	dir, err := t.dir()
	if err != nil {
		return nil, err
	}
	ledger, err := os.ReadFile(filepath.Join(dir, "evidence.jsonl"))
	if err != nil {
		return nil, err
	}
	lost := 0
	for i := range writers {
		if errs[i] != nil || bytes.Count(ledger, fmt.Appendf(nil, "parallel-%02d-end", i)) != 1 {
			lost++
		}
	}
	return []figure{{name: "parallel notes lost, refused or doubled, of 16", got: float64(lost), most: 0}}, nil
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
