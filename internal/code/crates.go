package code

import (
	"path"
	"strings"
)

// crate is a Cargo.toml with a package.
type crate struct {
	dir, name string
	lib       string            // file of the library's root
	renamed   map[string]string // name in the code → package, dashes as underscores
	needs     map[string]bool   // dependencies by their name in the code
	old       bool              // of the edition 2015, where names begin at the crate
}

func (w *world) readCrates(manifests map[string][]byte) {
	w.crates, w.byCrate = map[string]*crate{}, map[string]*crate{}
	for name, text := range manifests {
		if path.Base(name) != "Cargo.toml" {
			continue
		}
		c := readCargo(string(text))
		c.dir = path.Dir(name)
		if c.lib == "" {
			c.lib = "src/lib.rs"
		}
		c.lib = path.Join(c.dir, c.lib)
		w.crates[c.dir] = c
		if old := w.byCrate[c.name]; c.name != "" && (old == nil || c.dir < old.dir) {
			w.byCrate[c.name] = c
		}
	}
}

// readCargo reads of a Cargo.toml the names, the library's path and the renamed dependencies, line by line.
func readCargo(text string) *crate {
	c := &crate{renamed: map[string]string{}, needs: map[string]bool{}, old: true}
	section, libName := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[] ")
			if name, ok := afterDependencies(section); ok {
				c.needs[crateName(name)] = true
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		key, value = strings.Trim(key, ` "`), strings.TrimSpace(value)
		switch {
		case section == "package" && key == "name":
			c.name = crateName(tomlText(value))
		case section == "lib" && key == "path":
			c.lib = tomlText(value)
		case section == "lib" && key == "name":
			libName = crateName(tomlText(value))
		case section == "package" && strings.HasPrefix(key, "edition"):
			c.old = tomlText(value) == "2015"
		case strings.HasSuffix(section, "dependencies"):
			name, _, _ := strings.Cut(key, ".") // name.workspace = true
			c.needs[crateName(name)] = true
			if _, after, found := strings.Cut(value, "package"); found && strings.HasPrefix(value, "{") {
				c.renamed[crateName(key)] = crateName(tomlText(strings.TrimLeft(after, " =")))
			}
		case key == "package":
			if name, ok := afterDependencies(section); ok {
				c.renamed[crateName(name)] = crateName(tomlText(value))
			}
		}
	}
	if libName != "" {
		c.renamed[libName] = c.name
	}
	return c
}

// afterDependencies is the name in a section like dependencies.name.
func afterDependencies(section string) (string, bool) {
	at := strings.LastIndex(section, "dependencies.")
	if at < 0 {
		return "", false
	}
	return strings.Trim(section[at+len("dependencies."):], `"'`), true
}

// tomlText is the content of a quoted text at the start of a value.
func tomlText(value string) string {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	text, _, _ := strings.Cut(value[1:], value[:1])
	return text
}

func crateName(name string) string { return strings.ReplaceAll(name, "-", "_") }
