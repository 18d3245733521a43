//go:build linux

package main

import (
	"os"
	"path/filepath"
	"time"
)

// subject is the repository whose code is read and asked about.
type subject struct {
	w    *world
	repo string
}

func (s *subject) run(args ...string) (result, error) {
	return s.w.run(s.repo, nil, s.w.cortex, append([]string{"code"}, append(args, "--json")...)...)
}

func (s *subject) forget() error { return os.RemoveAll(s.w.path("cache")) }

// questions are about the Go standard library; each is asked by a process of its own.
func questions() []string {
	return []string{
		"where are request headers written in canonical form",
		"how does the scheduler steal work from other processors",
		"which code decides that a connection is kept alive and used again",
		"where is a time zone loaded from the system's database",
		"how is a map grown when it is full",
	}
}

// measureCode times structure and search in the Go standard library, about 11,000 files, in processes of their own.
func measureCode(w *world) ([]figure, error) {
	repo, err := w.standardLibrary("code")
	if err != nil {
		return nil, err
	}
	s := &subject{w: w, repo: repo}
	var figures []figure
	for _, part := range []func() ([]figure, error){s.cold, s.warm, s.edited, s.asked, s.round} {
		more, err := part()
		figures = append(figures, more...)
		if err != nil {
			return figures, err
		}
	}
	return figures, nil
}

// cold reads everything with an empty cache: the structure alone, then both in turn, as a first round would.
func (s *subject) cold() ([]figure, error) {
	structure, err := fastest(3, func() error {
		if err := s.forget(); err != nil {
			return err
		}
		_, err := s.run("map")
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.forget(); err != nil {
		return nil, err
	}
	search, err := s.run("search", questions()[0])
	if err != nil {
		return nil, err
	}
	graph, err := s.run("map")
	return []figure{
		{name: "structure of the Go standard library, cold", got: structure.Seconds(), most: 4, unit: "s"},
		{name: "structure and search, cold, processor time", got: (search.cpu + graph.cpu).Seconds(), most: 10, unit: "s"},
		{name: "structure and search, cold, memory", got: max(search.rssMiB, graph.rssMiB), most: 300, unit: "MiB"},
	}, err
}

func (s *subject) warm() ([]figure, error) {
	took, err := fastest(5, func() error {
		_, err := s.run("map")
		return err
	})
	return []figure{{name: "structure, warm", got: took.Seconds(), most: 1, unit: "s"}}, err
}

// edited changes a file that many import before each run.
func (s *subject) edited() ([]figure, error) {
	file := filepath.Join(s.repo, "src", "net", "http", "server.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, args := range [][]string{{"map"}, {"search", questions()[0]}} {
		took, err := fastest(3, func() error {
			text = append(text, "\n// edited once more\n"...)
			if err := os.WriteFile(file, text, 0o644); err != nil {
				return err
			}
			_, err := s.run(args...)
			return err
		})
		figures = append(figures, figure{name: "code " + args[0] + " after one edited file", got: took.Seconds(), most: 1.5, unit: "s"})
		if err != nil {
			return figures, err
		}
	}
	return figures, nil
}

// asked is the slowest question, each in its fastest run.
func (s *subject) asked() ([]figure, error) {
	var figures []figure
	for _, kind := range []struct {
		name string
		args []string
		most float64
	}{
		{"search from a cold process, without refresh", []string{"--no-refresh"}, 60},
		{"search from a cold process, with it", nil, 200},
	} {
		var slowest time.Duration
		for _, q := range questions() {
			took, err := fastest(5, func() error {
				_, err := s.run(append([]string{"search", q}, kind.args...)...)
				return err
			})
			if err != nil {
				return figures, err
			}
			slowest = max(slowest, took)
		}
		figures = append(figures, figure{name: kind.name, got: slowest.Seconds() * 1000, most: kind.most, unit: "ms"})
	}
	return figures, nil
}

// round is a whole standard round of an open case, from its process's start to its durable record.
func (s *subject) round() ([]figure, error) {
	t := &task{w: s.w, repo: s.repo, extra: []string{"CORTEX_MAX_INVESTIGATION_ROUNDS=20"}}
	if err := t.open("know the library"); err != nil {
		return nil, err
	}
	var slowest time.Duration
	for _, q := range questions() {
		took, err := fastest(3, func() error {
			_, err := t.step("investigate", t.id, q)
			return err
		})
		if err != nil {
			return nil, err
		}
		slowest = max(slowest, took)
	}
	return []figure{{name: "a standard round on the warm index", got: slowest.Seconds(), most: 0.7, unit: "s"}}, nil
}
