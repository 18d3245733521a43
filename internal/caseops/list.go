package caseops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

var list = op.Define(op.Spec{
	Name: "list", Aliases: []string{"ls"}, Tool: "cortex_list_tasks", Title: "List this repository's tasks", Effect: op.Reads, Profiles: op.All, Idempotent: true,
	Help: `Lists the cases of this repository, oldest first. A case that cannot be read is listed with the reason; the others
are not affected. A cursor is the id of the last case that was listed.`,
	Example: "cortex list\ncortex list --json\ncortex list --limit 20 --cursor task_…",
}, (*Service).List)

// ListInput says where the list begins and how long it may be.
type ListInput struct{ Page }

// Tasks is a list of a repository's cases: an array on the command line, an object with its length over MCP.
type Tasks struct{ page TaskPage }

// TaskPage is what MCP serves of a list.
type TaskPage struct {
	Tasks      []Task `json:"tasks"`
	Total      int    `json:"total"`                // of all cases, listed here or not
	NextCursor string `json:"nextCursor,omitempty"` // of the page with newer cases
}

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
func (s *Service) List(ctx context.Context, in ListInput) (Tasks, error) {
	most, err := in.most(0)
	if err != nil {
		return Tasks{}, err
	}
	if in.Cursor != "" && casefile.CheckTaskID(in.Cursor) != nil {
		return Tasks{}, badCursor(in.Cursor, "the id of a case")
	}
	listed, err := s.Store.List(ctx)
	if err != nil {
		return Tasks{}, err
	}
	out := TaskPage{Tasks: []Task{}, Total: len(listed)}
	for _, l := range listed {
		switch {
		case l.ID <= in.Cursor:
		case most > 0 && len(out.Tasks) == most:
			out.NextCursor = out.Tasks[most-1].ID
			return Tasks{out}, nil
		default:
			out.Tasks = append(out.Tasks, taskOf(l))
		}
	}
	return Tasks{out}, nil
}

func taskOf(l casestore.Listed) Task {
	if l.Err != nil {
		return Task{ID: l.ID, Phase: "broken", Error: l.Err.Error()}
	}
	return Task{
		ID: l.Case.ID, Goal: l.Case.Goal, Phase: string(l.Case.Status), Repository: l.Case.Workspace.Repository,
		CreatedAt: l.Case.CreatedAt.UTC().Format("2006-01-02 15:04"),
	}
}

// MarshalJSON is the array of the command line.
func (t Tasks) MarshalJSON() ([]byte, error) { return json.Marshal(t.page.Tasks) }

// Object is the list as an MCP result, which must be an object.
func (t Tasks) Object() any { return &t.page }

// Shrink leaves out the newest cases, which the next page then has.
func (p *TaskPage) Shrink(excess int) {
	for excess > 0 && len(p.Tasks) > 1 {
		last := len(p.Tasks) - 1
		excess -= jsonSize(p.Tasks[last]) + len(",")
		p.Tasks, p.NextCursor = p.Tasks[:last], p.Tasks[last-1].ID
	}
}

// Text is the list as a table.
func (t Tasks) Text(op.Style) string {
	if t.page.Total == 0 {
		return "no cases yet; open one with: cortex open GOAL\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, task := range t.page.Tasks {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", task.ID, task.Phase, task.CreatedAt, clipRunes(orWord(task.Goal, task.Error), 80))
	}
	_ = w.Flush() // a strings.Builder does not fail
	return b.String()
}
