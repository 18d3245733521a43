package code

import (
	"path"
	"strings"
)

// world is what resolvers look names up in: the files of a worktree and what their manifests say.
type world struct {
	files   map[string]bool     // source files that an import may lead to
	dirs    map[string][]string // directory → languages of the source in it, unique
	byBase  map[string][]string // base name of a C or C++ file → paths
	javaTop map[string][]string // package and top type → paths
	javaPkg map[string][]string // package → directories

	pyPackages map[string]bool // directories with an __init__.py

	goModules []goModule
	packages  map[string]scriptPackage // name of a workspace package
	owners    map[string]scriptPackage // directory → the package in it
	settings  map[string]scriptSettings
	crates    map[string]*crate // directory of a Cargo.toml
	byCrate   map[string]*crate // package name, dashes as underscores
	rust      rustTree
}

// IsManifest reports whether NewGraph reads a file to learn how names are resolved.
func IsManifest(name string) bool {
	base := path.Base(name)
	switch base {
	case "go.mod", "package.json", "jsconfig.json", "Cargo.toml":
	default:
		if !strings.HasPrefix(base, "tsconfig") || path.Ext(base) != ".json" {
			return false
		}
	}
	return !below(name, "node_modules") && !below(name, "vendor") && !below(name, "testdata")
}

func newWorld(sources []Source, manifests map[string][]byte, pyPackages map[string]bool) *world {
	w := &world{files: map[string]bool{}, dirs: map[string][]string{}, byBase: map[string][]string{},
		javaTop: map[string][]string{}, javaPkg: map[string][]string{}, pyPackages: pyPackages}
	for i := range sources {
		s := &sources[i]
		w.files[s.Path] = true
		dir, language := path.Dir(s.Path), s.Facts.Language
		if !contains(w.dirs[dir], language) {
			w.dirs[dir] = append(w.dirs[dir], language)
		}
		switch language {
		case "c", "cpp":
			base := path.Base(s.Path)
			w.byBase[base] = append(w.byBase[base], s.Path)
		case "java":
			w.addJava(s)
		}
	}
	w.readGoModules(manifests)
	w.readPackages(manifests)
	w.readCrates(manifests)
	w.readRustTree(sources)
	return w
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// has reports whether a directory holds source of a language.
func (w *world) has(dir, language string) bool { return contains(w.dirs[dir], language) }

// resolve returns what an import leads to in the repository, and whether it must lead to something there.
func (w *world) resolve(s *Source, imp Import) (targets []target, internal bool) {
	switch s.Facts.Language {
	case "go":
		return w.resolveGo(imp.Path), false
	case "typescript", "javascript":
		return w.resolveScript(s.Path, imp.Path), strings.HasPrefix(imp.Path, ".")
	case "python":
		return w.resolvePython(s.Path, imp), strings.HasPrefix(imp.Path, ".")
	case "java":
		return w.resolveJava(s.Path, imp), false
	case "rust":
		return w.resolveRust(s.Path, imp.Path), strings.HasPrefix(imp.Path, "mod ")
	case "c", "cpp":
		return w.resolveInclude(s.Path, imp.Path), false
	}
	return nil, false
}

// file is a target for a path that is in the repository.
func file(name string) target { return target{dir: path.Dir(name), file: name} }

// nearest picks the path that shares most of its directories with from; ties go to the first.
func nearest(from string, paths []string) string {
	best, most := "", -1
	for _, p := range paths {
		if n := sharedDirs(from, p); n > most {
			best, most = p, n
		}
	}
	return best
}

func sharedDirs(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// ancestors are a directory and those above it, up to the top level ".".
func ancestors(dir string) []string {
	out := []string{dir}
	for dir != "." && dir != "/" && dir != "" {
		dir = path.Dir(dir)
		out = append(out, dir)
	}
	return out
}
