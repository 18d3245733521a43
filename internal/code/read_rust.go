package code

import (
	"slices"
	"strings"
)

// readRust reads use declarations, modules and items at any depth outside of functions' bodies, which are read too.
func readRust(r *reader) {
	var open []block
	for i := 0; i < len(r.tokens); {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		if r.kind(i) != word || r.at(i-1) == '.' || r.at(i-1) == '\'' || r.at(i-1) == '$' {
			i++
			continue
		}
		i, open = rustItem(r, i, open)
	}
}

func rustItem(r *reader, i int, open []block) (int, []block) {
	owner := ""
	if n := len(open); n > 0 {
		owner = open[n-1].name
	}
	switch keyword := r.text(i); keyword {
	case "use":
		before, inline := len(r.facts.Imports), rustInline(open)
		end := rustUse(r, i+1, "", r.line(i), 0)
		for n := before; n < len(r.facts.Imports); n++ {
			r.facts.Imports[n].Path = rustFrom(inline, r.facts.Imports[n].Path)
		}
		return end, open
	case "extern":
		if r.is(i+1, "crate") {
			r.require(r.text(i+2), r.line(i))
			return i + 3, open
		}
	case "mod":
		return rustModule(r, i, open)
	case "fn":
		if r.kind(i+1) == word {
			kind := "func"
			if owner != "" {
				kind = "method"
			}
			end := rustEnd(r, i+2)
			r.define(kind, owner, i+1, i, end-1)
			return i + 2, open
		}
	case "struct", "enum", "union", "type":
		if r.kind(i+1) == word {
			r.define(keyword, owner, i+1, i, rustEnd(r, i+2)-1)
			return i + 2, open
		}
	case "const", "static":
		if r.is(i+1, "mut") {
			i++
		}
		if r.kind(i+1) == word && r.at(i+2) == ':' {
			r.define(keyword, owner, i+1, i, rustEnd(r, i+2)-1)
			return i + 2, open
		}
	case "trait", "impl":
		return rustBody(r, i, open)
	case "macro_rules":
		if r.at(i+1) == '!' && r.kind(i+2) == word {
			end := r.past(i + 3)
			r.define("macro", "", i+2, i, end-1)
			return max(end, i+3), open
		}
	}
	return i + 1, open
}

// rustModule reads the declaration of a module, or goes into its body.
func rustModule(r *reader, i int, open []block) (int, []block) {
	switch {
	case r.kind(i+1) != word:
	case r.at(i+2) == ';':
		r.require(strings.TrimSpace("mod "+strings.Join(append(rustInline(open), r.text(i+1)), "::")+" "+rustPath(r, i)), r.line(i))
		return i + 3, open
	case r.at(i+2) == '{':
		r.define("module", "", i+1, i, r.past(i+2)-1)
		return i + 3, append(open, block{end: r.past(i+2) - 1, module: r.text(i + 1)})
	}
	return i + 1, open
}

// rustInline are the modules with a body that are open, the outermost first.
func rustInline(open []block) []string {
	var inline []string
	for _, b := range open {
		if b.module != "" && len(inline) < maxUseDepth {
			inline = append(inline, b.module)
		}
	}
	return inline
}

// rustFrom says from the file's module what is said in a module with a body: super of an outermost one is the file.
func rustFrom(inline []string, name string) string {
	parts := strings.Split(name, "::")
	up := 0
	for up < len(parts) && parts[up] == "super" {
		up++
	}
	switch {
	case len(inline) == 0:
	case parts[0] == "self":
		return strings.Join(slices.Concat(parts[:1], inline, parts[1:]), "::")
	case up > len(inline):
		return strings.Join(parts[len(inline):], "::")
	case up > 0:
		return strings.Join(slices.Concat([]string{"self"}, inline[:len(inline)-up], parts[up:]), "::")
	}
	return name
}

// maxAttributes bounds, in tokens, the attributes before a declaration that are searched.
const maxAttributes = 64

// rustPath is the file that an attribute of the module at i names, "" without one.
func rustPath(r *reader, i int) string {
	for j := i - 1; j > max(0, i-maxAttributes) && r.at(j) != ';' && r.at(j) != '{' && r.at(j) != '}'; j-- {
		if r.kind(j) == literal && r.at(j-1) == '=' && r.is(j-2, "path") && r.at(j-3) == '[' {
			return r.quoted(j)
		}
	}
	return ""
}

// rustEnd is the index behind an item: its body, or the semicolon.
func rustEnd(r *reader, i int) int {
	for limit := r.ahead(i); i < limit; i = r.past(i) {
		switch r.at(i) {
		case ';':
			return i + 1
		case '{':
			return r.past(i)
		case '}':
			return i
		}
	}
	return i
}

// rustBody goes into a trait, or into an impl under the name of its type: the last path before the body, without parameters.
func rustBody(r *reader, i int, open []block) (int, []block) {
	name := ""
	j := i + 1
	for j < r.ahead(i) && r.at(j) != '{' && r.at(j) != ';' && !r.is(j, "where") {
		switch {
		case r.at(j) == '<':
			past := r.angles(j)
			if past == j {
				return i + 1, open
			}
			j = past
			continue
		case r.is(j, "for"):
			name = ""
		case r.kind(j) == word && (r.is(i, "impl") || name == "") && r.at(j-1) != '\'' && !r.is(j, "dyn") && !r.is(j, "mut"):
			name = r.text(j)
		}
		j = r.past(j)
	}
	for limit := r.ahead(j); j < limit && r.at(j) != '{' && r.at(j) != ';'; {
		j = r.past(j)
	}
	if r.at(j) != '{' {
		return i + 1, open
	}
	end := r.past(j) - 1
	if r.is(i, "trait") {
		r.define("trait", "", i+1, i, end)
	}
	return j + 1, append(open, block{end: end, name: name})
}

// maxUseDepth bounds the braces within braces of a use declaration that are followed.
const maxUseDepth = 20

// rustUse adds each path of a use declaration; prefix stands before the braces it is in.
func rustUse(r *reader, i int, prefix string, line, depth int) int {
	var path strings.Builder
	path.WriteString(prefix)
	for i < len(r.tokens) {
		switch c := r.at(i); {
		case c == '{' && depth < maxUseDepth && path.Len() < maxNameBytes:
			end := r.past(i)
			for i++; i < end-1; {
				i = rustUse(r, i, path.String(), line, depth+1)
				if r.at(i) == ',' {
					i++
				} else if i < end-1 {
					i = end - 1
				}
			}
			return end
		case r.is(i, "as"):
			i += 2
			continue
		case r.is(i, "r") && r.at(i+1) == '#': // a keyword as a name
			i++
		case r.kind(i) == word:
			path.WriteString(r.text(i))
		case c == ':' && r.at(i+1) == ':':
			path.WriteString("::")
			i++
		case c == '*':
			path.WriteString("*")
		default:
			r.require(path.String(), line)
			return i
		}
		i++
	}
	return i
}
