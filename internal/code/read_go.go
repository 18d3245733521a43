package code

import "strings"

// readGo reads the package clause, imports and top-level declarations.
func readGo(r *reader) {
	for i := 0; i < len(r.tokens); {
		switch {
		case r.is(i, "package") && r.facts.Package == "":
			r.facts.Package = r.text(i + 1)
			i += 2
		case !r.first(i) && r.at(i-1) != ';':
			i = r.past(i)
		case r.is(i, "import"):
			i = goImports(r, i)
		case r.is(i, "func"):
			i = goFunc(r, i)
		case r.is(i, "type"), r.is(i, "var"), r.is(i, "const"):
			i = goSpecs(r, i)
		default:
			i = r.past(i)
		}
	}
}

func goImports(r *reader, i int) int {
	end := i + 4
	if r.at(i+1) == '(' {
		end = r.past(i + 1)
	}
	for j := i + 1; j < end && j < len(r.tokens); j++ {
		path := r.quoted(j)
		if path == "" {
			if end == i+4 && j > i+1 && r.first(j) {
				break
			}
			continue
		}
		r.require(path, r.line(j))
		if n := len(r.facts.Imports); n > 0 && (r.kind(j-1) == word || r.at(j-1) == '.') && r.line(j-1) == r.line(j) && j-1 > i {
			r.facts.Imports[n-1].Alias = r.text(j - 1)
		}
		if end == i+4 {
			return j + 1
		}
	}
	return max(i+1, min(end, r.past(i+1)))
}

// goFunc reads a function or method up to its body, or to the end of the line where it has none.
func goFunc(r *reader, i int) int {
	name, kind, parent := i+1, "func", ""
	if r.at(name) == '(' {
		kind, parent = "method", goReceiver(r, name)
		name = r.past(name)
	}
	j := name + 1
	for j < len(r.tokens) && (j == name+1 || r.line(j) == r.line(j-1)) {
		if r.at(j) == '{' && !r.is(j-1, "struct") && !r.is(j-1, "interface") {
			end := r.past(j)
			r.define(kind, parent, name, i, end-1)
			return end
		}
		j = r.past(j)
	}
	r.define(kind, parent, name, i, j-1)
	return j
}

// goReceiver is the receiver's type: the last word outside type parameters.
func goReceiver(r *reader, open int) string {
	name := ""
	for j := open + 1; j < r.past(open)-1; {
		switch {
		case r.kind(j) == word:
			name = r.text(j)
		case r.at(j) == '(':
			j++
			continue
		}
		j = r.past(j)
	}
	return name
}

func goSpecs(r *reader, i int) int {
	kind := r.text(i)
	if r.at(i+1) != '(' {
		return goSpec(r, kind, i+1, i, len(r.tokens))
	}
	end := r.past(i + 1)
	for j := i + 2; j < end-1; {
		j = goSpec(r, kind, j, j, end-1)
	}
	return end
}

// goSpec reads one type, or the names of one line of variables, and goes to the end of the declaration.
func goSpec(r *reader, kind string, i, from, limit int) int {
	end := i + 1
	for end < limit && (!goEnds(r, end)) {
		end = r.past(end)
	}
	end = min(end, limit)
	for j := i; j < end && r.kind(j) == word; j += 2 {
		r.define(kind, "", j, from, end-1)
		if kind == "type" || r.at(j+1) != ',' {
			break
		}
	}
	return max(end, i+1)
}

// goEnds reports whether a declaration ends before token i: at a semicolon, or at a new line where Go puts one.
func goEnds(r *reader, i int) bool {
	if r.at(i) == ';' {
		return true
	}
	if !r.first(i) {
		return false
	}
	switch r.kind(i - 1) {
	case mark:
		return strings.IndexByte(")]}", r.at(i-1)) >= 0
	case word:
		return !r.is(i-1, "struct") && !r.is(i-1, "interface") && !r.is(i-1, "func") && !r.is(i-1, "map") && !r.is(i-1, "chan")
	}
	return true
}
