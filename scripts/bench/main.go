//go:build linux

// Command bench measures what Cortex promises about time, processes, memory and syncs, prints each figure beside its bound,
// and exits with 1 when a bound is broken. Times are compared with an empty program built beside it wherever a ratio says
// more than seconds. It works in a temporary directory and with a HOME of its own.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"
)

// figure is one measured number and what it may be at most.
type figure struct {
	name    string
	got     float64
	most    float64
	unit    string
	skipped string // why there is no number
}

func (f figure) broken() bool { return f.skipped == "" && f.got > f.most }

// measure is one group of figures that share a set-up.
type measure struct {
	name string
	run  func(*world) ([]figure, error)
}

func measures() []measure {
	return []measure{
		{"version", measureVersion},
		{"git", measureGit},
		{"fsync", measureSyncs},
		{"parallel", measureParallel},
		{"ledger", measureLedger},
		{"untracked", measureUntracked},
		{"state", measureState},
		{"code", measureCode},
	}
}

func main() {
	only := flag.String("only", "", "run the measures whose name matches `REGEXP`")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	green, err := bench(wanted)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if !green {
		os.Exit(1)
	}
}

// bench runs the wanted measures and reports whether every bound held.
func bench(wanted *regexp.Regexp) (green bool, err error) {
	w, err := newWorld()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(w.dir)
	green = true
	fmt.Printf("%-58s %12s %12s\n", "", "figure", "bound")
	for _, m := range measures() {
		if !wanted.MatchString(m.name) {
			continue
		}
		began := time.Now()
		figures, err := m.run(w)
		for _, f := range figures {
			show(f)
			green = green && !f.broken()
		}
		if err != nil {
			green = false
			fmt.Printf("%-58s BROKEN: %v\n", m.name, err)
		}
		fmt.Printf("%-58s %10.1f s\n", "("+m.name+" took)", time.Since(began).Seconds())
	}
	return green, nil
}

func show(f figure) {
	if f.skipped != "" {
		fmt.Printf("%-58s %12s %12s  %s\n", f.name, "skipped", "", f.skipped)
		return
	}
	verdict := ""
	if f.broken() {
		verdict = "  BROKEN"
	}
	fmt.Printf("%-58s %12s %12s%s\n", f.name, number(f.got, f.unit), number(f.most, f.unit), verdict)
}

func number(v float64, unit string) string {
	if v == float64(int(v)) {
		return fmt.Sprintf("%d %s", int(v), unit)
	}
	return fmt.Sprintf("%.2f %s", v, unit)
}
