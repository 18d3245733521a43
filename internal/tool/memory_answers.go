package tool

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// codebase-memory-mcp answers with JSON, or with a table whose head names its columns: rows below a line that names the
// group they belong to. Both are read, and nothing but what the head announces.

// memoryNode is one definition as JSON.
type memoryNode struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	File  string `json:"file_path"`
	Start int    `json:"start_line"`
	End   int    `json:"end_line"`
}

// parseNodes reads what search_graph found; more says that it found others too, or may have.
func parseNodes(said string) (nodes []MemoryFact, more, ok bool) {
	if strings.HasPrefix(strings.TrimSpace(said), "{") {
		return parseNodesJSON(said)
	}
	t, ok := parseTable(said, "results", "name label lines in out")
	if !ok {
		return nil, false, false
	}
	for _, row := range t.rows {
		from, to, _ := strings.Cut(row.cells[2], "-")
		start, err := strconv.Atoi(from)
		end, err2 := strconv.Atoi(to)
		_, file, ok := strings.Cut(strings.TrimSuffix(row.group, ")"), " (")
		if err != nil || err2 != nil || !lines(start, end) || !ok || !strings.HasSuffix(row.group, ")") {
			return nil, false, false
		}
		nodes = append(nodes, MemoryFact{Symbol: row.cells[0], Kind: row.cells[1], File: file, Start: start, End: end})
	}
	return nodes, t.counts["total"] > len(nodes) || !strings.Contains("\n"+said, "\nhas_more: false"), true
}

func parseNodesJSON(said string) (nodes []MemoryFact, more, ok bool) {
	var page struct {
		Results []memoryNode `json:"results"`
		Total   int          `json:"total"`
		More    *bool        `json:"has_more"`
	}
	if json.Unmarshal([]byte(said), &page) != nil || page.Results == nil {
		return nil, false, false
	}
	for _, n := range page.Results {
		if n.Name == "" || n.File == "" || !lines(n.Start, n.End) {
			return nil, false, false
		}
		nodes = append(nodes, MemoryFact{Symbol: n.Name, Kind: n.Label, File: n.File, Start: n.Start, End: n.End})
	}
	return nodes, page.Total > len(nodes) || page.More == nil || *page.More, true
}

func lines(start, end int) bool { return start > 0 && end >= start }

// parseCallers reads what trace_path found: the names of the direct callers, and how many callers there are in all.
func parseCallers(said string) (names []string, total int, ok bool) {
	if strings.HasPrefix(strings.TrimSpace(said), "{") {
		return parseCallersJSON(said)
	}
	t, ok := parseTable(said, "callers", "name hop")
	if !ok {
		return nil, -1, false
	}
	if total, ok = t.counts["callers_total"]; !ok {
		return nil, -1, false
	}
	for _, row := range t.rows {
		if row.cells[1] == "1" && len(names) < maxMemoryNames {
			names = append(names, row.cells[0])
		}
	}
	return names, total, true
}

func parseCallersJSON(said string) (names []string, total int, ok bool) {
	var page struct {
		Total   *int `json:"callers_total"`
		Callers []struct {
			Name string `json:"name"`
			Hop  int    `json:"hop"`
		} `json:"callers"`
	}
	if json.Unmarshal([]byte(said), &page) != nil || page.Callers == nil {
		return nil, -1, false
	}
	for _, c := range page.Callers {
		if !plainLine(c.Name) {
			return nil, -1, false
		}
		if c.Hop <= 1 && len(names) < maxMemoryNames {
			names = append(names, c.Name)
		}
	}
	total = len(page.Callers)
	if page.Total != nil {
		total = *page.Total
	}
	return names, total, total >= len(names)
}

// table is an answer in lines.
type table struct {
	counts map[string]int
	rows   []tableRow
}

type tableRow struct {
	group string
	cells []string
}

var (
	tableHead  = regexp.MustCompile(`^([a-z_]+): (\d+) +\((?:rows|cols): ([a-z ]+?)(?:;.*)?\)$`)
	tableCount = regexp.MustCompile(`^([a-z_]+): (\d+)$`)
	tableValue = regexp.MustCompile(`^[a-z_]+: `)
)

// parseTable reads the rows of the member named, whose columns must be those given, all of them and no other.
func parseTable(said, member, columns string) (table, bool) {
	t := table{counts: map[string]int{}}
	announced, group, within := -1, "", false
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if head := tableHead.FindStringSubmatch(line); head != nil {
			if within = head[1] == member; within {
				if announced >= 0 || head[3] != columns {
					return table{}, false
				}
				announced, _ = strconv.Atoi(head[2]) // more digits than fit give a count that no table has
			}
			continue
		}
		if count := tableCount.FindStringSubmatch(line); count != nil {
			n, err := strconv.Atoi(count[2])
			if err != nil {
				return table{}, false
			}
			t.counts[count[1]] = n
			continue
		}
		switch {
		case strings.HasPrefix(line, "  ") && within:
			cells := strings.Fields(line)
			if len(cells) != len(strings.Fields(columns)) || group == "" {
				return table{}, false
			}
			t.rows = append(t.rows, tableRow{group, cells})
		case strings.HasSuffix(line, ":") && within:
			group = strings.TrimSuffix(line, ":")
		case tableValue.MatchString(line):
			within = false
		case line != "" && within:
			return table{}, false
		}
	}
	return t, announced == len(t.rows)
}
