//go:build unix

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// slowest is how long a call may take beside all the others before it counts as hanging.
const slowest = 20 * time.Second

// tally is what one worker did and was told.
type tally struct {
	calls, killed int
	answers       map[string]int
	notes         []note // acknowledged, or killed and so perhaps recorded
	opened        []opened
	receipts      int // batches that were acknowledged
	faults        []string
}

type note struct {
	task, text   string
	acknowledged bool
}

type opened struct {
	key, task string // task is "" when the call was killed
}

func (t *tally) add(o tally) {
	t.calls += o.calls
	t.killed += o.killed
	t.receipts += o.receipts
	for kind, n := range o.answers {
		t.answers[kind] += n
	}
	t.notes, t.opened, t.faults = append(t.notes, o.notes...), append(t.opened, o.opened...), append(t.faults, o.faults...)
}

func (t tally) kinds() []string { return slices.Sorted(maps.Keys(t.answers)) }

// work runs the workers to the end.
func (w *world) work(o options) []tally {
	end := time.Now().Add(o.length)
	tallies := make([]tally, o.workers)
	var workers sync.WaitGroup
	for i := range o.workers {
		workers.Go(func() {
			r := &worker{world: w, name: i, dice: rand.New(rand.NewPCG(o.seed, uint64(i)))}
			r.answers = map[string]int{}
			for time.Now().Before(end) {
				r.turn()
			}
			tallies[i] = r.tally
		})
	}
	workers.Wait()
	return tallies
}

type worker struct {
	*world
	tally
	name int
	dice *rand.Rand
}

// turn makes one random call. A third of the calls is killed within the time that a call usually takes.
func (w *worker) turn() {
	kill := time.Duration(0)
	if w.dice.IntN(3) == 0 {
		kill = time.Duration(1+w.dice.IntN(60)) * time.Millisecond
	}
	task := w.tasks[w.dice.IntN(len(w.tasks))]
	changing := w.tasks[1+2*w.dice.IntN(len(w.tasks)/2)]
	w.calls++
	switch n := w.dice.IntN(20); {
	case n < 9:
		w.note(task, kill)
	case n < 11:
		w.open(kill)
	case n < 13:
		if a := w.run("verify", kill, "verify", changing, "--actor", "soak"); a.exit == 0 || a.exit == 6 {
			w.receipts++
		}
	case n < 14:
		w.run("investigate", kill, "investigate", task, "where is one")
	case n < 15:
		w.run("lease renew", kill, "lease", "renew", changing, "--actor", "soak", "--ttl", "1h")
	case n < 17:
		w.run("status", kill, "status", task)
	case n < 18:
		w.run("show", kill, "show", task)
	case n < 19:
		w.run("list", kill, "list")
	default:
		w.run("handoff", kill, "handoff", task)
	}
}

// run calls the program and counts how it ended. Whatever is no answer of a working program is a fault.
func (w *worker) run(kind string, kill time.Duration, args ...string) answer {
	began := time.Now()
	a := w.call(kill, args...)
	took := time.Since(began)
	switch {
	case took > slowest:
		w.faults = append(w.faults, fmt.Sprintf("%q took %s", args, took))
	case a.killed && kill > 0:
		w.killed++
		return a
	}
	var e envelope
	_ = a.decode(&e) // a list is an array and has no code
	w.answers[fmt.Sprintf("%s %s", kind, orOK(e.Code))]++
	if a.exit != 0 && a.exit != 6 && a.exit != 4 && e.Code != "limit_reached" && e.Code != "wrong_phase" {
		w.faults = append(w.faults, fmt.Sprintf("%q: exit status %d, %s: %s", args, a.exit, e.Code, e.Error))
	}
	return a
}

func orOK(code string) string {
	if code == "" {
		return "ok"
	}
	return code
}

func (w *worker) note(task string, kill time.Duration) {
	text := fmt.Sprintf("note %d of worker %d", w.calls, w.name)
	a := w.run("note", kill, "note", task, text)
	if a.exit == 0 || a.killed {
		w.notes = append(w.notes, note{task, text, a.exit == 0})
	}
}

// open opens a case under a key; a key that was used before must lead to the same case.
func (w *worker) open(kill time.Duration) {
	key := fmt.Sprintf("key-%d-%d", w.name, w.dice.IntN(12))
	a := w.run("open", kill, "open", "case of "+key, "--mode", "investigate", "--idempotency-key", key)
	var e envelope
	switch {
	case a.exit == 0 && a.decode(&e) == nil:
		w.opened = append(w.opened, opened{key, e.TaskID})
	case a.killed:
		w.opened = append(w.opened, opened{key: key})
	}
}
