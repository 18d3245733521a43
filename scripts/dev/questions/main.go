//go:build unix

// Command questions measures code search on the Go standard library: it commits the toolchain's own source into a
// temporary repository and asks questions whose answers are known. It needs the developers' questions, which are not part
// of the repository:
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/questions /tmp/cortex ../shared/field/questions.json
//
// It prints recall, rank and cost, and exits with status 1 when one of them is outside of its bound.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: questions CORTEX QUESTIONS")
		os.Exit(2)
	}
	if err := measure(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// subject is the repository that is asked.
type subject struct {
	cortex, root string
	bad          []string
}

type cost struct {
	wall, cpu time.Duration
	rssMB     int64
}

type answer struct {
	Hits []struct {
		File string `json:"file"`
	} `json:"hits"`
	Strong bool `json:"strong"`
}

func measure(cortex, questions string) error {
	binary, err := filepath.Abs(cortex)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "questions")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }() // it is temporary either way
	s := &subject{cortex: binary, root: root}
	if err := s.commit(); err != nil {
		return err
	}
	if err := s.costs(); err != nil {
		return err
	}
	if err := s.quality(questions); err != nil {
		return err
	}
	if len(s.bad) > 0 {
		return fmt.Errorf("outside of its bound: %s", strings.Join(s.bad, "; "))
	}
	return nil
}

func (s *subject) repo() string { return filepath.Join(s.root, "src") }

// commit copies the source of the toolchain and commits it.
func (s *subject) commit() error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.repo(), os.DirFS(filepath.Join(strings.TrimSpace(string(out)), "src"))); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A", "-f"}, {"-c", "user.name=q", "-c", "user.email=q@example.org", "commit", "-qm", "std"}} {
		if out, err := exec.Command("git", append([]string{"-C", s.repo()}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return nil
}

func (s *subject) ask(args ...string) (answer, cost, error) {
	cmd := exec.Command(s.cortex, append([]string{"code", "search", "--json"}, args...)...)
	cmd.Dir = s.repo()
	cmd.Env = append(os.Environ(), "CORTEX_CACHE_DIR="+filepath.Join(s.root, "cache"), "CORTEX_STATE_DIR="+filepath.Join(s.root, "state"))
	began := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return answer{}, cost{}, fmt.Errorf("%v: %w: %s", args, err, out)
	}
	c := cost{wall: time.Since(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.rssMB = usage.Maxrss >> 10
	}
	var a answer
	return a, c, json.Unmarshal(out, &a)
}

func (s *subject) bound(what string, got, most float64) {
	fmt.Printf("%-44s %8.3f (at most %g)\n", what, got, most)
	if got > most {
		s.bad = append(s.bad, what)
	}
}

func (s *subject) costs() error {
	_, cold, err := s.ask("escape analysis")
	if err != nil {
		return err
	}
	s.bound("cold index, s of CPU", cold.cpu.Seconds(), 10)
	s.bound("cold index, MB", float64(cold.rssMB), 300)
	if err := os.WriteFile(filepath.Join(s.repo(), "edited.go"), []byte("package x // zanzibar\n"), 0o600); err != nil {
		return err
	}
	_, edited, err := s.ask("zanzibar")
	if err != nil {
		return err
	}
	s.bound("one edited file, s", edited.wall.Seconds(), 1.5)
	for _, way := range []struct {
		what string
		args []string
		most float64
	}{{"search with refresh, ms", []string{"escape analysis"}, 200}, {"search without refresh, ms", []string{"escape analysis", "--no-refresh"}, 60}} {
		var walls []float64
		for range 9 {
			_, c, err := s.ask(way.args...)
			if err != nil {
				return err
			}
			walls = append(walls, c.wall.Seconds()*1000)
		}
		slices.Sort(walls)
		s.bound(way.what, walls[len(walls)/2], way.most)
	}
	return nil
}

func (s *subject) quality(questions string) error {
	data, err := os.ReadFile(questions)
	if err != nil {
		return err
	}
	var set struct {
		Real     [][2]any `json:"gosrc"`
		Offtopic []string `json:"offtopic"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return err
	}
	var missed, reciprocal, silenced, loud float64
	for _, q := range set.Real {
		a, _, err := s.ask(fmt.Sprint(q[0]), "--no-refresh")
		if err != nil {
			return err
		}
		if !a.Strong {
			silenced++
		}
		rank := a.rank(q[1].([]any))
		fmt.Printf("%3d  %v\n", rank, q[0])
		if rank == 0 || rank > 5 {
			missed++
		}
		if rank > 0 {
			reciprocal += 1 / float64(rank)
		}
	}
	for _, q := range set.Offtopic {
		a, _, err := s.ask(q, "--no-refresh")
		if err != nil {
			return err
		}
		if a.Strong {
			loud++
		}
	}
	n := float64(len(set.Real))
	s.bound("1 - recall@5", missed/n, 0.2)
	s.bound("1 - MRR", 1-reciprocal/n, 0.5)
	s.bound("real questions silenced", silenced, 0)
	s.bound("share of off-topic questions answered", loud/float64(len(set.Offtopic)), 0.2)
	return nil
}

// rank is the place of the first hit in a wanted file, 0 for none.
func (a answer) rank(want []any) int {
	for i, h := range a.Hits {
		if slices.Contains(want, any(h.File)) {
			return i + 1
		}
	}
	return 0
}
