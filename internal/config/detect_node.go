package config

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// manifest is what matters here of a package.json.
type manifest struct {
	Scripts        map[string]string `json:"scripts"`
	PackageManager string            `json:"packageManager"` // name@version
}

func (d *detector) manifest() (manifest, bool) {
	_, text, ok := d.read("package.json")
	if !ok {
		return manifest{}, false
	}
	var p manifest
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return manifest{}, false
	}
	return p, true
}

// node proposes the script test of a package.json.
func (d *detector) node() (Detected, bool) {
	p, ok := d.manifest()
	if !ok {
		return Detected{}, false
	}
	script, ok := p.Scripts["test"]
	if !ok || strings.Contains(script, "no test specified") { // what npm init writes
		return Detected{}, false
	}
	one := Detected{Name: "node", Argv: []string{d.packageManager(p), "test"}, Kind: "unit_test", Timeout: 5 * time.Minute,
		Reason: "the script test of package.json"}
	if one.Argv[0] == "bun" {
		one.Argv = []string{"bun", "run", "test"} // bun test is its own runner
	}
	if argv, ok := d.script(p, "test"); ok {
		one.Argv, one.Reason = argv, "the script test of package.json runs it"
	}
	return one, true
}

// packageManager tells the package manager by its lock file, then by the manifest.
func (d *detector) packageManager(p manifest) string {
	switch {
	case d.has("bun.lock", "bun.lockb"):
		return "bun"
	case d.has("pnpm-lock.yaml"):
		return "pnpm"
	case d.has("yarn.lock"):
		return "yarn"
	case d.has("package-lock.json", "npm-shrinkwrap.json"):
		return "npm"
	}
	if name := before(p.PackageManager, "@"); slices.Contains([]string{"bun", "pnpm", "yarn"}, name) {
		return name
	}
	return "npm"
}

// script returns the runner that a script plainly runs. Scripts that npm runs around it hide more than can be seen.
func (d *detector) script(p manifest, name string) ([]string, bool) {
	text, ok := p.Scripts[name]
	_, pre := p.Scripts["pre"+name]
	_, post := p.Scripts["post"+name]
	if !ok || pre || post {
		return nil, false
	}
	words, ok := splitWords(text)
	if !ok || len(words) == 0 {
		return nil, false
	}
	at := assignments(words)
	if at == len(words) {
		return nil, false
	}
	if words[at] == "vitest" && (at+1 == len(words) || strings.HasPrefix(words[at+1], "-")) {
		words = slices.Insert(words, at+1, "run") // alone it would watch at a terminal
	}
	if !slices.Contains([]string{"node", "npx", "pnpm", "yarn", "bunx", "bun", "npm", "make"}, words[at]) {
		words = slices.Insert(words, at, d.launcher(p)...) // its programs lie in node_modules/.bin
	}
	return d.runner(words)
}

// launcher returns the words that run a program of node_modules.
func (d *detector) launcher(p manifest) []string {
	switch d.packageManager(p) {
	case "bun":
		return []string{"bunx"}
	case "pnpm":
		return []string{"pnpm", "exec"}
	case "yarn":
		return []string{"yarn"}
	}
	return []string{"npx", "--no-install"} // never download what is missing
}

// packageScript returns the script that a command such as "npm test" or "pnpm run unit" names.
func packageScript(command []string) (string, bool) {
	if len(command) < 2 || !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, command[0]) {
		return "", false
	}
	switch {
	case command[1] == "run" && len(command) == 3:
		return command[2], true
	case len(command) == 2 && command[1] == "t" && command[0] == "npm":
		return "test", true
	case len(command) == 2 && (command[1] == "test" && command[0] != "bun" || command[0] == "pnpm" || command[0] == "yarn"):
		return command[1], true
	}
	return "", false
}
