package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// registration is an MCP registration as the README shows it.
type registration struct {
	Command string
	Args    []string
}

func TestEachRegistrationOfTheREADMEStartsAServer(t *testing.T) {
	t.Parallel()
	found := registrations(t)
	if len(found) != 3 {
		t.Fatalf("the README has %d registrations, want those for Codex, Claude Code and any other client", len(found))
	}
	for _, r := range found {
		if r.Command != "cortex" {
			t.Errorf("command is %q, want cortex", r.Command)
		}
		environ, home := isolated(t)
		startAgent(t, cortexCommand(t, environ, home, r.Args...)) // fails the test when it does not answer
	}
}

func registrations(t *testing.T) []registration {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []registration
	for _, block := range regexp.MustCompile("(?s)```(toml|json)\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		if block[1] == "toml" {
			out = append(out, tomlRegistration(t, block[2]))
			continue
		}
		var doc struct {
			MCPServers map[string]registration
			registration
		}
		if err := json.Unmarshal([]byte(block[2]), &doc); err != nil {
			t.Fatalf("block is not JSON: %v\n%s", err, block[2])
		}
		if named, ok := doc.MCPServers["cortex"]; ok {
			out = append(out, named)
			continue
		}
		if err := json.Unmarshal([]byte(block[2]), &doc.registration); err != nil {
			t.Fatal(err)
		}
		out = append(out, doc.registration)
	}
	return out
}

// tomlRegistration reads the two keys of the block; their values are JSON as well as TOML.
func tomlRegistration(t *testing.T, block string) registration {
	t.Helper()
	var r registration
	for line := range strings.Lines(block) {
		key, value, _ := strings.Cut(line, " = ")
		target := map[string]any{"command": &r.Command, "args": &r.Args}[key]
		if target == nil {
			continue
		}
		if err := json.Unmarshal([]byte(value), target); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return r
}

func TestREADMEHasExactlyTwoSetUpCommands(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## Try it")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands []string
	for line := range strings.Lines(section) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	want := "go run ./cmd/cortex demo; go test ./..."
	if got := strings.Join(commands, "; "); got != want {
		t.Errorf("set-up commands are %q, want %q", got, want)
	}
}
