package config

import (
	"os"
	"slices"
	"strings"
	"time"
)

const (
	maxDetectBytes = 256 << 10 // of a build file; larger ones are generated and not read
	maxFollow      = 4         // targets that call targets
)

// Detected is a check that a repository seems to offer.
type Detected struct {
	Name    string
	Argv    []string
	Kind    string
	Timeout time.Duration
	Reason  string // where it was seen, for a person
}

// DetectVerifiers proposes checks for the repository at root, best first: the test target of a Taskfile, a Makefile or a
// justfile, otherwise the test command of each ecosystem found (Go, Rust, Node, Python), a single one named "unit".
//
// When a target plainly runs one test runner, the proposal is the runner itself: its counts can then be read. A target
// that does more (prerequisites, pipes, several commands) is proposed as it is. recognise names the runner that an argv
// starts, or is empty (verifier.Recognise). Only small regular files below root are read, nothing is run, and what cannot
// be read is not there.
func DetectVerifiers(root string, recognise func(argv []string) string) []Detected {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer dir.Close()
	d := detector{dir: dir, recognise: recognise}
	for _, find := range []func() (Detected, bool){d.task, d.make, d.just} {
		if one, ok := find(); ok {
			one.Name = "unit"
			return []Detected{one}
		}
	}
	var found []Detected
	for _, find := range []func() (Detected, bool){d.golang, d.rust, d.node, d.python} {
		if one, ok := find(); ok {
			found = append(found, one)
		}
	}
	if len(found) == 1 {
		found[0].Name = "unit"
	}
	return found
}

// detector looks at the build files of one directory.
type detector struct {
	dir       *os.Root
	recognise func([]string) string
	followed  int // targets that were followed so far
}

// read returns the first of the named files that is small, regular and not a link out of the directory.
func (d *detector) read(names ...string) (name, text string, ok bool) {
	for _, name := range names {
		info, err := d.dir.Stat(name)
		if err != nil || info.Size() > maxDetectBytes {
			continue
		}
		data, err := readRegular(d.dir.Stat, d.dir.Open, name)
		if err == nil {
			return name, string(data), true
		}
	}
	return "", "", false
}

func (d *detector) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := d.dir.Stat(name)
		return err == nil && info.Mode().IsRegular()
	})
}

// target proposes a task runner's target: the runner behind it when lines are one plain test command, else wrapper.
func (d *detector) target(file string, lines []string, wrapper ...string) Detected {
	one := Detected{Argv: wrapper, Kind: "unit_test", Timeout: 10 * time.Minute, Reason: "the target test of " + file}
	if argv, ok := d.direct(lines); ok {
		one.Argv, one.Reason = argv, "the target test of "+file+" runs it"
	}
	return one
}

// direct returns the one test runner that lines of a recipe run, also behind npm test or make test.
func (d *detector) direct(lines []string) ([]string, bool) {
	var command []string
	for _, line := range lines {
		words, ok := splitWords(line)
		if !ok || len(words) > 0 && command != nil && !isSilent(words) {
			return nil, false
		}
		if len(words) > 0 && !isSilent(words) {
			command = words
		}
	}
	return d.runner(command)
}

// runner returns the test runner that a command starts, variables set before it included.
func (d *detector) runner(command []string) ([]string, bool) {
	if len(command) == 0 {
		return nil, false
	}
	if assignments(command) > 0 {
		command = append([]string{"env"}, command...)
	}
	if d.recognise(command) != "" {
		return command, true
	}
	return d.follow(command)
}

// follow looks behind a command that only calls another target.
func (d *detector) follow(command []string) ([]string, bool) {
	if d.followed++; d.followed > maxFollow {
		return nil, false
	}
	script, ok := packageScript(command)
	if !ok {
		return nil, false
	}
	p, ok := d.manifest()
	if !ok {
		return nil, false
	}
	return d.script(p, script)
}

// isSilent reports whether a command only prints.
func isSilent(words []string) bool {
	return words[0] == "echo" || words[0] == "printf" || words[0] == ":" || words[0] == "true"
}

// assignments returns how many words before the program set variables.
func assignments(words []string) int {
	n := 0
	for n < len(words) && variableName().MatchString(before(words[n], "=")) && strings.Contains(words[n], "=") {
		n++
	}
	return n
}

func before(s, sep string) string {
	head, _, _ := strings.Cut(s, sep)
	return head
}

// splitWords splits a shell command into words. It is false for anything that needs a shell: expansion, a pipe, a list,
// a redirection, a glob.
func splitWords(line string) ([]string, bool) {
	var words []string
	var word strings.Builder
	open, quote := false, byte(0)
	for i := range len(line) {
		b := line[i]
		switch {
		case quote != 0 && b == quote:
			quote = 0
		case quote == '\'':
			word.WriteByte(b)
		case strings.IndexByte("$`\\", b) >= 0, quote == 0 && strings.IndexByte("|&;<>()*?[]{}~!\n", b) >= 0:
			return nil, false
		case quote == '"':
			word.WriteByte(b)
		case b == '\'' || b == '"':
			quote, open = b, true
		case b == '#' && !open:
			return words, true
		case b == ' ' || b == '\t' || b == '\r':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteByte(b)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words, quote == 0
}

func (d *detector) golang() (Detected, bool) {
	if !d.has("go.mod") {
		return Detected{}, false
	}
	return Detected{Name: "go", Argv: []string{"go", "test", "./..."}, Kind: "unit_test", Timeout: 5 * time.Minute, Reason: "go.mod"}, true
}

func (d *detector) rust() (Detected, bool) {
	if !d.has("Cargo.toml") {
		return Detected{}, false
	}
	return Detected{Name: "rust", Argv: []string{"cargo", "test"}, Kind: "unit_test", Timeout: 10 * time.Minute, Reason: "Cargo.toml"}, true
}
