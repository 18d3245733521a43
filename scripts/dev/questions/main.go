//go:build unix

// Command questions measures code search by questions whose answers are known. With a directory of repositories it asks
// the questions of each, and all off-topic ones of each; without one it commits the source of the Go toolchain into a
// temporary repository, asks the questions of "gosrc" and measures the costs as well. It needs the developers' questions,
// which are not part of the repository:
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/questions /tmp/cortex ../shared/field/questions.json
//	go run ./scripts/dev/questions /tmp/cortex QUESTIONS REPOSITORIES
//
// QUESTIONS is {"NAME": [{"q": "…", "files": ["…"]}, …], …, "offtopic": ["…"]}, a question also ["…", ["…"]]; the
// repository of NAME is REPOSITORIES/NAME. It prints recall, rank and cost, and exits with status 1 when one of them is
// outside of its bound.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: questions CORTEX QUESTIONS [REPOSITORIES]")
		os.Exit(2)
	}
	if err := measure(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The bounds: those of the standard library, and those of questions about any repository.
const (
	stdRecall, stdMRR = 0.8, 0.5
	anyRecall, anyMRR = 0.93, 0.8
	answeredShare     = 0.2 // of the off-topic questions
)

func measure(cortex, questions string, repositories []string) error {
	binary, err := filepath.Abs(cortex)
	if err != nil {
		return err
	}
	set, err := readQuestions(questions)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "questions")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }() // it is temporary either way
	bounds := &bounds{}
	s := &subject{cortex: binary, state: root}
	if len(repositories) == 0 {
		err = std(s, set, bounds)
	} else {
		err = each(s, set, repositories[0], bounds)
	}
	if err != nil {
		return err
	}
	return bounds.broken()
}

// std measures the standard library.
func std(s *subject, set questionSet, b *bounds) error {
	s.repo = filepath.Join(s.state, "src")
	if err := commitSource(s.repo); err != nil {
		return err
	}
	if err := s.costs(b); err != nil {
		return err
	}
	total, err := s.quality("gosrc", set)
	if err != nil {
		return err
	}
	total.hold(b, stdRecall, stdMRR)
	return nil
}

// each measures every repository that has questions, and their sum.
func each(s *subject, set questionSet, repositories string, b *bounds) error {
	var total tally
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(set.real)) {
		s.repo = filepath.Join(repositories, name)
		if _, _, err := s.ask("refresh"); err != nil {
			return err
		}
		one, err := s.quality(name, set)
		if err != nil {
			return err
		}
		rows = append(rows, one.row(name))
		total.add(one)
	}
	fmt.Printf("\n%-12s %9s %9s %7s %9s %9s\n", "repository", "questions", "recall@5", "MRR", "silenced", "off-topic")
	fmt.Println(strings.Join(append(rows, total.row("all")), "\n"))
	total.hold(b, anyRecall, anyMRR)
	return nil
}

// bounds prints figures and remembers which are outside.
type bounds struct{ bad []string }

func (b *bounds) atMost(what string, got, most float64) {
	fmt.Printf("%-44s %8.3f (at most %g)\n", what, got, most)
	if got > most {
		b.bad = append(b.bad, what)
	}
}

func (b *bounds) broken() error {
	if len(b.bad) == 0 {
		return nil
	}
	return errors.New("outside of its bound: " + strings.Join(b.bad, "; "))
}

// subject is the repository that is asked.
type subject struct{ cortex, state, repo string }

type cost struct {
	wall, cpu time.Duration
	rssMB     int64
}

type answer struct {
	Hits []struct {
		File     string  `json:"file"`
		Score    float64 `json:"score"`
		Coverage float64 `json:"coverage"`
	} `json:"hits"`
	Strong bool `json:"strong"`
}

// commitSource copies the source of the toolchain and commits it.
func commitSource(repo string) error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	if err := os.CopyFS(repo, os.DirFS(filepath.Join(strings.TrimSpace(string(out)), "src"))); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A", "-f"}, {"-c", "user.name=q", "-c", "user.email=q@example.org", "commit", "-qm", "std"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return nil
}

func (s *subject) ask(args ...string) (answer, cost, error) {
	cmd := exec.Command(s.cortex, append([]string{"code", "search", "--json"}, args...)...)
	cmd.Dir = s.repo
	cmd.Env = append(os.Environ(), "CORTEX_CACHE_DIR="+filepath.Join(s.state, "cache"), "CORTEX_STATE_DIR="+filepath.Join(s.state, "state"))
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

func (s *subject) costs(b *bounds) error {
	_, cold, err := s.ask("escape analysis")
	if err != nil {
		return err
	}
	b.atMost("cold index, s of CPU", cold.cpu.Seconds(), 10)
	b.atMost("cold index, MB", float64(cold.rssMB), 300)
	if err := os.WriteFile(filepath.Join(s.repo, "edited.go"), []byte("package x // zanzibar\n"), 0o600); err != nil {
		return err
	}
	_, edited, err := s.ask("zanzibar")
	if err != nil {
		return err
	}
	b.atMost("one edited file, s", edited.wall.Seconds(), 1.5)
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
		b.atMost(way.what, walls[len(walls)/2], way.most)
	}
	return nil
}
