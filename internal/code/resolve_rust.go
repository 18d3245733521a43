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
	c := &crate{renamed: map[string]string{}}
	section, libName := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.Trim(line, "[] ")
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
		case strings.HasSuffix(section, "dependencies"):
			if _, after, found := strings.Cut(value, "package"); found && strings.HasPrefix(value, "{") {
				c.renamed[crateName(key)] = crateName(tomlText(strings.TrimLeft(after, " =")))
			}
		case key == "package" && strings.Contains(section, "dependencies."):
			c.renamed[crateName(section[strings.LastIndexByte(section, '.')+1:])] = crateName(tomlText(value))
		}
	}
	if libName != "" {
		c.renamed[libName] = c.name
	}
	return c
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

// crateOf is the crate that a file belongs to, nil without a Cargo.toml above it.
func (w *world) crateOf(from string) *crate {
	for _, up := range ancestors(path.Dir(from)) {
		if c := w.crates[up]; c != nil && c.name != "" {
			return c
		}
	}
	return nil
}

// resolveRust finds the file of the module that a path of names begins with.
func (w *world) resolveRust(from, name string) []target {
	if child, ok := strings.CutPrefix(name, "mod "); ok {
		return w.rustModule(rustChildren(from, w.crateOf(from)), []string{child}, "")
	}
	parts := strings.Split(strings.TrimPrefix(name, "::"), "::")
	own := w.crateOf(from)
	here := rustChildren(from, own)
	switch parts[0] {
	case "crate":
		if own == nil {
			return nil
		}
		return w.rustModule(path.Dir(own.lib), parts[1:], rustRoot(w, own, from))
	case "self":
		return w.rustModule(here, parts[1:], from)
	case "super":
		return w.rustSuper(here, parts)
	case "std", "core", "alloc", "proc_macro", "test":
		return nil
	}
	wanted := parts[0]
	if own != nil && own.renamed[wanted] != "" {
		wanted = own.renamed[wanted]
	}
	if c := w.byCrate[wanted]; c != nil {
		return w.rustModule(path.Dir(c.lib), parts[1:], c.lib)
	}
	return w.rustModule(here, parts, "")
}

// rustSuper goes one module up for each super.
func (w *world) rustSuper(here string, parts []string) []target {
	for len(parts) > 0 && parts[0] == "super" {
		here = path.Dir(here)
		parts = parts[1:]
	}
	fallback := ""
	for _, name := range []string{here + ".rs", path.Join(here, "mod.rs"), path.Join(here, "lib.rs"), path.Join(here, "main.rs")} {
		if w.files[name] {
			fallback = name
			break
		}
	}
	return w.rustModule(here, parts, fallback)
}

// rustRoot is the root file of the crate for a file: the library's, or the program's where there is no library.
func rustRoot(w *world, c *crate, from string) string {
	for _, name := range []string{c.lib, path.Join(path.Dir(c.lib), "main.rs")} {
		if w.files[name] {
			return name
		}
	}
	return from
}

// rustChildren is the directory in which the child modules of a file are.
func rustChildren(from string, own *crate) string {
	dir, base := path.Split(from)
	dir = path.Clean(dir)
	if base == "mod.rs" || base == "lib.rs" || base == "main.rs" || own != nil && from == own.lib {
		return dir
	}
	return path.Join(dir, strings.TrimSuffix(base, ".rs"))
}

// rustModule follows names from a directory of modules as far as there are files; what is left are items of the last.
func (w *world) rustModule(dir string, names []string, found string) []target {
	for _, name := range names {
		next := path.Join(dir, name)
		switch {
		case w.files[next+".rs"]:
			found = next + ".rs"
		case w.files[next+"/mod.rs"]:
			found = next + "/mod.rs"
		default:
			return rustFound(w, found)
		}
		dir = next
	}
	return rustFound(w, found)
}

func rustFound(w *world, found string) []target {
	if !w.files[found] {
		return nil
	}
	return []target{file(found)}
}
