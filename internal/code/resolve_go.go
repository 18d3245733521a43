package code

import (
	"path"
	"slices"
	"strings"
)

// goModule is a go.mod, or a directory that one puts in place of another module.
type goModule struct{ name, dir string }

// readGoModules orders the modules by the length of their names, so that the nearest nested one is found first.
func (w *world) readGoModules(manifests map[string][]byte) {
	for name, text := range manifests {
		if path.Base(name) != "go.mod" {
			continue
		}
		dir := path.Dir(name)
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "//")
			fields := strings.Fields(line)
			if len(fields) >= 2 && fields[0] == "module" {
				w.goModules = append(w.goModules, goModule{strings.Trim(fields[1], `"`), dir})
			}
			if at := slices.Index(fields, "=>"); at > 0 && at+1 < len(fields) && strings.HasPrefix(fields[at+1], ".") {
				replaced := fields[0]
				if replaced == "replace" && at > 1 {
					replaced = fields[1]
				}
				w.goModules = append(w.goModules, goModule{replaced, path.Join(dir, fields[at+1])})
			}
		}
	}
	slices.SortFunc(w.goModules, func(a, b goModule) int {
		if n := len(b.name) - len(a.name); n != 0 {
			return n
		}
		return strings.Compare(a.name+"\x00"+a.dir, b.name+"\x00"+b.dir)
	})
}

// resolveGo finds the directory of an import path. A path of the standard library leads somewhere only in the standard
// library's own module, never to a sibling of that name.
func (w *world) resolveGo(name string) []target {
	for _, m := range w.goModules {
		rest, inside := strings.CutPrefix(name, m.name)
		if inside && (rest == "" || rest[0] == '/') {
			if dir := path.Join(m.dir, rest); w.has(dir, "go") {
				return []target{{dir: dir}}
			}
		}
	}
	first, _, _ := strings.Cut(name, "/")
	if strings.Contains(first, ".") {
		return nil
	}
	for _, m := range w.goModules {
		if dir := path.Join(m.dir, name); m.name == "std" && w.has(dir, "go") {
			return []target{{dir: dir}}
		}
	}
	return nil
}

// buildOutput reports whether a directory is, or lies in, a build or dist directory that holds results of a build when
// nothing imports them: in Go one at the top of a module, in other languages any.
func (w *world) buildOutput(dir string) bool {
	for _, up := range ancestors(dir) {
		if base := path.Base(up); base != "build" && base != "dist" {
			continue
		}
		parent := path.Dir(up)
		if parent == "." || !w.has(dir, "go") || slices.ContainsFunc(w.goModules, func(m goModule) bool { return m.dir == parent && m.name != "cmd" }) {
			return true
		}
	}
	return false
}
