package code

import (
	"path"
	"slices"
	"strings"
)

// rustTree is which file of Rust declares which others as its modules.
type rustTree struct {
	children map[string]map[string]string // file → name, with "::" after each inline module around it → file
	parent   map[string]string
	pathed   map[string]bool // files that an attribute names: their modules lie beside them
	inline   map[string]bool // file, a space, and the name of a module with a body in it
}

// maxRustDepth bounds a chain of modules: a path attribute can make a circle.
const maxRustDepth = 100

// readRustTree follows the declarations of modules. A file that two declare is the first one's.
func (w *world) readRustTree(sources []Source) {
	w.rust = rustTree{children: map[string]map[string]string{}, parent: map[string]string{}, pathed: map[string]bool{}, inline: map[string]bool{}}
	each := func(visit func(from, name, attribute string)) {
		for i := range sources {
			for _, imp := range sources[i].Facts.Imports {
				if declared, ok := strings.CutPrefix(imp.Path, "mod "); ok && sources[i].Facts.Language == "rust" {
					name, attribute, _ := strings.Cut(declared, " ")
					visit(sources[i].Path, name, attribute)
				}
			}
		}
	}
	for i := range sources {
		for _, d := range sources[i].Facts.Definitions {
			if d.Kind == "module" {
				w.rust.inline[sources[i].Path+" "+d.Name] = true
			}
		}
	}
	each(func(from, _, attribute string) {
		if named := path.Join(path.Dir(from), attribute); attribute != "" && w.files[named] {
			w.rust.pathed[named] = true
		}
	})
	each(func(from, name, attribute string) {
		child := w.rustFile(path.Join(w.rustChildren(from), strings.ReplaceAll(name, "::", "/")))
		if attribute != "" {
			child = path.Join(path.Dir(from), attribute)
		}
		if !w.files[child] || child == from {
			return
		}
		if w.rust.children[from] == nil {
			w.rust.children[from] = map[string]string{}
		}
		w.rust.children[from][name] = child
		if w.rust.parent[child] == "" {
			w.rust.parent[child] = from
		}
	})
}

// rustFile is the file of the module that lies at a path, "" for none.
func (w *world) rustFile(name string) string {
	for _, file := range []string{name + ".rs", name + "/mod.rs"} {
		if w.files[file] {
			return file
		}
	}
	return ""
}

// rustChildren is the directory in which the modules of a file are.
func (w *world) rustChildren(from string) string {
	dir, base := path.Dir(from), path.Base(from)
	if base == "mod.rs" || base == "lib.rs" || base == "main.rs" || w.rust.pathed[from] || w.isRustRoot(from) {
		return dir
	}
	return path.Join(dir, strings.TrimSuffix(base, ".rs"))
}

// isRustRoot knows the files from which Cargo builds something of its own.
func (w *world) isRustRoot(file string) bool {
	c := w.crateOf(file)
	if c == nil {
		return false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(file, c.dir), "/")
	switch dir := path.Dir(rest); dir {
	case ".":
		return file == c.lib || rest == "build.rs"
	case "src/bin", "examples", "tests", "benches":
		return true
	}
	return file == c.lib
}

// crateOf is the crate that a file belongs to, nil without a Cargo.toml above it.
func (w *world) crateOf(from string) *crate {
	for _, up := range ancestors(path.Dir(from)) {
		if c := w.crates[up]; c != nil && c.name != "" {
			return c
		}
	}
	return nil
}

// rustRoot is the root file of the crate, or of the program in it, that a file belongs to.
func (w *world) rustRoot(from string) string {
	root := from
	for range maxRustDepth {
		up := w.rust.parent[root]
		if up == "" {
			break
		}
		root = up
	}
	own := w.crateOf(from)
	if root != from || own == nil || w.isRustRoot(from) || path.Base(from) == "main.rs" {
		return root
	}
	for _, name := range []string{own.lib, path.Join(path.Dir(own.lib), "main.rs")} { // nothing declares it that was read
		if w.files[name] {
			return name
		}
	}
	return from
}

// resolveRust finds the file of the module that a path of names begins with.
func (w *world) resolveRust(from, name string) []target {
	if declared, ok := strings.CutPrefix(name, "mod "); ok {
		child, _, _ := strings.Cut(declared, " ")
		return rustFound(w.rust.children[from][child])
	}
	parts := strings.Split(strings.TrimPrefix(name, "::"), "::")
	switch parts[0] {
	case "crate":
		return rustFound(w.rustModule(w.rustRoot(from), parts[1:]))
	case "self":
		return rustFound(w.rustModule(from, parts[1:]))
	case "super":
		return rustFound(w.rustSuper(from, parts))
	}
	own := w.crateOf(from)
	switch parts[0] {
	case "std", "core", "alloc", "proc_macro", "test":
		if own == nil || !own.needs[parts[0]] {
			return nil
		}
	}
	if found := w.rustModule(from, parts); found != from { // a module of this one goes before a crate
		return rustFound(found)
	}
	wanted := parts[0]
	if own != nil && own.renamed[wanted] != "" {
		wanted = own.renamed[wanted]
	}
	if c := w.byCrate[wanted]; c != nil {
		return rustFound(w.rustModule(c.lib, parts[1:]))
	}
	if root := w.rustRoot(from); own == nil || own.old {
		if found := w.rustModule(root, parts); found != root || w.rust.inline[root+" "+parts[0]] {
			return rustFound(found)
		}
	}
	return nil
}

// rustSuper goes one module up for each super.
func (w *world) rustSuper(from string, parts []string) string {
	for len(parts) > 0 && parts[0] == "super" {
		parts = parts[1:]
		if up := w.rust.parent[from]; up != "" {
			from = up
			continue
		}
		here := path.Dir(w.rustChildren(from))
		candidates := []string{here + ".rs", path.Join(here, "mod.rs"), path.Join(here, "lib.rs"), path.Join(here, "main.rs")}
		i := slices.IndexFunc(candidates, func(name string) bool { return w.files[name] })
		if i < 0 {
			return ""
		}
		from = candidates[i]
	}
	return w.rustModule(from, parts)
}

// rustModule follows names from a file through the modules that it declares, or that lie where they would be declared, as
// far as there are files; what is left are items of the last.
func (w *world) rustModule(from string, names []string) string {
	dir, inline := w.rustChildren(from), ""
	for _, name := range names[:min(len(names), maxRustDepth)] {
		next := w.rust.children[from][inline+name]
		if next == "" {
			next = w.rustFile(path.Join(dir, name))
		}
		if next == "" {
			dir, inline = path.Join(dir, name), inline+name+"::"
			continue
		}
		from, inline = next, ""
		dir = w.rustChildren(from)
	}
	if !w.files[from] {
		return ""
	}
	return from
}

func rustFound(name string) []target {
	if name == "" {
		return nil
	}
	return []target{file(name)}
}
