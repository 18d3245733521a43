package code

// readScript reads JavaScript and TypeScript: imports in every form, functions and classes at any depth, methods of
// classes, and the variables of the outermost level.
func readScript(r *reader) {
	var open []block
	for i := 0; i < len(r.tokens); {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		member := len(open) > 0 && !open[len(open)-1].body
		switch {
		case member:
			i, open = scriptMember(r, i, open)
		case r.kind(i) == word && r.at(i-1) != '.':
			i, open = scriptWord(r, i, open)
		case r.at(i) == '{':
			open = append(open, block{end: r.past(i) - 1, body: true})
			i++
		default:
			i++
		}
	}
}

func scriptWord(r *reader, i int, open []block) (int, []block) {
	switch r.text(i) {
	case "import", "export":
		if j := scriptImport(r, i); j > i {
			return j, open
		}
	case "require":
		if r.at(i+1) == '(' && r.at(i+3) == ')' {
			r.require(r.quoted(i+2), r.line(i))
		}
	case "function":
		return scriptFunction(r, i, open)
	case "class", "interface", "enum", "namespace", "module":
		return scriptType(r, i, open)
	case "type":
		if r.kind(i+1) == word && (r.at(i+2) == '=' || r.at(i+2) == '<') && (r.first(i) || r.is(i-1, "export") || r.is(i-1, "declare")) {
			end := scriptStatement(r, i+2, len(r.tokens))
			r.define("type", "", i+1, i, end-1)
			return end, open
		}
	case "const", "let", "var":
		if len(open) == 0 && !r.is(i-1, "as") {
			return scriptVariable(r, i), open
		}
	}
	return i + 1, open
}

// scriptImport reads an import or a re-export, and returns i for an export that is none.
func scriptImport(r *reader, i int) int {
	line := r.line(i)
	if r.is(i, "import") {
		if r.at(i+1) == '(' {
			r.require(r.quoted(i+2), line)
			return i
		}
		if path := r.quoted(i + 1); path != "" {
			r.require(path, line)
			return i + 2
		}
	}
	for j := i + 1; j < r.ahead(i); {
		switch {
		case r.is(j, "from") && r.kind(j+1) == literal:
			r.require(r.quoted(j+1), line)
			return j + 2
		case r.at(j) == '{' || r.at(j) == ',' || r.at(j) == '*' || r.is(j, "type") || r.is(j, "as") || r.is(j, "typeof"):
			j = r.past(j)
		case r.kind(j) == word && (r.is(i, "import") || r.is(j-1, "as")):
			j++
		default:
			return i // export of a declaration, or import x = require(…)
		}
	}
	return i
}

func scriptFunction(r *reader, i int, open []block) (int, []block) {
	name := i + 1
	if r.at(name) == '*' {
		name++
	}
	if r.kind(name) != word {
		return i + 1, open
	}
	j := name + 1
	if r.at(j) == '<' {
		j = r.angles(j)
	}
	if r.at(j) != '(' {
		return i + 1, open
	}
	j = scriptBody(r, r.past(j))
	if r.at(j) != '{' {
		r.define("func", "", name, i, j-1)
		return j, open
	}
	r.define("func", "", name, i, r.past(j)-1)
	return j + 1, append(open, block{end: r.past(j) - 1, body: true})
}

// scriptBody goes from behind the parameters over a result type to the body; without one, to the end of the statement.
func scriptBody(r *reader, j int) int {
	if r.at(j) != ':' {
		return j
	}
	limit := r.ahead(j)
	for j++; j < limit; {
		if r.at(j) == '<' {
			if past := r.angles(j); past > j {
				j = past
				continue
			}
		}
		switch c := r.at(j); {
		case c == ';' || c == '}' || c == ',' && r.first(j+1):
			return j
		case c == '{' && !scriptGoesOn(r, j-1) && !r.hole(j), c == 0 && r.first(j) && !scriptGoesOn(r, j-1):
			return j
		}
		j = r.past(j)
	}
	return j
}

// scriptType defines a type with a body and goes into it; a class may have no name.
func scriptType(r *reader, i int, open []block) (int, []block) {
	kind, name := r.text(i), i+1
	nameless := kind == "class" && (r.oneOf(name, "{<") || r.is(name, "extends"))
	if !nameless && (r.kind(name) != word || r.is(name, "extends") || r.is(name, "implements")) {
		return i + 1, open
	}
	j := name + 1
	if nameless {
		j = name
	}
	for steps := 0; steps < window && j < len(r.tokens) && !r.oneOf(j, "{;})="); steps++ {
		if r.at(j) == '<' {
			past := r.angles(j)
			if past == j {
				break
			}
			j = past
			continue
		}
		if r.at(j) == ',' && kind != "interface" && kind != "class" {
			break
		}
		j = r.past(j)
	}
	if r.at(j) != '{' {
		return i + 1, open
	}
	end := r.past(j) - 1
	if kind == "namespace" || kind == "module" {
		r.define("namespace", "", name, i, end)
		return j + 1, open // what it holds counts like the outermost level
	}
	if nameless {
		given := ""
		if r.at(i-1) == '=' && r.kind(i-2) == word {
			given = r.text(i - 2)
		}
		return j + 1, append(open, block{end: end, name: given})
	}
	r.define(kind, "", name, i, end)
	if kind == "class" {
		return j + 1, append(open, block{end: end, name: r.text(name)})
	}
	return end + 1, open
}

// scriptMember reads one token of a class body: a method's name, or what is to be skipped.
func scriptMember(r *reader, i int, open []block) (int, []block) {
	owner := open[len(open)-1]
	j := i + 1
	if r.at(j) == '<' {
		j = r.angles(j)
	}
	if r.kind(i) == word && r.at(j) == '(' && r.at(i-1) != '@' && r.at(i-1) != '.' {
		j = scriptBody(r, r.past(j))
		if r.at(j) == '{' {
			end := r.past(j) - 1
			r.define("method", owner.name, i, i, end)
			return j + 1, append(open, block{end: end, body: true})
		}
		return max(j, i+1), open
	}
	switch {
	case r.at(i) == '=' && r.at(i+1) != '>':
		if r.kind(i-1) == word && scriptArrow(r, i+1) {
			r.define("method", owner.name, i-1, i-1, min(scriptStatement(r, i, r.ahead(i)), owner.end)-1)
		}
		return i + 1, append(open, block{end: min(scriptStatement(r, i, r.ahead(i)), owner.end), body: true})
	case r.at(i) == '{' && r.is(i-1, "static"):
		return i + 1, append(open, block{end: r.past(i) - 1, body: true})
	}
	return r.past(i), open
}

// scriptArrow reports whether a function is what begins at i.
func scriptArrow(r *reader, i int) bool {
	if r.is(i, "async") {
		i++
	}
	if r.is(i, "function") {
		return true
	}
	if r.at(i) == '<' {
		i = r.angles(i)
	}
	if r.at(i) == '(' {
		j := r.past(i)
		if r.at(j) == ':' {
			for j < r.ahead(i) && r.at(j) != '=' && r.at(j) != ';' {
				j = r.past(j)
			}
		}
		return r.at(j) == '=' && r.at(j+1) == '>'
	}
	return r.kind(i) == word && r.at(i+1) == '=' && r.at(i+2) == '>'
}

// scriptStatement is the index behind the statement that i stands in: a semicolon, or a line that begins a new one; at most
// limit.
func scriptStatement(r *reader, i, limit int) int {
	for j := r.past(i); j < limit; j = r.past(j) {
		if c := r.at(j); c == ';' || c == '}' {
			return j
		}
		if r.first(j) && (r.kind(j) == word || r.at(j) == '@') && !scriptGoesOn(r, j-1) {
			return j
		}
	}
	return limit
}

// scriptGoesOn reports whether what ends with token i needs more on the next line.
func scriptGoesOn(r *reader, i int) bool {
	switch r.at(i) {
	case '=', '|', ',', '&', '?', ':', '+', '.', '<':
		return true
	case '>':
		return r.at(i-1) == '='
	}
	return r.kind(i) == word && scriptOperator(r.text(i))
}

// scriptOperator knows the words that stand before a type.
func scriptOperator(s string) bool {
	switch s {
	case "is", "keyof", "extends", "readonly", "infer", "typeof", "asserts", "unique":
		return true
	}
	return false
}

// scriptVariable defines the first variable of an outermost statement, and reads on inside what it is set to.
func scriptVariable(r *reader, i int) int {
	name := i + 1
	if r.kind(name) != word || r.is(i, "const") && r.is(name, "enum") {
		return i + 1
	}
	j := name + 1
	for j < r.ahead(i) && r.at(j) != '=' && r.at(j) != ';' && (r.at(name+1) == ':' || j == name+1) {
		j = r.past(j)
	}
	kind := r.text(i)
	if kind == "let" {
		kind = "var"
	}
	if r.at(j) == '=' && scriptArrow(r, j+1) {
		kind = "func"
	}
	r.define(kind, "", name, i, scriptStatement(r, i, r.ahead(i))-1)
	return name + 1
}
