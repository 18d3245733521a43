package code

// readJava reads the package, the imports, types at any depth, and the methods of types.
func readJava(r *reader) {
	var open []block
	for i := 0; i < len(r.tokens); {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		switch {
		case r.is(i, "package") && len(open) == 0 && r.facts.Package == "":
			r.facts.Package, i = r.dotted(i+1, len(r.tokens))
		case r.is(i, "import") && len(open) == 0:
			i = javaImport(r, i)
		case javaType(r, i):
			i, open = javaOpen(r, i, open)
		case r.kind(i) == word && r.at(i+1) == '(' && len(open) > 0 && !open[len(open)-1].body:
			i, open = javaMethod(r, i, open)
		case r.at(i) == '{' && len(open) > 0 && open[len(open)-1].constants:
			open = append(open, block{end: r.past(i) - 1, name: open[len(open)-1].name})
			i++
		case r.at(i) == '{':
			open = append(open, block{end: r.past(i), body: true})
			i++
		case r.at(i) == '(' && len(open) > 0 && !open[len(open)-1].body, r.at(i) == '[':
			i = r.past(i)
		case r.at(i) == '=' && len(open) > 0 && !open[len(open)-1].body:
			open = append(open, block{end: javaInitialiser(r, i), body: true})
			i++
		case r.is(i, "new"):
			i, open = javaNew(r, i, open)
		default:
			i++
		}
	}
}

// javaNew goes into the body of a class without a name, whose methods are told as of the class that it extends.
func javaNew(r *reader, i int, open []block) (int, []block) {
	name, j := "", i+1
	for limit := j + maxHeadWords; j < limit && (r.kind(j) == word || r.oneOf(j, ".<")); {
		switch {
		case r.kind(j) == word:
			name = r.text(j)
		case r.at(j) == '<':
			past := r.angles(j)
			if past == j {
				return i + 1, open
			}
			j = past
			continue
		}
		j++
	}
	if r.at(j) != '(' || r.at(r.past(j)) != '{' {
		return i + 1, open
	}
	body := r.past(j)
	return body + 1, append(open, block{end: r.past(body) - 1, name: name})
}

// javaInitialiser is the end of what a field is set to.
func javaInitialiser(r *reader, i int) int {
	for i < len(r.tokens) && r.at(i) != ';' && r.at(i) != '}' {
		i = r.past(i)
	}
	return i
}

func javaImport(r *reader, i int) int {
	line := r.line(i)
	i++
	static := r.is(i, "static")
	if static {
		i++
	}
	path, i := r.dotted(i, len(r.tokens))
	if r.at(i) == '*' {
		path += "*"
		i++
	}
	if static {
		r.require(path, line, "static")
		return i
	}
	r.require(path, line)
	return i
}

func javaType(r *reader, i int) bool {
	if r.kind(i+1) != word || r.at(i-1) == '.' {
		return false
	}
	switch r.text(i) {
	case "class", "interface", "enum":
		return true
	case "record":
		return r.at(i+2) == '(' || r.at(i+2) == '<'
	}
	return false
}

// javaOpen defines a type and goes into its body.
func javaOpen(r *reader, i int, open []block) (int, []block) {
	kind, name := r.text(i), i+1
	parent := ""
	if n := len(open); n > 0 {
		parent = open[n-1].name
	}
	j := name + 1
	for j < r.ahead(i) && r.at(j) != '{' && r.at(j) != ';' && r.at(j) != '}' {
		j = r.past(j)
	}
	if r.at(j) != '{' {
		return name + 1, open
	}
	r.define(kind, parent, name, i, r.past(j)-1)
	open = append(open, block{end: r.past(j) - 1, name: r.text(name)})
	if kind == "enum" {
		open = append(open, block{end: javaConstants(r, j+1), name: r.text(name), body: true, constants: true})
	}
	return j + 1, open
}

// javaConstants is the end of the constants of an enumeration, which may have bodies.
func javaConstants(r *reader, i int) int {
	for i < len(r.tokens) && r.at(i) != ';' && r.at(i) != '}' {
		i = r.past(i)
	}
	return i
}

// javaMethod defines a method whose name is at i and goes into its body.
func javaMethod(r *reader, i int, open []block) (int, []block) {
	j := r.past(i + 1)
	if r.at(i-1) == '@' || r.at(i-1) == '.' {
		return j, open
	}
	if r.is(j, "throws") || r.is(j, "default") {
		for j < r.ahead(i) && r.at(j) != '{' && r.at(j) != ';' {
			j = r.past(j)
		}
	}
	owner := open[len(open)-1].name
	kind := "method"
	if r.text(i) == owner {
		kind = "constructor"
	}
	switch r.at(j) {
	case '{':
		r.define(kind, owner, i, i, r.past(j)-1)
		return j + 1, append(open, block{end: r.past(j) - 1, body: true})
	case ';':
		r.define(kind, owner, i, i, j)
	}
	return max(j, i+1), open
}
