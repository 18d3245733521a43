//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// questionSet is what is asked.
type questionSet struct {
	real     map[string][]asked // by repository
	offTopic []string
}

// asked is a question and the files that answer it.
type asked struct {
	Q     string   `json:"q"`
	Files []string `json:"files"`
}

// UnmarshalJSON takes an object, or an array of the two.
func (a *asked) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, &[]any{&a.Q, &a.Files})
	}
	type plain asked
	return json.Unmarshal(data, (*plain)(a))
}

func readQuestions(file string) (questionSet, error) {
	set := questionSet{real: map[string][]asked{}}
	data, err := os.ReadFile(file)
	if err != nil {
		return set, err
	}
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(data, &lists); err != nil {
		return set, err
	}
	for name, list := range lists {
		if name == "offtopic" {
			err = json.Unmarshal(list, &set.offTopic)
		} else {
			var questions []asked
			err = json.Unmarshal(list, &questions)
			set.real[name] = questions
		}
		if err != nil {
			return set, fmt.Errorf("questions of %s: %w", name, err)
		}
	}
	return set, nil
}

// tally is how questions were answered.
type tally struct {
	asked, found, reciprocal, silenced float64
	offTopic, answered                 float64
}

func (t *tally) add(o tally) {
	t.asked, t.found, t.reciprocal, t.silenced = t.asked+o.asked, t.found+o.found, t.reciprocal+o.reciprocal, t.silenced+o.silenced
	t.offTopic, t.answered = t.offTopic+o.offTopic, t.answered+o.answered
}

func (t *tally) row(name string) string {
	return fmt.Sprintf("%-12s %9.0f %9.3f %7.3f %9.0f %6.0f/%.0f", name, t.asked, t.found/t.asked, t.reciprocal/t.asked, t.silenced,
		t.answered, t.offTopic)
}

func (t *tally) hold(b *bounds, recall, mrr float64) {
	b.atMost("1 - recall@5", 1-t.found/t.asked, 1-recall)
	b.atMost("1 - MRR", 1-t.reciprocal/t.asked, 1-mrr)
	b.atMost("real questions silenced", t.silenced, 0)
	b.atMost("share of off-topic questions answered", t.answered/max(t.offTopic, 1), answeredShare)
}

// quality asks the questions of one repository and prints the rank of each answer, its coverage, and what came first
// when that is no answer.
func (s *subject) quality(name string, set questionSet) (tally, error) {
	var t tally
	for _, q := range set.real[name] {
		a, _, err := s.ask(q.Q, "--no-refresh")
		if err != nil {
			return t, err
		}
		t.note(a, q)
		a.print(name, q)
	}
	for _, q := range set.offTopic {
		a, _, err := s.ask(q, "--no-refresh")
		if err != nil {
			return t, err
		}
		if t.offTopic++; a.Strong {
			t.answered++
			fmt.Printf("%-10s answered %.2f  %s  <- %s\n", name, a.Hits[0].Coverage, q, a.Hits[0].File)
		}
	}
	return t, nil
}

func (t *tally) note(a answer, q asked) {
	t.asked++
	if !a.Strong {
		t.silenced++
	}
	rank := a.rank(q.Files)
	if rank > 0 {
		t.reciprocal += 1 / float64(rank)
	}
	if rank > 0 && rank <= 5 {
		t.found++
	}
}

func (a answer) print(name string, q asked) {
	rank, first := a.rank(q.Files), ""
	if rank != 1 && len(a.Hits) > 0 {
		first = "  <- " + a.Hits[0].File
	}
	coverage, mark := 0.0, " "
	if len(a.Hits) > 0 {
		coverage = a.Hits[0].Coverage
	}
	if !a.Strong {
		mark = "-"
	}
	fmt.Printf("%-10s %3d %s%.2f  %s%s\n", name, rank, mark, coverage, q.Q, first)
}

// rank is the place of the first hit in a wanted file, 0 for none.
func (a answer) rank(want []string) int {
	for i, h := range a.Hits {
		if slices.Contains(want, h.File) {
			return i + 1
		}
	}
	return 0
}
