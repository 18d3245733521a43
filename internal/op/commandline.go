package op

import (
	"encoding/json"
	"strings"
)

// commandArgs writes args as the words behind the verb: positionals, then flags; the other way round when a positional
// could be taken for a flag. What a command line cannot express goes into one --input object.
func (d *Def) commandArgs(args map[string]any) []string {
	var flags, positionals []string
	nested := map[string]any{}
	for _, f := range d.Fields() {
		value, given := args[f.Name]
		if !given || value == nil {
			continue
		}
		words, ok := f.words(value)
		switch {
		case !ok || f.HideCLI:
			nested[f.Name] = value
		case f.Role != Flag:
			positionals = append(positionals, words...)
		default:
			flags = append(flags, f.flagWords(words)...)
		}
	}
	if len(nested) > 0 {
		raw, err := json.Marshal(nested)
		if err == nil { // a value that JSON cannot hold cannot come from a call; it is left to the caller
			flags = append(flags, "--input", string(raw))
		}
	}
	for _, word := range positionals {
		if strings.HasPrefix(word, "-") {
			return append(append(flags, "--"), positionals...)
		}
	}
	return append(positionals, flags...)
}

func (f Field) flagWords(words []string) []string {
	var out []string
	for _, w := range words {
		switch {
		case f.Switch() && w == "true":
			out = append(out, "--"+f.Flag)
		case f.Switch() || strings.HasPrefix(w, "-"):
			out = append(out, "--"+f.Flag+"="+w)
		default:
			out = append(out, "--"+f.Flag, w)
		}
	}
	return out
}

// quoteWords joins words so that a POSIX shell reads them back unchanged.
func quoteWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoteWord(w)
	}
	return strings.Join(out, " ")
}

func quoteWord(w string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
