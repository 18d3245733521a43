package config

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

const maxExpansion = 8 // variables that refer to variables

// make proposes the target test of a Makefile.
func (d *detector) make() (Detected, bool) {
	name, text, ok := d.read("GNUmakefile", "makefile", "Makefile")
	if !ok {
		return Detected{}, false
	}
	rule, ok := makeTarget(text)
	if !ok {
		return Detected{}, false
	}
	return d.target(name, rule, "make", "test"), true
}

// makeTarget returns the recipe of the rule test with its variables expanded. A rule with prerequisites, or one that is
// defined twice, has the recipe "make", which stands for more than can be seen.
func makeTarget(text string) (recipe []string, ok bool) {
	opaque := []string{"make test"}
	variables := map[string]string{}
	rules, inside := 0, false
	for line := range strings.Lines(joinLines(text)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "\t") {
			if inside {
				recipe = append(recipe, strings.TrimLeft(line, "\t @+-"))
			}
			continue
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		wasInside := inside
		inside = false
		if name, value, set := makeVariable(line); set {
			variables[name] = value
			continue
		}
		targets, rest, isRule := strings.Cut(line, ":")
		if !isRule && wasInside { // a directive, such as a condition, in the middle of the recipe
			recipe = append(recipe, opaque...)
		}
		if !isRule || !containsWord(targets, "test") {
			continue
		}
		rules++
		inside = true
		prerequisites, inline, hasInline := strings.Cut(strings.TrimPrefix(rest, ":"), ";")
		if hasInline {
			recipe = append(recipe, strings.TrimLeft(inline, " @+-"))
		}
		if strings.TrimSpace(before(prerequisites, "#")) != "" {
			recipe = append(recipe, opaque...)
		}
	}
	for i, line := range recipe {
		recipe[i] = expandMake(line, variables)
	}
	return recipe, rules > 0
}

// joinLines joins lines that end in a backslash.
func joinLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\\\r\n", " "), "\\\n", " ")
}

func makeVariable(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, "=")
	name = strings.TrimSpace(strings.TrimRight(name, ":?+! "))
	return name, strings.TrimSpace(before(value, " #")), ok && variableName().MatchString(name)
}

func containsWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// expandMake replaces $(NAME) and ${NAME} by values seen in the file. What is not known keeps its dollar, which makes the
// line one that needs more than words.
func expandMake(line string, variables map[string]string) string {
	for range maxExpansion {
		open := strings.Index(line, "$")
		if open < 0 || open+1 >= len(line) {
			return line
		}
		shut := strings.IndexByte(line[open:], map[byte]byte{'(': ')', '{': '}'}[line[open+1]])
		if shut < 2 {
			return line
		}
		value, known := variables[line[open+2:open+shut]]
		if !known || len(line)+len(value) > maxArgBytes {
			return line
		}
		line = line[:open] + value + line[open+shut+1:]
	}
	return line
}

// just proposes the recipe test of a justfile.
func (d *detector) just() (Detected, bool) {
	name, text, ok := d.read("justfile", "Justfile", ".justfile")
	if !ok {
		return Detected{}, false
	}
	var lines []string
	found, inside := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.TrimSpace(line) == "":
		case line[0] == ' ' || line[0] == '\t':
			if inside {
				lines = append(lines, strings.TrimLeft(line, " \t@-"))
			}
		default:
			head, rest, isRecipe := strings.Cut(line, ":")
			words := strings.Fields(strings.TrimPrefix(head, "@"))
			inside = isRecipe && len(words) > 0 && words[0] == "test" && !strings.HasPrefix(rest, "=")
			found = found || inside
			if inside && (len(words) > 1 || strings.TrimSpace(before(rest, "#")) != "") {
				lines = append(lines, "just test") // parameters or prerequisites: more than can be seen
			}
		}
	}
	if !found {
		return Detected{}, false
	}
	return d.target(name, lines, "just", "test"), true
}

// task proposes the task test of a Taskfile.
func (d *detector) task() (Detected, bool) {
	name, text, ok := d.read("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml")
	if !ok {
		return Detected{}, false
	}
	root, err := parse([]byte(text))
	if err != nil || root == nil {
		return Detected{}, false
	}
	test := child(child(root, "tasks"), "test")
	if test == nil {
		return Detected{}, false
	}
	return d.target(name, taskCommands(test), "task", "test"), true
}

// taskCommands returns the commands of a task; nil when it says more than commands.
func taskCommands(test *yaml.Node) []string {
	switch test.Kind {
	case yaml.ScalarNode:
		return []string{test.Value}
	case yaml.MappingNode:
		for i := 0; i+1 < len(test.Content); i += 2 {
			switch test.Content[i].Value {
			case "cmds", "cmd", "desc", "summary", "silent", "aliases":
			default:
				return nil
			}
		}
		if cmd := child(test, "cmd"); cmd != nil && cmd.Kind == yaml.ScalarNode {
			return []string{cmd.Value}
		}
		test = child(test, "cmds")
	}
	if test == nil || test.Kind != yaml.SequenceNode {
		return nil
	}
	var lines []string
	for _, item := range test.Content {
		if cmd := child(item, "cmd"); cmd != nil && len(item.Content) == 2 {
			item = cmd
		}
		if item.Kind != yaml.ScalarNode {
			return nil
		}
		lines = append(lines, item.Value)
	}
	return lines
}

// child returns the value of a key of a mapping, or nil.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
