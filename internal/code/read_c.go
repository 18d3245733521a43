package code

// readC reads C and C++: included files, macros, types and functions outside of bodies.
func readC(r *reader) {
	var open []block
	for i := 0; i < len(r.tokens); {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		switch {
		case r.kind(i) == directive:
			i = cDirective(r, i)
		case r.is(i, "namespace") || r.is(i, "extern"):
			i = cScope(r, i)
		case r.is(i, "struct") || r.is(i, "class") || r.is(i, "union") || r.is(i, "enum"):
			i, open = cType(r, i, open)
		case r.is(i, "typedef"):
			i = cTypedef(r, i)
		case r.kind(i) == word && r.at(i+1) == '(':
			i = cFunction(r, i, open)
		case r.at(i) == '=':
			for i < len(r.tokens) && r.at(i) != ';' && r.at(i) != '}' && r.kind(i) != directive {
				i = r.past(i)
			}
		default:
			i = r.past(i)
		}
	}
}

func cDirective(r *reader, i int) int {
	switch r.text(i) {
	case "include", "include_next", "import":
		if r.kind(i+1) == literal && r.line(i+1) == r.line(i) {
			path := r.quoted(i + 1)
			if r.text(i + 1)[0] == '<' {
				r.require("<"+path+">", r.line(i))
			} else {
				r.require(path, r.line(i))
			}
			return i + 2
		}
	case "define":
		if r.kind(i+1) == word && r.line(i+1) == r.line(i) {
			r.define("macro", "", i+1, i, i+1)
			return i + 2
		}
	}
	return i + 1
}

// maxHeadWords bounds the words and colons between a keyword and what it opens: attributes and a qualified name.
const maxHeadWords = 30

// cScope goes into a namespace, or into the braces of extern "C".
func cScope(r *reader, i int) int {
	j := i + 1
	for j < i+maxHeadWords && (r.kind(j) == word || r.kind(j) == literal || r.at(j) == ':') {
		if r.is(i, "extern") && r.kind(j) == word {
			return i + 1
		}
		j++
	}
	if r.at(j) == '{' {
		return j + 1
	}
	return i + 1
}

// cType defines a type that has a body, and goes into the body of a class.
func cType(r *reader, i int, open []block) (int, []block) {
	j := i + 1
	if r.is(j, "class") || r.is(j, "struct") { // enum class
		j++
	}
	name := j
	for j < i+maxHeadWords && (r.kind(j) == word || r.at(j) == ':' && (r.at(j+1) == ':' || r.at(j-1) == ':')) {
		if r.kind(j) == word && !r.is(j, "final") {
			name = j
		}
		j++
	}
	if r.at(j) == '<' {
		j = r.angles(j)
	}
	if r.at(j) == ':' { // bases
		for j < r.ahead(i) && r.at(j) != '{' && r.at(j) != ';' && r.at(j) != '}' {
			j = r.past(j)
		}
	}
	if r.at(j) != '{' {
		return i + 1, open
	}
	end := r.past(j) - 1
	if r.kind(name) == word {
		r.define(r.text(i), "", name, i, end)
	}
	if r.is(i, "enum") {
		return end + 1, open
	}
	return j + 1, append(open, block{end: end, name: r.text(name)})
}

// cTypedef defines the last name before the semicolon, or the name in (*name).
func cTypedef(r *reader, i int) int {
	name := -1
	j := i + 1
	for j < len(r.tokens) && r.at(j) != ';' && r.at(j) != '}' && r.kind(j) != directive {
		if r.at(j) == '(' && r.at(j+1) == '*' && r.kind(j+2) == word {
			name = j + 2
			break
		}
		if r.kind(j) == word && r.at(j+1) != '{' {
			name = j
		}
		if r.at(j) == '{' && (r.is(i+1, "struct") || r.is(i+1, "union") || r.is(i+1, "enum")) && r.kind(j-1) == word && j-1 > i+1 {
			r.define(r.text(i+1), "", j-1, i, r.past(j)-1)
		}
		j = r.past(j)
	}
	for j < len(r.tokens) && r.at(j) != ';' && r.at(j) != '}' && r.kind(j) != directive {
		j = r.past(j)
	}
	if name > i+1 && r.at(j) == ';' {
		r.define("type", "", name, i, j)
	}
	return max(j, i+1)
}

// cFunction defines a function that has a body, and goes behind it.
func cFunction(r *reader, i int, open []block) int {
	j := r.past(i + 1)
	if cKeyword(r.text(i)) {
		return j
	}
	after := j
	for j < len(r.tokens) && j < after+200 {
		switch c := r.at(j); {
		case c == '{':
			kind, parent := "func", ""
			if n := len(open); n > 0 {
				kind, parent = "method", open[n-1].name
			}
			if r.at(i-1) == ':' && r.at(i-2) == ':' {
				kind, parent = "method", r.text(i-3)
			}
			r.define(kind, parent, i, i, r.past(j)-1)
			return r.past(j)
		case c == ':' && r.at(j+1) != ':': // the initialisers of a constructor
			j = cInitialisers(r, j+1)
			continue
		case c == ';' || c == '}' || c == ',' || c == '=' || c == ')' || r.kind(j) == directive:
			return j
		case c == '(' && !r.is(j-1, "noexcept") && !r.is(j-1, "throw") && !r.is(j-1, "__attribute__") && j == after:
			return j // a macro call before a declaration, or a pointer to a function
		case r.kind(j) == word && r.at(j+1) == '(' && r.first(j) && !r.is(j, "noexcept") && !r.is(j, "__attribute__"):
			return j // the call was a macro's: this is the next declaration
		}
		j = r.past(j)
	}
	return max(j, i+1)
}

// cInitialisers goes to the body behind name(…), name{…}, …
func cInitialisers(r *reader, j int) int {
	for from := j; j < r.ahead(from); {
		for limit := j + maxHeadWords; j < limit && (r.kind(j) == word || r.at(j) == ':' || r.at(j) == '<' || r.at(j) == '>'); {
			j++
		}
		if c := r.at(j); c != '(' && c != '{' {
			return j
		}
		j = r.past(j)
		if r.at(j) != ',' {
			return j
		}
		j++
	}
	return j
}

func cKeyword(s string) bool {
	switch s {
	case "if", "for", "while", "switch", "return", "sizeof", "catch", "defined", "__attribute__", "__declspec", "alignas", "decltype",
		"static_assert", "_Static_assert", "operator":
		return true
	}
	return false
}
