package op

import (
	"bytes"
	"fmt"
	"strings"

	"cortex/internal/problem"
)

// Markdown is docs/operations.md: every verb with its command line, its tool and its arguments.
func Markdown(r *Registry) []byte {
	var b bytes.Buffer
	b.WriteString("# Operations\n\nGenerated from the declarations; do not edit.\n\n")
	b.WriteString("Every command takes `--json`, `--input FILE` and `-C DIR`. Every tool takes `workspace`.\n")
	for _, d := range r.All() {
		d.markdown(&b)
	}
	return b.Bytes()
}

func (d *Def) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n%s.", d.Name, d.Title)
	if d.Help != "" {
		fmt.Fprintf(b, " %s", d.Help)
	}
	fmt.Fprintf(b, "\n\n    %s\n\n", d.Synopsis())
	facts := []string{"effect: " + string(d.Effect)}
	if len(d.Aliases) > 0 {
		facts = append(facts, "also: "+strings.Join(d.Aliases, ", "))
	}
	facts = append(facts, d.toolFact())
	fmt.Fprintf(b, "%s\n", strings.Join(facts, " · "))
	if len(d.Fields()) > 0 {
		b.WriteString("\n| Argument | Command line | Meaning |\n|---|---|---|\n")
	}
	for _, f := range d.Fields() {
		fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", f.Name, f.marks(), f.commandForm(), escapeCell(f.Meaning()))
	}
}

func (d *Def) toolFact() string {
	switch {
	case d.Tool == "":
		return "command line only"
	case d.Operation != "":
		return fmt.Sprintf("tool: `%s` with operation `%s`%s", d.Tool, d.Operation, d.profileFact())
	}
	return fmt.Sprintf("tool: `%s`%s", d.Tool, d.profileFact())
}

func (d *Def) profileFact() string {
	if d.Profiles == All {
		return " (profile all)"
	}
	return ""
}

func (f Field) marks() string {
	switch {
	case f.Required:
		return " (required)"
	case f.HideMCP:
		return " (command line only)"
	}
	return ""
}

func (f Field) commandForm() string {
	switch {
	case f.HideCLI:
		return "`--input`"
	case f.Role != Flag:
		return "positional"
	case f.Slice():
		return "`--" + f.Flag + "`, repeatable"
	case f.Map():
		return "`--" + f.Flag + " NAME=VALUE`, repeatable"
	}
	return "`--" + f.Flag + "`"
}

// Meaning is the description with the accepted values and the default.
func (f Field) Meaning() string {
	out := f.Help
	if f.Enum != nil {
		out += " (one of: " + strings.Join(f.Enum, ", ") + ")"
	}
	if f.Default != "" {
		out += " (default " + f.Default + ")"
	}
	return out
}

func escapeCell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ")
}

// Synopsis is the verb's command line in one line: optional parts in brackets, flags only when they are required.
func (d *Def) Synopsis() string {
	return strings.TrimSpace("cortex " + d.Name + " " + d.Positionals())
}

// Positionals is the part of the synopsis behind the verb.
func (d *Def) Positionals() string {
	var words []string
	for _, f := range d.Fields() {
		word := "<" + f.Name + ">"
		switch {
		case f.HideCLI, f.Role == Flag && !f.Required:
			continue
		case f.Role == Flag:
			word = "--" + f.Flag + " " + word
		case f.Role == Rest:
			word = "<" + f.Name + "…>"
		}
		if !f.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// ProblemsMarkdown is docs/problems.md: every problem code with its exit status.
func ProblemsMarkdown() []byte {
	var b bytes.Buffer
	b.WriteString("# Problems\n\nGenerated from the list of codes; do not edit.\n\n")
	b.WriteString("A refusal carries one of these codes, and the command line exits with the status beside it.\n\n")
	b.WriteString("| Code | Exit | Meaning |\n|---|---|---|\n")
	for _, info := range problem.Codes() {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", info.Code, info.Exit, escapeCell(info.Meaning))
	}
	return b.Bytes()
}
