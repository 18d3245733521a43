//go:build unix

// Command soak lets several processes work on one store with random verbs for a while and kills some of them at random
// moments. Afterwards what was acknowledged must be recorded, nothing twice, every case readable, and the next command
// quick. It works in a temporary directory with a HOME of its own and exits with 1 when something was lost.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// options are the flags.
type options struct {
	length  time.Duration
	workers int
	seed    uint64
	keep    bool
}

func main() {
	o := options{}
	flag.DurationVar(&o.length, "for", 2*time.Minute, "how long to go on")
	flag.IntVar(&o.workers, "workers", 8, "how many processes work at once")
	flag.Uint64Var(&o.seed, "seed", 0, "choose the verbs and the kills of an earlier run; 0 takes a new one")
	flag.BoolVar(&o.keep, "keep", false, "leave the directory in place")
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	if err := soak(o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func soak(o options) error {
	w, err := newWorld()
	if err != nil {
		return err
	}
	if !o.keep {
		defer os.RemoveAll(w.dir)
	}
	fmt.Printf("%d workers for %s in %s, seed %d\n", o.workers, o.length, w.dir, o.seed)
	if err := w.openCases(4); err != nil {
		return err
	}
	tallies := w.work(o)
	all := tally{answers: map[string]int{}}
	for _, t := range tallies {
		all.add(t)
	}
	fmt.Printf("%d calls, %d of them killed\n", all.calls, all.killed)
	for _, kind := range all.kinds() {
		fmt.Printf("  %6d %s\n", all.answers[kind], kind)
	}
	faults := append(all.faults, w.judge(all)...)
	for _, fault := range faults {
		fmt.Println("FAULT:", fault)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d faults; run again with -seed %d", len(faults), o.seed)
	}
	fmt.Println("everything that was acknowledged is recorded once, every case is readable")
	return nil
}
