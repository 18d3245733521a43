package caseops

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"cortex/internal/op"
)

var list = op.Define(op.Spec{
	Name: "list", Aliases: []string{"ls"}, Tool: "cortex_list_tasks", Title: "List this repository's tasks", Effect: op.Reads, Profiles: op.All, Idempotent: true,
	Help: `Lists the cases of this repository, oldest first. A case that cannot be read is listed with the reason; the others
are not affected.`,
	Example: "cortex list\ncortex list --json",
}, (*Service).List)

// ListInput has no arguments.
type ListInput struct{}

// Tasks is the list of a repository's cases.
type Tasks []Task

// Task is one case in a list.
type Task struct {
	ID         string `json:"id"`
	Goal       string `json:"goal"`
	Phase      string `json:"phase"`
	Repository string `json:"repository"`
	CreatedAt  string `json:"createdAt"` // "2006-01-02 15:04" in UTC
	Error      string `json:"error,omitempty"`
}

// List reads case.json of every case of the store.
func (s *Service) List(ctx context.Context, _ ListInput) (Tasks, error) {
	listed, err := s.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	out := make(Tasks, 0, len(listed))
	for _, l := range listed {
		if l.Err != nil {
			out = append(out, Task{ID: l.ID, Phase: "broken", Error: l.Err.Error()})
			continue
		}
		out = append(out, Task{
			ID: l.Case.ID, Goal: l.Case.Goal, Phase: string(l.Case.Status), Repository: l.Case.Workspace.Repository,
			CreatedAt: l.Case.CreatedAt.UTC().Format("2006-01-02 15:04"),
		})
	}
	return out, nil
}

// Object is the list as an MCP result, which must be an object.
func (t Tasks) Object() any { return map[string]any{"tasks": []Task(t)} }

// Text is the list as a table.
func (t Tasks) Text(op.Style) string {
	if len(t) == 0 {
		return "no cases yet; open one with: cortex open GOAL\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, task := range t {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", task.ID, task.Phase, task.CreatedAt, clipRunes(orWord(task.Goal, task.Error), 80))
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}
