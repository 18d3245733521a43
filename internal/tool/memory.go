package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Bounds of one conversation with codebase-memory-mcp.
const (
	maxMemoryPages     = 5 // of its list of projects
	maxMemoryQuestions = 6
	maxMemoryNames     = 8 // callers that a fact names
)

// MemoryQuestion is a definition to ask about.
type MemoryQuestion struct {
	Symbol string
	File   string // relative to the workspace, with slashes
}

// MemoryFact is what the graph of codebase-memory-mcp holds about one definition.
type MemoryFact struct {
	Symbol     string
	Kind       string // such as "Function"
	File       string // relative to the workspace
	Start, End int
	Callers    []string // names of direct callers, at most 8
	Total      int      // of all callers; -1 when it could not be learned
	Alone      bool     // no other definition of the project has the name, so the callers are those of this one
}

// MemoryFacts asks about definitions. Only the project whose root is the workspace is asked, and only about files that its
// index covers and has as they are; what is left out makes the answer partial.
func (r Runner) MemoryFacts(ctx context.Context, questions []MemoryQuestion) ([]MemoryFact, Answer) {
	m := memory{root: r.Workspace, questions: questions[:min(len(questions), maxMemoryQuestions)]}
	a := r.converse(ctx, call{tool: Memory, operation: "facts"}, m.talk)
	switch {
	case m.foreign && !a.TimedOut:
		a.downgrade(Unavailable, "it has no project whose root is the workspace: codebase-memory-mcp indexes one with index_repository")
	case len(m.doubts) > 0:
		a.partly("%s", m.doubts[0])
	}
	return m.facts, a
}

// memory is one conversation.
type memory struct {
	root      string
	questions []MemoryQuestion
	facts     []MemoryFact
	foreign   bool     // no project is that of the workspace
	doubts    []string // why the answer is partial
}

func (m *memory) doubt(format string, args ...any) {
	m.doubts = append(m.doubts, fmt.Sprintf(format, args...))
}

func (m *memory) talk(ctx context.Context, c *conversation) error {
	project, err := m.project(ctx, c)
	if err != nil || project == "" {
		return err
	}
	covered, err := m.covered(ctx, c, project)
	if err != nil {
		return m.excuse(err)
	}
	for _, q := range m.questions {
		if !slices.Contains(covered, q.File) {
			continue
		}
		if err := m.about(ctx, c, project, q); err != nil {
			return m.excuse(err)
		}
	}
	return nil
}

// excuse makes a doubt of a refusal; whatever else ended the conversation is the error of the call.
func (m *memory) excuse(err error) error {
	var refused *toolRefusal
	if errors.As(err, &refused) {
		m.doubt("%s", refused)
		return nil
	}
	return err
}

// project is the name of the project whose root is the workspace; "" when there is none. A name says nothing: it is made
// from a path, and another path can give the same.
func (m *memory) project(ctx context.Context, c *conversation) (string, error) {
	offset := 0
	for range maxMemoryPages {
		args := map[string]any{}
		if offset > 0 {
			args["offset"] = offset
		}
		said, err := c.ask(ctx, "list_projects", args)
		if err != nil {
			return "", err
		}
		page, err := parseProjects(said)
		if err != nil {
			return "", err
		}
		for _, p := range page.Projects {
			if p.Root != "" && filepath.Clean(p.Root) == m.root {
				return p.Name, nil
			}
		}
		offset += len(page.Projects)
		if !page.More || len(page.Projects) == 0 {
			break
		}
	}
	m.foreign = true
	return "", nil
}

type memoryProjects struct {
	Projects []struct {
		Name string `json:"name"`
		Root string `json:"root_path"`
	} `json:"projects"`
	More bool `json:"has_more"`
}

func parseProjects(said string) (memoryProjects, error) {
	var page memoryProjects
	if json.Unmarshal([]byte(said), &page) != nil || page.Projects == nil {
		return memoryProjects{}, errors.New("list_projects did not answer with the list that it documents")
	}
	return page, nil
}

// covered are the files of the questions that the index has, and has as they are.
func (m *memory) covered(ctx context.Context, c *conversation, project string) ([]string, error) {
	var files []string
	for _, q := range m.questions {
		if !slices.Contains(files, q.File) {
			files = append(files, q.File)
		}
	}
	said, err := c.ask(ctx, "check_index_coverage", map[string]any{"project": project, "paths": files})
	if err != nil {
		return nil, err
	}
	covered, ok := parseCoverage(said)
	switch {
	case !ok:
		m.doubt("check_index_coverage did not answer as it documents, so nothing of the index counts")
	case slices.ContainsFunc(files, func(file string) bool { return !slices.Contains(covered, file) }):
		m.doubt("its index does not hold every file that was asked about, or holds it as it was")
	}
	return covered, nil
}

func parseCoverage(said string) (covered []string, ok bool) {
	var page struct {
		Paths []struct {
			Path      string `json:"requested_path"`
			Status    string `json:"status"`
			Freshness string `json:"freshness"`
		} `json:"paths"`
	}
	if json.Unmarshal([]byte(said), &page) != nil || page.Paths == nil {
		return nil, false
	}
	for _, p := range page.Paths {
		if p.Status == "no_recorded_issue" && p.Freshness == "metadata_match" {
			covered = append(covered, p.Path)
		}
	}
	return covered, true
}

// about asks for one definition and for what calls it.
func (m *memory) about(ctx context.Context, c *conversation, project string, q MemoryQuestion) error {
	// The pattern may be read as an expression, so the name is quoted; it is compared in full below.
	said, err := c.ask(ctx, "search_graph", map[string]any{"project": project, "name_pattern": regexp.QuoteMeta(q.Symbol), "format": "json"})
	if err != nil {
		return err
	}
	nodes, more, ok := parseNodes(said)
	if !ok {
		m.doubt("search_graph answered in a form that is not understood")
		return nil
	}
	nodes = slices.DeleteFunc(nodes, func(n MemoryFact) bool { return n.Symbol != q.Symbol })
	i := slices.IndexFunc(nodes, func(n MemoryFact) bool { return n.File == q.File })
	if i < 0 {
		return nil
	}
	fact := nodes[i]
	fact.Alone, fact.Total = len(nodes) == 1 && !more, -1
	said, err = c.ask(ctx, "trace_path", map[string]any{
		"project": project, "function_name": q.Symbol, "direction": "inbound", "depth": 1, "format": "json",
	})
	if err = m.excuse(err); err != nil {
		return err
	}
	if said != "" {
		var ok bool
		if fact.Callers, fact.Total, ok = parseCallers(said); !ok {
			m.doubt("trace_path answered in a form that is not understood")
		}
	}
	m.facts = append(m.facts, fact)
	return nil
}

func plainLine(text string) bool { return text != "" && !strings.ContainsAny(text, "\r\n\x00") }
