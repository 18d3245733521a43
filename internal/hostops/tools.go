package hostops

import (
	"fmt"
	"strings"

	"cortex/internal/op"
	"cortex/internal/tool"
)

// ToolLine is one specialist tool as setup shows it.
type ToolLine struct {
	Tool       string `json:"tool"`
	Installed  bool   `json:"installed"`
	Status     string `json:"status"` // ready, stale, needs_index, missing or error
	Detail     string `json:"detail,omitempty"`
	FixCommand string `json:"fixCommand,omitempty"`
}

// runner runs the specialist tools in the workspace.
func (s *Service) runner() tool.Runner {
	return tool.Runner{Workspace: s.Workspace, Environ: s.Environ, Retries: s.Config.Budget.MaxAutoRetriesPerTool}
}

func toolLine(state tool.State) ToolLine {
	l := ToolLine{Tool: state.Tool, Installed: state.Installed, Status: state.Index, Detail: state.Detail, FixCommand: state.Fix}
	switch {
	case !l.Installed:
		l.Status = "missing"
	case !state.Available, l.Status == "" && l.Detail != "": // it did not say that it is ready
		l.Status = "error"
	case l.Status == "":
		l.Status = tool.IndexReady
	}
	return l
}

// toolsText lists the tools that are there, and in one line those that are not: nothing needs them.
func toolsText(style op.Style, states []tool.State) string {
	var b strings.Builder
	var missing []string
	for _, s := range states {
		if !s.Installed {
			missing = append(missing, s.Tool)
			continue
		}
		word := style.Good("ok")
		if !s.Available || s.Fix != "" || s.Detail != "" {
			word = style.Warn("--")
		}
		fmt.Fprintf(&b, "%s %s", word, s.Tool)
		for _, more := range []string{s.Version, s.Index, s.Detail} {
			if more != "" {
				fmt.Fprintf(&b, "  %s", more)
			}
		}
		if s.Fix != "" {
			fmt.Fprintf(&b, ": %s", s.Fix)
		}
		b.WriteString("\n")
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "%s not installed, and not needed: %s\n", style.Dim("--"), strings.Join(missing, ", "))
	}
	return b.String()
}
