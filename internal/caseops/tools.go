package caseops

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/tool"
)

// tools is the runner of the specialist tools, under the time limits of the case's plan. c may be nil.
func (s *Service) tools(c *casefile.Case) tool.Runner {
	r := tool.Runner{Workspace: s.Workspace, Environ: tool.Environment(s.Environ), Retries: s.Config.Budget.MaxAutoRetriesPerTool}
	if s.Config.CacheDir != "" {
		r.Artifacts = filepath.Join(s.Config.CacheDir, "flows")
	}
	if c == nil {
		return r
	}
	r.Timeouts = map[string]time.Duration{}
	for name, limit := range c.TimeoutOverrides {
		if d, err := time.ParseDuration(limit); err == nil {
			r.Timeouts[name] = d
		}
	}
	return r
}

// auditOf is the audit line of a tool's call.
func (s *Service) auditOf(a tool.Answer, class casefile.ActionClass, actor string, began time.Time) casefile.CommandRecord {
	return casefile.CommandRecord{
		Timestamp: began, Actor: actor, Tool: a.Tool, Operation: a.Operation, ActionClass: class, Status: string(a.Class),
		DurationMS: a.Duration.Milliseconds(), Note: clipRunes(s.Redact.Text(a.Note()), casefile.MaxAuditNoteRunes),
	}
}

// rawText is a whole call as it is kept with a case: masked, and as far as the budget goes.
func (s *Service) rawText(a tool.Answer) string {
	text := s.Redact.Text(strings.ToValidUTF8(a.Raw(), "�")) // before it is cut: half a secret is not recognised
	if most := s.Config.Budget.MaxRawOutputBytesPerTool; most > 0 && len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "\n… cut off\n"
	}
	return text
}

// maxRaw is how many bytes of raw text several calls share: a blob, with room for masks that are longer than what they mask.
const maxRaw = casefile.MaxRawBlob / 2

// appendRaw adds to a raw text as far as that has room: what calls may say each can be more than a blob holds.
func appendRaw(raw *casestore.Raw, text string) {
	if room := max(0, maxRaw-len(raw.Text)); len(text) > room {
		text = strings.ToValidUTF8(text[:room], "")
	}
	raw.Text += text
}

// missingNote begins the note by which a case knows that it has been told of missing tools.
const missingNote = "tools unavailable: "

// untold are the named tools that are not installed and of which the case has not been told: a missing tool is said once
// for each case, whichever verb needs it first. It starts no process.
func untold(c *casefile.Case, r tool.Runner, names ...string) []string {
	told := func(name string) bool {
		return slices.ContainsFunc(c.Notes, func(note string) bool {
			list, ours := strings.CutPrefix(note, missingNote)
			return ours && slices.Contains(strings.Split(list, ", "), name)
		})
	}
	return slices.DeleteFunc(names, func(name string) bool { return told(name) || r.Installed(name) })
}

// tellMissing notes on the case that it has been told of missing tools.
func tellMissing(c *casefile.Case, names []string) {
	if len(names) > 0 {
		c.Notes = append(c.Notes, missingNote+strings.Join(names, ", "))
	}
}

// missingWords is the warning about tools that are not installed.
func missingWords(names []string) string {
	return missingNote + strings.Join(names, ", ") + " (not installed, or not on PATH)"
}
